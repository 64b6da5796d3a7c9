// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floats of 8 bits by way of f16, for targets that convert it.

#include "RealOps.h"
#include "qdq/Numerics/FloatFormats.h"

using namespace mlir;
using namespace mlir::qdq;
using arith::CmpIPredicate;

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
  Type i8 = withShapeOf(b.getI8Type(), v.getType());
  Type i16 = withShapeOf(b.getI16Type(), v.getType());
  auto half = [&](int64_t value) { return intConstant(b, value, i16); };
  auto byte = [&](int64_t value) { return intConstant(b, value, i8); };
  auto is = [&](CmpIPredicate predicate, Value l, Value r) -> Value {
    return arith::CmpIOp::create(b, predicate, l, r);
  };

  Value code = arith::BitcastOp::create(b, i8, v);
  // The code below its sign, which fills what is above.
  Value bits = arith::ShLIOp::create(
      b, resizeInt(b, code, /*isSigned=*/true, 16), half(shift));
  if (shift < 8)
    bits = arith::AndIOp::create(b, bits, half((0x7F << shift) - 0x8000));
  if (nan == 0x80) // in the place of -0
    return arith::SelectOp::create(b, is(CmpIPredicate::eq, code, byte(-128)),
                                   half(kHalfNaN), bits);
  if (shift == 8) // f16 has its infinity and its NaN
    return bits;
  Value magnitude = arith::AndIOp::create(b, code, byte(0x7F));
  if (APFloat::semanticsHasInf(semantics))
    return arith::SelectOp::create(
        b, is(CmpIPredicate::sgt, magnitude, byte(largest)),
        arith::OrIOp::create(b, bits, half(kHalfInfinity)), bits);
  return arith::SelectOp::create(
      b, is(CmpIPredicate::eq, magnitude, byte(nan)),
      arith::XOrIOp::create(b, bits, half((nan << shift) ^ kHalfNaN)), bits);
}

Value mlir::qdq::emitDecodeAsHalf(ImplicitLocOpBuilder &b, Value v) {
  return arith::BitcastOp::create(b, withShapeOf(b.getF16Type(), v.getType()),
                                  emitHalfBits(b, v));
}
