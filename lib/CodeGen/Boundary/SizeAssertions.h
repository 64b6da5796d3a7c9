// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Assertions on the sizes of tensors in one function.

#ifndef QDQ_LIB_CODEGEN_BOUNDARY_SIZEASSERTIONS_H
#define QDQ_LIB_CODEGEN_BOUNDARY_SIZEASSERTIONS_H

#include "ArgumentSlice.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::qdq {

/// They stand at the beginning of the function if its arguments tell the sizes,
/// else before the op that they are about. Those of a nested op, which may not
/// run, stand before it.
class SizeAssertions {
public:
  explicit SizeAssertions(func::FuncOp function)
      : early(ImplicitLocOpBuilder::atBlockBegin(function.getLoc(),
                                                 &function.front())),
        late(early), slice(function, function.getArguments(), early) {}

  /// The next assertions are about `op`.
  void setOp(Operation *op);

  OpFoldResult getSize(Value tensor, int64_t dim);
  OpFoldResult getSize(OpFoldResult size);
  /// An expression of the symbols s0, s1, ..., which are `sizes`.
  OpFoldResult compute(AffineExpr expr, ArrayRef<OpFoldResult> sizes);
  OpFoldResult multiply(ArrayRef<OpFoldResult> sizes);
  Value compare(arith::CmpIPredicate predicate, OpFoldResult lhs,
                OpFoldResult rhs);

  void create(Value condition, const Twine &reason);
  void assertEqual(OpFoldResult lhs, OpFoldResult rhs);
  /// Asserts that `index` is less than `size`, or a size of `loops` is 0.
  void assertInside(OpFoldResult index, OpFoldResult size,
                    ArrayRef<OpFoldResult> loops);

  /// Where the next op is inserted.
  ImplicitLocOpBuilder &getBuilder() { return isLate ? late : early; }

private:
  ImplicitLocOpBuilder early, late;
  ArgumentSlice slice;
  /// Pairs that an assertion compares already.
  DenseSet<std::pair<void *, void *>> equal;
  /// True if arguments do not tell a size of the op, or it is nested.
  bool isLate = false;
  bool isNested = false;
};

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_BOUNDARY_SIZEASSERTIONS_H
