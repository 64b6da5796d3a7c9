// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Requantize as arith/math ops: products in floats, and products of integers
// with a rounding shift.

#include "EmitterParts.h"
#include "RealOps.h"
#include "qdq/Numerics/Rescale.h"

using namespace mlir;
using namespace mlir::qdq;
using arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

/// The float type in which the scales of `f64` give M: their own, or the type
/// that holds them all.
static FloatType getScaleType(ArrayRef<Value> scales) {
  auto types = llvm::map_to_vector(scales, [](Value scale) {
    return cast<FloatType>(getElementTypeOrSelf(scale));
  });
  FloatType first = types.front();
  if (llvm::all_equal(types) && first.getWidth() > 8)
    return first;
  MLIRContext *ctx = first.getContext();
  bool isDouble =
      llvm::any_of(types, [](FloatType type) { return type.isF64(); });
  return isDouble ? FloatType(Float64Type::get(ctx)) : Float32Type::get(ctx);
}

/// M, of one multiplier or three.
static Value emitMultiplier(ImplicitLocOpBuilder &b,
                            const RescaleOperands &operands, FloatType type) {
  ArrayRef<Value> scales = operands.multipliers;
  if (scales.size() == 1)
    return castFloat(b, scales.front(), type);
  FloatType own =
      operands.rescale == Rescale::F32 ? type : getScaleType(scales);
  Value product = arith::MulFOp::create(b, castFloat(b, scales[0], own),
                                        castFloat(b, scales[1], own));
  return castFloat(
      b, arith::DivFOp::create(b, product, castFloat(b, scales[2], own)), type);
}

/// In which a kind computes whose multipliers are floats.
static FloatType getComputeType(ImplicitLocOpBuilder &b,
                                const RescaleOperands &operands) {
  bool isDouble = operands.rescale == Rescale::F64 ||
                  (operands.rescale == Rescale::QDQ &&
                   getElementTypeOrSelf(operands.multipliers.front()).isF64());
  return isDouble ? FloatType(b.getF64Type()) : b.getF32Type();
}

Value mlir::qdq::emitRescaledTerm(ImplicitLocOpBuilder &b,
                                  const RescaleOperands &operands, Value input,
                                  bool isSigned) {
  ArrayRef<Value> scales = operands.multipliers;
  FloatType type = getComputeType(b, operands);
  Value x = castInt(b, input, isSigned, type);
  auto multiplyBy = [&](Value factor) {
    x = arith::MulFOp::create(b, x, factor);
  };
  switch (operands.rescale) {
  case Rescale::F32:
  case Rescale::F64:
    multiplyBy(emitMultiplier(b, operands, type));
    return x;
  case Rescale::Separate:
    for (Value scale : scales.take_front(2))
      multiplyBy(castFloat(b, scale, type));
    return x;
  case Rescale::QDQ:
    multiplyBy(castFloat(b, scales[0], type));
    return x;
  case Rescale::Exact:
  case Rescale::Fixed31Double:
  case Rescale::Fixed31Single:
  case Rescale::Fixed15:
    break;
  }
  llvm_unreachable("the multiplier is an integer");
}

/// The kinds whose multipliers are floats.
static Value emitFloatRescale(ImplicitLocOpBuilder &b,
                              const Semantics &semantics,
                              const Storage &storage,
                              const RescaleOperands &operands, Value input,
                              bool isSigned, ZeroPoint zeroPoint) {
  ArrayRef<Value> scales = operands.multipliers;
  if (operands.rescale == Rescale::QDQ)
    return emitQuantize(b, semantics, storage,
                        emitRescaledTerm(b, operands, input, isSigned),
                        scales[1], zeroPoint, {});
  FloatType type = getComputeType(b, operands);
  Semantics own = semantics;
  own.compute = type;
  Value x, factor;
  if (operands.rescale == Rescale::Separate) {
    x = emitRescaledTerm(b, operands, input, isSigned);
    Scalar one(b, createNumber(b, x.getType(), 1));
    factor = one / castFloat(b, scales[2], type);
  } else {
    x = castInt(b, input, isSigned, type);
    factor = emitMultiplier(b, operands, type);
  }
  return emitCodeOfProduct(b, own, storage, x, factor, zeroPoint);
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

namespace {
/// Products with a rounding shift, in integers in which nothing wraps. Ops on
/// constants fold, so that a known shift costs no op.
class FixedPoint {
public:
  FixedPoint(ImplicitLocOpBuilder &b, Type type) : b(b), type(type) {}

  Value constant(int64_t value) { return createNumber(b, type, value); }
  /// Of at most as many bits.
  Value widen(Value v, bool isSigned) {
    if (v.getType() == type)
      return v;
    return isSigned ? b.createOrFold<arith::ExtSIOp>(type, v)
                    : b.createOrFold<arith::ExtUIOp>(type, v);
  }
  template <typename OpTy>
  Value make(Value lhs, Value rhs) {
    return b.createOrFold<OpTy>(lhs, rhs);
  }
  Value add(Value lhs, Value rhs) { return make<arith::AddIOp>(lhs, rhs); }
  Value sub(Value lhs, Value rhs) { return make<arith::SubIOp>(lhs, rhs); }
  Value min(Value lhs, Value rhs) { return make<arith::MinSIOp>(lhs, rhs); }
  Value shiftRight(Value v, Value t) { return make<arith::ShRSIOp>(v, t); }

  /// `v` bounded to [0, high].
  Value bound(Value v, Value high) {
    return min(make<arith::MaxSIOp>(v, constant(0)), high);
  }
  /// `v / 2^t` to an integer; with `offset`, an integer, as if that were added
  /// before and subtracted again.
  Value round(Rounding rounding, Value v, Value t, Value offset = Value());
  /// `v / 2^t` with its magnitude cut off.
  Value cut(Value v, Value t);

private:
  Value isTrue(CmpIPredicate predicate, Value lhs, Value rhs) {
    return b.createOrFold<arith::CmpIOp>(predicate, lhs, rhs);
  }
  Value toInt(Value flag) { return b.createOrFold<arith::ExtUIOp>(type, flag); }
  Value select(Value flag, Value then, Value otherwise) {
    return b.createOrFold<arith::SelectOp>(flag, then, otherwise);
  }

  ImplicitLocOpBuilder &b;
  Type type;
};
} // namespace

Value FixedPoint::round(Rounding rounding, Value v, Value t, Value offset) {
  // mask = 2^t - 1, half = 2^(t - 1) or 0, belowHalf = half - 1 or 0.
  Value one = constant(1);
  Value mask = sub(make<arith::ShLIOp>(one, t), one);
  Value belowHalf = shiftRight(mask, one);
  // The addend before the shift decides the rounding.
  switch (rounding) {
  case Rounding::Floor:
    return shiftRight(v, t);
  case Rounding::Ceil:
    return shiftRight(add(v, mask), t);
  case Rounding::NearestUp:
    return shiftRight(add(v, sub(mask, belowHalf)), t);
  case Rounding::NearestDown:
    return shiftRight(add(v, belowHalf), t);
  case Rounding::NearestEven:
  case Rounding::NearestAway:
  case Rounding::TowardZero:
  case Rounding::AwayFromZero:
  case Rounding::ToOdd:
  case Rounding::Stochastic:
    break;
  }
  // The integer below, with the offset, says which rests go up.
  Value floor = shiftRight(v, t);
  Value rest = make<arith::AndIOp>(v, mask);
  Value sum = offset ? add(floor, offset) : floor;
  Value isEven = make<arith::XOrIOp>(make<arith::AndIOp>(sum, one), one);
  Value isNegative = isTrue(CmpIPredicate::slt, sum, constant(0));
  auto upAbove = [&](Value threshold) {
    return add(floor, toInt(isTrue(CmpIPredicate::sgt, rest, threshold)));
  };
  switch (rounding) {
  case Rounding::NearestEven:
    return upAbove(add(belowHalf, isEven));
  case Rounding::NearestAway:
    return upAbove(add(belowHalf, toInt(isNegative)));
  case Rounding::TowardZero:
    return upAbove(select(isNegative, constant(0), mask));
  case Rounding::AwayFromZero:
    return upAbove(select(isNegative, mask, constant(0)));
  case Rounding::ToOdd:
    return add(floor, make<arith::AndIOp>(
                          toInt(isTrue(CmpIPredicate::ne, rest, constant(0))),
                          isEven));
  case Rounding::Floor:
  case Rounding::Ceil:
  case Rounding::NearestUp:
  case Rounding::NearestDown:
  case Rounding::Stochastic:
    break;
  }
  llvm_unreachable("requantize does not draw");
}

Value FixedPoint::cut(Value v, Value t) {
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  Value sign = shiftRight(v, constant(width - 1));
  auto negateIfNegative = [&](Value value) {
    return sub(make<arith::XOrIOp>(value, sign), sign);
  };
  return negateIfNegative(shiftRight(negateIfNegative(v), t));
}

/// `input` bounded to [-limit, limit], where its type holds more.
static Value boundInput(ImplicitLocOpBuilder &b, Value input, bool isSigned,
                        std::optional<int64_t> limit) {
  unsigned width = getElementTypeOrSelf(input).getIntOrFloatBitWidth();
  unsigned magnitudeBits = width - (isSigned ? 1 : 0);
  if (!limit || !llvm::isUIntN(magnitudeBits, *limit))
    return input;
  return clampInt(b, input, isSigned ? -*limit : 0, *limit, isSigned);
}

/// The integer that the product rounds to; `offset` as for `FixedPoint::round`.
static Value roundProduct(FixedPoint &fixed, Rounding rounding,
                          const RescaleOperands &operands, Value product,
                          Value offset) {
  Value shift = fixed.widen(operands.shift, operands.shiftIsSigned);
  if (!operands.shiftsAreInRange)
    shift = fixed.bound(shift, fixed.constant(getMaxShift(operands.rescale)));
  switch (operands.rescale) {
  case Rescale::Exact: {
    if (!operands.fraction)
      return fixed.round(rounding, product, shift, offset);
    Value fraction = fixed.widen(operands.fraction, operands.fractionIsSigned);
    if (!operands.shiftsAreInRange)
      fraction = fixed.bound(fraction, shift);
    return fixed.round(rounding, fixed.cut(product, fixed.sub(shift, fraction)),
                       fraction, offset);
  }
  case Rescale::Fixed31Double: {
    Value first = fixed.min(shift, fixed.constant(31));
    Value high = fixed.round(Rounding::NearestUp, product, first);
    return fixed.round(Rounding::NearestAway, high, fixed.sub(shift, first));
  }
  case Rescale::Fixed31Single:
  case Rescale::Fixed15:
    return fixed.round(Rounding::NearestUp, product, shift);
  case Rescale::QDQ:
  case Rescale::F32:
  case Rescale::F64:
  case Rescale::Separate:
    break;
  }
  llvm_unreachable("the multiplier is a float");
}

/// The kinds whose multiplier is an integer.
static Value emitFixedRescale(ImplicitLocOpBuilder &b,
                              const Semantics &semantics,
                              const Storage &storage,
                              const RescaleOperands &operands, Value input,
                              bool isSigned, ZeroPoint zeroPoint) {
  Type type =
      withShapeOf(b.getIntegerType(operands.productWidth), input.getType());
  FixedPoint fixed(b, type);
  Value product = arith::MulIOp::create(
      b, fixed.widen(boundInput(b, input, isSigned, operands.limit), isSigned),
      fixed.widen(operands.multipliers.front(), /*isSigned=*/true));
  Value z;
  if (zeroPoint.value)
    z = fixed.widen(zeroPoint.value, zeroPoint.isSigned);
  Value offset = semantics.order == Order::AddThenRound ? z : Value();
  Value v = roundProduct(fixed, semantics.rounding, operands, product, offset);
  if (z)
    v = fixed.add(v, z);
  unsigned width = storage.getWidth();
  switch (semantics.overflow) {
  case Overflow::Saturate:
    v = clampInt(b, v, storage.lo, storage.hi, /*isSigned=*/true);
    return resizeInt(b, v, /*isSigned=*/true, width);
  case Overflow::Wrap:
  case Overflow::Undefined:
    v = resizeInt(b, v, /*isSigned=*/true, width);
    return storage.isNarrowed
               ? clampInt(b, v, storage.lo, storage.hi, storage.isSigned)
               : v;
  }
  llvm_unreachable("unknown overflow");
}

Value mlir::qdq::emitRequantize(ImplicitLocOpBuilder &b,
                                const Semantics &semantics,
                                const Storage &storage,
                                const RescaleOperands &operands, Value input,
                                bool isSigned, ZeroPoint zeroPoint) {
  auto emit =
      isFixedPoint(operands.rescale) ? emitFixedRescale : emitFloatRescale;
  return emit(b, semantics, storage, operands, input, isSigned, zeroPoint);
}
