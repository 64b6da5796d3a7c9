// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ShardingInterface: which loops the dimensions of values and parameters
// follow, which splits are refused, and where in the whole a part lies.

#include "PackingSharding.h"
#include "Tiling.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "mlir/Dialect/Shard/Interfaces/ShardingInterface.h"
#include "mlir/Dialect/Shard/Interfaces/ShardingInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "qdq/IR/QDQ.h"
#include "qdq/IR/Sharding.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::qdq;
using shard::GridAxis;
using shard::Sharding;
using shard::ShardingOption;

template <typename OpTy>
static constexpr bool kIsPacking =
    std::is_same_v<OpTy, UnpackOp> || std::is_same_v<OpTy, PackOp>;

/// The values, whose dimensions are loops: the elements, for packing ops.
template <typename OpTy>
static Value getValues(OpTy op) {
  if constexpr (kIsPacking<OpTy>)
    return op.getElements();
  else
    return op.getInput();
}

/// The rank of the values; 0 where there is none.
template <typename OpTy>
static int64_t getRank(OpTy op) {
  auto type = dyn_cast<RankedTensorType>(getValues(op).getType());
  return type ? type.getRank() : 0;
}

/// The loops are the dimensions of the values, and behind them one for each of
/// these again: a dimension of the parameters that has one element for a whole
/// dimension of values follows that one, which nobody splits. (Upstream takes
/// projected permutations only.)
template <typename OpTy>
static AffineMap getParameterMap(OpTy op, Value parameter) {
  Granularity granularity = op.getGranularityOf(parameter);
  int64_t rank = getRank(op);
  MLIRContext *ctx = op.getContext();
  SmallVector<AffineExpr> dims;
  if (granularity.isAxis())
    dims.push_back(getAffineDimExpr(granularity.getAxis(), ctx));
  for (auto [dim, length] : llvm::enumerate(granularity.getBlockShape()))
    dims.push_back(getAffineDimExpr(length == 0 ? rank + dim : dim, ctx));
  return AffineMap::get(2 * rank, 0, dims, ctx);
}

/// The map of one operand or result: what is no tensor, or has one element, has
/// no dimensions.
template <typename OpTy>
static AffineMap getMap(OpTy op, Value value) {
  if constexpr (kIsPacking<OpTy>) {
    return getPackingMap(op.getElements().getType(), value);
  } else {
    int64_t rank = getRank(op);
    bool isValue =
        value == op.getInput() || (!isa<ChooseParamsOp>(op) &&
                                   value.getDefiningOp() == op.getOperation());
    if (isValue)
      return AffineMap::getFilteredIdentityMap(
          op.getContext(), 2 * rank,
          [&](AffineDimExpr dim) { return dim.getPosition() < rank; });
    if (isSingleElement(value.getType()))
      return AffineMap::get(2 * rank, 0, op.getContext());
    return getParameterMap(op, value);
  }
}

/// The indices of a dimension of the values that share parameters. Fails, with
/// an error, where it cannot be split.
template <typename OpTy>
static FailureOr<SplitUnit> getUnit(OpTy op, int64_t dim) {
  if constexpr (std::is_same_v<OpTy, UnpackOp>) {
    return getPackingUnit(op, op.getElements().getType(), op.getLayout(),
                          !op.getSizes().empty(), dim);
  } else if constexpr (std::is_same_v<OpTy, PackOp>) {
    return getPackingUnit(op, op.getElements().getType(), op.getLayout(),
                          /*givesSizes=*/false, dim);
  } else {
    if (isReduced(op, dim))
      return op.emitOpError()
             << "has elements in several shards that share a scale: dimension "
             << dim << " cannot be split";
    Granularity granularity = op.getGranularity();
    int64_t length =
        granularity.isBlock() ? granularity.getBlockShape()[dim] : 1;
    length = std::max<int64_t>(length, 1);
    SplitUnit unit = {length, llvm::formatv("has blocks of {0}", length), ""};
    if (length != 1)
      unit.parts = llvm::formatv("blocks of {0} elements", length);
    return unit;
  }
}

/// Fails, with an error, where splitting the dimensions of the values along
/// these axes of the grid gives something else than the parts of the whole.
template <typename OpTy>
static LogicalResult checkSplit(OpTy op, shard::GridOp grid,
                                ArrayRef<SmallVector<GridAxis>> axes) {
  // Trailing dimensions that are not split may be left out.
  auto type = cast<RankedTensorType>(getValues(op).getType());
  for (auto [dim, split] : llvm::enumerate(
           axes.take_front(std::min<size_t>(axes.size(), type.getRank())))) {
    if (split.empty())
      continue;
    FailureOr<SplitUnit> unit = getUnit(op, dim);
    if (failed(unit))
      return failure();
    int64_t parts = shard::collectiveProcessGroupSize(split, grid);
    int64_t size = type.getDimSize(dim);
    bool isKnown =
        !ShapedType::isDynamic(size) && !ShapedType::isDynamic(parts);
    if (isKnown ? size % (parts * unit->length) == 0 : unit->length == 1)
      continue;
    InFlightDiagnostic error = op.emitOpError() << "dimension " << dim;
    if (!isKnown)
      return error << " " << unit->elements
                   << " elements, and is split into parts of unknown size";
    error << " of size " << size << " cannot be split into " << parts
          << " equal parts";
    if (!unit->parts.empty())
      error << " of whole " << unit->parts;
    return error;
  }
  return success();
}

/// The sizes of the grid along these axes.
static SmallVector<OpFoldResult> getGridSizes(OpBuilder &b, Location loc,
                                              shard::GridOp grid,
                                              ArrayRef<GridAxis> axes) {
  if (ShapedType::isDynamic(shard::collectiveProcessGroupSize(axes, grid)))
    return getAsOpFoldResult(
        shard::GridShapeOp::create(b, loc, grid, axes).getResults());
  return llvm::map_to_vector(axes, [&](GridAxis axis) -> OpFoldResult {
    return b.getIndexAttr(grid.getShape()[axis]);
  });
}

/// Says where in the whole the part of a process lies, which numbers its draws.
/// Parts follow each other as the processes do, row-major along the axes that
/// split a dimension. `b` inserts before the part.
static void setPosition(OpBuilder &b, QuantizeOp whole, QuantizeOp part,
                        shard::GridOp grid, const Sharding &sharding) {
  Location loc = part.getLoc();
  auto type = cast<RankedTensorType>(whole.getInput().getType());
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, loc, part.getInput());
  SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0));
  AffineExpr product = b.getAffineSymbolExpr(0) * b.getAffineSymbolExpr(1);
  for (auto [axes, dimSize, offset, size] :
       llvm::zip(sharding.getSplitAxes(), type.getShape(), offsets, sizes)) {
    if (axes.empty())
      continue;
    auto process = shard::ProcessMultiIndexOp::create(b, loc, grid.getSymName(),
                                                      axes.asArrayRef());
    SmallVector<OpFoldResult> counts =
        getGridSizes(b, loc, grid, axes.asArrayRef());
    OpFoldResult index = affine::linearizeIndex(
        b, loc, getAsOpFoldResult(process.getResults()), counts);
    auto multiply = [&](OpFoldResult lhs, OpFoldResult rhs) {
      return affine::makeComposedFoldedAffineApply(b, loc, product, {lhs, rhs});
    };
    offset = multiply(index, size);
    size = ShapedType::isDynamic(dimSize)
               ? llvm::accumulate(counts, size, multiply)
               : OpFoldResult(b.getIndexAttr(dimSize));
  }
  part.setPositionOfPart(b, offsets, sizes);
}

namespace {
template <typename OpTy>
struct ShardingModel
    : shard::ShardingInterface::ExternalModel<ShardingModel<OpTy>, OpTy> {
  SmallVector<utils::IteratorType> getLoopIteratorTypes(Operation *op) const {
    auto concrete = cast<OpTy>(op);
    int64_t rank = getRank(concrete);
    SmallVector<utils::IteratorType> types(2 * rank,
                                           utils::IteratorType::parallel);
    for (int64_t dim = 0; dim < rank; ++dim)
      if (isReduced(concrete, dim))
        types[dim] = utils::IteratorType::reduction;
    return types;
  }

  SmallVector<shard::ReductionKind>
  getReductionLoopIteratorKinds(Operation *op) const {
    return SmallVector<shard::ReductionKind>(
        llvm::count(getLoopIteratorTypes(op), utils::IteratorType::reduction),
        shard::ReductionKind::Generic);
  }

  SmallVector<AffineMap> getIndexingMaps(Operation *op) const {
    auto concrete = cast<OpTy>(op);
    SmallVector<AffineMap> maps;
    for (Value value : llvm::concat<Value>(op->getOperands(), op->getResults()))
      maps.push_back(getMap(concrete, value));
    return maps;
  }

  LogicalResult addShardingAnnotations(Operation *op, OpBuilder &b,
                                       const ShardingOption &option) const {
    SymbolTableCollection symbols;
    shard::GridOp grid = shard::getGridOrNull(op, option.grid, symbols);
    FailureOr<std::vector<Sharding>> shardings =
        shard::detail::defaultGetShardingAnnotations(op, option);
    if (!grid || failed(shardings) ||
        failed(checkSplit(cast<OpTy>(op), grid, option.shardingArray)))
      return failure();
    for (OpResult result : op->getResults())
      shard::maybeInsertTargetShardingAnnotation(
          (*shardings)[op->getNumOperands() + result.getResultNumber()], result,
          b);
    OpBuilder::InsertionGuard guard(b);
    // A scalar has no sharding.
    for (OpOperand &operand : op->getOpOperands())
      if (isa<RankedTensorType>(operand.get().getType()))
        shard::maybeInsertSourceShardingAnnotation(
            (*shardings)[operand.getOperandNumber()], operand, b);
    return success();
  }

  LogicalResult partition(Operation *op, ArrayRef<Value> operands,
                          ArrayRef<Sharding> operandShardings,
                          ArrayRef<Sharding> resultShardings,
                          IRMapping &partitionMap,
                          SymbolTableCollection &symbols,
                          OpBuilder &builder) const {
    auto concrete = cast<OpTy>(op);
    SmallVector<Sharding, 0> shardings(operandShardings);
    llvm::append_range(shardings, resultShardings);
    auto isSplit = [](const Sharding &sharding) {
      return !shard::isFullReplication(sharding);
    };
    bool isAnySplit = llvm::any_of(shardings, isSplit);
    if (isAnySplit && failed(checkShardings(concrete, shardings, symbols)))
      return failure();
    shard::partitionTriviallyShardableOperation(*op, operands, operandShardings,
                                                resultShardings, partitionMap,
                                                symbols, builder);
    if constexpr (std::is_same_v<OpTy, QuantizeOp>) {
      if (isAnySplit && concrete.needsPosition()) {
        const Sharding &values = shardings.front();
        auto part = partitionMap.lookup(concrete.getResult())
                        .template getDefiningOp<QuantizeOp>();
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPoint(part);
        setPosition(builder, concrete, part,
                    shard::getGrid(op, values.getGridAttr(), symbols), values);
      }
    }
    return success();
  }

private:
  /// Fails, with an error, unless every dimension is split as the loop that it
  /// follows, and the values can be split so.
  LogicalResult checkShardings(OpTy op, ArrayRef<Sharding> shardings,
                               SymbolTableCollection &symbols) const {
    Sharding values = shardings.front();
    int64_t rank = getRank(op);
    SmallVector<SmallVector<GridAxis>> axes(2 * rank);
    for (auto [split, of] : llvm::zip(axes, values.getSplitAxes()))
      split.assign(of.asArrayRef().begin(), of.asArrayRef().end());
    for (auto [index, sharding, map] :
         llvm::enumerate(shardings, getIndexingMaps(op))) {
      // Parts of unequal sizes, or that overlap.
      if (!sharding.getStaticHaloSizes().empty() ||
          !sharding.getStaticShardedDimsOffsets().empty())
        return op.emitOpError(
            "has a sharding with halos or with offsets of its own: expected "
            "equal parts");
      for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
        ArrayRef<GridAxis> split;
        if (dim < sharding.getSplitAxes().size())
          split = sharding.getSplitAxes()[dim].asArrayRef();
        if (split == ArrayRef(axes[cast<AffineDimExpr>(expr).getPosition()]))
          continue;
        bool isOperand = index < op->getNumOperands();
        return op.emitOpError()
               << (isOperand ? "operand " : "result ")
               << (isOperand ? index : index - op->getNumOperands())
               << " is split along dimension " << dim
               << " otherwise than the input: expected parameters to follow "
                  "their values";
      }
    }
    shard::GridOp grid =
        shard::getGridOrNull(op, values.getGridAttr(), symbols);
    if (!grid)
      return op.emitOpError("has an input without a grid");
    return checkSplit(op, grid, axes);
  }
};
} // namespace

void mlir::qdq::registerShardingModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *ctx, QDQDialect *) {
    QuantizeOp::attachInterface<ShardingModel<QuantizeOp>>(*ctx);
    DequantizeOp::attachInterface<ShardingModel<DequantizeOp>>(*ctx);
    RequantizeOp::attachInterface<ShardingModel<RequantizeOp>>(*ctx);
    ChooseParamsOp::attachInterface<ShardingModel<ChooseParamsOp>>(*ctx);
    UnpackOp::attachInterface<ShardingModel<UnpackOp>>(*ctx);
    PackOp::attachInterface<ShardingModel<PackOp>>(*ctx);
  });
}
