// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TilingInterface of unpack and pack. The loops are the dimensions of the
// result.

#include "Tiling.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "qdq/IR/TileBounds.h"

using namespace mlir;
using namespace mlir::qdq;

/// The packed dimension; nothing where elements of several dimensions follow
/// each other.
static std::optional<int64_t> getPackedDim(const BitLayout &layout,
                                           int64_t rank) {
  if (layout.hasAxis() || rank != 1)
    return layout.axis;
  return 0;
}

/// The fewest elements that fill whole containers, by which the layout repeats.
static int64_t getPeriod(const BitLayout &layout) {
  return layout.block.value_or(std::lcm(layout.bits, layout.containerBits) /
                               layout.bits);
}

static LogicalResult refuseFlat(EmitError emitError) {
  emitError() << "cannot be tiled: its packing has no axis, and its elements "
                 "have several dimensions";
  return failure();
}

/// The containers of a tile of elements. A tile of `pack` fills them; one of
/// `unpack` may use a part of the last one.
template <typename OpTy>
static FailureOr<Slice> toContainers(OpTy op, OpBuilder &b,
                                     const Slice &elements,
                                     EmitError emitError) {
  auto type = cast<RankedTensorType>(op.getElements().getType());
  BitLayout layout = op.getLayout();
  std::optional<int64_t> axis = getPackedDim(layout, type.getRank());
  if (!axis)
    return refuseFlat(emitError);
  Slice slice = elements;
  OpFoldResult &offset = slice.offsets[*axis], &size = slice.sizes[*axis];
  int64_t period = getPeriod(layout);
  bool isWhole = std::is_same_v<OpTy, UnpackOp>
                     ? getKnownDivisor(offset) % period == 0
                     : holdsWholeGroups(offset, size,
                                        Bound(op.getElements(), *axis), period);
  if (!isWhole)
    return emitError() << "cannot be tiled through its containers: "
                          "expected multiples of "
                       << period << " elements in dimension " << *axis;
  AffineExpr count = layout.getNumContainers(b.getAffineSymbolExpr(0));
  offset =
      affine::makeComposedFoldedAffineApply(b, op.getLoc(), count, {offset});
  size = affine::makeComposedFoldedAffineApply(b, op.getLoc(), count, {size});
  return slice;
}

/// The elements of a tile of containers. The last container may not be full.
template <typename OpTy>
static FailureOr<Slice> toElements(OpTy op, OpBuilder &b,
                                   const Slice &containers,
                                   EmitError emitError) {
  auto type = cast<RankedTensorType>(op.getElements().getType());
  auto containersType = cast<RankedTensorType>(op.getContainers().getType());
  BitLayout layout = op.getLayout();
  std::optional<int64_t> axis = getPackedDim(layout, type.getRank());
  if (!axis)
    return refuseFlat(emitError);
  Slice slice = containers;
  OpFoldResult &offset = slice.offsets[*axis], &size = slice.sizes[*axis];
  int64_t period = layout.getNumContainers(getPeriod(layout));
  AffineExpr needed = layout.getNumContainers(b.getAffineDimExpr(0));
  Bound all =
      std::is_same_v<OpTy, UnpackOp>
          ? Bound(op.getContainers(), *axis)
          : Bound(AffineMap::get(1, 0, needed), Bound(op.getElements(), *axis));
  if (!holdsWholeGroups(offset, size, all, period))
    return emitError() << "cannot be tiled through its elements: expected "
                          "multiples of "
                       << period << " containers in dimension " << *axis;
  ReifiedRankedShapedTypeDims shapes;
  OpFoldResult whole;
  if constexpr (std::is_same_v<OpTy, UnpackOp>) {
    if (failed(op.reifyResultShapes(b, shapes)))
      return failure();
    whole = shapes.front()[*axis];
  } else {
    whole = tensor::getMixedSize(b, op.getLoc(), op.getElements(), *axis);
  }
  int64_t fitting = layout.getMaxElements(containersType.getDimSize(*axis));
  scaleUp(b, op.getLoc(), layout.getMaxElements(b.getAffineSymbolExpr(0)),
          whole,
          ShapedType::isStatic(fitting) && fitting == type.getDimSize(*axis),
          offset, size);
  return slice;
}

static FailureOr<TilingResult>
getTile(UnpackOp op, OpBuilder &b, const Slice &loops, EmitError emitError) {
  FailureOr<Slice> containers = toContainers(op, b, loops, emitError);
  if (failed(containers))
    return failure();
  SmallVector<Operation *> slices;
  SmallVector<Value> operands = {
      takeSlice(b, op.getLoc(), op.getContainers(), *containers, slices)};
  SmallVector<int64_t> shape;
  dispatchIndexOpFoldResults(loops.sizes, operands, shape);
  Type type = getTileType(loops.sizes, op.getElements().getType());
  return toTilingResult(clone(b, op, type, operands), slices);
}

static FailureOr<TilingResult>
getTile(PackOp op, OpBuilder &b, const Slice &loops, EmitError emitError) {
  FailureOr<Slice> elements = toElements(op, b, loops, emitError);
  if (failed(elements))
    return failure();
  SmallVector<Operation *> slices;
  Value input = takeSlice(b, op.getLoc(), op.getElements(), *elements, slices);
  Type type = getTileType(loops.sizes, op.getContainers().getType());
  return toTilingResult(clone(b, op, type, input), slices);
}

//===----------------------------------------------------------------------===//
// Tiles of operands and results
//===----------------------------------------------------------------------===//

template <typename OpTy>
static Value getLoopValue(OpTy op) {
  return op->getResult(0);
}

template <typename OpTy>
static bool isReduced(OpTy, int64_t) {
  return false;
}

template <typename OpTy>
static SmallVector<OpFoldResult> getLoopSizes(OpTy op, OpBuilder &b) {
  ReifiedRankedShapedTypeDims shapes;
  (void)op.reifyResultShapes(b, shapes);
  return shapes.front();
}

template <typename OpTy>
static FailureOr<Slice> toResultTile(OpTy, OpBuilder &, const Slice &loops) {
  return loops;
}

template <typename OpTy>
static FailureOr<Slice> fromResultTile(OpTy, OpBuilder &, const Slice &result) {
  return result;
}

static FailureOr<Slice> fromOperandTile(UnpackOp op, OpBuilder &b,
                                        const Slice &containers) {
  return toElements(op, b, containers, emitNothing);
}
static FailureOr<Slice> fromOperandTile(PackOp op, OpBuilder &b,
                                        const Slice &elements) {
  return toContainers(op, b, elements, emitNothing);
}

QDQ_DEFINE_TILING(UnpackOp)
QDQ_DEFINE_TILING(PackOp)
