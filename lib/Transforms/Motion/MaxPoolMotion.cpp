// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Max pooling of codes in the place of reals: a function that never falls
// commutes with a maximum.

#include "MotionConstants.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qdq/IR/FunctionPattern.h"
#include "qdq/Numerics/Evaluator.h"

using namespace mlir;
using namespace mlir::qdq;
using llvm::APFloat;

/// The value that every window starts from, if it is one constant.
static std::optional<Number> getInitialValue(linalg::LinalgOp pool) {
  Value init = pool.getDpsInits()[0];
  if (auto fill = init.getDefiningOp<linalg::FillOp>())
    init = fill.getInputs()[0];
  std::optional<ConstantElements> constant = ConstantElements::get(init);
  if (!constant || constant->size() == 0 || !constant->isUniform())
    return std::nullopt;
  return (*constant)[0];
}

/// Fails, with a reason, unless `pool` is a maximum of floats of one type whose
/// windows have one scale and zero point each.
static LogicalResult checkPool(Operation *op, linalg::LinalgOp pool,
                               const Granularity &granularity,
                               PatternRewriter &rewriter) {
  if (!pool.hasPureTensorSemantics())
    return rewriter.notifyMatchFailure(pool, "is not on tensors");
  Type input = getElementTypeOrSelf(pool->getOperand(0));
  Type result = getElementTypeOrSelf(pool->getResult(0));
  if (!isa<FloatType>(input) || input != result)
    return rewriter.notifyMatchFailure(pool, "changes the element type");
  SmallVector<AffineMap> maps = pool.getIndexingMapsArray();
  for (auto [dim, from, to] :
       llvm::enumerate(maps.front().getResults(), maps.back().getResults())) {
    if (granularity.getGroupLength(dim) != 0 && from != to)
      return rewriter.notifyMatchFailure(
          op, "has several scales or zero points in a window");
  }
  return success();
}

/// Fails, with a reason, unless the function of each group makes no NaN, never
/// falls (-0 being below +0, as for `arith.maximumf`), and gives no less than
/// `initial`. Tries all codes.
static LogicalResult checkRising(DequantizeOp op,
                                 ArrayRef<ElementFunction> functions,
                                 const Number &initial,
                                 PatternRewriter &rewriter) {
  auto [lowest, highest] = getIntegerBounds(op.getStorageElementType());
  if ((highest - lowest + 1) * static_cast<int64_t>(functions.size()) >
      kMaxEvaluations)
    return rewriter.notifyMatchFailure(op, "has too many codes to try");
  for (const ElementFunction &function : functions) {
    std::optional<int64_t> last = getCodePosition(initial);
    if (!last)
      return rewriter.notifyMatchFailure(op, "is pooled from NaN on");
    for (int64_t code = lowest; code <= highest; ++code) {
      std::optional<int64_t> position = getCodePosition(
          *function(getNumberAt(code, op.getStorageElementType())));
      if (!position || *position < *last)
        return rewriter.notifyMatchFailure(
            op, "falls somewhere, gives NaN, or less than the initial value");
      last = position;
    }
  }
  return success();
}

/// Fails, with a reason, unless the code of a real never falls as the real
/// grows, and a NaN, which `arith.maximumf` propagates, has the highest code.
/// Then x / s (or x times 1 / s) is NaN for a NaN only, and every step of a
/// saturating quantize rises or stays: division, sum, rounding, clamp.
static LogicalResult checkRising(QuantizeOp op,
                                 ArrayRef<GroupParameters> parameters,
                                 PatternRewriter &rewriter) {
  SemanticsFields fields = op.getSemanticsFields();
  if (fields.overflow != Overflow::Saturate)
    return rewriter.notifyMatchFailure(op, "does not saturate");
  if (fields.nan != NaNCode::Highest)
    return rewriter.notifyMatchFailure(
        op, "has a code of NaN that is not the highest");
  const llvm::fltSemantics &compute =
      resolve(fields, op.getElementTypes()).compute.getFloatSemantics();
  for (const GroupParameters &group : parameters) {
    APFloat scale = roundToFormat(group.scale, compute);
    if (!scale.isFiniteNonZero() || scale.isNegative())
      return rewriter.notifyMatchFailure(
          op, "has a scale that is not positive and finite");
    APFloat reciprocal(compute, 1);
    reciprocal.divide(scale, APFloat::rmNearestTiesToEven);
    if (fields.division == Division::Reciprocal && !reciprocal.isFinite())
      return rewriter.notifyMatchFailure(op, "has an infinite reciprocal");
    if (group.zeroPoint.value &&
        !toFloat(*group.zeroPoint.value, compute).isFinite())
      return rewriter.notifyMatchFailure(op,
                                         "has a zero point that is not finite");
  }
  return success();
}

/// A `pool` of the codes' bits as one of unsigned codes, which linalg does not
/// name in all layouts.
static Value toUnsigned(RewriterBase &rewriter, linalg::LinalgOp pool) {
  FailureOr<linalg::GenericOp> generic =
      linalg::generalizeNamedOp(rewriter, pool);
  assert(succeeded(generic) && "expected a named op on tensors");
  for (auto max : llvm::make_early_inc_range(
           generic->getBody()->getOps<arith::MaxSIOp>())) {
    rewriter.setInsertionPoint(max);
    rewriter.replaceOpWithNewOp<arith::MaxUIOp>(max, max.getLhs(),
                                                max.getRhs());
  }
  rewriter.setInsertionPointAfter(*generic);
  return generic->getResult(0);
}

/// `pool` of codes.
template <typename PoolOp, typename UnsignedPoolOp>
static Value createPool(RewriterBase &rewriter, PoolOp pool, Value codes,
                        const Number &initial) {
  Location loc = pool.getLoc();
  Type elementType = getElementTypeOrSelf(codes);
  Value input = toSignless(rewriter, codes);
  Value constant = createConstant(rewriter, loc, initial, elementType);
  Value empty = tensor::EmptyOp::create(
      rewriter, loc, tensor::getMixedSizes(rewriter, loc, pool.getOutputs()[0]),
      constant.getType());
  Value init =
      linalg::FillOp::create(rewriter, loc, constant, empty).getResult(0);
  auto create = [&](auto type) {
    auto result = decltype(type)::create(
        rewriter, loc, init.getType(), ValueRange{input, pool.getInputs()[1]},
        init, pool.getStrides(), pool.getDilations());
    result->setDiscardableAttrs(pool->getDiscardableAttrDictionary());
    return result;
  };
  Value pooled;
  if (isSignedStorage(elementType))
    pooled = create(PoolOp()).getResult(0);
  else if constexpr (std::is_same_v<PoolOp, UnsignedPoolOp>)
    pooled = toUnsigned(rewriter, create(PoolOp()));
  else
    pooled = create(UnsignedPoolOp()).getResult(0);
  return fromSignless(rewriter, pooled, elementType);
}

/// True if each window of `pool` holds an element that is no padding.
template <typename PoolOp>
static bool holdsElements(PoolOp pool, tensor::PadOp pad) {
  AffineMap map = cast<linalg::LinalgOp>(*pool).getIndexingMapsArray().front();
  auto window = cast<RankedTensorType>(pool.getInputs()[1].getType());
  unsigned first = map.getNumDims() - window.getRank();
  for (auto [dim, low, high] :
       llvm::enumerate(pad.getStaticLow(), pad.getStaticHigh())) {
    if (low == 0 && high == 0)
      continue;
    // The loop over the window is one of the last.
    int64_t size = 0;
    for (unsigned i = 0; i < window.getRank(); ++i)
      if (map.getResult(dim).isFunctionOfDim(first + i) &&
          *(pool.getDilations().template value_begin<int64_t>() + i) == 1)
        size = window.getDimSize(i);
    bool hasElement = pad.getSourceType().getDimSize(dim) > 0;
    if (ShapedType::isDynamic(low) || ShapedType::isDynamic(high) ||
        (hasElement ? std::max(low, high) : low + high) >= size)
      return false;
  }
  return true;
}

/// The functions of the groups of `op`, which is beside `pool`; fails, with a
/// reason, where they cannot change places.
template <typename PoolOp, typename OpTy>
static FailureOr<SmallVector<ElementFunction>>
checkPooling(OpTy op, PoolOp pool, PatternRewriter &rewriter) {
  if (failed(checkMotion(op, pool, PositionChange::Any, rewriter)) ||
      failed(checkPool(op, pool, op.getGranularity(), rewriter)))
    return failure();
  Type storageType = op.getStorageElementType();
  if (!isa<IntegerType>(storageType))
    return rewriter.notifyMatchFailure(op, "has codes that are no integers");
  return getElementFunctions(op, rewriter);
}

/// `pool(dequantize(q))` to `dequantize(pool(q))`. Between them, padding below
/// all reals, such as -inf, becomes the lowest code.
template <typename PoolOp, typename UnsignedPoolOp>
static LogicalResult sinkBelowPool(PoolOp pool, PatternRewriter &rewriter) {
  auto pad = pool->getOperand(0).template getDefiningOp<tensor::PadOp>();
  Value reals = pad ? pad.getSource() : pool->getOperand(0);
  auto op = reals.getDefiningOp<DequantizeOp>();
  if (!op)
    return rewriter.notifyMatchFailure(pool, "does not pool a dequantize");
  auto functions = checkPooling<PoolOp>(op, pool, rewriter);
  if (failed(functions))
    return failure();
  // The maximum of no codes is the lowest, of no reals the initial value.
  auto window = cast<RankedTensorType>(pool.getInputs()[1].getType());
  if (!window.hasStaticShape() || window.getNumElements() == 0)
    return rewriter.notifyMatchFailure(pool, "may have an empty window");
  std::optional<Number> initial = getInitialValue(pool);
  if (!initial)
    return rewriter.notifyMatchFailure(pool, "initial value is not constant");
  if (failed(checkRising(op, *functions, *initial, rewriter)))
    return failure();
  Type storageType = op.getStorageElementType();
  Number lowest = getNumberAt(getIntegerBounds(storageType).first, storageType);
  Value codes = op.getInput();
  if (pad) {
    std::optional<ConstantElements> padding =
        ConstantElements::get(pad.getConstantPaddingValue());
    if (!padding || !pad->hasOneUse() || !holdsElements(pool, pad))
      return rewriter.notifyMatchFailure(
          pad, "is not constant, has other uses, or may fill a window");
    if (failed(checkRising(op, *functions, (*padding)[0], rewriter)))
      return failure();
    rewriter.setInsertionPoint(pad);
    codes = createPad(rewriter, pad, codes, lowest);
    rewriter.setInsertionPoint(pool);
  }
  Value input =
      createPool<PoolOp, UnsignedPoolOp>(rewriter, pool, codes, lowest);
  rewriter.replaceOp(pool, convert(rewriter, op, input, op.getScale(),
                                   op.getZeroPoint(), op.getGranularity()));
  return success();
}

/// `quantize(pool(x))` to `pool(quantize(x))`.
template <typename PoolOp, typename UnsignedPoolOp>
static LogicalResult hoistAbovePool(QuantizeOp op, PatternRewriter &rewriter) {
  auto pool = op.getInput().getDefiningOp<PoolOp>();
  if (!pool)
    return rewriter.notifyMatchFailure(
        op, "does not quantize the result of a " + PoolOp::getOperationName());
  if (!pool->hasOneUse())
    return rewriter.notifyMatchFailure(pool, "has other uses");
  auto functions = checkPooling<PoolOp>(op, pool, rewriter);
  if (failed(functions))
    return failure();
  if (failed(checkRising(op, *getConstantParameters(op), rewriter)))
    return failure();
  std::optional<Number> initial = getInitialValue(pool);
  if (initial)
    initial = getCommonImage(*functions, *initial);
  if (!initial)
    return rewriter.notifyMatchFailure(
        op, "makes several codes of the initial value, or of an unknown one");
  Value codes = convert(rewriter, op, pool.getInputs()[0], op.getScale(),
                        op.getZeroPoint(), op.getGranularity());
  rewriter.replaceOp(
      op, createPool<PoolOp, UnsignedPoolOp>(rewriter, pool, codes, *initial));
  return success();
}

template <typename PoolOp, typename UnsignedPoolOp = PoolOp>
static void addPool(RewritePatternSet &patterns, PatternBenefit benefit) {
  patterns.add<FunctionPattern<sinkBelowPool<PoolOp, UnsignedPoolOp>>,
               FunctionPattern<hoistAbovePool<PoolOp, UnsignedPoolOp>>>(
      patterns.getContext(), benefit);
}

void mlir::qdq::populateMaxPoolMotionPatterns(RewritePatternSet &patterns,
                                              PatternBenefit benefit) {
  addPool<linalg::PoolingNwcMaxOp, linalg::PoolingNwcMaxUnsignedOp>(patterns,
                                                                    benefit);
  addPool<linalg::PoolingNhwcMaxOp, linalg::PoolingNhwcMaxUnsignedOp>(patterns,
                                                                      benefit);
  addPool<linalg::PoolingNcwMaxOp>(patterns, benefit);
  addPool<linalg::PoolingNchwMaxOp>(patterns, benefit);
  addPool<linalg::PoolingNdhwcMaxOp>(patterns, benefit);
}
