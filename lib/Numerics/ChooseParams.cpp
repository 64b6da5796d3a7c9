// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// choose_params as arith/math ops: from the range of a group to its scale and
// zero point.

#include "EmitterParts.h"
#include "EvaluatorParts.h"
#include "RealOps.h"

using namespace mlir;
using namespace mlir::qdq;
using llvm::APFloat;

/// The zero point of a symmetric range.
static int64_t getMiddle(const Storage &storage) {
  return storage.isSigned ? 0 : int64_t(1) << (storage.getWidth() - 1);
}

/// The divisor of the range: a number of codes, or the largest finite value
/// of float storage. Exact.
static APFloat getSteps(const Storage &storage, RangeMode mode) {
  if (storage.isFloat())
    return roundToFormat(
        APFloat::getLargest(cast<FloatType>(storage.type).getFloatSemantics()),
        APFloat::IEEEdouble());
  int64_t lowest =
      mode == RangeMode::Symmetric ? getMiddle(storage) : storage.lo;
  APFloat steps(APFloat::IEEEdouble());
  steps.convertFromAPInt(APInt(64, storage.hi - lowest), /*IsSigned=*/true,
                         APFloat::rmNearestTiesToEven);
  return steps;
}

//===----------------------------------------------------------------------===//
// A scale that is rounded in its type
//===----------------------------------------------------------------------===//

/// Types of 8 bits are reached by one truncation of a value that they hold:
/// nothing else needs to compute in them.
static Value roundToByte(ImplicitLocOpBuilder &b, Value quotient,
                         FloatType scaleType) {
  Scalar x(b, widenToF32(b, quotient));
  const llvm::fltSemantics &format = scaleType.getFloatSemantics();
  Scalar largest = x.constant(APFloat::getLargest(format));
  // Up to half of the smallest value, where the tie goes to the even zero, the
  // result would be zero.
  Scalar vanishing =
      x.constant(APFloat::getSmallest(format).convertToDouble() / 2);
  x = select(x > largest, largest, x);
  Scalar one = x.constant(1);
  return castFloat(b, select(x <= vanishing, one, x), scaleType);
}

/// `range / steps`, rounded to the scale's type; 1 where that is zero, or to
/// ONNX Runtime where the range is.
static Value emitRoundedScale(const Scalar &range, const APFloat &steps,
                              const ParameterChoice &choice) {
  ImplicitLocOpBuilder &b = range.getBuilder();
  FloatType scaleType = choice.scaleType;
  Scalar quotient = range / steps;
  if (scaleType.getWidth() == 8)
    return roundToByte(b, quotient, scaleType);
  Scalar scale(b, castFloat(b, quotient, scaleType));
  Scalar guarded = choice.mode == RangeMode::ORT ? range : scale;
  Scalar zero = guarded.constant(0), one = scale.constant(1);
  return select(equal(guarded, zero), one, scale);
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
static Value encodePowerOfTwo(const Scalar &k, FloatType type) {
  // The field of the smallest normal exponent is 1, but 0 in f8E8M0FNU, which
  // has no zero to leave it to.
  int64_t smallestField = isa<Float8E8M0FNUType>(type) ? 0 : 1;
  int64_t bias = smallestField - getExponentRange(type).first;
  unsigned fractionBits = type.getFPMantissaWidth() - 1;
  Scalar bits =
      (k + bias).to(IntegerType::get(type.getContext(), type.getWidth()));
  if (fractionBits)
    bits = bits << int64_t(fractionBits);
  return bits.bitcast(type);
}

static Value emitPowerOfTwo(ImplicitLocOpBuilder &b, Value range,
                            const APFloat &steps, const Storage &storage,
                            PowerOfTwo rule, FloatType scaleType) {
  // In f32 zero is below the range of every scale but f64.
  Scalar x(b, widenToF32(b, range));
  if (scaleType.isF64())
    x = Scalar(b, castFloat(b, x, scaleType));
  auto type = cast<FloatType>(x.getElement());
  int64_t bits = type.getFPMantissaWidth() - 1;
  int64_t smallest = getExponentRange(type).first;
  int64_t stepExponent = ilogb(steps);
  unsigned storageBits =
      storage.isFloat() ? cast<FloatType>(storage.type).getFPMantissaWidth() - 1
                        : stepExponent;

  // Subnormal ranges are scaled up, so that their exponent is in its field.
  int64_t up = bits + 1;
  Scalar isSmall = x < std::ldexp(1.0, smallest);
  Scalar normal = select(isSmall, x * std::ldexp(1.0, up), x);
  Type integer =
      withShapeOf(b.getIntegerType(type.getWidth()), normal.getType());
  Scalar upward(b, createNumber(b, integer, up));
  Scalar shift = select(isSmall, upward, 0);

  Scalar pattern = normal.bitcast(getElementTypeOrSelf(integer));
  if (int64_t carry = getCarry(rule, bits, steps, storageBits))
    pattern = pattern + carry;
  int64_t bias = 1 - smallest;
  Scalar k = shiftRight(pattern, bits) - shift - (bias + stepExponent);
  auto [lowest, highest] = getExponentRange(scaleType);
  k = Scalar(b, clampInt(b, k, lowest, highest, /*isSigned=*/true));
  Scalar isInfinite =
      equal(x, x.constant(APFloat::getInf(APFloat::IEEEdouble())));
  return encodePowerOfTwo(select(isInfinite, k.constant(highest), k),
                          scaleType);
}

std::pair<Value, Value>
mlir::qdq::emitChooseParams(ImplicitLocOpBuilder &b, const Semantics &semantics,
                            const Storage &storage,
                            const ParameterChoice &choice, Value lo, Value hi) {
  Scalar low(b, toCompute(b, semantics, lo));
  Scalar high(b, toCompute(b, semantics, hi));
  Type type = low.getType();
  bool isSymmetric = choice.mode == RangeMode::Symmetric;
  Scalar range = isSymmetric ? -low : high - low;
  if (isSymmetric)
    range = select(range <= high, high, range);
  APFloat steps = getSteps(storage, choice.mode);
  Value scale = choice.powerOfTwo
                    ? emitPowerOfTwo(b, range, steps, storage,
                                     *choice.powerOfTwo, choice.scaleType)
                    : emitRoundedScale(range, steps, choice);
  if (storage.isFloat())
    return {scale, Value()};
  if (isSymmetric)
    return {scale, createNumber(b, withShapeOf(storage.type, type),
                                getMiddle(storage))};

  Value lowest = createNumber(b, withShapeOf(b.getI64Type(), type), storage.lo);
  Scalar qmin(b, castInt(b, lowest, /*isSigned=*/true, semantics.compute));
  Scalar offset = low / toCompute(b, semantics, scale);
  Scalar zero(b, widenToF32(b, qmin - offset));
  if (choice.mode == RangeMode::ORT)
    zero = select(isNaN(zero), zero.constant(storage.hi), zero);
  // A zero point is a parameter, not data: it is not drawn.
  return {scale, emitSaturatedCode(b, semantics, storage, zero)};
}
