// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constant parameters, enumeration of codes, and the search over all inputs.

#include "ElementFunctions.h"

using namespace mlir;
using namespace mlir::qdq;
using llvm::APFloat;
using llvm::APSInt;

template <typename OpTy>
std::optional<SmallVector<GroupParameters>>
mlir::qdq::getConstantParameters(OpTy op) {
  auto scales = ConstantElements::get(op.getScale());
  auto zeroPoints = ConstantElements::get(op.getZeroPoint());
  if (!scales || scales->size() == 0 || (op.getZeroPoint() && !zeroPoints))
    return std::nullopt;
  int64_t count = scales->size();
  if (scales->isUniform() && (!zeroPoints || zeroPoints->isUniform()))
    count = 1;
  SmallVector<GroupParameters> result;
  for (int64_t i = 0; i < count; ++i) {
    GroupParameters parameters{std::get<APFloat>((*scales)[i]), {}};
    parameters.zeroPoint.domain = op.getDomain();
    // A zero point may have one element beside many scales.
    if (zeroPoints)
      parameters.zeroPoint.value =
          (*zeroPoints)[zeroPoints->size() == 1 ? 0 : i];
    result.push_back(parameters);
  }
  return result;
}

template <typename OpTy>
SmallVector<FloatType> mlir::qdq::getPossibleComputeTypes(OpTy op) {
  if (op.getSemanticsFields().compute)
    return {resolve(op.getSemanticsFields(), op.getElementTypes()).compute};
  MLIRContext *ctx = op.getContext();
  return {Float16Type::get(ctx), BFloat16Type::get(ctx), Float32Type::get(ctx),
          Float64Type::get(ctx)};
}

template std::optional<SmallVector<GroupParameters>>
    mlir::qdq::getConstantParameters(QuantizeOp);
template std::optional<SmallVector<GroupParameters>>
    mlir::qdq::getConstantParameters(DequantizeOp);
template SmallVector<FloatType> mlir::qdq::getPossibleComputeTypes(QuantizeOp);
template SmallVector<FloatType>
    mlir::qdq::getPossibleComputeTypes(DequantizeOp);

std::optional<int64_t> mlir::qdq::getInteger(const ZeroPointNumber &zeroPoint) {
  if (!zeroPoint.value)
    return 0;
  auto *integer = std::get_if<APSInt>(&*zeroPoint.value);
  if (!integer || zeroPoint.domain == ZeroPointDomain::Expressed)
    return std::nullopt;
  return integer->getExtValue();
}

std::optional<int64_t> mlir::qdq::getCodePosition(const Number &code) {
  if (auto *integer = std::get_if<APSInt>(&code))
    return integer->getExtValue();
  const APFloat &real = std::get<APFloat>(code);
  if (real.isNaN())
    return std::nullopt;
  int64_t magnitude = abs(real).bitcastToAPInt().getZExtValue();
  return real.isNegative() ? -1 - magnitude : magnitude;
}

Number mlir::qdq::getNumberAt(int64_t position, Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return APSInt(APInt(integer.getWidth(), position, /*isSigned=*/true,
                        /*implicitTrunc=*/true),
                  /*isUnsigned=*/!isSignedStorage(type));
  const llvm::fltSemantics &format = cast<FloatType>(type).getFloatSemantics();
  uint64_t magnitude = position < 0 ? -1 - position : position;
  APFloat value(format, APInt(APFloat::getSizeInBits(format), magnitude));
  if (position < 0)
    value.changeSign();
  return value;
}

static std::pair<int64_t, int64_t> getPositionRange(Type type) {
  if (isa<IntegerType>(type))
    return getIntegerBounds(type);
  const llvm::fltSemantics &format = cast<FloatType>(type).getFloatSemantics();
  return {*getCodePosition(APFloat::getInf(format, /*Negative=*/true)),
          *getCodePosition(APFloat::getInf(format))};
}

SmallVector<Number> mlir::qdq::getAllCodes(Type storageType) {
  unsigned width = storageType.getIntOrFloatBitWidth();
  assert(width <= 16 && "too many codes");
  SmallVector<Number> codes;
  for (uint64_t bits = 0; bits < uint64_t(1) << width; ++bits) {
    APInt code(width, bits);
    if (auto floatType = dyn_cast<FloatType>(storageType))
      codes.push_back(APFloat(floatType.getFloatSemantics(), code));
    else
      codes.push_back(
          APSInt(code, /*isUnsigned=*/!isSignedStorage(storageType)));
  }
  return codes;
}

namespace {
/// An input and the codes that it has under both functions.
struct Sample {
  int64_t position;
  int64_t f, g;
};
} // namespace

std::optional<int64_t> mlir::qdq::measureMonotoneDifference(
    function_ref<std::optional<Number>(const Number &)> f,
    function_ref<std::optional<Number>(const Number &)> g, Type input,
    int64_t bound, int64_t &evaluations) {
  auto sample = [&](int64_t position) -> std::optional<Sample> {
    if ((evaluations -= 2) < 0)
      return std::nullopt;
    Number x = getNumberAt(position, input);
    std::optional<Number> fx = f(x), gx = g(x);
    auto fCode = fx ? getCodePosition(*fx) : std::nullopt;
    auto gCode = gx ? getCodePosition(*gx) : std::nullopt;
    if (!fCode || !gCode)
      return std::nullopt;
    return Sample{position, *fCode, *gCode};
  };

  auto [lowest, highest] = getPositionRange(input);
  std::optional<Sample> first = sample(lowest), last = sample(highest);
  if (!first || !last)
    return std::nullopt;
  int64_t worst =
      std::max(std::abs(first->f - first->g), std::abs(last->f - last->g));
  SmallVector<std::pair<Sample, Sample>> stretches = {{*first, *last}};
  while (!stretches.empty() && worst <= bound) {
    auto [begin, end] = stretches.pop_back_val();
    if (begin.f > end.f || begin.g > end.g)
      return std::nullopt;
    bool isConstant = begin.f == end.f && begin.g == end.g;
    // Positions of f64 differ by up to 2^64.
    uint64_t length = uint64_t(end.position) - uint64_t(begin.position);
    if (isConstant || length <= 1)
      continue;
    std::optional<Sample> middle = sample(begin.position + length / 2);
    if (!middle)
      return std::nullopt;
    worst = std::max(worst, std::abs(middle->f - middle->g));
    stretches.push_back({begin, *middle});
    stretches.push_back({*middle, end});
  }
  return worst;
}
