// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of a generic as several, by reshapes of its operands.

#ifndef QDQ_LIB_CODEGEN_SUMS_SPLITLOOPS_H
#define QDQ_LIB_CODEGEN_SUMS_SPLITLOOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::qdq {

/// The loops of an op as those of another one.
struct LoopSplit {
  /// Some loops that replace one, the outermost first, and their sizes.
  struct Part {
    SmallVector<AffineExpr> dims;
    SmallVector<OpFoldResult> sizes;
  };

  /// An operand with a dimension for each of the loops that replace one which
  /// it has as a dimension of its own. Changes `map` to that of the new loops.
  Value splitOperand(ImplicitLocOpBuilder &b, Value operand,
                     AffineMap &map) const;
  /// Replaces indices of the loops in `made`, a body with the new loops. An
  /// index of two loops is counted from `from` on.
  void replaceIndices(RewriterBase &rewriter, linalg::GenericOp made,
                      OpFoldResult from = {}) const;

  /// Each loop as an index of the new ones.
  SmallVector<AffineExpr> exprs;
  DenseMap<unsigned, Part> parts;
  unsigned numLoops = 0;
};

/// Replaces loops of `op` by loops of the sizes `parts`, the outermost first.
/// Operands have such a loop as a dimension of its own, or compute an index
/// with it, as the body does, of two parts at most. `lay` may change an operand
/// of `op`, by number, and its new map.
linalg::GenericOp
splitLoops(RewriterBase &rewriter, linalg::GenericOp op,
           const DenseMap<unsigned, SmallVector<int64_t>> &parts,
           function_ref<void(OpOperand &, Value &, AffineMap &)> lay = nullptr);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_SUMS_SPLITLOOPS_H
