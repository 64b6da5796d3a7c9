// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quantize and dequantize as arith/math ops, step by step as docs/Semantics.md
// numbers them.

#include "EmitterParts.h"
#include "RealOps.h"
#include "ZeroPointDomains.h"
#include "qdq/Numerics/FloatFormats.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::qdq;

/// A float, or an integer that is signed or not, in a float type.
static Value toReal(ImplicitLocOpBuilder &b, Value v, bool isSigned,
                    FloatType type) {
  if (isa<FloatType>(getElementTypeOrSelf(v)))
    return castFloat(b, v, type);
  return castInt(b, v, isSigned, type);
}

/// A product that is rounded by itself, whoever compiles it.
static Value emitProduct(ImplicitLocOpBuilder &b, const Semantics &semantics,
                         Value x, Value y) {
  Value product = arith::MulFOp::create(b, x, y);
  return semantics.contractionProof ? hideProduct(b, product) : product;
}

Value mlir::qdq::toCompute(ImplicitLocOpBuilder &b, const Semantics &semantics,
                           Value v, bool isSigned) {
  return toReal(b, v, isSigned, semantics.compute);
}

namespace {
/// The steps of quantize that share the storage and the zero point.
struct QuantizeEmitter {
  ImplicitLocOpBuilder &b;
  const Semantics &semantics;
  const Storage &storage;
  ZeroPoint zeroPoint;
  /// The element's draw in [0, 1) for stochastic rounding, in f32 or f64; else
  /// null.
  Value random;
  CodeOptions options = {};
  /// The operands of a division that is still to be made, where the target has
  /// one that bounds the quotient, too.
  std::pair<Value, Value> division = {};

  /// True if the zero point is added to the rounded value, as an integer.
  bool addsInteger() const {
    return isStored(zeroPoint) &&
           isa<IntegerType>(getElementTypeOrSelf(zeroPoint.value)) &&
           semantics.order == Order::RoundThenAdd && !storage.isFloat();
  }

  Value quotient(Value xc, Value scale);
  Value product(Value x, Value factor);
  Value round(Value v) {
    return roundToIntegral(b, semantics.rounding, v, random);
  }
  Value toCode(Value v);

private:
  /// The zero point that is added before rounding, or null.
  Value getAddend();
  Value divide(Value x, Value s);
  /// True if a quotient below 2^-40 has the code of every other such quotient
  /// of its sign.
  bool forgivesTiny() const;
  bool boundsQuotient() const;
  Value bound(Value v, double lo, double hi);
  unsigned getCodeWidth() const {
    return options.width ? options.width : storage.getWidth();
  }
  /// A code in as many bits as asked for.
  Value widen(Value code) {
    return resizeInt(b, code, storage.isSigned, getCodeWidth());
  }
  /// A code in the range of the storage, of more bits.
  Value narrow(Value code) {
    return options.tellsRange
               ? cutInt(b, code, storage.isSigned, getCodeWidth())
               : resizeInt(b, code, /*isSigned=*/true, getCodeWidth());
  }
  Value saturate(Value v);
  Value saturateSum(Value v);
  Value wrap(Value v);
  Value convertUnchecked(Value v);
  Value withNaNCode(Value nanFlag, Value code);
};
} // namespace

Value QuantizeEmitter::getAddend() {
  if (!isStored(zeroPoint) || addsInteger())
    return Value();
  return toCompute(b, semantics, zeroPoint.value, zeroPoint.isSigned);
}

/// Steps 3 and 4 where the factor is given, up to the value that is rounded.
Value QuantizeEmitter::product(Value x, Value factor) {
  Value addend = getAddend();
  if (addend && semantics.fusion == Fusion::FMA)
    return emitFMA(b, x, factor, addend);
  Value r = emitProduct(b, semantics, x, factor);
  return addend ? Value(Scalar(b, r) + addend) : r;
}

/// Integers up to this one, times a scale and divided by it, round to
/// themselves.
static constexpr double kMostBound = 1 << 20;

bool QuantizeEmitter::forgivesTiny() const {
  switch (semantics.rounding) {
  case Rounding::NearestEven:
    break;
  case Rounding::NearestAway:
  case Rounding::TowardZero:
    if (storage.isFloat())
      return false;
    break;
  default:
    return false;
  }
  bool addsFloat = isStored(zeroPoint) && !addsInteger();
  if (auto type = dyn_cast<FloatType>(storage.type))
    return !addsFloat &&
           ilogb(APFloat::getSmallest(type.getFloatSemantics())) > -39;
  // A sum tells two such quotients apart only where it is below 2^-14 itself,
  // and no integer has the sign of a zero.
  return true;
}

/// True if a clamp to integers comes next, which decides what NaN becomes.
bool QuantizeEmitter::boundsQuotient() const {
  bool roundsToNearest = semantics.rounding == Rounding::NearestEven ||
                         semantics.rounding == Rounding::NearestAway;
  bool keepsNaN =
      semantics.nan == NaNCode::Zero || semantics.nan == NaNCode::ZeroPoint;
  return !storage.isFloat() && roundsToNearest && !keepsNaN &&
         semantics.overflow == Overflow::Saturate &&
         (!isStored(zeroPoint) || addsInteger());
}

/// Step 2. Null where the quotient is made with its bounds.
Value QuantizeEmitter::divide(Value x, Value s) {
  if (options.quotients && getElementTypeOrSelf(x).isF32()) {
    if (boundsQuotient()) {
      division = {x, s};
      return Value();
    }
    if (forgivesTiny())
      if (Value quotient = options.quotients->divide(b, x, s))
        return quotient;
  }
  return arith::DivFOp::create(b, x, s);
}

/// `v`, which is null for the quotient that is still to be made, in [lo, hi].
Value QuantizeEmitter::bound(Value v, double lo, double hi) {
  bool nanIsHigh = semantics.nan == NaNCode::Highest;
  if (!v) {
    auto [x, s] = division;
    auto clamp = [=](ImplicitLocOpBuilder &nested, Value quotient, Value low,
                     Value high) {
      return clampFloat(nested, quotient, low, high, nanIsHigh);
    };
    if (std::max(hi, -lo) <= kMostBound)
      if (Value bounded =
              options.quotients->divideBounded(b, x, s, lo, hi, clamp))
        return bounded;
    if (forgivesTiny())
      v = options.quotients->divide(b, x, s);
    if (!v)
      v = arith::DivFOp::create(b, x, s);
  }
  return clampFloat(b, v, lo, hi, nanIsHigh);
}

/// Steps 2 to 4, up to the value that is rounded.
Value QuantizeEmitter::quotient(Value xc, Value scale) {
  auto compute = [&](Value v, bool isSigned = true) {
    return toCompute(b, semantics, v, isSigned);
  };
  Value sc = compute(scale);
  if (isExpressed(zeroPoint))
    xc = Scalar(b, xc) - compute(zeroPoint.value, zeroPoint.isSigned);

  switch (semantics.division) {
  case Division::Exact: {
    Value addend = getAddend();
    Value r = divide(xc, sc);
    return addend ? Value(Scalar(b, r) + addend) : r;
  }
  case Division::Reciprocal:
    return product(xc, 1.0 / Scalar(b, sc));
  }
  llvm_unreachable("unknown division");
}

/// Step 5, where the conversion itself does not already give the code of a NaN.
Value QuantizeEmitter::withNaNCode(Value nanFlag, Value code) {
  auto constant = [&](int64_t value) {
    return createNumber(b, code.getType(), value);
  };
  int64_t zero = std::clamp<int64_t>(0, storage.lo, storage.hi);
  Value nanCode;
  switch (semantics.nan) {
  case NaNCode::Lowest:
    nanCode = constant(storage.lo);
    break;
  case NaNCode::Highest:
    nanCode = constant(storage.hi);
    break;
  case NaNCode::Zero:
    nanCode = constant(zero);
    break;
  case NaNCode::ZeroPoint:
    if (!isStored(zeroPoint)) {
      nanCode = constant(zero);
    } else if (isa<IntegerType>(getElementTypeOrSelf(zeroPoint.value))) {
      Value z = resizeInt(b, zeroPoint.value, zeroPoint.isSigned, 64);
      z = clampInt(b, z, storage.lo, storage.hi, /*isSigned=*/true);
      nanCode = resizeInt(b, z, /*isSigned=*/true, getCodeWidth());
    } else {
      // The code of a real zero: a float zero point, rounded; lowest where that
      // is NaN too.
      Value z = widenToF32(b, toCompute(b, semantics, zeroPoint.value));
      Semantics lowest = semantics;
      lowest.nan = NaNCode::Lowest;
      lowest.overflow = Overflow::Saturate;
      nanCode = QuantizeEmitter{b,           lowest, storage,
                                ZeroPoint(), random, {nullptr, options.width}}
                    .toCode(z);
    }
    break;
  case NaNCode::Undefined:
    return code;
  }
  return arith::SelectOp::create(b, nanFlag, nanCode, code);
}

/// True if every integer of magnitude up to `bound` is a value of the float
/// type.
static bool holdsIntegers(Type type, int64_t bound) {
  auto floatType = cast<FloatType>(getElementTypeOrSelf(type));
  return bound <= (int64_t(1) << floatType.getFPMantissaWidth());
}

/// Steps 4 and 6, `saturate`, without an integer zero point. Every rounding
/// keeps integers and the order of reals: a clamp to integers gives the same
/// before it as after it. Before it, rounding and conversion stand side by
/// side, which many targets do in one instruction.
Value QuantizeEmitter::saturate(Value v) {
  bool isExact =
      holdsIntegers((v ? v : division.first).getType(),
                    std::max(std::abs(storage.lo), std::abs(storage.hi)));
  // Bounds that the float cannot hold are applied as integers, after a clamp to
  // powers of two that it can.
  unsigned wide = isExact && storage.getWidth() < 32 ? 32 : 64;
  double beyond = std::ldexp(1.0, 33);
  v = isExact ? bound(v, storage.lo, storage.hi) : bound(v, -beyond, beyond);
  Value code = Scalar(b, round(v)).to(b.getIntegerType(wide));
  if (!isExact)
    code = clampInt(b, code, storage.lo, storage.hi, /*isSigned=*/true);
  return narrow(code);
}

/// Steps 4 and 6, `saturate`, of the exact sum of the rounded `v` and an
/// integer zero point.
Value QuantizeEmitter::saturateSum(Value v) {
  // A power of two beyond which every sum saturates, whatever the zero point
  // is.
  auto zType = cast<IntegerType>(getElementTypeOrSelf(zeroPoint.value));
  auto [zLow, zHigh] = getIntegerBounds(IntegerType::get(
      zType.getContext(), zType.getWidth(),
      zeroPoint.isSigned ? IntegerType::Signed : IntegerType::Unsigned));
  int64_t reach = std::max(storage.hi - zLow, zHigh - storage.lo);
  unsigned exponent = llvm::Log2_64_Ceil(reach);
  double most = std::ldexp(1.0, exponent);
  v = bound(v, -most, most);

  unsigned wide = exponent < 30 ? 32 : 64;
  Type type = withShapeOf(b.getIntegerType(wide), v.getType());
  auto sum = arith::AddIOp::create(
      b, arith::FPToSIOp::create(b, type, round(v)),
      resizeInt(b, zeroPoint.value, zeroPoint.isSigned, wide));
  if (options.tellsRange)
    sum.setOverflowFlags(arith::IntegerOverflowFlags::nsw);
  return narrow(clampInt(b, sum, storage.lo, storage.hi, /*isSigned=*/true));
}

/// Steps 4 and 6, `wrap`, with its NaN code.
Value QuantizeEmitter::wrap(Value v) {
  unsigned width = storage.getWidth();
  Scalar rest(b, residue(b, round(v), width));
  Scalar nanFlag = isNaN(rest);
  // The constant is never seen, but keeps the conversion free of poison.
  rest = select(nanFlag, rest.constant(0), rest);
  unsigned wide = width < 31 ? 32 : 64;
  Value code = rest.to(b.getIntegerType(wide)).to(b.getIntegerType(width));
  if (addsInteger())
    code = Scalar(b, code) +
           resizeInt(b, zeroPoint.value, zeroPoint.isSigned, width);
  if (storage.isNarrowed)
    code = clampInt(b, code, storage.lo, storage.hi, storage.isSigned);
  return withNaNCode(nanFlag, widen(code));
}

/// Steps 4 and 6, `undefined`: only codes of the type's range matter.
Value QuantizeEmitter::convertUnchecked(Value v) {
  v = round(v);
  unsigned width = storage.getWidth();
  Scalar real(b, v);
  Value code;
  if (addsInteger()) {
    // The rounded value may leave the storage's range where the sum does not. A
    // zero point of up to 32 bits moves it less than 2^33.
    unsigned zWidth =
        getElementTypeOrSelf(zeroPoint.value).getIntOrFloatBitWidth();
    unsigned wide = std::max(width, zWidth) < 30 ? 32 : 64;
    Scalar sum = real.to(b.getIntegerType(wide)) +
                 resizeInt(b, zeroPoint.value, zeroPoint.isSigned, wide);
    code = resizeInt(b, sum, /*isSigned=*/true, width);
  } else if (width < 8) {
    // Packed elements share bytes. LLVM takes the high bits of a direct
    // conversion for known, and what they hold would reach the neighbours.
    code = real.to(b.getI32Type()).to(b.getIntegerType(width));
  } else {
    Type type = b.getIntegerType(width);
    code = storage.isSigned ? real.to(type) : real.toUnsigned(type);
  }
  if (storage.isNarrowed)
    code = clampInt(b, code, storage.lo, storage.hi, storage.isSigned);
  return withNaNCode(isNaN({b, v}), widen(code));
}

/// Steps 4 to 6: from the value to round, in f32 or f64, to the code.
Value QuantizeEmitter::toCode(Value v) {
  switch (semantics.overflow) {
  case Overflow::Wrap:
    return wrap(v);
  case Overflow::Undefined:
    return convertUnchecked(v);
  case Overflow::Saturate:
    break;
  }
  Value code = addsInteger() ? saturateSum(v) : saturate(v);
  // The clamp gave `lowest` and `highest` by itself.
  bool needsSelect =
      semantics.nan == NaNCode::Zero || semantics.nan == NaNCode::ZeroPoint;
  return needsSelect ? withNaNCode(isNaN({b, v}), code) : code;
}

Value mlir::qdq::emitQuantize(ImplicitLocOpBuilder &b,
                              const Semantics &semantics,
                              const Storage &storage, Value x, Value scale,
                              ZeroPoint zeroPoint, RandomSource random,
                              bool isSigned, const CodeOptions &options) {
  QuantizeEmitter emitter{b, semantics, storage, zeroPoint, Value(), options};
  Value xc = toCompute(b, semantics, x, isSigned);
  Value v = emitter.quotient(xc, scale);
  // Widening is exact, so rounding in f32 is rounding in f16 or bf16, and every
  // bound has room.
  if (v)
    v = widenToF32(b, v);
  if (semantics.rounding == Rounding::Stochastic)
    emitter.random = emitUniform(b, random.index(), semantics.seed, random.seed,
                                 v.getType());
  if (storage.isFloat())
    return emitCastToFormat(
        b, v, cast<FloatType>(storage.type),
        {semantics.rounding, semantics.floatOverflow, emitter.random});
  return emitter.toCode(v);
}

Value mlir::qdq::emitCodeOfProduct(ImplicitLocOpBuilder &b,
                                   const Semantics &semantics,
                                   const Storage &storage, Value x,
                                   Value factor, ZeroPoint zeroPoint) {
  QuantizeEmitter emitter{b, semantics, storage, zeroPoint, Value()};
  return emitter.toCode(emitter.product(x, factor));
}

Value mlir::qdq::emitSaturatedCode(ImplicitLocOpBuilder &b,
                                   const Semantics &semantics,
                                   const Storage &storage, Value v) {
  Semantics saturating = semantics;
  saturating.overflow = Overflow::Saturate;
  saturating.nan = NaNCode::Lowest;
  if (saturating.rounding == Rounding::Stochastic)
    saturating.rounding = Rounding::NearestEven;
  return QuantizeEmitter{b, saturating, storage, ZeroPoint(), Value()}.toCode(
      v);
}

/// Step 1 of dequantize: the code less its zero point, in the compute type.
static Value emitDifference(ImplicitLocOpBuilder &b, const Semantics &semantics,
                            const Storage &storage, FloatType expressed,
                            Value q, ZeroPoint zeroPoint) {
  FloatType compute = semantics.compute;
  FloatType real = semantics.subtract == Subtract::Output ? expressed : compute;
  if (!isStored(zeroPoint))
    return castFloat(b, toReal(b, q, storage.isSigned, real), compute);

  Value z = zeroPoint.value;
  Type zType = getElementTypeOrSelf(z);
  auto subtractIntegers = [&](unsigned width) {
    Value difference =
        arith::SubIOp::create(b, resizeInt(b, q, storage.isSigned, width),
                              resizeInt(b, z, zeroPoint.isSigned, width));
    return castInt(b, difference, /*isSigned=*/true, compute);
  };
  bool isInteger = !storage.isFloat() && isa<IntegerType>(zType);
  switch (isInteger ? semantics.subtract : Subtract::Float) {
  case Subtract::Wide: {
    unsigned width =
        std::max(storage.getWidth(), zType.getIntOrFloatBitWidth());
    return subtractIntegers(width > 30 ? 64 : 32);
  }
  case Subtract::Wrap32:
    return subtractIntegers(32);
  case Subtract::Float:
  case Subtract::Output:
    return castFloat(b,
                     Scalar(b, toReal(b, q, storage.isSigned, real)) -
                         toReal(b, z, zeroPoint.isSigned, real),
                     compute);
  }
  llvm_unreachable("unknown subtraction");
}

Value mlir::qdq::emitDequantize(ImplicitLocOpBuilder &b,
                                const Semantics &semantics,
                                const Storage &storage, FloatType expressed,
                                Value q, Value scale, ZeroPoint zeroPoint) {
  Value difference =
      emitDifference(b, semantics, storage, expressed, q, zeroPoint);
  Value sc = toCompute(b, semantics, scale);
  if (!isExpressed(zeroPoint))
    return castFloat(b, emitProduct(b, semantics, difference, sc), expressed);

  Value bias = toCompute(b, semantics, zeroPoint.value, zeroPoint.isSigned);
  if (semantics.fusion == Fusion::FMA)
    return castFloat(b, emitFMA(b, difference, sc, bias), expressed);
  Value product = emitProduct(b, semantics, difference, sc);
  return castFloat(b, Scalar(b, product) + bias, expressed);
}
