// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PartialReductionOpInterface of choose_params: ranges of parts, and the
// parameters of the range that holds them all.

#include "qdq/Conversion/QDQToLinalg/PartialReduction.h"
#include "RangeReduction.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "qdq/IR/QDQ.h"
#include "qdq/IR/TensorSlice.h"

using namespace mlir;
using namespace mlir::qdq;

using ReducedLoops = llvm::SetVector<unsigned>;

/// The loops that are dimensions of the ranges: all but the reductions that are
/// not split.
static SmallVector<unsigned> getRangeLoops(ChooseParamsOp op,
                                           const ReducedLoops &split) {
  SmallVector<unsigned> loops;
  for (auto [loop, iterator] : llvm::enumerate(op.getLoopIteratorTypes()))
    if (iterator == utils::IteratorType::parallel || split.contains(loop))
      loops.push_back(loop);
  return loops;
}

/// Each thread has a range of its own only if nothing else is distributed, and
/// finds it only if the loops come in their order: upstream numbers them so.
static LogicalResult checkThreads(ChooseParamsOp op,
                                  ArrayRef<OpFoldResult> offsets,
                                  const ReducedLoops &split) {
  if (!llvm::is_sorted(split))
    return op.emitOpError("cannot be split in parallel: expected the reduced "
                          "dimensions in ascending order");
  for (auto [loop, offset] : llvm::enumerate(offsets))
    if (!split.contains(loop) && !isZeroInteger(offset))
      return op.emitOpError()
             << "cannot be split in parallel: dimension " << loop
             << " is distributed, but not among the reduced "
                "dimensions";
  return success();
}

namespace {
/// The part of the ranges that one tile has.
struct RangeTile {
  SmallVector<OpFoldResult> offsets, sizes;
  /// Loop to dimension of the part, which has no dimensions for the loops that
  /// the tile reduces.
  AffineMap map;

  RangeTile(ChooseParamsOp op, ReductionTilingStrategy strategy,
            ArrayRef<OpFoldResult> tileOffsets,
            ArrayRef<OpFoldResult> tileSizes, const ReducedLoops &split,
            ArrayRef<OpFoldResult> indices) {
    Builder b(op.getContext());
    SmallVector<AffineExpr> dims;
    for (unsigned loop : getRangeLoops(op, split)) {
      bool isSplit = split.contains(loop);
      bool isReduced =
          isSplit &&
          strategy == ReductionTilingStrategy::PartialReductionOuterParallel;
      if (isReduced)
        offsets.push_back(
            indices[std::distance(split.begin(), llvm::find(split, loop))]);
      else
        offsets.push_back(isSplit ? b.getIndexAttr(0) : tileOffsets[loop]);
      sizes.push_back(isReduced ? b.getIndexAttr(1) : tileSizes[loop]);
      if (!isReduced)
        dims.push_back(b.getAffineDimExpr(loop));
    }
    map = AffineMap::get(tileSizes.size(), 0, dims, op.getContext());
  }
};

struct ChooseParamsModel
    : PartialReductionOpInterface::ExternalModel<ChooseParamsModel,
                                                 ChooseParamsOp> {
  FailureOr<SmallVector<Value>> generateInitialTensorForPartialReduction(
      Operation *op, OpBuilder &b, Location loc, ArrayRef<OpFoldResult> sizes,
      const ReducedLoops &split) const {
    auto choose = cast<ChooseParamsOp>(op);
    if (split.empty())
      return op->emitOpError("cannot be split: expected a tile size for a "
                             "dimension whose elements share a scale");
    SmallVector<OpFoldResult> rangeSizes;
    for (unsigned loop : getRangeLoops(choose, split))
      rangeSizes.push_back(sizes[loop]);
    Type element = getElementTypeOrSelf(choose.getInput());
    Value low = createEmptyRanges(b, loc, rangeSizes, element);
    Value high = createEmptyRanges(b, loc, rangeSizes, element);
    return SmallVector<Value>{low, high};
  }

  FailureOr<TilingResult> tileToPartialReduction(
      Operation *op, OpBuilder &b, Location loc,
      ReductionTilingStrategy strategy, ValueRange ranges,
      ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
      const ReducedLoops &split, ArrayRef<OpFoldResult> indices) const {
    auto choose = cast<ChooseParamsOp>(op);
    bool isParallel =
        strategy == ReductionTilingStrategy::PartialReductionOuterParallel;
    if (isParallel && failed(checkThreads(choose, offsets, split)))
      return failure();
    SmallVector<Operation *> slices;
    auto take = [&](RankedTensorType type, Value value,
                    ArrayRef<OpFoldResult> offsets,
                    ArrayRef<OpFoldResult> sizes) {
      SmallVector<OpFoldResult> strides(offsets.size(), b.getIndexAttr(1));
      auto slice = tensor::ExtractSliceOp::create(b, loc, type, value, offsets,
                                                  sizes, strides);
      slices.push_back(slice);
      return slice.getResult();
    };
    auto inputType = cast<RankedTensorType>(choose.getInput().getType());
    SmallVector<int64_t> shape = decomposeMixedValues(sizes).first;
    Value input =
        take(inputType.clone(shape), choose.getInput(), offsets, sizes);

    RangeTile tile(choose, strategy, offsets, sizes, split, indices);
    SmallVector<int64_t> tileShape;
    for (AffineExpr dim : tile.map.getResults())
      tileShape.push_back(shape[cast<AffineDimExpr>(dim).getPosition()]);
    SmallVector<Value> parts;
    for (Value range : ranges)
      parts.push_back(
          take(inputType.clone(tileShape), range, tile.offsets, tile.sizes));

    ImplicitLocOpBuilder builder(loc, b);
    linalg::GenericOp generic =
        createRangeReduction(builder, input, parts[0], parts[1], tile.map);
    generic->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    return TilingResult{
        {generic}, SmallVector<Value>(generic->getResults()), slices};
  }

  LogicalResult getPartialResultTilePosition(
      Operation *op, OpBuilder &, unsigned, ReductionTilingStrategy strategy,
      ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
      const ReducedLoops &split, ArrayRef<OpFoldResult> indices,
      SmallVector<OpFoldResult> &resultOffsets,
      SmallVector<OpFoldResult> &resultSizes) const {
    RangeTile tile(cast<ChooseParamsOp>(op), strategy, offsets, sizes, split,
                   indices);
    resultOffsets = tile.offsets;
    resultSizes = tile.sizes;
    return success();
  }

  /// The ends of all ranges are put into one tensor, which has the rank of the
  /// values: the lowest values, and behind them the highest ones.
  FailureOr<MergeResult> mergeReductions(Operation *op, OpBuilder &b,
                                         Location loc, ValueRange ranges,
                                         const ReducedLoops &split) const {
    auto choose = cast<ChooseParamsOp>(op);
    Value low = ranges[0], high = ranges[1];
    SmallVector<OpFoldResult> sizes(choose.getLoopIteratorTypes().size(),
                                    b.getIndexAttr(1));
    for (auto [dim, loop] : llvm::enumerate(getRangeLoops(choose, split)))
      sizes[loop] = tensor::getMixedSize(b, loc, low, dim);
    SmallVector<OpFoldResult> all(sizes);
    unsigned first = split.front();
    all[first] = affine::makeComposedFoldedAffineApply(
        b, loc, b.getAffineSymbolExpr(0) * 2, {sizes[first]});
    Value ends = tensor::EmptyOp::create(b, loc, all,
                                         getElementTypeOrSelf(low.getType()));
    ImplicitLocOpBuilder builder(loc, b);
    TensorSlice half(builder, sizes);
    ends = half.put(low, ends);
    half.offsets[first] = sizes[first];
    ends = half.put(high, ends);
    Operation *merged = clone(b, op, op->getResultTypes(), ends);
    return MergeResult{{merged}, SmallVector<Value>(merged->getResults())};
  }
};
} // namespace

void mlir::qdq::registerPartialReductionModels(DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext *ctx, QDQDialect *, linalg::LinalgDialect *) {
        ChooseParamsOp::attachInterface<ChooseParamsModel>(*ctx);
      });
}
