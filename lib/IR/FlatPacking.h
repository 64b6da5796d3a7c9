// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles of elements of several dimensions that are packed one after the other,
// without an axis.

#ifndef QDQ_LIB_IR_FLATPACKING_H
#define QDQ_LIB_IR_FLATPACKING_H

#include "Tiling.h"

namespace mlir::qdq {

/// Elements that follow each other, row-major.
struct FlatRange {
  OpFoldResult offset, size;
};

/// The elements of a box of a tensor; nothing unless they are known to follow
/// each other from a multiple of `period` on, and, with `isFull`, to a multiple
/// or to the end of the tensor.
std::optional<FlatRange> getFlatRange(OpBuilder &b, Location loc, Value tensor,
                                      const Slice &box, int64_t period,
                                      bool isFull);

/// True if the packing has no axis, but every row of the last dimension is
/// known to fill whole containers.
bool isPackedInRows(UnpackOp op);

/// The containers of such an op, with a dimension for each one of the elements.
Value expandToRows(UnpackOp op, OpBuilder &b);

/// A packing that differs in its axis.
PackingAttr alongAxis(PackingAttr packing, int64_t axis);

} // namespace mlir::qdq

#endif // QDQ_LIB_IR_FLATPACKING_H
