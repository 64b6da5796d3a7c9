// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slices of values and of their parameters, for the tiles of all ops.

#include "Tiling.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "qdq/IR/TileBounds.h"

using namespace mlir;
using namespace mlir::qdq;

static OpFoldResult apply(OpBuilder &b, Location loc, AffineExpr expr,
                          ArrayRef<OpFoldResult> operands) {
  return affine::makeComposedFoldedAffineApply(b, loc, expr, operands);
}

FailureOr<ParameterTile>
mlir::qdq::getParameterTile(OpBuilder &b, Location loc,
                            const Granularity &granularity,
                            const Slice &loops) {
  ParameterTile tile;
  AffineExpr symbol = b.getAffineSymbolExpr(0);
  if (granularity.isAxis())
    tile.add(loops.offsets[granularity.getAxis()],
             loops.sizes[granularity.getAxis()]);
  for (auto [length, offset, size] :
       llvm::zip(granularity.getBlockShape(), loops.offsets, loops.sizes)) {
    int64_t divisor = getKnownDivisor(offset);
    if (length == 0) {
      tile.add(b.getIndexAttr(0), b.getIndexAttr(1));
      tile.blockShape.push_back(0);
    } else if (divisor % length == 0) {
      tile.add(apply(b, loc, symbol.floorDiv(length), offset),
               apply(b, loc, symbol.ceilDiv(length), size));
      tile.blockShape.push_back(length);
    } else if (length % divisor == 0 && isAtMost(size, divisor)) {
      tile.add(apply(b, loc, symbol.floorDiv(length), offset),
               b.getIndexAttr(1));
      tile.blockShape.push_back(0);
    } else {
      return failure();
    }
  }
  return tile;
}

void mlir::qdq::scaleUp(OpBuilder &b, Location loc, AffineExpr count,
                        OpFoldResult whole, bool divides, OpFoldResult &offset,
                        OpFoldResult &size) {
  offset = apply(b, loc, count, {offset});
  size = apply(b, loc, count, {size});
  AffineExpr s0 = b.getAffineSymbolExpr(0), s1 = b.getAffineSymbolExpr(1),
             s2 = b.getAffineSymbolExpr(2);
  if (!divides)
    size = affine::makeComposedFoldedAffineMin(
        b, loc, AffineMap::get(0, 3, {s0 - s1, s2}, b.getContext()),
        {whole, offset, size});
}

Value mlir::qdq::takeSlice(OpBuilder &b, Location loc, Value value,
                           const Slice &slice,
                           SmallVectorImpl<Operation *> &slices) {
  SmallVector<OpFoldResult> strides(slice.offsets.size(), b.getIndexAttr(1));
  slices.push_back(tensor::ExtractSliceOp::create(b, loc, value, slice.offsets,
                                                  slice.sizes, strides));
  return slices.back()->getResult(0);
}

RankedTensorType mlir::qdq::getTileType(ArrayRef<OpFoldResult> sizes,
                                        Type like) {
  SmallVector<int64_t> shape;
  SmallVector<Value> dynamicSizes;
  dispatchIndexOpFoldResults(sizes, dynamicSizes, shape);
  return RankedTensorType::get(shape, getElementTypeOrSelf(like));
}

TilingResult mlir::qdq::toTilingResult(Operation *tiled,
                                       ArrayRef<Operation *> slices) {
  return TilingResult{{tiled},
                      SmallVector<Value>(tiled->getResults()),
                      SmallVector<Operation *>(slices)};
}

SmallVector<Range> mlir::qdq::toRanges(OpBuilder &b,
                                       ArrayRef<OpFoldResult> sizes) {
  return llvm::map_to_vector(sizes, [&](OpFoldResult size) {
    return Range{b.getIndexAttr(0), size, b.getIndexAttr(1)};
  });
}

FailureOr<Slice>
mlir::qdq::getFirstOperandTile(ArrayRef<unsigned> operands,
                               ArrayRef<SmallVector<OpFoldResult>> offsets,
                               ArrayRef<SmallVector<OpFoldResult>> sizes) {
  if (operands.size() != 1 || operands.front() != 0)
    return failure();
  return Slice(offsets.front(), sizes.front());
}

LogicalResult mlir::qdq::assignSlice(FailureOr<Slice> slice,
                                     SmallVectorImpl<OpFoldResult> &offsets,
                                     SmallVectorImpl<OpFoldResult> &sizes) {
  if (failed(slice))
    return failure();
  offsets = std::move(slice->offsets);
  sizes = std::move(slice->sizes);
  return success();
}
