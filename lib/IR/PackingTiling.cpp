// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TilingInterface of unpack and pack. The loops are the dimensions of the
// result.

#include "FlatPacking.h"
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

/// The containers of so many elements that follow each other.
template <typename OpTy>
static OpFoldResult countContainers(OpTy op, OpBuilder &b,
                                    OpFoldResult elements) {
  return affine::makeComposedFoldedAffineApply(
      b, op.getLoc(), op.getLayout().getNumContainers(b.getAffineSymbolExpr(0)),
      {elements});
}

/// The containers of a tile of elements that are packed along `axis`. A tile of
/// `pack` fills them; one of `unpack` may use a part of the last one.
template <typename OpTy>
static FailureOr<Slice> toContainersAlong(int64_t axis, OpTy op, OpBuilder &b,
                                          const Slice &elements,
                                          EmitError emitError) {
  BitLayout layout = op.getLayout();
  Slice slice = elements;
  OpFoldResult &offset = slice.offsets[axis], &size = slice.sizes[axis];
  int64_t period = layout.getPeriod();
  bool isWhole = std::is_same_v<OpTy, UnpackOp>
                     ? getKnownDivisor(offset) % period == 0
                     : holdsWholeGroups(offset, size,
                                        Bound(op.getElements(), axis), period);
  if (!isWhole)
    return emitError() << "cannot be tiled through its containers: "
                          "expected multiples of "
                       << period << " elements in dimension " << axis;
  offset = countContainers(op, b, offset);
  size = countContainers(op, b, size);
  return slice;
}

/// The same of elements of several dimensions that follow each other.
template <typename OpTy>
static FailureOr<Slice> toFlatContainers(OpTy op, OpBuilder &b,
                                         const Slice &elements,
                                         EmitError emitError) {
  BitLayout layout = op.getLayout();
  int64_t period = layout.getPeriod();
  std::optional<FlatRange> range =
      getFlatRange(b, op.getLoc(), op.getElements(), elements, period,
                   /*isFull=*/std::is_same_v<OpTy, PackOp>);
  if (!range)
    return emitError() << "cannot be tiled through its containers, which have "
                          "no axis: expected elements that follow each other, "
                          "in multiples of "
                       << period;
  return Slice({countContainers(op, b, range->offset)},
               {countContainers(op, b, range->size)});
}

template <typename OpTy>
static FailureOr<Slice> toContainers(OpTy op, OpBuilder &b,
                                     const Slice &elements,
                                     EmitError emitError) {
  int64_t rank = op.getElements().getType().getRank();
  if (auto axis = getPackedDim(op.getLayout(), rank))
    return toContainersAlong(*axis, op, b, elements, emitError);
  return toFlatContainers(op, b, elements, emitError);
}

/// The elements of a tile of containers, which are packed along `axis` of
/// `whole` elements. The last container may not be full.
template <typename OpTy>
static FailureOr<Slice>
toElementsAlong(int64_t axis, OpFoldResult whole, OpTy op, OpBuilder &b,
                const Slice &containers, EmitError emitError) {
  BitLayout layout = op.getLayout();
  Slice slice = containers;
  OpFoldResult &offset = slice.offsets[axis], &size = slice.sizes[axis];
  int64_t period = layout.getNumContainers(layout.getPeriod());
  Bound all(op.getContainers(), axis);
  if (!holdsWholeGroups(offset, size, all, period))
    return emitError() << "cannot be tiled through its elements: expected "
                          "multiples of "
                       << period << " containers in dimension " << axis;
  int64_t fitting =
      layout.getMaxElements(op.getContainers().getType().getDimSize(axis));
  scaleUp(
      b, op.getLoc(), layout.getMaxElements(b.getAffineSymbolExpr(0)), whole,
      ShapedType::isStatic(fitting) && getConstantIntValue(whole) == fitting,
      offset, size);
  return slice;
}

static FailureOr<TilingResult>
getTile(UnpackOp op, OpBuilder &b, const Slice &loops, EmitError emitError) {
  Value source = op.getContainers();
  PackingAttr packing = op.getPacking();
  bool hasRows = isPackedInRows(op);
  FailureOr<Slice> containers =
      toContainers(op, b, loops, hasRows ? emitNothing : emitError);
  // Rows of whole containers are as well packed along their dimension.
  if (failed(containers) && hasRows) {
    int64_t axis = loops.offsets.size() - 1;
    containers = toContainersAlong(axis, op, b, loops, emitError);
    if (succeeded(containers)) {
      source = expandToRows(op, b);
      packing = alongAxis(packing, axis);
    }
  }
  if (failed(containers))
    return failure();
  SmallVector<Operation *> slices;
  SmallVector<Value> operands = {
      takeSlice(b, op.getLoc(), source, *containers, slices)};
  SmallVector<int64_t> shape;
  dispatchIndexOpFoldResults(loops.sizes, operands, shape);
  Type type = getTileType(loops.sizes, op.getElements().getType());
  auto tiled = cast<UnpackOp>(clone(b, op, type, operands));
  tiled.setPackingAttr(packing);
  return toTilingResult(tiled, slices);
}

static FailureOr<TilingResult>
getTile(PackOp op, OpBuilder &b, const Slice &loops, EmitError emitError) {
  int64_t rank = op.getElements().getType().getRank();
  std::optional<int64_t> axis = getPackedDim(op.getLayout(), rank);
  if (!axis && rank == 0)
    return emitError() << "cannot be tiled: it has one element";
  Value source = op.getElements();
  if (!axis) {
    ReassociationIndices all = llvm::to_vector(llvm::seq(rank));
    source = tensor::CollapseShapeOp::create(
        b, op.getLoc(), source, ArrayRef<ReassociationIndices>{all});
    axis = 0;
  }
  FailureOr<Slice> elements = toElementsAlong(
      *axis, tensor::getMixedSize(b, op.getLoc(), source, *axis), op, b, loops,
      emitError);
  if (failed(elements))
    return failure();
  SmallVector<Operation *> slices;
  Value input = takeSlice(b, op.getLoc(), source, *elements, slices);
  Type type = getTileType(loops.sizes, op.getContainers().getType());
  return toTilingResult(clone(b, op, type, input), slices);
}

static FailureOr<Slice> fromOperandTile(UnpackOp op, OpBuilder &b,
                                        const Slice &containers) {
  std::optional<int64_t> axis =
      getPackedDim(op.getLayout(), op.getType().getRank());
  ReifiedRankedShapedTypeDims shapes;
  if (!axis || failed(op.reifyResultShapes(b, shapes)))
    return failure();
  return toElementsAlong(*axis, shapes.front()[*axis], op, b, containers,
                         emitNothing);
}
static FailureOr<Slice> fromOperandTile(PackOp op, OpBuilder &b,
                                        const Slice &elements) {
  return toContainers(op, b, elements, emitNothing);
}

QDQ_DEFINE_TILING(UnpackOp)
QDQ_DEFINE_TILING(PackOp)
