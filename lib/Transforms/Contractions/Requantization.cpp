// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The quantize of a contraction's result as a requantize of its sums.

#include "Requantization.h"
#include "qdq/IR/ZeroPoints.h"
#include "qdq/Numerics/Evaluator.h"

using namespace mlir;
using namespace mlir::qdq;

static APFloat toFormat(const Number &number, FloatType type) {
  return toFloat(number, type.getFloatSemantics());
}

/// A parameter of `op`, whose elements have the places `map` in the loops of
/// `contraction`. Fails with a reason that begins with `of`.
template <typename OpTy>
static LogicalResult placeParameter(Value parameter, OpTy op,
                                    FloatContraction contraction, AffineMap map,
                                    LoopParameter &result, StringRef of,
                                    std::string &reason) {
  auto type = cast<RankedTensorType>(op.getInput().getType());
  SmallVector<utils::IteratorType> iterators =
      contraction.op.getIteratorTypesArray();
  BlockedLoop blocks;
  std::string why;
  ParameterOwner owner = {
      op.getGranularity(), type.getShape(), map, {}, iterators};
  if (failed(placeByLoops(parameter, owner, blocks, result, why)))
    return refuse(reason, of + why);
  return success();
}

/// The sizes of a type; negative where they are dynamic.
static SmallVector<OpFoldResult> getStaticSizes(RankedTensorType type) {
  Builder b(type.getContext());
  return llvm::map_to_vector(type.getShape(), [&](int64_t size) {
    return OpFoldResult(
        b.getIndexAttr(ShapedType::isDynamic(size) ? -1 : size));
  });
}

//===----------------------------------------------------------------------===//
// Analysis
//===----------------------------------------------------------------------===//

FailureOr<Requantization> Requantization::get(QuantizeOp op, Epilogue epilogue,
                                              Rescale rescale,
                                              std::string &reason) {
  Requantization result;
  result.op = op;
  result.epilogue = epilogue;
  result.rescale = rescale;
  if (op->getBlock() != epilogue.contraction.op->getBlock())
    return refuse(
        reason, "the quantize stands in another block, such as that of a loop");
  auto integers = IntegerContraction::get(epilogue.contraction, reason);
  if (failed(integers))
    return failure();
  result.integers = *integers;
  if (failed(result.findParameters(reason)) ||
      failed(result.findBias(reason)) || failed(result.findClamp(reason)) ||
      failed(result.hasFloatReductions() ? result.findFloatReductions(reason)
             : integers->blocks.loop     ? result.findBlockWeights(reason)
                                         : result.findMultipliers(reason)))
    return failure();
  return result;
}

/// The parameters of the quantize, and what its types and fields do not allow.
LogicalResult Requantization::findParameters(std::string &reason) {
  auto input = cast<RankedTensorType>(op.getInput().getType());
  if (op.getStorage().isFloat())
    return refuse(reason, "the codes of the result are floats");
  Value zero = op.getZeroPoint();
  if (zero && (op.getDomain() == ZeroPointDomain::Expressed ||
               !isa<IntegerType>(getElementTypeOrSelf(zero))))
    return refuse(reason, "the zero point of the result is no integer");
  if (op.getSemanticsFields().rounding == Rounding::Stochastic)
    return refuse(reason, "the result is rounded stochastically");
  auto place = [&](Value parameter, LoopParameter &result) {
    return placeParameter(parameter, op, epilogue.contraction,
                          epilogue.contraction.getResultMap(), result,
                          "of the result: ", reason);
  };
  if (failed(place(op.getScale(), scale)) ||
      (zero && failed(place(zero, zeroPoint))))
    return failure();

  FloatType product = getProductType(integers.lhs.scale, integers.rhs.scale);
  bool isWide = product.isF64() || getElementTypeOrSelf(scale.value).isF64();
  if (isWide && (rescale == Rescale::F32 || rescale == Rescale::Separate))
    return refuse(reason, "a scale is f64, and the result is computed in f32");
  if (rescale == Rescale::QDQ && input.getElementType() != product)
    return refuse(reason, "the reals between have another type than the "
                          "product of the scales");
  return success();
}

/// The bias has to have the scale of the sums, but for `separate`, which adds
/// reals.
LogicalResult Requantization::findBias(std::string &reason) {
  if (rescale == Rescale::Separate) {
    bool isInteger =
        !integers.blocks.loop && succeeded(findIntegerBias(reason));
    if (epilogue.bias && !isInteger)
      epilogue.realBias = std::exchange(epilogue.bias, {}).getResult();
    reason.clear();
    return success();
  }
  if (epilogue.realBias)
    return refuse(
        reason,
        "what is added to its sums is not dequantized: separate and qdq "
        "alone add reals");
  if (epilogue.bias && integers.blocks.loop)
    return refuse(
        reason, "a bias stands beside blocks, which have scales of their own");
  return findIntegerBias(reason);
}

LogicalResult Requantization::findIntegerBias(std::string &reason) {
  DequantizeOp bias = epilogue.bias;
  if (!bias)
    return success();
  auto type = cast<RankedTensorType>(bias.getInput().getType());
  if (!isa<IntegerType>(type.getElementType()))
    return refuse(reason, "the bias is no tensor of integers");
  if (bias.getZeroPoint() && !isNeutralZeroPoint(bias, Semantics()))
    return refuse(reason, "the bias has a zero point");
  biasMap = epilogue.biasMap.compose(epilogue.contraction.getResultMap());
  LoopParameter biasScale;
  if (failed(placeParameter(bias.getScale(), bias, epilogue.contraction,
                            biasMap, biasScale, "of the bias: ", reason)))
    return failure();
  LoopParameter lhs = integers.lhs.scale, rhs = integers.rhs.scale;
  auto a = LoopConstant::get(lhs), c = LoopConstant::get(rhs),
       s = LoopConstant::get(biasScale);
  FloatType product = getProductType(lhs, rhs);
  bool isEqual = a && c && s;
  ParameterSpace space = getStaticSpace({lhs, rhs, biasScale});
  auto compare = [&](ArrayRef<int64_t> position) {
    APFloat expected = toFormat(a->at(position), product);
    expected.multiply(toFormat(c->at(position), product), kNearest);
    isEqual &= expected.bitwiseIsEqual(toFormat(s->at(position), product));
  };
  if (!isEqual || failed(space.forEachElement(compare)) || !isEqual)
    return refuse(reason,
                  "the scale of the bias is not known to be the product of "
                  "the scales");
  return success();
}

/// The smallest and largest code between the bounds, of one scale and zero
/// point. Nothing, with a reason, where there is none.
std::optional<std::pair<int64_t, int64_t>>
Requantization::getBoundCodes(const Semantics &resolved, APFloat step,
                              const ZeroPointNumber &zero,
                              std::string &reason) {
  if (!step.isFiniteNonZero() || step.isNegative()) {
    reason = "the result is bounded, and its scale is not positive";
    return std::nullopt;
  }
  Storage storage = op.getStorage();
  int64_t lo = storage.lo, hi = storage.hi;
  auto real = cast<FloatType>(getElementTypeOrSelf(op.getInput()));
  for (const RealBound &bound : epilogue.bounds) {
    APFloat value = toFormat(bound.bound, real);
    // A value that saturates has a code, whatever the other fields are.
    auto code = evaluateQuantize(resolved, storage, value, step, zero, 0);
    int64_t limit = std::get<APSInt>(*code).getExtValue();
    lo = bound.isLower ? std::max(lo, limit) : std::min(lo, limit);
    hi = bound.isLower ? std::max(hi, limit) : std::min(hi, limit);
  }
  return std::pair(lo, hi);
}

/// Bounds of reals as bounds of codes: a quantize that saturates never falls.
LogicalResult Requantization::findClamp(std::string &reason) {
  clamp = op.getClampAttr();
  semantics = op.getSemanticsAttr();
  if (epilogue.bounds.empty())
    return success();
  Semantics resolved = op.resolveSemantics(SemanticsOptions());
  if (resolved.overflow != Overflow::Saturate)
    return refuse(reason, "the result is bounded, and codes do not saturate");
  auto sy = LoopConstant::get(scale);
  auto zero = LoopConstant::get(zeroPoint);
  if (!sy || (zeroPoint.value && !zero))
    return refuse(reason,
                  "the result is bounded, and its scale or zero point is not "
                  "constant");
  SmallVector<LoopParameter> parameters = {scale};
  if (zero)
    parameters.push_back(zeroPoint);
  // One clamp holds for all channels, as that of relu does for one zero point.
  std::optional<std::pair<int64_t, int64_t>> codes;
  std::string why;
  auto addChannel = [&](ArrayRef<int64_t> position) {
    auto channel =
        getBoundCodes(resolved, std::get<APFloat>(sy->at(position)),
                      {zero ? std::optional(zero->at(position)) : std::nullopt,
                       op.getDomain()},
                      why);
    if (codes && channel && codes != channel)
      why = "the result is bounded, and the codes of the bounds differ "
            "between its channels";
    codes = channel;
  };
  if (failed(getStaticSpace(parameters).forEachElement(addChannel)))
    return refuse(reason,
                  "the result is bounded, and has too many or open channels");
  if (!why.empty())
    return refuse(reason, why);
  // The codes of the bounds are those of these semantics.
  SemanticsFields fields = op.getSemanticsFields();
  fields.rounding = resolved.rounding;
  fields.order = resolved.order;
  fields.division = resolved.division;
  fields.overflow = resolved.overflow;
  fields.fusion = resolved.fusion;
  semantics = SemanticsAttr::get(op.getContext(), fields);
  clamp =
      DenseI64ArrayAttr::get(op.getContext(), {codes->first, codes->second});
  return success();
}

SmallVector<LoopParameter> Requantization::getScales() {
  return {integers.lhs.scale, integers.rhs.scale, scale};
}

ParameterSpace Requantization::getSpace(ArrayRef<OpFoldResult> sizes,
                                        ArrayRef<LoopParameter> parameters) {
  return ParameterSpace(op.getContext(), epilogue.contraction.getResultMap(),
                        sizes, parameters);
}

ParameterSpace
Requantization::getStaticSpace(ArrayRef<LoopParameter> parameters) {
  return getSpace(getStaticSizes(epilogue.contraction.getResultType()),
                  parameters);
}

/// The type in which `f32` and `f64` make M of three scales: that of all three,
/// else f64 where one has it, else f32.
FloatType Requantization::getMultiplierType() {
  MLIRContext *ctx = scale.value.getContext();
  FloatType f32 = Float32Type::get(ctx);
  Type a = getElementTypeOrSelf(integers.lhs.scale.value);
  Type c = getElementTypeOrSelf(integers.rhs.scale.value);
  Type y = getElementTypeOrSelf(scale.value);
  if (rescale == Rescale::F32)
    return f32;
  if (a == c && a == y && isExpressedType(a))
    return cast<FloatType>(a);
  return a.isF64() || c.isF64() || y.isF64() ? Float64Type::get(ctx) : f32;
}

APFloat Requantization::getFloatMultiplier(const RescaleScales &scales) {
  return qdq::getFloatMultiplier(scales.a, scales.b, scales.y,
                                 getMultiplierType().getFloatSemantics());
}

std::function<RescaleScales(ArrayRef<int64_t>, int64_t)>
Requantization::getConstantScales() {
  auto a = LoopConstant::get(integers.lhs.scale),
       c = LoopConstant::get(integers.rhs.scale), y = LoopConstant::get(scale);
  if (!a || !c || !y)
    return {};
  return [a = *a, c = *c, y = *y, lhs = integers.getBlocksIn(integers.lhs),
          rhs = integers.getBlocksIn(integers.rhs)](ArrayRef<int64_t> position,
                                                    int64_t block) {
    return RescaleScales{std::get<APFloat>(a.at(position, block / lhs)),
                         std::get<APFloat>(c.at(position, block / rhs)),
                         std::get<APFloat>(y.at(position))};
  };
}

LogicalResult Requantization::findMultipliers(std::string &reason) {
  auto largest = integers.getLargestSum(getIntegerBias(), biasMap, reason);
  if (failed(largest))
    return failure();
  magnitude = *largest;
  ParameterSpace space = getStaticSpace(getScales());
  auto getChannel = getConstantScales();
  SmallVector<RescaleScales> channels;
  auto addChannel = [&](ArrayRef<int64_t> position) {
    channels.push_back(getChannel(position, 0));
  };
  if (!getChannel || failed(space.forEachElement(addChannel)))
    channels.clear();
  if (channels.empty()) {
    if (!isFixedPoint(rescale))
      return success();
    return refuse(reason, "an integer multiplier needs constant scales");
  }
  Builder b(op.getContext());
  if (rescale == Rescale::QDQ || rescale == Rescale::Separate)
    return success();
  if (!isFixedPoint(rescale)) {
    // Rows times columns stay two factors: their product is as large as the
    // result.
    if (space.getLoops().size() > 1)
      return success();
    FloatType type = getMultiplierType();
    for (const RescaleScales &channel : channels)
      multipliers.push_back(b.getFloatAttr(type, getFloatMultiplier(channel)));
    return success();
  }
  if (rescale == Rescale::Exact) {
    limit = magnitude;
    return findExactMultipliers(channels, reason);
  }
  for (const RescaleScales &channel : channels) {
    auto fixed = getFixedMultiplier(
        rescale, getRealMultiplier(channel.a, channel.b, channel.y));
    if (!fixed)
      return refuse(
          reason,
          "a product of scales is negative, not finite or too large for "
          "an integer multiplier");
    multipliers.push_back(b.getI32IntegerAttr(fixed->multiplier));
    shifts.push_back(b.getI32IntegerAttr(fixed->shift));
  }
  return success();
}

/// `limit` is the largest magnitude of the sums.
LogicalResult
Requantization::findExactMultipliers(ArrayRef<RescaleScales> channels,
                                     std::string &reason) {
  Semantics resolved = op.resolveSemantics(SemanticsOptions());
  std::optional<int64_t> reach;
  if (resolved.overflow == Overflow::Saturate)
    reach = getLargestDifference(op.getStorage(), zeroPoint.value);
  auto exact = chooseExactMultipliers(
      channels, *limit, reach, resolved.rounding, resolved.order, reason);
  if (failed(exact))
    return failure();
  Builder b(op.getContext());
  for (int64_t multiplier : exact->multipliers)
    multipliers.push_back(b.getI64IntegerAttr(multiplier));
  for (int64_t shift : exact->shifts)
    shifts.push_back(b.getI32IntegerAttr(shift));
  for (int64_t fraction : exact->fractions)
    fractions.push_back(b.getI32IntegerAttr(fraction));
  limit = exact->limit;
  // The proof holds for these fields.
  SemanticsFields fields = op.getSemanticsFields();
  fields.rounding = resolved.rounding;
  fields.order = resolved.order;
  fields.overflow = resolved.overflow;
  semantics = SemanticsAttr::get(op.getContext(), fields);
  return success();
}

//===----------------------------------------------------------------------===//
// The distance to exact codes
//===----------------------------------------------------------------------===//

/// The multipliers of one channel, of a kind other than `exact`.
RescaleNumbers Requantization::getNumbers(const RescaleScales &scales) {
  assert(rescale != Rescale::Exact && "has no difference");
  RescaleNumbers numbers{rescale, {}, {}, {}, {}};
  if (isFixedPoint(rescale)) {
    FixedMultiplier fixed = *getFixedMultiplier(
        rescale, getRealMultiplier(scales.a, scales.b, scales.y));
    numbers.multipliers = {APSInt::get(fixed.multiplier)};
    numbers.shift = APSInt::get(fixed.shift);
  } else if (rescale == Rescale::QDQ) {
    FloatType type = getProductType(integers.lhs.scale, integers.rhs.scale);
    APFloat product = toFormat(scales.a, type);
    product.multiply(toFormat(scales.b, type), kNearest);
    numbers.multipliers = {product, scales.y};
  } else if (rescale == Rescale::Separate) {
    numbers.multipliers = {scales.a, scales.b, scales.y};
  } else {
    numbers.multipliers = {getFloatMultiplier(scales)};
  }
  return numbers;
}

std::optional<CodeDifference> Requantization::measureDifference() {
  // Proven.
  if (rescale == Rescale::Exact)
    return CodeDifference();
  if (hasFloatReductions())
    return std::nullopt;
  Semantics resolved = op.resolveSemantics(SemanticsOptions());
  std::optional<std::pair<int64_t, int64_t>> bounds;
  if (clamp)
    bounds = {clamp[0], clamp[1]};
  Storage storage = Storage::get(op.getStorageElementType(), bounds);
  auto getChannel = getConstantScales();
  SmallVector<LoopParameter> parameters = getScales();
  auto z = LoopConstant::get(zeroPoint);
  if (z)
    parameters.push_back(zeroPoint);
  if (!getChannel || (zeroPoint.value && !z))
    return std::nullopt;
  std::optional<CodeDifference> worst = CodeDifference();
  auto measure = [&](ArrayRef<int64_t> position) {
    RescaleScales scales = getChannel(position, 0);
    ZeroPointNumber zero;
    if (z)
      zero.value = z->at(position);
    auto difference = measureCodeDifference(
        resolved, storage, getNumbers(scales), scales, zero, magnitude);
    if (!difference || !worst)
      worst.reset();
    else if (difference->difference > worst->difference)
      worst = difference;
  };
  if (failed(getStaticSpace(parameters).forEachElement(measure)))
    return std::nullopt;
  return worst;
}

//===----------------------------------------------------------------------===//
// The new ops
//===----------------------------------------------------------------------===//

Value Requantization::emit(ImplicitLocOpBuilder &b) {
  if (hasFloatReductions())
    return emitCodes(b, emitFloatReductions(b));
  Value sums = integers.blocks.loop
                   ? emitWeightedSums(b)
                   : integers.emitAccumulator(b, getIntegerBias(), biasMap);
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, b.getLoc(), epilogue.contraction.getInit());
  SmallVector<LoopParameter> parameters = getScales();
  ParameterSpace scales = getSpace(sizes, parameters);
  if (zeroPoint.value)
    parameters.push_back(zeroPoint);
  ParameterSpace space = getSpace(sizes, parameters);
  const LoopParameter &lhs = integers.lhs.scale, &rhs = integers.rhs.scale;
  SmallVector<Value> factors;
  auto createConstant = [&](ArrayRef<Attribute> elements) {
    return elements.empty()
               ? Value()
               : space.place(b, scales.createConstant(b, elements));
  };
  if (!multipliers.empty()) {
    factors = {createConstant(multipliers)};
  } else if (rescale == Rescale::QDQ) {
    ParameterSpace product = getSpace(sizes, {lhs, rhs});
    factors = {space.place(b, emitScaleProduct(b, lhs, rhs, product)),
               space.place(b, scale)};
  } else {
    factors = {space.place(b, lhs), space.place(b, rhs), space.place(b, scale)};
  }
  Value zero = zeroPoint.value ? space.place(b, zeroPoint) : Value();
  return RequantizeOp::create(
      b, op.getType(), sums, rescale, factors, createConstant(shifts),
      createConstant(fractions), zero, space.getAxis(), space.getBlockShape(),
      limit ? b.getI64IntegerAttr(*limit) : IntegerAttr(), clamp, semantics);
}
