// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Multipliers of requantize from scales, kind by kind.

#include "qdq/Numerics/Rescale.h"
#include "EvaluatorParts.h"
#include <cmath>

using namespace mlir;
using namespace mlir::qdq;
using llvm::APFloat;

Rescale mlir::qdq::getProfileRescale(Profile profile) {
  switch (profile) {
  case Profile::ONNX:
    return Rescale::F64;
  case Profile::ORT:
  case Profile::XNNPACK:
    return Rescale::F32;
  case Profile::OneDNN:
    return Rescale::Separate;
  case Profile::TFLite:
    return Rescale::Fixed31Double;
  case Profile::Quant:
  case Profile::MLIR22:
  case Profile::StableHLO:
  case Profile::Quark:
  case Profile::PMX:
  case Profile::Torch:
  case Profile::TorchDecomposed:
    return Rescale::QDQ;
  }
  llvm_unreachable("unknown profile");
}

bool mlir::qdq::isFixedPoint(Rescale rescale) {
  switch (rescale) {
  case Rescale::Exact:
  case Rescale::Fixed31Double:
  case Rescale::Fixed31Single:
  case Rescale::Fixed15:
    return true;
  case Rescale::QDQ:
  case Rescale::F32:
  case Rescale::F64:
  case Rescale::Separate:
    return false;
  }
  llvm_unreachable("unknown rescale");
}

bool mlir::qdq::usesRounding(Rescale rescale) {
  return !isFixedPoint(rescale) || rescale == Rescale::Exact;
}

int64_t mlir::qdq::getMaxShift(Rescale rescale) {
  return rescale == Rescale::Exact ? 126 : 62;
}

APFloat mlir::qdq::getFloatMultiplier(const APFloat &a, const APFloat &b,
                                      const APFloat &y,
                                      const llvm::fltSemantics &format) {
  APFloat product = roundToFormat(a, format);
  product.multiply(roundToFormat(b, format), kNearest);
  product.divide(roundToFormat(y, format), kNearest);
  return product;
}

double mlir::qdq::getRealMultiplier(const APFloat &a, const APFloat &b,
                                    const APFloat &y) {
  return getFloatMultiplier(a, b, y, APFloat::IEEEdouble()).convertToDouble();
}

std::optional<FixedMultiplier>
mlir::qdq::getFixedMultiplier(Rescale rescale, double multiplier) {
  assert(isFixedPoint(rescale) && rescale != Rescale::Exact);
  if (!std::isfinite(multiplier) || multiplier < 0)
    return std::nullopt;
  int exponent;
  double fraction = std::frexp(multiplier, &exponent);
  int64_t fixed = std::llround(std::ldexp(fraction, 31));
  if (fixed == int64_t(1) << 31) {
    fixed /= 2;
    ++exponent;
  }
  if (exponent < -31) {
    fixed = 0;
    exponent = 0;
  }
  int64_t bits = 31;
  if (rescale == Rescale::Fixed15) {
    bits = 15;
    fixed = fixed < 0x7FFF0000 ? (fixed + (1 << 15)) >> 16 : 0x7FFF;
  }
  if (exponent > bits)
    return std::nullopt;
  return FixedMultiplier{fixed, bits - exponent};
}
