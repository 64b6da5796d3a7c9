// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise operators, as one linalg.generic each.

#include "../ForeignOps/Broadcast.h"
#include "../ForeignOps/SizeChecks.h"
#include "../ForeignOps/TensorOps.h"
#include "Joins.h"
#include "NodeParts.h"
#include "Operators.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "qdq/IR/TypeRewrite.h"
#include "qdq/Numerics/Storage.h"
#include <cmath>

using namespace mlir;
using namespace mlir::qdq;

using B = ImplicitLocOpBuilder;
using E = Elements;
using F = arith::CmpFPredicate;
using I = arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

template <typename Op>
static Value emit(B &b, const E &e) {
  SmallVector<Value> operands(e.x.begin(), e.x.end());
  return Op::create(b, e.getType(), operands);
}

/// The op for floats, signed and unsigned integers.
template <typename Float, typename Signed, typename Unsigned = Signed>
static Value emitAny(B &b, const E &e) {
  if (e.areFloats())
    return Float::create(b, e.x[0], e.x[1]);
  if (e.isUnsigned)
    return Unsigned::create(b, e.x[0], e.x[1]);
  return Signed::create(b, e.x[0], e.x[1]);
}

static Value emitExp(B &b, const E &e) { return e.functions.exp(e.x[0]); }
static Value emitTanh(B &b, const E &e) { return e.functions.tanh(e.x[0]); }
static Value emitErf(B &b, const E &e) { return e.functions.erf(e.x[0]); }
static Value emitSigmoid(B &b, const E &e) {
  return e.functions.logistic(e.x[0]);
}

static Value emitHardSigmoid(B &b, const E &e) {
  return min(max(e.x[0] * e.alpha + e.beta, 0), 1);
}

/// alpha (e^x - 1) below 0.
static Value emitElu(B &b, const E &e) {
  Scalar x = e.x[0], below = x.constant(e.alpha) * x.apply<math::ExpM1Op>();
  return select(x < 0, below, x);
}

/// log(1 + e^x), which is x + log(1 + e^-x) where e^x overflows.
static Value emitSoftplus(B &b, const E &e) {
  Scalar zero = e.x[0].constant(0), power = (-abs(e.x[0])).apply<math::ExpOp>();
  return max(e.x[0], zero) + power.apply<math::Log1pOp>();
}

Value mlir::qdq::emitGelu(B &b, const E &e) {
  Scalar x = e.x[0], half = x.constant(0.5);
  Scalar scaled = x * 0.70710678118654752440;
  Scalar sum = 1 + e.functions.erf(scaled);
  return half * x * sum;
}

/// The approximation by tanh.
Value mlir::qdq::emitFastGelu(B &b, const E &e) {
  Scalar x = e.x[0];
  Scalar inner =
      e.functions.areORT(x.getType())
          ? x * (x * 0.035677408136300125 * x + 0.79788456080286535588)
          : (x + x * x * x * 0.044715) * 0.79788456080286535588;
  Scalar sum = 1 + e.functions.tanh(inner);
  return x.constant(0.5) * x * sum;
}

/// Division by 0, and of the smallest integer by -1, does not trap.
static Value emitDiv(B &b, const E &e) {
  Scalar x = e.x[0], y = e.x[1];
  if (e.areFloats())
    return x / y;
  Scalar one = x.constant(1), isZero = equal(y, 0);
  if (e.isUnsigned)
    return x.apply<arith::DivUIOp>(select(isZero, one, y));
  Scalar isMinusOne = equal(y, -1);
  Scalar quotient = x / select(isZero | isMinusOne, one, y);
  return select(isMinusOne, -x, quotient);
}

/// The remainder of C: it has the sign of x.
static Value emitRemainder(B &b, const E &e) {
  Scalar x = e.x[0], y = e.x[1];
  if (e.areFloats())
    return x.apply<arith::RemFOp>(y);
  // Of 1 and -1 it is 0, which stands for that of 0, too.
  Scalar one = x.constant(1);
  y = select(equal(y, 0), one, y);
  if (e.isUnsigned)
    return x.apply<arith::RemUIOp>(y);
  return x.apply<arith::RemSIOp>(select(equal(y, -1), one, y));
}

/// The remainder of Python: it has the sign of y.
static Value emitMod(B &b, const E &e) {
  Scalar rest(b, emitRemainder(b, e)), y = e.x[1], zero = y.constant(0);
  if (e.isUnsigned)
    return rest;
  Scalar isNegative = rest < zero, differs = isNegative ^ (y < zero);
  if (!e.areFloats()) {
    Scalar isZero = equal(rest, zero);
    return select(isZero, zero, select(differs, rest + y, rest));
  }
  Scalar sum = select(differs, rest + y, rest), isZero = equal(rest, zero);
  return select(isZero, zero.apply<math::CopySignOp>(y), sum);
}

static Value emitNeg(B &b, const E &e) { return -e.x[0]; }

static Value emitAbs(B &b, const E &e) {
  return e.isUnsigned ? e.x[0] : abs(e.x[0]);
}

/// -1, 0 or 1, of -0 too; NaN stays.
static Value emitSign(B &b, const E &e) {
  Scalar x = e.x[0], zero = x.constant(0);
  if (e.areFloats()) {
    // Of a zero and a NaN, its sum with 0 is the result.
    Scalar rest = x + zero;
    Scalar below = select(x < zero, x.constant(-1), rest);
    return select(zero < x, x.constant(1), below);
  }
  Scalar one = x.constant(1);
  return e.isUnsigned ? x.apply<arith::MinUIOp>(one) : min(max(x, -1), one);
}

static Value emitRelu(B &b, const E &e) {
  return e.isUnsigned ? e.x[0] : max(e.x[0], 0);
}

/// The infinities for whose sign `alpha`, or `beta` of the negative one, is
/// set.
static Value emitIsInf(B &b, const E &e) {
  auto isInfinity = [&](float isWanted, double infinity) {
    return isWanted == 0 ? Scalar(b, createNumber(b, b.getI1Type(), 0))
                         : equal(e.x[0], infinity);
  };
  return isInfinity(e.alpha, INFINITY) | isInfinity(e.beta, -INFINITY);
}

/// Where all bits are shifted out, 0 is left.
template <typename Op>
static Value emitShift(B &b, const E &e) {
  Scalar x = e.x[0], y = e.x[1];
  Scalar width = x.constant(e.getType().getIntOrFloatBitWidth());
  Scalar isInside = isBelow(y, width), zero = x.constant(0);
  return select(isInside, x.apply<Op>(select(isInside, y, zero)), zero);
}

/// Of signed integers, the sign is left.
static Value emitShiftRight(B &b, const E &e) {
  if (e.isUnsigned)
    return emitShift<arith::ShRUIOp>(b, e);
  Scalar most = e.x[0].constant(e.getType().getIntOrFloatBitWidth() - 1);
  return e.x[0] >> e.x[1].apply<arith::MinUIOp>(most);
}

template <arith::CmpFPredicate Float, arith::CmpIPredicate Signed,
          arith::CmpIPredicate Unsigned = Signed>
static Value compare(B &b, const E &e) {
  if (e.areFloats())
    return arith::CmpFOp::create(b, Float, e.x[0], e.x[1]);
  return arith::CmpIOp::create(b, e.isUnsigned ? Unsigned : Signed, e.x[0],
                               e.x[1]);
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

/// Refuses shapes that do not broadcast. `broadcast` and `axis` are those of
/// opsets below 7.
static LogicalResult checkBroadcast(const ForeignOp &node,
                                    ArrayRef<ForeignTensor> operands) {
  if (node.has("broadcast"))
    return node.refuse("has the attribute 'broadcast' of opsets below 7: "
                       "expected a model of opset 7 or newer");
  SmallVector<int64_t> shape;
  for (const ForeignTensor &operand : operands) {
    ArrayRef<int64_t> own = operand.type.getShape();
    FailureOr<SmallVector<int64_t>> both = broadcastShapes(shape, own);
    if (failed(both))
      return node.refuse("has operands ", operands[0].type, " and ",
                         operand.type, ", whose shapes do not broadcast");
    shape = *both;
  }
  return success();
}

static SmallVector<Value> materializeAll(const ForeignOp &node,
                                         ArrayRef<ForeignTensor> operands) {
  SmallVector<Value> values;
  for (const ForeignTensor &operand : operands)
    values.push_back(node.materialize(operand));
  assertBroadcast(node, values);
  return values;
}

/// All operands, ranked and of one element type.
static FailureOr<SmallVector<ForeignTensor>>
readOperands(const ForeignOp &node) {
  SmallVector<ForeignTensor> operands;
  for (unsigned i = 0; i < node.getOperation()->getNumOperands(); ++i) {
    FailureOr<ForeignTensor> operand =
        getRanked(node, i, "operand " + std::to_string(i));
    if (failed(operand))
      return failure();
    Type element = operand->type.getElementType();
    if (!operands.empty() && operands[0].type.getElementType() != element)
      return node.refuse("has operands of ", operands[0].type.getElementType(),
                         " and ", element, ": expected one element type");
    operands.push_back(*operand);
  }
  if (failed(checkBroadcast(node, operands)))
    return failure();
  Type element = operands[0].type.getElementType();
  if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 16)
    return node.refuse("has operands of ", element,
                       ": expected floats of 16 bits or more");
  return operands;
}

/// The operator on elements of tensors that broadcast together.
static Value map(B &b, SmallVector<Value> values, Type result,
                 const Operator &self, E e, bool isUnsigned) {
  e.isUnsigned = isUnsigned;
  return mapElements(
      b, std::move(values), result, [&](B &body, ValueRange elements) {
        e.x.clear();
        for (Value x : elements)
          e.x.push_back(Scalar(body, x).to(getComputeType(x.getType())));
        Scalar value(body, self.emit(body, e));
        return value.isFloat() ? value.to(result) : value;
      });
}

FailureOr<Value> mlir::qdq::buildElementwise(const ForeignOp &node,
                                             const Operator &self,
                                             bool needsFloats, Type result) {
  auto read = readOperands(node);
  FailureOr<float> alpha = node.getFloat("alpha", self.alpha);
  // Selu calls it so.
  StringRef second = node.has("gamma") ? "gamma" : "beta";
  FailureOr<float> beta = node.getFloat(second, self.beta);
  if (failed(read) || failed(alpha) || failed(beta))
    return failure();
  Type element = read->front().type.getElementType();
  if (needsFloats && !isa<FloatType>(element))
    return node.refuse("has operands of ", element, ": expected floats");
  B b(node.getLoc(), node.getRewriter());
  bool isUnsigned = element.isUnsignedInteger() || element.isInteger(1);
  if (!result)
    result = toSignless(element);
  return map(b, materializeAll(node, *read), result, self,
             E{{}, isUnsigned, *alpha, *beta, node.getProfile()}, isUnsigned);
}

static LogicalResult translate(const ForeignOp &node, const Operator &self,
                               bool needsFloats, Type result = Type()) {
  FailureOr<Value> value = buildElementwise(node, self, needsFloats, result);
  return failed(value) ? failure() : replaceBy(node, *value);
}

LogicalResult mlir::qdq::translateFloats(const ForeignOp &node,
                                         const Operator &self) {
  return translate(node, self, /*needsFloats=*/true);
}

LogicalResult mlir::qdq::translateNumbers(const ForeignOp &node,
                                          const Operator &self) {
  return translate(node, self, /*needsFloats=*/false);
}

LogicalResult mlir::qdq::translateComparison(const ForeignOp &node,
                                             const Operator &self) {
  return translate(node, self, /*needsFloats=*/false,
                   node.getRewriter().getI1Type());
}

/// Of floats, to i1.
static LogicalResult translateTest(const ForeignOp &node,
                                   const Operator &self) {
  return translate(node, self, /*needsFloats=*/true,
                   node.getRewriter().getI1Type());
}

/// Of one type i1.
static LogicalResult logic(const ForeignOp &node, const Operator &self) {
  FailureOr<ForeignTensor> x = getRanked(node, 0, "A");
  if (failed(x))
    return failure();
  if (!x->type.getElementType().isInteger(1))
    return node.refuse("A has type ", x->type, ": expected i1");
  return translateNumbers(node, self);
}

/// Of integers.
static LogicalResult bitwise(const ForeignOp &node, const Operator &self) {
  FailureOr<ForeignTensor> x = getRanked(node, 0, "A");
  if (failed(x))
    return failure();
  Type element = x->type.getElementType();
  if (!element.isInteger() || element.isInteger(1))
    return node.refuse("A has type ", x->type,
                       ": expected integers of more than one bit");
  return translateNumbers(node, self);
}

/// From the first operand on, each with the next one.
static LogicalResult variadic(const ForeignOp &node, const Operator &self) {
  auto read = readOperands(node);
  if (failed(read))
    return failure();
  Type element = read->front().type.getElementType();
  bool isMean = self.name == "onnx.Mean";
  if ((isMean || self.name == "onnx.Sum") && !isa<FloatType>(element))
    return node.refuse("has operands of ", element, ": expected floats");
  B b(node.getLoc(), node.getRewriter());
  bool isUnsigned = element.isUnsignedInteger() || element.isInteger(1);
  Type result = toSignless(element);
  SmallVector<Value> values = materializeAll(node, *read);
  Value value = values[0];
  for (Value operand : ArrayRef(values).drop_front())
    value = map(b, {value, operand}, result, self, E{}, isUnsigned);
  if (isMean)
    value = mapElements(b, {value}, result, [&](Scalar sum) {
      return (sum.to(getComputeType(element)) / read->size()).to(element);
    });
  return replaceBy(node, value);
}

/// min(max(x, lo), hi), whose bounds are attributes or operands of one element.
static LogicalResult translateClip(const ForeignOp &node) {
  FailureOr<ForeignTensor> x = getRanked(node, 0, "input");
  if (failed(x))
    return failure();
  Type element = x->type.getElementType();
  B b(node.getLoc(), node.getRewriter());
  Value bounds[2];
  for (auto [index, name] : {std::pair(1, "min"), {2, "max"}}) {
    if (node.getOperand(index)) {
      FailureOr<ForeignTensor> bound = getSingle(node, index, name, element);
      if (failed(bound))
        return failure();
      bounds[index - 1] = toScalar(b, node.materializeSingle(*bound));
    } else if (node.has(name)) {
      FailureOr<float> number = node.getFloat(name, 0);
      if (failed(number) || !isa<FloatType>(element))
        return node.refuse("attribute '", name, "' is no bound of ", element);
      bounds[index - 1] = createNumber(b, element, *number);
    }
  }
  bool isUnsigned = element.isUnsignedInteger();
  Type result = toSignless(element);
  Value value = mapElements(
      b, {node.materialize(*x)}, result, [&](B &body, ValueRange elements) {
        Value y = elements[0];
        if (bounds[0])
          y = emitJoin(body, Join::Max, y, bounds[0], isUnsigned);
        if (bounds[1])
          y = emitJoin(body, Join::Min, y, bounds[1], isUnsigned);
        return y;
      });
  return replaceBy(node, value);
}

static LogicalResult translateWhere(const ForeignOp &node) {
  SmallVector<ForeignTensor> operands;
  for (auto [index, name] : {std::pair(0, "condition"), {1, "X"}, {2, "Y"}}) {
    FailureOr<ForeignTensor> operand = getRanked(node, index, name);
    if (failed(operand))
      return failure();
    operands.push_back(*operand);
  }
  Type element = operands[1].type.getElementType();
  if (!operands[0].type.getElementType().isInteger(1) ||
      operands[2].type.getElementType() != element)
    return node.refuse("has operands ", operands[0].type, ", ",
                       operands[1].type, " and ", operands[2].type,
                       ": expected i1, and one type for X and Y");
  if (failed(checkBroadcast(node, operands)))
    return failure();
  B b(node.getLoc(), node.getRewriter());
  Type result = toSignless(element);
  return replaceBy(node, mapElements(b, materializeAll(node, operands), result,
                                     [](Scalar condition, Scalar x, Scalar y) {
                                       return select(condition, x, y);
                                     }));
}

/// The base of floats, and an exponent of any type.
static LogicalResult translatePow(const ForeignOp &node) {
  FailureOr<ForeignTensor> base = getFloats(node, 0, "X");
  FailureOr<ForeignTensor> exponent = getRanked(node, 1, "Y");
  if (failed(base) || failed(exponent) ||
      failed(checkBroadcast(node, {*base, *exponent})))
    return failure();
  Type element = base->type.getElementType(), type = getComputeType(element);
  bool isUnsigned = exponent->type.getElementType().isUnsignedInteger();
  // Runtimes multiply for the usual exponents.
  FailureOr<std::optional<SmallVector<double>>> constant =
      isa<FloatType>(exponent->type.getElementType()) &&
              isSingle(exponent->type)
          ? getFloatList(node, 1, "Y")
          : std::optional<SmallVector<double>>();
  double known = succeeded(constant) && *constant ? (**constant)[0] : 0;
  B b(node.getLoc(), node.getRewriter());
  SmallVector<Value> values{node.materialize(*base)};
  if (known != 2 && known != 3)
    values.push_back(node.materialize(*exponent));
  else if (exponent->type.getRank() > base->type.getRank())
    return node.refuse("Y has type ", exponent->type,
                       ": expected no more dimensions than X");
  assertBroadcast(node, values);
  return replaceBy(
      node, mapElements(b, values, element, [&](B &body, ValueRange x) {
        Scalar value = Scalar(body, x[0]).to(type);
        if (x.size() == 1) {
          Scalar square = value * value;
          return (known == 2 ? square : square * value).to(element);
        }
        Scalar power(body, x[1]);
        power = isUnsigned ? power.toUnsigned(type) : power.to(type);
        return value.apply<math::PowFOp>(power).to(element);
      }));
}

static LogicalResult translateGelu(const ForeignOp &node,
                                   const Operator &self) {
  FailureOr<StringRef> approximate = node.getString("approximate", "none");
  if (failed(approximate))
    return failure();
  if (*approximate != "none" && *approximate != "tanh")
    return node.refuse("approximate is '", *approximate,
                       "': expected none or tanh");
  Operator chosen = self;
  chosen.emit = *approximate == "tanh" ? emitFastGelu : emitGelu;
  return translateFloats(node, chosen);
}

static LogicalResult translateBitShift(const ForeignOp &node,
                                       const Operator &self) {
  FailureOr<StringRef> direction = node.getString("direction", "");
  if (failed(direction))
    return failure();
  if (*direction != "LEFT" && *direction != "RIGHT")
    return node.refuse("direction is '", *direction,
                       "': expected LEFT or RIGHT");
  Operator chosen = self;
  chosen.emit =
      *direction == "LEFT" ? emitShift<arith::ShLIOp> : emitShiftRight;
  return bitwise(node, chosen);
}

static LogicalResult translateIsInf(const ForeignOp &node,
                                    const Operator &self) {
  FailureOr<int64_t> positive = node.getInteger("detect_positive", 1);
  FailureOr<int64_t> negative = node.getInteger("detect_negative", 1);
  if (failed(positive) || failed(negative))
    return failure();
  Operator chosen = self;
  chosen.alpha = *positive != 0;
  chosen.beta = *negative != 0;
  return translateTest(node, chosen);
}

static LogicalResult translateMod(const ForeignOp &node, const Operator &self) {
  FailureOr<int64_t> isC = node.getInteger("fmod", 0);
  if (failed(isC))
    return failure();
  Operator chosen = self;
  chosen.emit = *isC ? emitRemainder : emitMod;
  return translateNumbers(node, chosen);
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

Value mlir::qdq::toInteger(B &b, Value x, IntegerType type, bool isUnsigned) {
  unsigned width = type.getWidth();
  Scalar wide = Scalar(b, x).to(b.getF64Type());
  double power = std::ldexp(1.0, isUnsigned ? width : width - 1);
  // The largest f64 that the type holds.
  double hi = width > 53 ? std::nextafter(power, 0) : power - 1;
  double lo = isUnsigned ? 0 : -power;
  wide = select(isNaN(wide), wide.constant(0), wide);
  Scalar isAbove = wide > hi, inside = min(max(wide, lo), hi);
  Scalar value = isUnsigned ? inside.toUnsigned(type) : inside.to(type);
  APInt largest =
      isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width);
  Scalar most(b, arith::ConstantOp::create(b, b.getIntegerAttr(type, largest)));
  // A fraction above hi is cut off to it.
  return width > 53 ? select(isAbove, most, value) : value;
}

static LogicalResult translateCast(const ForeignOp &node) {
  FailureOr<ForeignTensor> x = getRanked(node, 0, "input");
  FailureOr<TensorType> result = node.getResultType(0);
  if (failed(x) || failed(result))
    return failure();
  Type from = x->type.getElementType(), to = result->getElementType();
  auto isKnown = [](Type type) {
    return type.isInteger() ||
           isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type);
  };
  if (!isKnown(from) || !isKnown(to))
    return node.refuse("casts ", from, " to ", to,
                       ": expected integers, f16, bf16, f32 or f64");
  if (isa<FloatType>(from) && !to.isInteger(1) && to.isInteger() &&
      to.getIntOrFloatBitWidth() < 8)
    return node.refuse("casts ", from, " to ", to,
                       ": expected integers of 8 bits or more");
  B b(node.getLoc(), node.getRewriter());
  bool fromUnsigned = from.isUnsignedInteger() || from.isInteger(1);
  bool toUnsigned = to.isUnsignedInteger();
  Type bare = toSignless(to);
  return replaceBy(
      node,
      mapElements(b, {node.materialize(*x)}, bare, [&](Scalar value) -> Value {
        B &body = value.getBuilder();
        if (to.isInteger(1) && value.isFloat())
          return arith::CmpFOp::create(body, F::UNE, value, value.constant(0));
        if (to.isInteger(1))
          return arith::CmpIOp::create(body, I::ne, value, value.constant(0));
        if (value.isFloat() && to.isInteger())
          return toInteger(body, value, cast<IntegerType>(bare), toUnsigned);
        return fromUnsigned ? value.toUnsigned(bare) : value.to(bare);
      }));
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

// clang-format off
ArrayRef<Operator> mlir::qdq::getElementwiseOperators() {
  static const Operator kOperators[] = {
      {"onnx.Abs", {1}, translateNumbers, emitAbs},
      {"onnx.Acos", {1}, translateFloats, emit<math::AcosOp>},
      {"onnx.Acosh", {1}, translateFloats, emit<math::AcoshOp>},
      {"onnx.Add", {2}, translateNumbers, emitAny<arith::AddFOp, arith::AddIOp>},
      {"onnx.And", {2}, logic, emit<arith::AndIOp>},
      {"onnx.Asin", {1}, translateFloats, emit<math::AsinOp>},
      {"onnx.Asinh", {1}, translateFloats, emit<math::AsinhOp>},
      {"onnx.Atan", {1}, translateFloats, emit<math::AtanOp>},
      {"onnx.Atanh", {1}, translateFloats, emit<math::AtanhOp>},
      {"onnx.BitShift", {2}, translateBitShift},
      {"onnx.BitwiseAnd", {2}, bitwise, emit<arith::AndIOp>},
      {"onnx.BitwiseNot", {1}, bitwise,
       [](B &b, const E &e) -> Value {
         return e.x[0] ^ -1;
       }},
      {"onnx.BitwiseOr", {2}, bitwise, emit<arith::OrIOp>},
      {"onnx.BitwiseXor", {2}, bitwise, emit<arith::XOrIOp>},
      {"onnx.Cast", {1, 2}, translateCast},
      {"onnx.CastLike", {1, 2}, translateCast},
      {"onnx.Ceil", {1}, translateFloats, emit<math::CeilOp>},
      {"onnx.Clip", {1, 3}, translateClip},
      {"onnx.Cos", {1}, translateFloats, emit<math::CosOp>},
      {"onnx.Cosh", {1}, translateFloats, emit<math::CoshOp>},
      {"onnx.Div", {2}, translateNumbers, emitDiv},
      {"onnx.Elu", {1}, translateFloats, emitElu, 1.0f},
      {"onnx.Equal", {2}, translateComparison, compare<F::OEQ, I::eq>},
      {"onnx.Erf", {1}, translateFloats, emitErf},
      {"onnx.Exp", {1}, translateFloats, emitExp},
      {"onnx.Floor", {1}, translateFloats, emit<math::FloorOp>},
      {"onnx.Gelu", {1}, translateGelu},
      {"onnx.Greater", {2}, translateComparison, compare<F::OGT, I::sgt, I::ugt>},
      {"onnx.GreaterOrEqual", {2}, translateComparison, compare<F::OGE, I::sge, I::uge>},
      {"onnx.HardSigmoid", {1}, translateFloats, emitHardSigmoid, 0.2f, 0.5f},
      {"onnx.HardSwish", {1}, translateFloats,
       [](B &b, const E &e) -> Value {
         return e.x[0] * emitHardSigmoid(b, E{e.x, false, 1.0f / 6, 0.5f});
       }},
      {"onnx.IsInf", {1}, translateIsInf, emitIsInf},
      {"onnx.IsNaN", {1}, translateTest,
       [](B &, const E &e) -> Value { return isNaN(e.x[0]); }},
      {"onnx.LeakyRelu", {1}, translateFloats,
       [](B &b, const E &e) -> Value {
         return select(e.x[0] < 0, e.x[0] * e.alpha, e.x[0]);
       }, 0.01f},
      {"onnx.Less", {2}, translateComparison, compare<F::OLT, I::slt, I::ult>},
      {"onnx.LessOrEqual", {2}, translateComparison, compare<F::OLE, I::sle, I::ule>},
      {"onnx.Log", {1}, translateFloats, emit<math::LogOp>},
      {"onnx.Max", {1, kMany}, variadic, emitAny<arith::MaximumFOp, arith::MaxSIOp, arith::MaxUIOp>},
      {"onnx.Mean", {1, kMany}, variadic, emitAny<arith::AddFOp, arith::AddIOp>},
      {"onnx.Min", {1, kMany}, variadic, emitAny<arith::MinimumFOp, arith::MinSIOp, arith::MinUIOp>},
      {"onnx.Mish", {1}, translateFloats,
       [](B &b, const E &e) -> Value {
         return e.x[0] * e.functions.tanh({b, emitSoftplus(b, e)});
       }},
      {"onnx.Mod", {2}, translateMod, emitMod},
      {"onnx.Mul", {2}, translateNumbers, emitAny<arith::MulFOp, arith::MulIOp>},
      {"onnx.Neg", {1}, translateNumbers, emitNeg},
      {"onnx.Not", {1}, logic,
       [](B &b, const E &e) -> Value {
         return e.x[0] ^ 1;
       }},
      {"onnx.Or", {2}, logic, emit<arith::OrIOp>},
      {"onnx.PRelu", {2}, translateFloats,
       [](B &b, const E &e) -> Value {
         return select(e.x[0] < 0, e.x[0] * e.x[1], e.x[0]);
       }},
      {"onnx.Pow", {2}, translatePow},
      {"onnx.Reciprocal", {1}, translateFloats,
       [](B &b, const E &e) -> Value { return 1 / e.x[0]; }},
      {"onnx.Relu", {1}, translateNumbers, emitRelu},
      {"onnx.Round", {1}, translateFloats, emit<math::RoundEvenOp>},
      {"onnx.Selu", {1}, translateFloats,
       [](B &b, const E &e) -> Value { return e.x[0].constant(e.beta) * emitElu(b, e); },
       1.67326319217681884765625f, 1.05070102214813232421875f},
      {"onnx.Sigmoid", {1}, translateFloats, emitSigmoid},
      {"onnx.Sign", {1}, translateNumbers, emitSign},
      {"onnx.Sin", {1}, translateFloats, emit<math::SinOp>},
      {"onnx.Sinh", {1}, translateFloats, emit<math::SinhOp>},
      {"onnx.Softplus", {1}, translateFloats, emitSoftplus},
      {"onnx.Softsign", {1}, translateFloats,
       [](B &b, const E &e) -> Value { return e.x[0] / (1 + abs(e.x[0])); }},
      {"onnx.Sqrt", {1}, translateFloats, emit<math::SqrtOp>},
      {"onnx.Sub", {2}, translateNumbers, emitAny<arith::SubFOp, arith::SubIOp>},
      {"onnx.Sum", {1, kMany}, variadic, emitAny<arith::AddFOp, arith::AddIOp>},
      {"onnx.Swish", {1}, translateFloats,
       [](B &b, const E &e) -> Value {
         return e.x[0] * emitSigmoid(b, E{{e.x[0] * e.alpha}, false, 0, 0, e.functions});
       }, 1.0f},
      {"onnx.Tan", {1}, translateFloats, emit<math::TanOp>},
      {"onnx.Tanh", {1}, translateFloats, emitTanh},
      {"onnx.ThresholdedRelu", {1}, translateFloats,
       [](B &b, const E &e) -> Value {
         return select(e.x[0].constant(e.alpha) < e.x[0], e.x[0], 0);
       }, 1.0f},
      {"onnx.Where", {3}, translateWhere,
       [](B &, const E &e) -> Value { return select(e.x[0], e.x[1], e.x[2]); }},
      {"onnx.Xor", {2}, logic, emit<arith::XOrIOp>},
  };
  return kOperators;
}
// clang-format on
