// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operands of a tile, read and written for all its lanes.

#ifndef QDQ_LIB_CODEGEN_VECTORIZE_LANEMEMORY_H
#define QDQ_LIB_CODEGEN_VECTORIZE_LANEMEMORY_H

#include "LaneValue.h"

namespace mlir::qdq {

/// A value that differs along some of the lane loops only.
struct SomeLanes {
  Value elements;
  SmallVector<unsigned> loops;
};

class LaneMemory {
public:
  LaneMemory(ImplicitLocOpBuilder &b, linalg::GenericOp tile,
             const LaneLoops &loops)
      : b(b), tile(tile), loops(loops), shuffle(b, loops) {}

  /// Where each loop begins: empty for 0.
  ArrayRef<Value> offsets;

  /// An operand of any other kind than `PerSome`.
  LaneValue read(OpOperand &operand);
  /// The elements of an operand for all lanes, in a row; of words, all parts.
  Value readAll(OpOperand &operand);
  /// The elements of an operand of kind `PerSome`, in a row, and the loops that
  /// count them.
  SomeLanes readSome(OpOperand &operand);
  /// The same for all lanes.
  LaneValue spread(const SomeLanes &some);
  /// The tensor with `lanes` in it.
  Value write(OpOperand &init, Value lanes);

private:
  SmallVector<Value> getOrigin(AffineMap map);
  Value readShape(OpOperand &operand, ValueRange origin,
                  ArrayRef<int64_t> shape);
  Value readField(OpOperand &operand, int64_t field);

  ImplicitLocOpBuilder &b;
  linalg::GenericOp tile;
  const LaneLoops &loops;
  LaneShuffle shuffle;
};

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_VECTORIZE_LANEMEMORY_H
