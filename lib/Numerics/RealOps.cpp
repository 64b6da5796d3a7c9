// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Building blocks of the emitter.

#include "RealOps.h"
#include "Philox.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "qdq/Numerics/FloatFormats.h"

using namespace mlir;
using namespace mlir::qdq;
using arith::CmpFPredicate;

/// Moves `nearest`, an f32 or f64 rounded to nearest, to the value that
/// rounding to odd gives: the magnitude cut off, and the last bit set if
/// `inexact`. `away` says that `nearest` has the larger magnitude. With two
/// spare bits of significand a second rounding is then as good as a single one.
static Scalar toOdd(Scalar nearest, Scalar inexact, Scalar away) {
  Type element = nearest.getElement();
  Type integer =
      IntegerType::get(element.getContext(), element.getIntOrFloatBitWidth());
  Scalar bits = nearest.bitcast(integer), one = bits.constant(1);
  Scalar cut = select(away, bits - one, bits);
  return select(inexact, cut | one, cut).bitcast(element);
}

Value mlir::qdq::emitTruncateToOdd(ImplicitLocOpBuilder &b, Value v,
                                   FloatType type) {
  Scalar x(b, v), nearest = x.to(type), back = nearest.to(x.getElement());
  Scalar inexact = unequal(back, x), isNegative = x < 0;
  return toOdd(nearest, inexact, select(isNegative, back<x, back> x));
}

Value mlir::qdq::emitShortenToOdd(ImplicitLocOpBuilder &b, Value v,
                                  bool isSigned, unsigned precision) {
  Scalar x(b, v);
  unsigned width = x.getElement().getIntOrFloatBitWidth();
  if (width - isSigned <= precision)
    return v;
  unsigned places = width - precision;
  APInt low = APInt::getLowBitsSet(width, places);
  Scalar rest = x & low, high = x & ~low;
  Scalar odd = high | APInt::getOneBitSet(width, places);
  Scalar shortened = select(equal(rest, 0), x, odd);
  // From -2^precision to 2^precision - 1.
  Scalar place = x;
  APInt bound = APInt::getOneBitSet(width, precision);
  if (isSigned) {
    place = x + bound;
    bound <<= 1;
  }
  return select(isBelow(place, bound), x, shortened);
}

Value mlir::qdq::castFloat(ImplicitLocOpBuilder &b, Value v, FloatType type) {
  auto from = cast<FloatType>(getElementTypeOrSelf(v));
  if (from == type)
    return v;
  // The NaN of f8E8M0FNU has no bits to keep: `arith.extf` folds it to infinity
  // (docs/upstream/extf-of-scale-nan).
  APFloat constant(from.getFloatSemantics());
  if (isa<Float8E8M0FNUType>(from) &&
      matchPattern(v, m_ConstantFloat(&constant)) && constant.isNaN())
    return createNumber(b, withShapeOf(type, v.getType()),
                        APFloat::getQNaN(type.getFloatSemantics()));
  // Backends reach small formats from f64 through f32, or through a library
  // call that may be missing: round to odd in between.
  if (from.isF64() && type.getWidth() <= 16)
    return castFloat(b, emitTruncateToOdd(b, v, b.getF32Type()), type);
  // f16 and bf16 (and small formats of one width) meet in f32, which holds them
  // all; f8E8M0FNU exceeds f16.
  bool viaF32 = from.getWidth() == type.getWidth() ||
                (isa<Float8E8M0FNUType>(from) && type.isF16());
  if (viaF32)
    return castFloat(b, castFloat(b, v, b.getF32Type()), type);
  return Scalar(b, v).to(type);
}

Value mlir::qdq::castInt(ImplicitLocOpBuilder &b, Value v, bool isSigned,
                         FloatType type) {
  // Backends convert to bf16 through f32, which cannot hold more than 24 bits.
  // f64 holds 53.
  unsigned width = getElementTypeOrSelf(v).getIntOrFloatBitWidth();
  bool isLong = type.isBF16() && width > 24;
  FloatType via = isLong ? b.getF64Type() : type;
  if (via != type)
    v = emitShortenToOdd(b, v, isSigned, via.getFPMantissaWidth());
  // LLVM vectorizes no conversion of integers below a byte (3.6 GB/s where 23
  // are there).
  if (width < 8)
    v = resizeInt(b, v, isSigned, 32);
  Scalar x(b, v);
  return castFloat(b, isSigned ? x.to(via) : x.toUnsigned(via), type);
}

Value mlir::qdq::resizeInt(ImplicitLocOpBuilder &b, Value v, bool isSigned,
                           unsigned width) {
  Scalar x(b, v);
  Type type = b.getIntegerType(width);
  return isSigned ? x.to(type) : x.toUnsigned(type);
}

Value mlir::qdq::cutInt(ImplicitLocOpBuilder &b, Value v, bool isSigned,
                        unsigned width) {
  if (getElementTypeOrSelf(v).getIntOrFloatBitWidth() <= width)
    return resizeInt(b, v, isSigned, width);
  Type to = withShapeOf(b.getIntegerType(width), v.getType());
  return arith::TruncIOp::create(b, to, v,
                                 isSigned ? arith::IntegerOverflowFlags::nsw
                                          : arith::IntegerOverflowFlags::nuw);
}

Value mlir::qdq::widenToF32(ImplicitLocOpBuilder &b, Value v) {
  bool isNarrow = getElementTypeOrSelf(v).getIntOrFloatBitWidth() < 32;
  return isNarrow ? castFloat(b, v, b.getF32Type()) : v;
}

Value mlir::qdq::hideProduct(ImplicitLocOpBuilder &b, Value product) {
  // Not a product in f64 and a truncation, nor the sign copied onto itself:
  // LLVM undoes the one, and the other where it knows the signs.
  Scalar x(b, product);
  auto format = cast<FloatType>(x.getElement());
  Scalar largest = x.constant(APFloat::getLargest(format.getFloatSemantics()));
  Scalar infinity = x.constant(APFloat::getInf(format.getFloatSemantics()));
  return select(x > largest, infinity, x);
}

Value mlir::qdq::emitFMA(ImplicitLocOpBuilder &b, Value a, Value x, Value c) {
  if (getElementTypeOrSelf(a).getIntOrFloatBitWidth() >= 32)
    return math::FmaOp::create(b, a, x, c);
  return castFloat(b, emitFMAInF64(b, a, x, c),
                   cast<FloatType>(getElementTypeOrSelf(a)));
}

Value mlir::qdq::emitFMAInF64(ImplicitLocOpBuilder &b, Value a, Value x,
                              Value c) {
  // The product is exact in f64, the sum is not. Two-sum gives its error, which
  // turns the sum into the f64 that rounding to odd gives: cut the magnitude if
  // it was rounded up, and set the last bit.
  auto toF64 = [&](Value v) {
    return Scalar(b, castFloat(b, v, b.getF64Type()));
  };
  Scalar product = toF64(a) * toF64(x), addend = toF64(c);
  Scalar sum = product + addend;
  Scalar addendPart = sum - product, productPart = sum - addendPart;
  Scalar error = (product - productPart) + (addend - addendPart);
  Scalar zero = sum.constant(0);
  // False for the NaN that infinities leave in `error`.
  Scalar inexact = unequal(error, zero);
  Scalar opposite = (error < zero) ^ (sum < zero);
  return toOdd(sum, inexact, inexact & opposite);
}

/// Adds `step` to `base` where `condition` holds.
static Scalar stepIf(Scalar condition, Scalar base, double step) {
  return select(condition, base + step, base);
}

Value mlir::qdq::emitUniform(ImplicitLocOpBuilder &b, Value index,
                             uint64_t seed, Value runtimeSeed, Type type) {
  Scalar word(b, emitPhilox(b, index, seed, runtimeSeed));
  return shiftRight(word, 8).toUnsigned(getElementTypeOrSelf(type)) *
         std::ldexp(1.0, -24);
}

Value mlir::qdq::roundToIntegral(ImplicitLocOpBuilder &b, Rounding rounding,
                                 Value v, Value random) {
  Scalar x(b, v);
  auto getFloor = [](Scalar x) { return x.apply<math::FloorOp>(); };
  auto getCeil = [](Scalar x) { return x.apply<math::CeilOp>(); };
  switch (rounding) {
  case Rounding::NearestEven:
    return x.apply<math::RoundEvenOp>();
  case Rounding::NearestAway:
    return x.apply<math::RoundOp>();
  case Rounding::NearestUp: {
    // The fraction is exact but for v in (-1/2, 0), where it still stays at or
    // above one half.
    Scalar floor = getFloor(x);
    return stepIf(x - floor >= 0.5, floor, 1.0);
  }
  case Rounding::NearestDown: {
    Scalar ceil = getCeil(x);
    return stepIf(ceil - x >= 0.5, ceil, -1.0);
  }
  case Rounding::TowardZero:
    return x.apply<math::TruncOp>();
  case Rounding::Floor:
    return getFloor(x);
  case Rounding::Ceil:
    return getCeil(x);
  case Rounding::AwayFromZero: {
    Scalar isNegative = x < 0;
    return select(isNegative, getFloor(x), getCeil(x));
  }
  case Rounding::ToOdd: {
    // An inexact v lies between two integers: the odd one is the one that is
    // not twice an integer.
    Scalar floor = getFloor(x);
    Value isExact = arith::CmpFOp::create(b, CmpFPredicate::UEQ, floor, v);
    Scalar halved = floor * 0.5, isEven = equal(halved, getFloor(halved));
    return select({b, isExact}, x, stepIf(isEven, floor, 1.0));
  }
  case Rounding::Stochastic: {
    Scalar floor = getFloor(x), fraction = x - floor;
    return stepIf(Scalar(b, random) < fraction, floor, 1.0);
  }
  }
  llvm_unreachable("unknown rounding");
}

Value mlir::qdq::clampFloat(ImplicitLocOpBuilder &b, Value v, double lo,
                            double hi, bool nanIsHigh) {
  Value low = createNumber(b, v.getType(), lo);
  Value high = createNumber(b, v.getType(), hi);
  return clampFloat(b, v, low, high, nanIsHigh);
}

Value mlir::qdq::clampFloat(ImplicitLocOpBuilder &b, Value v, Value low,
                            Value high, bool nanIsHigh) {
  auto atLeast = [&](Scalar x) { return select(x > low, x, low); };
  auto atMost = [&](Scalar x) { return select(x < high, x, high); };
  Scalar x(b, v);
  return nanIsHigh ? atLeast(atMost(x)) : atMost(atLeast(x));
}

Value mlir::qdq::clampInt(ImplicitLocOpBuilder &b, Value v, int64_t lo,
                          int64_t hi, bool isSigned) {
  Scalar x(b, v), low = x.constant(lo), high = x.constant(hi);
  return isSigned ? min(max(x, low), high)
                  : minUnsigned(maxUnsigned(x, low), high);
}

Value mlir::qdq::residue(ImplicitLocOpBuilder &b, Value v, unsigned bits) {
  // Scaling by a power of two is exact, and so is the difference: a multiple of
  // v's last place, smaller than 2^bits.
  double modulus = std::ldexp(1.0, bits);
  Scalar x(b, v), turns = (x * (1 / modulus)).apply<math::TruncOp>();
  return x - turns * modulus;
}
