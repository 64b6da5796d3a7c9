// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How unpack and pack are split: containers follow their elements, and are not
// split themselves.

#include "PackingSharding.h"

using namespace mlir;
using namespace mlir::qdq;
using shard::GridAxis;

/// Containers follow their elements; without an axis, the first dimension of
/// these. Sizes are scalars.
template <typename OpTy>
static AffineMap getPackingMap(OpTy op, Value value) {
  int64_t rank = cast<RankedTensorType>(op.getElements().getType()).getRank();
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return AffineMap::getMultiDimIdentityMap(2 * rank, op.getContext())
      .getMajorSubMap(type ? std::min(type.getRank(), rank) : 0);
}
AffineMap mlir::qdq::getMap(UnpackOp op, Value value) {
  return getPackingMap(op, value);
}
AffineMap mlir::qdq::getMap(PackOp op, Value value) {
  return getPackingMap(op, value);
}

/// True if the sizes of the elements are operands, which are those of the
/// whole.
static bool givesSizes(UnpackOp op) { return !op.getSizes().empty(); }
static bool givesSizes(PackOp) { return false; }

/// A part of the packed dimension holds whole containers.
template <typename OpTy>
static LogicalResult checkPackingSplit(OpTy op, shard::GridOp grid,
                                       ArrayRef<SmallVector<GridAxis>> axes) {
  auto type = cast<RankedTensorType>(op.getElements().getType());
  BitLayout layout = op.getLayout();
  for (auto [dim, split] : llvm::enumerate(
           axes.take_front(std::min<size_t>(axes.size(), type.getRank())))) {
    if (split.empty())
      continue;
    if (!layout.hasAxis() && dim > 0)
      return op.emitOpError() << "cannot be split along dimension " << dim
                              << ": its packing has no axis, and follows "
                                 "dimension 0";
    int64_t parts = shard::collectiveProcessGroupSize(split, grid);
    int64_t size = type.getDimSize(dim);
    bool isPacked = static_cast<int64_t>(dim) == layout.axis.value_or(0);
    if (ShapedType::isDynamic(size) && givesSizes(op))
      return op.emitOpError() << "is given the size of dimension " << dim
                              << ", which cannot be split";
    // The elements of an index of the dimension.
    int64_t inner = 1;
    if (!layout.hasAxis())
      for (int64_t other : type.getShape().drop_front())
        inner *= ShapedType::isDynamic(other) ? 1 : other;
    int64_t period = isPacked ? layout.getPeriod() : 1;
    bool isKnown =
        !ShapedType::isDynamic(size) && !ShapedType::isDynamic(parts);
    if (isKnown ? size % parts == 0 && size / parts * inner % period == 0
                : inner % period == 0)
      continue;
    InFlightDiagnostic error = op.emitOpError() << "dimension " << dim;
    if (!isKnown)
      return error << " fills containers by " << period
                   << " elements, and is split into parts of unknown size";
    error << " of size " << size << " cannot be split into " << parts
          << " equal parts";
    if (period != 1)
      error << " of whole containers, which hold multiples of " << period
            << " elements";
    return error;
  }
  return success();
}
LogicalResult mlir::qdq::checkSplit(UnpackOp op, shard::GridOp grid,
                                    ArrayRef<SmallVector<GridAxis>> axes) {
  return checkPackingSplit(op, grid, axes);
}
LogicalResult mlir::qdq::checkSplit(PackOp op, shard::GridOp grid,
                                    ArrayRef<SmallVector<GridAxis>> axes) {
  return checkPackingSplit(op, grid, axes);
}
