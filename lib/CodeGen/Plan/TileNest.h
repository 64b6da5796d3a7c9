// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loops that replace a tile, while vectors are built in them.

#ifndef QDQ_LIB_CODEGEN_PLAN_TILENEST_H
#define QDQ_LIB_CODEGEN_PLAN_TILENEST_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::qdq {

/// The size of each loop of a structured op, and where it is.
struct TileNest {
  /// The next values that a loop carries.
  using Body = function_ref<SmallVector<Value>(ValueRange)>;

  TileNest(ImplicitLocOpBuilder &b, linalg::GenericOp op);

  std::optional<int64_t> getStaticSize(unsigned loop) const {
    return getConstantIntValue(sizes[loop]);
  }
  Value createIndex(OpFoldResult index) const;
  Value createIndex(int64_t index) const {
    return createIndex(b.getIndexAttr(index));
  }
  /// The indices of an operand, or of one of this map, where the loops are.
  SmallVector<Value> createIndices(OpOperand &operand) const;
  SmallVector<Value> createIndices(AffineMap map) const;

  /// Where loops of these counts are in iteration `number` of them all.
  SmallVector<OpFoldResult> delinearize(Value number,
                                        ArrayRef<int64_t> counts) const;

  /// The largest multiple of `step` up to `size`.
  OpFoldResult roundDown(OpFoldResult size, int64_t step) const;

  /// A vector of elements of `source`, all of which exist.
  Value read(VectorType type, Value source, ValueRange indices) const;
  /// A vector of an operand from where the loops are on: zeros stand for
  /// elements that do not exist. `isInBounds`: all exist.
  Value readPadded(VectorType type, OpOperand &operand, bool isInBounds) const;
  /// The element of an operand where the loops are, or the scalar that it is.
  Value readScalar(OpOperand &operand) const;
  /// `tensor` with this vector at `indices`. `isInBounds`: all of it has a
  /// place there.
  Value write(Value vector, Value tensor, ValueRange indices,
              bool isInBounds = true) const;

  /// Builds `body` in a loop over these numbers that carries `values`.
  SmallVector<Value> countUp(
      OpFoldResult from, OpFoldResult to, int64_t step, ValueRange values,
      function_ref<SmallVector<Value>(Value number, ValueRange)> body) const;

  /// Builds `body` in a loop that carries `values`. Behind it, the loop is at
  /// 0.
  SmallVector<Value> createLoop(unsigned loop, OpFoldResult from,
                                OpFoldResult to, int64_t step,
                                ValueRange values, Body body);
  SmallVector<Value> createLoop(unsigned loop, int64_t step, ValueRange values,
                                Body body) {
    return createLoop(loop, b.getIndexAttr(0), sizes[loop], step, values, body);
  }
  /// Builds `body` in all of these loops, the outermost first. One of a single
  /// iteration stays at 0.
  SmallVector<Value> forEach(ArrayRef<unsigned> loops, ValueRange values,
                             Body body);

  /// Builds `body` for `step` iterations at once, from one on, and for those
  /// that are left: all at once, or for half as many again and again if their
  /// number is dynamic. The body is told the number. Without a loop it is 1.
  SmallVector<Value>
  forEachPart(std::optional<unsigned> loop, OpFoldResult from, int64_t step,
              ValueRange values,
              function_ref<SmallVector<Value>(int64_t, ValueRange)> body);
  /// Calls `visit` at `count` iterations of a loop, from where it is on, of
  /// `step` each.
  void forEachOf(std::optional<unsigned> loop, int64_t count,
                 function_ref<void()> visit, int64_t step = 1);
  /// Calls `visit` at each iteration of these loops, of static sizes.
  void forEachOf(ArrayRef<unsigned> loops, function_ref<void()> visit);

  ImplicitLocOpBuilder &b;
  linalg::GenericOp op;
  SmallVector<OpFoldResult> sizes, offsets;
};

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_PLAN_TILENEST_H
