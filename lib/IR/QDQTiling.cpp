// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TilingInterface of quantize and dequantize on ranked tensors: a tile takes
// the scales and zero points of its elements along.

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/IR/QDQ.h"

using namespace mlir;
using namespace mlir::qdq;

/// The largest number known to divide `offset`; 0 for the offset 0, which
/// everything divides.
static int64_t getKnownDivisor(OpFoldResult offset) {
  if (std::optional<int64_t> constant = getConstantIntValue(offset))
    return std::abs(*constant);
  // A multiple of whatever its operands are: `16 * iv`, as num_threads tiling
  // makes it.
  if (auto apply = cast<Value>(offset).getDefiningOp<affine::AffineApplyOp>())
    return apply.getAffineMap().getResult(0).getLargestKnownDivisor();
  auto argument = dyn_cast<BlockArgument>(cast<Value>(offset));
  auto loop =
      argument
          ? dyn_cast<LoopLikeOpInterface>(argument.getOwner()->getParentOp())
          : LoopLikeOpInterface();
  std::optional<SmallVector<Value>> variables =
      loop ? loop.getLoopInductionVars() : std::nullopt;
  if (!variables)
    return 1;
  auto position = llvm::find(*variables, argument);
  if (position == variables->end())
    return 1;
  unsigned index = std::distance(variables->begin(), position);
  std::optional<SmallVector<OpFoldResult>> lowers = loop.getLoopLowerBounds();
  std::optional<SmallVector<OpFoldResult>> steps = loop.getLoopSteps();
  if (!lowers || !steps)
    return 1;
  auto lower = getConstantIntValue((*lowers)[index]);
  auto step = getConstantIntValue((*steps)[index]);
  return lower && step ? std::gcd(*lower, *step) : 1;
}

/// True if the tile [offset, offset + size) is known to have at most `bound`
/// elements.
static bool isAtMost(OpFoldResult size, int64_t bound) {
  if (std::optional<int64_t> constant = getConstantIntValue(size))
    return *constant <= bound;
  auto minimum = cast<Value>(size).getDefiningOp<affine::AffineMinOp>();
  return minimum &&
         llvm::any_of(minimum.getMap().getResults(), [&](AffineExpr expr) {
           auto constant = dyn_cast<AffineConstantExpr>(expr);
           return constant && constant.getValue() <= bound;
         });
}

namespace {
/// The part of the parameters that a tile needs, and the granularity within the
/// tile.
struct ParameterTile {
  SmallVector<OpFoldResult> offsets, sizes;
  /// As `block_shape`; empty for other granularities.
  SmallVector<int64_t> blockShape;
};
} // namespace

/// Fails where a tile may begin or end within a block without lying in it: no
/// block shape describes such a tile.
static FailureOr<ParameterTile> getParameterTile(OpBuilder &b, Location loc,
                                                 const Granularity &granularity,
                                                 ArrayRef<OpFoldResult> offsets,
                                                 ArrayRef<OpFoldResult> sizes) {
  ParameterTile tile;
  auto add = [&](OpFoldResult offset, OpFoldResult size) {
    tile.offsets.push_back(offset);
    tile.sizes.push_back(size);
  };
  auto apply = [&](AffineExpr expr, OpFoldResult operand) {
    return affine::makeComposedFoldedAffineApply(b, loc, expr, {operand});
  };
  AffineExpr symbol = b.getAffineSymbolExpr(0);
  if (granularity.isAxis())
    add(offsets[granularity.getAxis()], sizes[granularity.getAxis()]);
  for (auto [length, offset, size] :
       llvm::zip(granularity.getBlockShape(), offsets, sizes)) {
    int64_t divisor = getKnownDivisor(offset);
    if (length == 0) {
      add(b.getIndexAttr(0), b.getIndexAttr(1));
      tile.blockShape.push_back(0);
    } else if (divisor % length == 0) {
      add(apply(symbol.floorDiv(length), offset),
          apply(symbol.ceilDiv(length), size));
      tile.blockShape.push_back(length);
    } else if (length % divisor == 0 && isAtMost(size, divisor)) {
      add(apply(symbol.floorDiv(length), offset), b.getIndexAttr(1));
      tile.blockShape.push_back(0);
    } else {
      return failure();
    }
  }
  return tile;
}

static Value takeSlice(OpBuilder &b, Location loc, Value value,
                       ArrayRef<OpFoldResult> offsets,
                       ArrayRef<OpFoldResult> sizes,
                       SmallVectorImpl<Operation *> &slices) {
  SmallVector<OpFoldResult> strides(offsets.size(), b.getIndexAttr(1));
  auto slice =
      tensor::ExtractSliceOp::create(b, loc, value, offsets, sizes, strides);
  slices.push_back(slice);
  return slice;
}

template <typename OpTy>
static SmallVector<utils::IteratorType> getIterators(OpTy op) {
  auto type = dyn_cast<RankedTensorType>(op.getInput().getType());
  return SmallVector<utils::IteratorType>(type ? type.getRank() : 0,
                                          utils::IteratorType::parallel);
}

template <typename OpTy>
static SmallVector<Range> getIterationRanges(OpTy op, OpBuilder &b) {
  SmallVector<Range> domain;
  ReifiedRankedShapedTypeDims shapes;
  if (succeeded(op.reifyResultShapes(b, shapes)))
    for (OpFoldResult size : shapes.front())
      domain.push_back({b.getIndexAttr(0), size, b.getIndexAttr(1)});
  return domain;
}

template <typename OpTy>
static FailureOr<TilingResult> getTile(OpTy op, OpBuilder &b,
                                       ArrayRef<OpFoldResult> offsets,
                                       ArrayRef<OpFoldResult> sizes) {
  Location loc = op.getLoc();
  if (!isa<RankedTensorType>(op.getInput().getType()))
    return op.emitOpError("can only be tiled on a ranked tensor");
  if (op.getSemanticsFields().rounding == Rounding::Stochastic)
    return op.emitOpError("cannot be tiled while it rounds stochastically: the "
                          "draws follow the position in the whole "
                          "tensor, which convert-qdq-to-linalg keeps");
  FailureOr<ParameterTile> parameters =
      getParameterTile(b, loc, op.getGranularity(), offsets, sizes);
  if (failed(parameters))
    return op.emitOpError("cannot be tiled across the middle of its blocks: "
                          "take a multiple or a divisor of the block length");

  TilingResult result;
  Value input =
      takeSlice(b, loc, op.getInput(), offsets, sizes, result.generatedSlices);
  auto takeParameter = [&](Value parameter) -> Value {
    if (!parameter || isSingleElement(parameter.getType()))
      return parameter;
    return takeSlice(b, loc, parameter, parameters->offsets, parameters->sizes,
                     result.generatedSlices);
  };
  SmallVector<Value> operands = {input, takeParameter(op.getScale())};
  if (Value zeroPoint = takeParameter(op.getZeroPoint()))
    operands.push_back(zeroPoint);
  if constexpr (std::is_same_v<OpTy, QuantizeOp>)
    if (Value seed = op.getRuntimeSeed())
      operands.push_back(seed);

  Type type = cast<RankedTensorType>(input.getType())
                  .clone(getElementTypeOrSelf(op.getResult()));
  auto tiled = cast<OpTy>(clone(b, op, type, operands));
  if (op.getBlockShape())
    tiled.setBlockShape(parameters->blockShape);
  // Should an option choose stochastic rounding, the lowering must know that
  // these are not all elements.
  tiled->setAttr(kTileAttr, b.getUnitAttr());
  result.tiledOps.push_back(tiled);
  result.tiledValues.push_back(tiled.getResult());
  return result;
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
    return getTile(*this, b, offsets, sizes);                                  \
  }                                                                            \
  FailureOr<TilingResult> OpTy::generateResultTileValue(                       \
      OpBuilder &b, unsigned, ArrayRef<OpFoldResult> offsets,                  \
      ArrayRef<OpFoldResult> sizes) {                                          \
    return getTile(*this, b, offsets, sizes);                                  \
  }                                                                            \
  LogicalResult OpTy::getResultTilePosition(                                   \
      OpBuilder &, unsigned, ArrayRef<OpFoldResult> offsets,                   \
      ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,  \
      SmallVector<OpFoldResult> &resultSizes) {                                \
    resultOffsets.assign(offsets.begin(), offsets.end());                      \
    resultSizes.assign(sizes.begin(), sizes.end());                            \
    return success();                                                          \
  }                                                                            \
  LogicalResult OpTy::getIterationDomainTileFromResultTile(                    \
      OpBuilder &, unsigned, ArrayRef<OpFoldResult> offsets,                   \
      ArrayRef<OpFoldResult> sizes,                                            \
      SmallVectorImpl<OpFoldResult> &domainOffsets,                            \
      SmallVectorImpl<OpFoldResult> &domainSizes) {                            \
    domainOffsets.assign(offsets.begin(), offsets.end());                      \
    domainSizes.assign(sizes.begin(), sizes.end());                            \
    return success();                                                          \
  }
QDQ_TILING(QuantizeOp)
QDQ_TILING(DequantizeOp)
#undef QDQ_TILING
