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

Type mlir::qdq::withShapeOf(Type element, Type like) {
  if (auto shaped = dyn_cast<ShapedType>(like))
    return shaped.clone(element);
  return element;
}

static Value constantLike(ImplicitLocOpBuilder &b, TypedAttr element,
                          Type like) {
  if (auto shaped = dyn_cast<ShapedType>(like))
    element = DenseElementsAttr::get(shaped, element);
  return arith::ConstantOp::create(b, element);
}

Value mlir::qdq::floatConstant(ImplicitLocOpBuilder &b, double value,
                               Type like) {
  return constantLike(b, b.getFloatAttr(getElementTypeOrSelf(like), value),
                      like);
}

Value mlir::qdq::floatConstant(ImplicitLocOpBuilder &b, llvm::APFloat value,
                               Type like) {
  auto type = cast<FloatType>(getElementTypeOrSelf(like));
  bool losesInfo;
  value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return constantLike(b, b.getFloatAttr(type, value), like);
}

Value mlir::qdq::intConstant(ImplicitLocOpBuilder &b, int64_t value,
                             Type like) {
  auto type = cast<IntegerType>(getElementTypeOrSelf(like));
  APInt bits(type.getWidth(), value, /*isSigned=*/true, /*implicitTrunc=*/true);
  return constantLike(b, b.getIntegerAttr(type, bits), like);
}

static Value compare(ImplicitLocOpBuilder &b, CmpFPredicate predicate,
                     Value lhs, Value rhs) {
  return arith::CmpFOp::create(b, predicate, lhs, rhs);
}

static Value select(ImplicitLocOpBuilder &b, Value condition, Value then,
                    Value otherwise) {
  return arith::SelectOp::create(b, condition, then, otherwise);
}

Value mlir::qdq::isNaN(ImplicitLocOpBuilder &b, Value v) {
  return compare(b, CmpFPredicate::UNO, v, v);
}

/// Moves `nearest`, an f32 or f64 rounded to nearest, to the value that
/// rounding to odd gives: the magnitude cut off, and the last bit set if
/// `inexact`. `away` says that `nearest` has the larger magnitude. With two
/// spare bits of significand a second rounding is then as good as a single one.
static Value toOdd(ImplicitLocOpBuilder &b, Value nearest, Value inexact,
                   Value away) {
  unsigned width = getElementTypeOrSelf(nearest).getIntOrFloatBitWidth();
  Type bitsType = withShapeOf(b.getIntegerType(width), nearest.getType());
  Value bits = arith::BitcastOp::create(b, bitsType, nearest);
  Value one = intConstant(b, 1, bitsType);
  Value cut = select(b, away, arith::SubIOp::create(b, bits, one), bits);
  Value odd = select(b, inexact, arith::OrIOp::create(b, cut, one), cut);
  return arith::BitcastOp::create(b, nearest.getType(), odd);
}

Value mlir::qdq::emitTruncateToOdd(ImplicitLocOpBuilder &b, Value v,
                                   FloatType type) {
  Type narrow = withShapeOf(type, v.getType());
  Value nearest = arith::TruncFOp::create(b, narrow, v);
  Value back = arith::ExtFOp::create(b, v.getType(), nearest);
  Value inexact = compare(b, CmpFPredicate::ONE, back, v);
  Value isNegative =
      compare(b, CmpFPredicate::OLT, v, floatConstant(b, 0.0, v.getType()));
  Value away = select(b, isNegative, compare(b, CmpFPredicate::OLT, back, v),
                      compare(b, CmpFPredicate::OGT, back, v));
  return toOdd(b, nearest, inexact, away);
}

Value mlir::qdq::emitShortenToOdd(ImplicitLocOpBuilder &b, Value x,
                                  bool isSigned, unsigned precision) {
  Type type = x.getType();
  auto element = cast<IntegerType>(getElementTypeOrSelf(type));
  unsigned width = element.getWidth();
  if (width - isSigned <= precision)
    return x;
  unsigned places = width - precision;
  auto constant = [&](const APInt &value) -> Value {
    TypedAttr attr = b.getIntegerAttr(element, value);
    if (auto shaped = dyn_cast<ShapedType>(type))
      attr = DenseElementsAttr::get(shaped, Attribute(attr));
    return arith::ConstantOp::create(b, attr);
  };
  auto compare = [&](arith::CmpIPredicate predicate, Value lhs, APInt rhs) {
    return arith::CmpIOp::create(b, predicate, lhs, constant(rhs));
  };
  APInt low = APInt::getLowBitsSet(width, places);
  Value rest = arith::AndIOp::create(b, x, constant(low));
  Value high = arith::AndIOp::create(b, x, constant(~low));
  Value odd = arith::OrIOp::create(
      b, high, constant(APInt::getOneBitSet(width, places)));
  Value isWhole =
      compare(arith::CmpIPredicate::eq, rest, APInt::getZero(width));
  Value shortened = arith::SelectOp::create(b, isWhole, x, odd);
  // From -2^precision to 2^precision - 1.
  Value place = x;
  APInt bound = APInt::getOneBitSet(width, precision);
  if (isSigned) {
    place = arith::AddIOp::create(b, x, constant(bound));
    bound <<= 1;
  }
  Value isShort = compare(arith::CmpIPredicate::ult, place, bound);
  return arith::SelectOp::create(b, isShort, x, shortened);
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
    return floatConstant(b, APFloat::getQNaN(type.getFloatSemantics()),
                         withShapeOf(type, v.getType()));
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
  Type to = withShapeOf(type, v.getType());
  if (from.getWidth() < type.getWidth())
    return arith::ExtFOp::create(b, to, v);
  return arith::TruncFOp::create(b, to, v);
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
  Type to = withShapeOf(via, v.getType());
  Value converted = isSigned ? Value(arith::SIToFPOp::create(b, to, v))
                             : Value(arith::UIToFPOp::create(b, to, v));
  return castFloat(b, converted, type);
}

Value mlir::qdq::resizeInt(ImplicitLocOpBuilder &b, Value v, bool isSigned,
                           unsigned width) {
  unsigned from = getElementTypeOrSelf(v).getIntOrFloatBitWidth();
  Type to = withShapeOf(b.getIntegerType(width), v.getType());
  if (from == width)
    return v;
  if (from > width)
    return arith::TruncIOp::create(b, to, v);
  return isSigned ? Value(arith::ExtSIOp::create(b, to, v))
                  : Value(arith::ExtUIOp::create(b, to, v));
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
  Type type = product.getType();
  const llvm::fltSemantics &format =
      cast<FloatType>(getElementTypeOrSelf(type)).getFloatSemantics();
  Value largest = floatConstant(b, APFloat::getLargest(format), type);
  Value infinity = floatConstant(b, APFloat::getInf(format), type);
  return select(b, compare(b, CmpFPredicate::OGT, product, largest), infinity,
                product);
}

Value mlir::qdq::emitFMA(ImplicitLocOpBuilder &b, Value a, Value x, Value c) {
  auto type = cast<FloatType>(getElementTypeOrSelf(a));
  if (type.getWidth() >= 32)
    return math::FmaOp::create(b, a, x, c);
  // f16 and bf16: the product is exact in f64, the sum is not. Two-sum gives
  // its error, which turns the sum into the f64 that rounding to odd gives: cut
  // the magnitude if it was rounded up, and set the last bit. Then f64 to
  // f16/bf16 is the only rounding.
  auto toF64 = [&](Value v) { return castFloat(b, v, b.getF64Type()); };
  auto add = [&](Value l, Value r) -> Value {
    return arith::AddFOp::create(b, l, r);
  };
  auto sub = [&](Value l, Value r) -> Value {
    return arith::SubFOp::create(b, l, r);
  };
  Value product = arith::MulFOp::create(b, toF64(a), toF64(x));
  Value addend = toF64(c);
  Value sum = add(product, addend);
  Value addendPart = sub(sum, product);
  Value productPart = sub(sum, addendPart);
  Value error = add(sub(product, productPart), sub(addend, addendPart));
  Value zero = floatConstant(b, 0.0, sum.getType());
  // ONE is false for the NaN that infinities leave in `error`.
  Value inexact = compare(b, CmpFPredicate::ONE, error, zero);
  Value errorIsNegative = compare(b, CmpFPredicate::OLT, error, zero);
  Value sumIsNegative = compare(b, CmpFPredicate::OLT, sum, zero);
  Value opposite = arith::XOrIOp::create(b, errorIsNegative, sumIsNegative);
  Value away = arith::AndIOp::create(b, inexact, opposite);
  return castFloat(b, toOdd(b, sum, inexact, away), type);
}

/// Adds `step` to `base` where `condition` holds.
static Value stepIf(ImplicitLocOpBuilder &b, Value condition, Value base,
                    double step) {
  Value moved =
      arith::AddFOp::create(b, base, floatConstant(b, step, base.getType()));
  return select(b, condition, moved, base);
}

Value mlir::qdq::emitUniform(ImplicitLocOpBuilder &b, Value index,
                             uint64_t seed, Value runtimeSeed, Type type) {
  Value word = emitPhilox(b, index, seed, runtimeSeed);
  Value bits =
      arith::ShRUIOp::create(b, word, intConstant(b, 8, word.getType()));
  return arith::MulFOp::create(b, arith::UIToFPOp::create(b, type, bits),
                               floatConstant(b, std::ldexp(1.0, -24), type));
}

Value mlir::qdq::roundToIntegral(ImplicitLocOpBuilder &b, Rounding rounding,
                                 Value v, Value random) {
  Type type = v.getType();
  auto half = [&] { return floatConstant(b, 0.5, type); };
  switch (rounding) {
  case Rounding::NearestEven:
    return math::RoundEvenOp::create(b, v);
  case Rounding::NearestAway:
    return math::RoundOp::create(b, v);
  case Rounding::NearestUp: {
    // The fraction is exact but for v in (-1/2, 0), where it still stays at or
    // above one half.
    Value floor = math::FloorOp::create(b, v);
    Value fraction = arith::SubFOp::create(b, v, floor);
    Value up = compare(b, CmpFPredicate::OGE, fraction, half());
    return stepIf(b, up, floor, 1.0);
  }
  case Rounding::NearestDown: {
    Value ceil = math::CeilOp::create(b, v);
    Value fraction = arith::SubFOp::create(b, ceil, v);
    Value down = compare(b, CmpFPredicate::OGE, fraction, half());
    return stepIf(b, down, ceil, -1.0);
  }
  case Rounding::TowardZero:
    return math::TruncOp::create(b, v);
  case Rounding::Floor:
    return math::FloorOp::create(b, v);
  case Rounding::Ceil:
    return math::CeilOp::create(b, v);
  case Rounding::AwayFromZero: {
    Value isNegative =
        compare(b, CmpFPredicate::OLT, v, floatConstant(b, 0.0, type));
    return select(b, isNegative, math::FloorOp::create(b, v),
                  math::CeilOp::create(b, v));
  }
  case Rounding::ToOdd: {
    // An inexact v lies between two integers: the odd one is the one that is
    // not twice an integer.
    Value floor = math::FloorOp::create(b, v);
    Value exact = compare(b, CmpFPredicate::UEQ, floor, v);
    Value halved = arith::MulFOp::create(b, floor, half());
    Value isEven = compare(b, CmpFPredicate::OEQ, halved,
                           math::FloorOp::create(b, halved));
    return select(b, exact, v, stepIf(b, isEven, floor, 1.0));
  }
  case Rounding::Stochastic: {
    Value floor = math::FloorOp::create(b, v);
    Value fraction = arith::SubFOp::create(b, v, floor);
    Value up = compare(b, CmpFPredicate::OLT, random, fraction);
    return stepIf(b, up, floor, 1.0);
  }
  }
  llvm_unreachable("unknown rounding");
}

Value mlir::qdq::clampFloat(ImplicitLocOpBuilder &b, Value v, double lo,
                            double hi, bool nanIsHigh) {
  Value low = floatConstant(b, lo, v.getType());
  Value high = floatConstant(b, hi, v.getType());
  return clampFloat(b, v, low, high, nanIsHigh);
}

Value mlir::qdq::clampFloat(ImplicitLocOpBuilder &b, Value v, Value low,
                            Value high, bool nanIsHigh) {
  auto atLeast = [&](Value x) {
    return select(b, compare(b, CmpFPredicate::OGT, x, low), x, low);
  };
  auto atMost = [&](Value x) {
    return select(b, compare(b, CmpFPredicate::OLT, x, high), x, high);
  };
  return nanIsHigh ? atLeast(atMost(v)) : atMost(atLeast(v));
}

Value mlir::qdq::clampInt(ImplicitLocOpBuilder &b, Value v, int64_t lo,
                          int64_t hi, bool isSigned) {
  Value low = intConstant(b, lo, v.getType());
  Value high = intConstant(b, hi, v.getType());
  if (isSigned)
    return arith::MinSIOp::create(b, arith::MaxSIOp::create(b, v, low), high);
  return arith::MinUIOp::create(b, arith::MaxUIOp::create(b, v, low), high);
}

Value mlir::qdq::residue(ImplicitLocOpBuilder &b, Value v, unsigned bits) {
  // Scaling by a power of two is exact, and so is the difference: a multiple of
  // v's last place, smaller than 2^bits.
  double modulus = std::ldexp(1.0, bits);
  Value turns = math::TruncOp::create(
      b,
      arith::MulFOp::create(b, v, floatConstant(b, 1 / modulus, v.getType())));
  return arith::SubFOp::create(
      b, v,
      arith::MulFOp::create(b, turns, floatConstant(b, modulus, v.getType())));
}
