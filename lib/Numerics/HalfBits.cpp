// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floats of 8 bits by way of f16, for targets that convert it.

#include "RealOps.h"
#include "qdq/Numerics/FloatFormats.h"

using namespace mlir;
using namespace mlir::qdq;

static constexpr int kHalfMantissa = 10, kHalfMinExponent = -14;
static constexpr int64_t kHalfInfinity = 0x7C00, kHalfNaN = 0x7E00;

static int getMantissa(const llvm::fltSemantics &semantics) {
  return APFloat::semanticsPrecision(semantics) - 1;
}

int mlir::qdq::getHalfScale(FloatType format) {
  return APFloat::semanticsMinExponent(format.getFloatSemantics()) -
         kHalfMinExponent;
}

bool mlir::qdq::hasHalfBits(FloatType format) {
  const llvm::fltSemantics &semantics = format.getFloatSemantics();
  // The highest exponent of f16 has no finite values.
  return format.getWidth() == 8 && APFloat::semanticsHasZero(semantics) &&
         (getMantissa(semantics) > 2 || APFloat::semanticsHasInf(semantics));
}

/// The bits of f16 with the exponent, mantissa and sign of `v`, or its NaN.
static Value emitHalfBits(ImplicitLocOpBuilder &b, Value v) {
  auto format = cast<FloatType>(getElementTypeOrSelf(v));
  const llvm::fltSemantics &semantics = format.getFloatSemantics();
  int shift = kHalfMantissa - getMantissa(semantics);
  int64_t largest =
      APFloat::getLargest(semantics).bitcastToAPInt().getZExtValue();
  int64_t nan = APFloat::getQNaN(semantics).bitcastToAPInt().getZExtValue();
  Scalar code = Scalar(b, v).bitcast(b.getI8Type());
  // The code below its sign, which fills what is above.
  Scalar bits = code.to(b.getI16Type()) << shift;
  if (shift < 8)
    bits = bits & ((0x7F << shift) - 0x8000);
  if (nan == 0x80) { // in the place of -0
    Scalar isNaN = equal(code, -128);
    return select(isNaN, bits.constant(kHalfNaN), bits);
  }
  if (shift == 8) // f16 has its infinity and its NaN
    return bits;
  Scalar magnitude = code & 0x7F;
  if (APFloat::semanticsHasInf(semantics))
    return select(magnitude > largest, bits | kHalfInfinity, bits);
  return select(equal(magnitude, nan), bits ^ ((nan << shift) ^ kHalfNaN),
                bits);
}

Value mlir::qdq::emitDecodeAsHalf(ImplicitLocOpBuilder &b, Value v) {
  return Scalar(b, emitHalfBits(b, v)).bitcast(b.getF16Type());
}
