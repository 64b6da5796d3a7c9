// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// choose_params as arith/math ops: from the range of a group to its scale and
// zero point.

#include "EmitterParts.h"
#include "RealOps.h"

using namespace mlir;
using namespace mlir::qdq;
using arith::CmpFPredicate;
using llvm::APFloat;

/// The zero point of a symmetric range.
static int64_t getMiddle(const Storage &storage) {
  return storage.isSigned ? 0 : int64_t(1) << (storage.getWidth() - 1);
}

/// The divisor of the range: a number of codes, or the largest finite value
/// of float storage. Exact.
static APFloat getSteps(const Storage &storage, RangeMode mode) {
  APFloat steps(APFloat::IEEEdouble());
  if (storage.isFloat()) {
    steps =
        APFloat::getLargest(cast<FloatType>(storage.type).getFloatSemantics());
    bool losesInfo;
    steps.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
    return steps;
  }
  int64_t lowest =
      mode == RangeMode::Symmetric ? getMiddle(storage) : storage.lo;
  steps.convertFromAPInt(APInt(64, storage.hi - lowest), /*IsSigned=*/true,
                         APFloat::rmNearestTiesToEven);
  return steps;
}

static Value select(ImplicitLocOpBuilder &b, CmpFPredicate predicate, Value lhs,
                    Value rhs, Value then, Value otherwise) {
  Value condition = arith::CmpFOp::create(b, predicate, lhs, rhs);
  return arith::SelectOp::create(b, condition, then, otherwise);
}

//===----------------------------------------------------------------------===//
// A scale that is rounded in its type
//===----------------------------------------------------------------------===//

/// Types of 8 bits are reached by one truncation of a value that they hold:
/// nothing else needs to compute in them.
static Value roundToByte(ImplicitLocOpBuilder &b, Value quotient,
                         FloatType scaleType) {
  Value v = widenToF32(b, quotient);
  const llvm::fltSemantics &format = scaleType.getFloatSemantics();
  double largest = APFloat::getLargest(format).convertToDouble();
  // Up to half of the smallest value, where the tie goes to the even zero, the
  // result would be zero.
  double vanishing = APFloat::getSmallest(format).convertToDouble() / 2;
  Value limit = floatConstant(b, largest, v.getType());
  Value zero = floatConstant(b, vanishing, v.getType());
  v = select(b, CmpFPredicate::OGT, v, limit, limit, v);
  v = select(b, CmpFPredicate::OLE, v, zero, floatConstant(b, 1.0, v.getType()),
             v);
  return castFloat(b, v, scaleType);
}

/// `range / steps`, rounded to the scale's type; 1 where that is zero, or to
/// ONNX Runtime where the range is.
static Value emitRoundedScale(ImplicitLocOpBuilder &b, Value range,
                              const APFloat &steps,
                              const ParameterChoice &choice) {
  FloatType scaleType = choice.scaleType;
  Value quotient =
      arith::DivFOp::create(b, range, floatConstant(b, steps, range.getType()));
  if (scaleType.getWidth() == 8)
    return roundToByte(b, quotient, scaleType);
  Value scale = castFloat(b, quotient, scaleType);
  Value guarded = choice.mode == RangeMode::ORT ? range : scale;
  return select(b, CmpFPredicate::OEQ, guarded,
                floatConstant(b, 0.0, guarded.getType()),
                floatConstant(b, 1.0, scale.getType()), scale);
}

//===----------------------------------------------------------------------===//
// A scale that is a power of two
//===----------------------------------------------------------------------===//

/// The addend to the fraction of a range `m * 2^e` that raises its exponent
/// exactly where the rule takes the next power of two. The fraction has `bits`
/// bits. `steps` is `M * 2^E`, and `storageBits` are the fraction bits of the
/// storage.
static int64_t getCarry(PowerOfTwo rule, unsigned bits, const APFloat &steps,
                        unsigned storageBits) {
  int64_t last = (int64_t(1) << bits) - 1;
  uint64_t fraction = steps.bitcastToAPInt().getZExtValue() &
                      llvm::maskTrailingOnes<uint64_t>(52);
  switch (rule) {
  case PowerOfTwo::Floor:
    return 0;
  case PowerOfTwo::RCeil:
    // m > M; M cut off to `bits` bits makes the same comparison.
    return last - static_cast<int64_t>(fraction >> (52 - bits));
  case PowerOfTwo::Ceil:
    return last;
  case PowerOfTwo::Even:
    // m >= 2 - 2^-(storageBits + 1), which no m of fewer bits reaches.
    return storageBits < bits ? int64_t(1) << (bits - 1 - storageBits) : 0;
  case PowerOfTwo::Fit: {
    // m > M + 2^-(storageBits + 1), or m equal to it where the tie goes up.
    uint64_t limit = fraction + (uint64_t(1) << (51 - storageBits));
    uint64_t significand = fraction | (uint64_t(1) << 52);
    bool isTieUp = (significand >> (52 - storageBits)) & 1;
    bool isReached = (limit & llvm::maskTrailingOnes<uint64_t>(52 - bits)) == 0;
    return last - static_cast<int64_t>(limit >> (52 - bits)) +
           (isTieUp && isReached);
  }
  }
  llvm_unreachable("unknown rule");
}

/// The exponents of a scale: of its smallest normal and of its largest value.
static std::pair<int64_t, int64_t> getExponentRange(FloatType type) {
  const llvm::fltSemantics &format = type.getFloatSemantics();
  return {APFloat::semanticsMinExponent(format),
          APFloat::semanticsMaxExponent(format)};
}

/// 2^k in `type`, for the exponents `k` of its normal values: its bits are put
/// together.
static Value encodePowerOfTwo(ImplicitLocOpBuilder &b, Value k,
                              FloatType type) {
  unsigned width = type.getWidth();
  // The field of the smallest normal exponent is 1, but 0 in f8E8M0FNU, which
  // has no zero to leave it to.
  int64_t smallestField = isa<Float8E8M0FNUType>(type) ? 0 : 1;
  int64_t bias = smallestField - getExponentRange(type).first;
  Value field = arith::AddIOp::create(b, k, intConstant(b, bias, k.getType()));
  unsigned fractionBits = type.getFPMantissaWidth() - 1;
  Value bits = resizeInt(b, field, /*isSigned=*/true, width);
  if (fractionBits)
    bits = arith::ShLIOp::create(b, bits,
                                 intConstant(b, fractionBits, bits.getType()));
  return arith::BitcastOp::create(b, withShapeOf(type, k.getType()), bits);
}

static Value emitPowerOfTwo(ImplicitLocOpBuilder &b, Value range,
                            const APFloat &steps, const Storage &storage,
                            PowerOfTwo rule, FloatType scaleType) {
  // In f32 zero is below the range of every scale but f64.
  Value v = widenToF32(b, range);
  if (scaleType.isF64())
    v = castFloat(b, v, scaleType);
  auto type = cast<FloatType>(getElementTypeOrSelf(v));
  unsigned width = type.getWidth(), bits = type.getFPMantissaWidth() - 1;
  int64_t smallest = getExponentRange(type).first;
  int64_t stepExponent = ilogb(steps);
  unsigned storageBits =
      storage.isFloat() ? cast<FloatType>(storage.type).getFPMantissaWidth() - 1
                        : stepExponent;

  // Subnormal ranges are scaled up, so that their exponent is in its field.
  int64_t up = bits + 1;
  Type intType = withShapeOf(b.getIntegerType(width), v.getType());
  Value isSmall = arith::CmpFOp::create(
      b, CmpFPredicate::OLT, v,
      floatConstant(b, std::ldexp(1.0, smallest), v.getType()));
  Value scaled = arith::MulFOp::create(
      b, v, floatConstant(b, std::ldexp(1.0, up), v.getType()));
  Value normal = arith::SelectOp::create(b, isSmall, scaled, v);
  Value shift = arith::SelectOp::create(b, isSmall, intConstant(b, up, intType),
                                        intConstant(b, 0, intType));

  Value pattern = arith::BitcastOp::create(b, intType, normal);
  if (int64_t carry = getCarry(rule, bits, steps, storageBits))
    pattern = arith::AddIOp::create(b, pattern, intConstant(b, carry, intType));
  Value k = arith::ShRUIOp::create(b, pattern, intConstant(b, bits, intType));
  int64_t bias = 1 - smallest;
  k = arith::SubIOp::create(b, k, shift);
  k = arith::SubIOp::create(b, k, intConstant(b, bias + stepExponent, intType));
  auto [lowest, highest] = getExponentRange(scaleType);
  k = clampInt(b, k, lowest, highest, /*isSigned=*/true);
  Value infinity =
      floatConstant(b, APFloat::getInf(APFloat::IEEEdouble()), v.getType());
  Value isInfinite = arith::CmpFOp::create(b, CmpFPredicate::OEQ, v, infinity);
  k = arith::SelectOp::create(b, isInfinite, intConstant(b, highest, intType),
                              k);
  return encodePowerOfTwo(b, k, scaleType);
}

std::pair<Value, Value>
mlir::qdq::emitChooseParams(ImplicitLocOpBuilder &b, const Semantics &semantics,
                            const Storage &storage,
                            const ParameterChoice &choice, Value lo, Value hi) {
  Value low = toCompute(b, semantics, lo), high = toCompute(b, semantics, hi);
  Type type = low.getType();
  bool isSymmetric = choice.mode == RangeMode::Symmetric;

  Value range;
  if (isSymmetric) {
    Value magnitude = arith::NegFOp::create(b, low);
    range = select(b, CmpFPredicate::OLE, magnitude, high, high, magnitude);
  } else {
    range = arith::SubFOp::create(b, high, low);
  }
  APFloat steps = getSteps(storage, choice.mode);
  Value scale = choice.powerOfTwo
                    ? emitPowerOfTwo(b, range, steps, storage,
                                     *choice.powerOfTwo, choice.scaleType)
                    : emitRoundedScale(b, range, steps, choice);
  if (storage.isFloat())
    return {scale, Value()};
  if (isSymmetric)
    return {scale, intConstant(b, getMiddle(storage),
                               withShapeOf(storage.type, type))};

  Value qmin =
      castInt(b, intConstant(b, storage.lo, withShapeOf(b.getI64Type(), type)),
              /*isSigned=*/true, semantics.compute);
  Value offset = arith::DivFOp::create(b, low, toCompute(b, semantics, scale));
  Value v = widenToF32(b, arith::SubFOp::create(b, qmin, offset));
  if (choice.mode == RangeMode::ORT)
    v = select(b, CmpFPredicate::UNO, v, v,
               floatConstant(b, static_cast<double>(storage.hi), v.getType()),
               v);
  // A zero point is a parameter, not data: it is not drawn.
  return {scale, emitSaturatedCode(b, semantics, storage, v)};
}
