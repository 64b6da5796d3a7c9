// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TilingInterface of all ops on ranked tensors. The loops are the dimensions of
// the value, for packing ops those of the result.

#include "TileBounds.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/IR/QDQ.h"

using namespace mlir;
using namespace mlir::qdq;

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

namespace {
/// A part of a tensor.
struct Slice {
  SmallVector<OpFoldResult> offsets, sizes;

  Slice() = default;
  Slice(ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes)
      : offsets(offsets), sizes(sizes) {}

  void add(OpFoldResult offset, OpFoldResult size) {
    offsets.push_back(offset);
    sizes.push_back(size);
  }
};

/// The part of the parameters that a tile needs, and the granularity within the
/// tile.
struct ParameterTile : Slice {
  /// As `block_shape`; empty for other granularities.
  SmallVector<int64_t> blockShape;
};
} // namespace

static OpFoldResult apply(OpBuilder &b, Location loc, AffineExpr expr,
                          ArrayRef<OpFoldResult> operands) {
  return affine::makeComposedFoldedAffineApply(b, loc, expr, operands);
}

/// Fails where a tile may begin or end within a block without lying in it: no
/// block shape describes such a tile.
static FailureOr<ParameterTile> getParameterTile(OpBuilder &b, Location loc,
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

/// Scales a tile by `count`, a number of elements, but not beyond the end of
/// the dimension. `divides` if the last tile is known to be full.
static void scaleUp(OpBuilder &b, Location loc, AffineExpr count,
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

static Value takeSlice(OpBuilder &b, Location loc, Value value,
                       const Slice &slice,
                       SmallVectorImpl<Operation *> &slices) {
  SmallVector<OpFoldResult> strides(slice.offsets.size(), b.getIndexAttr(1));
  slices.push_back(tensor::ExtractSliceOp::create(b, loc, value, slice.offsets,
                                                  slice.sizes, strides));
  return slices.back()->getResult(0);
}

/// A tensor type of these sizes, with the elements of `like`.
static RankedTensorType getTileType(ArrayRef<OpFoldResult> sizes, Type like) {
  SmallVector<int64_t> shape;
  SmallVector<Value> dynamicSizes;
  dispatchIndexOpFoldResults(sizes, dynamicSizes, shape);
  return RankedTensorType::get(shape, getElementTypeOrSelf(like));
}

static TilingResult toResult(Operation *tiled, ArrayRef<Operation *> slices) {
  return TilingResult{{tiled},
                      SmallVector<Value>(tiled->getResults()),
                      SmallVector<Operation *>(slices)};
}

//===----------------------------------------------------------------------===//
// Quantize and dequantize
//===----------------------------------------------------------------------===//

template <typename OpTy>
static FailureOr<TilingResult> getTile(OpTy op, OpBuilder &b,
                                       const Slice &loops) {
  Location loc = op.getLoc();
  FailureOr<ParameterTile> parameters =
      getParameterTile(b, loc, op.getGranularity(), loops);
  if (failed(parameters))
    return op.emitOpError("cannot be tiled across the middle of its blocks: "
                          "take a multiple or a divisor of the block length");

  SmallVector<Operation *> slices;
  SmallVector<Value> operands(op->getOperands());
  operands[0] = takeSlice(b, loc, op.getInput(), loops, slices);
  for (Value &parameter :
       MutableArrayRef(operands).slice(1, op.getZeroPoint() ? 2 : 1))
    if (!isSingleElement(parameter.getType()))
      parameter = takeSlice(b, loc, parameter, *parameters, slices);
  Type type = getTileType(loops.sizes, op.getResult().getType());
  auto tiled = cast<OpTy>(clone(b, op, type, operands));
  if constexpr (std::is_same_v<OpTy, QuantizeOp>) {
    if (tiled.needsPosition()) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(tiled);
      tiled.setPositionOfPart(b, loops.offsets,
                              tensor::getMixedSizes(b, loc, op.getInput()));
    }
  }
  if (op.getBlockShape())
    tiled.setBlockShape(parameters->blockShape);
  return toResult(tiled, slices);
}

//===----------------------------------------------------------------------===//
// Choose_params
//===----------------------------------------------------------------------===//

static FailureOr<TilingResult> getTile(ChooseParamsOp op, OpBuilder &b,
                                       const Slice &loops) {
  Granularity granularity = op.getGranularity();
  for (auto [dim, offset, size] : llvm::enumerate(loops.offsets, loops.sizes)) {
    Bound whole(op.getInput(), dim);
    int64_t length = granularity.getGroupLength(dim);
    bool isWhole = length
                       ? holdsWholeGroups(offset, size, whole, length)
                       : isConstantIntValue(offset, 0) && areEqual(size, whole);
    if (isWhole)
      continue;
    InFlightDiagnostic error = op.emitOpError()
                               << "cannot be tiled through its groups: "
                                  "expected ";
    return length
               ? error << "multiples of " << length << " in dimension " << dim
               : error << "the whole of dimension " << dim;
  }
  FailureOr<ParameterTile> parameters =
      getParameterTile(b, op.getLoc(), granularity, loops);
  if (failed(parameters))
    return failure();
  SmallVector<Operation *> slices;
  Value input = takeSlice(b, op.getLoc(), op.getInput(), loops, slices);
  SmallVector<Type> types =
      llvm::map_to_vector(op.getResultTypes(), [&](Type result) -> Type {
        return getTileType(parameters->sizes, result);
      });
  return toResult(clone(b, op, types, input), slices);
}

/// The tile of the input whose groups have these parameters.
static Slice fromParameterTile(OpBuilder &b, ChooseParamsOp op,
                               const Slice &parameters) {
  auto type = cast<RankedTensorType>(op.getInput().getType());
  Granularity granularity = op.getGranularity();
  Slice loops;
  for (auto [dim, whole] :
       llvm::enumerate(tensor::getMixedSizes(b, op.getLoc(), op.getInput()))) {
    int64_t length = granularity.getGroupLength(dim);
    loops.add(b.getIndexAttr(0), whole);
    if (length == 0)
      continue;
    OpFoldResult &offset = loops.offsets.back(), &size = loops.sizes.back();
    offset = parameters.offsets[granularity.isAxis() ? 0 : dim];
    size = parameters.sizes[granularity.isAxis() ? 0 : dim];
    if (length > 1)
      scaleUp(b, op.getLoc(), b.getAffineSymbolExpr(0) * length, whole,
              type.getDimSize(dim) % length == 0 && !type.isDynamicDim(dim),
              offset, size);
  }
  return loops;
}

//===----------------------------------------------------------------------===//
// Unpack and pack
//===----------------------------------------------------------------------===//

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

static LogicalResult refuseFlat(Operation *op) {
  return op->emitOpError("cannot be tiled: its packing has no axis, and its "
                         "elements have several dimensions");
}

/// The containers of a tile of elements. A tile of `pack` fills them; one of
/// `unpack` may use a part of the last one.
template <typename OpTy>
static FailureOr<Slice> toContainers(OpTy op, OpBuilder &b,
                                     const Slice &elements) {
  auto type = cast<RankedTensorType>(op.getElements().getType());
  BitLayout layout = op.getLayout();
  std::optional<int64_t> axis = getPackedDim(layout, type.getRank());
  if (!axis)
    return refuseFlat(op);
  Slice slice = elements;
  OpFoldResult &offset = slice.offsets[*axis], &size = slice.sizes[*axis];
  int64_t period = getPeriod(layout);
  bool isWhole = std::is_same_v<OpTy, UnpackOp>
                     ? getKnownDivisor(offset) % period == 0
                     : holdsWholeGroups(offset, size,
                                        Bound(op.getElements(), *axis), period);
  if (!isWhole)
    return op.emitOpError() << "cannot be tiled through its containers: "
                               "expected multiples of "
                            << period << " elements in dimension " << *axis;
  AffineExpr count = layout.getNumContainers(b.getAffineSymbolExpr(0));
  offset = apply(b, op.getLoc(), count, {offset});
  size = apply(b, op.getLoc(), count, {size});
  return slice;
}

/// The elements of a tile of containers. The last container may not be full.
template <typename OpTy>
static FailureOr<Slice> toElements(OpTy op, OpBuilder &b,
                                   const Slice &containers) {
  auto type = cast<RankedTensorType>(op.getElements().getType());
  auto containersType = cast<RankedTensorType>(op.getContainers().getType());
  BitLayout layout = op.getLayout();
  std::optional<int64_t> axis = getPackedDim(layout, type.getRank());
  if (!axis)
    return refuseFlat(op);
  Slice slice = containers;
  OpFoldResult &offset = slice.offsets[*axis], &size = slice.sizes[*axis];
  int64_t period = layout.getNumContainers(getPeriod(layout));
  AffineExpr needed = layout.getNumContainers(b.getAffineDimExpr(0));
  Bound all =
      std::is_same_v<OpTy, UnpackOp>
          ? Bound(op.getContainers(), *axis)
          : Bound(AffineMap::get(1, 0, needed), Bound(op.getElements(), *axis));
  if (!holdsWholeGroups(offset, size, all, period))
    return op.emitOpError() << "cannot be tiled through its elements: expected "
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

static FailureOr<TilingResult> getTile(UnpackOp op, OpBuilder &b,
                                       const Slice &loops) {
  FailureOr<Slice> containers = toContainers(op, b, loops);
  if (failed(containers))
    return failure();
  SmallVector<Operation *> slices;
  SmallVector<Value> operands = {
      takeSlice(b, op.getLoc(), op.getContainers(), *containers, slices)};
  SmallVector<int64_t> shape;
  dispatchIndexOpFoldResults(loops.sizes, operands, shape);
  Type type = getTileType(loops.sizes, op.getElements().getType());
  return toResult(clone(b, op, type, operands), slices);
}

static FailureOr<TilingResult> getTile(PackOp op, OpBuilder &b,
                                       const Slice &loops) {
  FailureOr<Slice> elements = toElements(op, b, loops);
  if (failed(elements))
    return failure();
  SmallVector<Operation *> slices;
  Value input = takeSlice(b, op.getLoc(), op.getElements(), *elements, slices);
  Type type = getTileType(loops.sizes, op.getContainers().getType());
  return toResult(clone(b, op, type, input), slices);
}

//===----------------------------------------------------------------------===//
// Tiles of operands and results
//===----------------------------------------------------------------------===//

/// The tensor whose dimensions are the loops.
template <typename OpTy>
static Value getLoopValue(OpTy op) {
  if constexpr (std::is_same_v<OpTy, ChooseParamsOp>)
    return op.getInput();
  else
    return op->getResult(0);
}

/// The part of the results that a tile of the loops gives.
template <typename OpTy>
static FailureOr<Slice> toResultTile(OpTy op, OpBuilder &b,
                                     const Slice &loops) {
  if constexpr (std::is_same_v<OpTy, ChooseParamsOp>)
    return getParameterTile(b, op.getLoc(), op.getGranularity(), loops);
  else
    return loops;
}

/// The tile of the loops that gives a part of the results.
template <typename OpTy>
static FailureOr<Slice> fromResultTile(OpTy op, OpBuilder &b,
                                       const Slice &result) {
  if constexpr (!std::is_same_v<OpTy, ChooseParamsOp>)
    return result;
  else
    return fromParameterTile(b, op, result);
}

/// The tile of the loops that uses a part of operand 0.
template <typename OpTy>
static FailureOr<Slice> fromOperandTile(OpTy op, OpBuilder &b,
                                        const Slice &operand) {
  if constexpr (std::is_same_v<OpTy, UnpackOp>)
    return toElements(op, b, operand);
  else if constexpr (std::is_same_v<OpTy, PackOp>)
    return toContainers(op, b, operand);
  else
    return operand;
}

/// Only tiles of operand 0 say where the loops are.
template <typename OpTy>
static FailureOr<Slice>
fromOperandTiles(OpTy op, OpBuilder &b, ArrayRef<unsigned> operands,
                 ArrayRef<SmallVector<OpFoldResult>> offsets,
                 ArrayRef<SmallVector<OpFoldResult>> sizes) {
  if (operands.size() != 1 || operands.front() != 0)
    return failure();
  return fromOperandTile(op, b, {offsets.front(), sizes.front()});
}

template <typename OpTy>
static FailureOr<TilingResult> getTile(OpTy op, OpBuilder &b,
                                       FailureOr<Slice> loops) {
  if (failed(loops))
    return failure();
  if (!isa<RankedTensorType>(getLoopValue(op).getType()))
    return op.emitOpError("can only be tiled on a ranked tensor");
  return getTile(op, b, *loops);
}

static LogicalResult assignSlice(FailureOr<Slice> slice,
                                 SmallVectorImpl<OpFoldResult> &offsets,
                                 SmallVectorImpl<OpFoldResult> &sizes) {
  if (failed(slice))
    return failure();
  offsets = std::move(slice->offsets);
  sizes = std::move(slice->sizes);
  return success();
}

template <typename OpTy>
static SmallVector<utils::IteratorType> getIterators(OpTy op) {
  auto type = dyn_cast<RankedTensorType>(getLoopValue(op).getType());
  SmallVector<utils::IteratorType> iterators(type ? type.getRank() : 0,
                                             utils::IteratorType::parallel);
  if constexpr (std::is_same_v<OpTy, ChooseParamsOp>)
    for (auto [dim, iterator] : llvm::enumerate(iterators))
      if (op.getGranularity().getGroupLength(dim) == 0)
        iterator = utils::IteratorType::reduction;
  return iterators;
}

template <typename OpTy>
static SmallVector<Range> getIterationRanges(OpTy op, OpBuilder &b) {
  SmallVector<OpFoldResult> sizes;
  ReifiedRankedShapedTypeDims shapes;
  if (!isa<RankedTensorType>(getLoopValue(op).getType()))
    return {};
  if constexpr (std::is_same_v<OpTy, ChooseParamsOp>)
    sizes = tensor::getMixedSizes(b, op.getLoc(), op.getInput());
  else if (succeeded(op.reifyResultShapes(b, shapes)))
    sizes = shapes.front();
  return llvm::map_to_vector(sizes, [&](OpFoldResult size) {
    return Range{b.getIndexAttr(0), size, b.getIndexAttr(1)};
  });
}

#define QDQ_TILING(OpTy)                                                       \
  SmallVector<utils::IteratorType> OpTy::getLoopIteratorTypes() {              \
    return getIterators(*this);                                                \
  }                                                                            \
  SmallVector<Range> OpTy::getIterationDomain(OpBuilder &b) {                  \
    return getIterationRanges(*this, b);                                       \
  }                                                                            \
  FailureOr<TilingResult> OpTy::getTiledImplementation(                        \
      OpBuilder &b, ArrayRef<OpFoldResult> offsets,                            \
      ArrayRef<OpFoldResult> sizes) {                                          \
    return getTile(*this, b, FailureOr<Slice>(Slice(offsets, sizes)));         \
  }                                                                            \
  FailureOr<TilingResult> OpTy::generateResultTileValue(                       \
      OpBuilder &b, unsigned, ArrayRef<OpFoldResult> offsets,                  \
      ArrayRef<OpFoldResult> sizes) {                                          \
    return getTile(*this, b, fromResultTile(*this, b, {offsets, sizes}));      \
  }                                                                            \
  FailureOr<TilingResult> OpTy::getTiledImplementationFromOperandTiles(        \
      OpBuilder &b, ArrayRef<unsigned> operands,                               \
      ArrayRef<SmallVector<OpFoldResult>> offsets,                             \
      ArrayRef<SmallVector<OpFoldResult>> sizes) {                             \
    return getTile(*this, b,                                                   \
                   fromOperandTiles(*this, b, operands, offsets, sizes));      \
  }                                                                            \
  LogicalResult OpTy::getResultTilePosition(                                   \
      OpBuilder &b, unsigned, ArrayRef<OpFoldResult> offsets,                  \
      ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,  \
      SmallVector<OpFoldResult> &resultSizes) {                                \
    return assignSlice(toResultTile(*this, b, {offsets, sizes}),               \
                       resultOffsets, resultSizes);                            \
  }                                                                            \
  LogicalResult OpTy::getIterationDomainTileFromResultTile(                    \
      OpBuilder &b, unsigned, ArrayRef<OpFoldResult> offsets,                  \
      ArrayRef<OpFoldResult> sizes,                                            \
      SmallVectorImpl<OpFoldResult> &loopOffsets,                              \
      SmallVectorImpl<OpFoldResult> &loopSizes) {                              \
    return assignSlice(fromResultTile(*this, b, {offsets, sizes}),             \
                       loopOffsets, loopSizes);                                \
  }                                                                            \
  LogicalResult OpTy::getIterationDomainTileFromOperandTiles(                  \
      OpBuilder &b, ArrayRef<unsigned> operands,                               \
      ArrayRef<SmallVector<OpFoldResult>> offsets,                             \
      ArrayRef<SmallVector<OpFoldResult>> sizes,                               \
      SmallVectorImpl<OpFoldResult> &loopOffsets,                              \
      SmallVectorImpl<OpFoldResult> &loopSizes) {                              \
    return assignSlice(fromOperandTiles(*this, b, operands, offsets, sizes),   \
                       loopOffsets, loopSizes);                                \
  }
QDQ_TILING(QuantizeOp)
QDQ_TILING(DequantizeOp)
QDQ_TILING(ChooseParamsOp)
QDQ_TILING(UnpackOp)
QDQ_TILING(PackOp)
#undef QDQ_TILING
