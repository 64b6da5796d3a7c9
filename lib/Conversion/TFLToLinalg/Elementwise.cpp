// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise operators: mostly bodies of ONNX's.

#include "Operators.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::qdq;

using B = ImplicitLocOpBuilder;
using E = Elements;

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

template <int lo, int hi>
static Value emitBounds(B &b, const E &e) {
  return min(max(e.x[0], lo), hi);
}

static Value emitRelu(B &b, const E &e) { return max(e.x[0], 0); }

/// LiteRT multiplies by the bounded sum first, and divides then.
static Value emitHardSwish(B &b, const E &e) {
  return e.x[0] * min(max(e.x[0] + 3, 0), 6) / 6;
}

/// LiteRT: e^x below -9, and 1 from where e^-x is less than half an ulp of 1.
static Value emitLogistic(B &b, const E &e) {
  Scalar x = e.x[0], one = x.constant(1);
  Scalar middle = one / (one + (-x).apply<math::ExpOp>());
  Scalar low = x.apply<math::ExpOp>();
  Scalar upper = select(x > 16.619047164916992188f, one, middle);
  return select(x < -9, low, upper);
}

static Value emitSquare(B &b, const E &e) { return e.x[0] * e.x[0]; }

static Value emitSquaredDifference(B &b, const E &e) {
  Scalar difference = e.x[0] - e.x[1];
  return difference * difference;
}

static Value emitRsqrt(B &b, const E &e) {
  return 1 / e.x[0].apply<math::SqrtOp>();
}

static Value emitFloorDiv(B &b, const E &e) {
  return (e.x[0] / e.x[1]).apply<math::FloorOp>();
}

/// The remainder with the sign of the divisor.
static Value emitFloorMod(B &b, const E &e) {
  Scalar y = e.x[1], rest = e.x[0].apply<arith::RemFOp>(y);
  Scalar zero = y.constant(0), isNegative = rest < zero;
  Scalar differs = isNegative ^ (y < zero);
  Scalar isOther(
      b, arith::CmpFOp::create(b, arith::CmpFPredicate::ONE, rest, zero));
  return select(isOther & differs, rest + y, rest);
}

static Value emitNotEqual(B &b, const E &e) {
  if (e.areFloats())
    return arith::CmpFOp::create(b, arith::CmpFPredicate::UNE, e.x[0], e.x[1]);
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, e.x[0], e.x[1]);
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

/// `self`, and `fused_activation_function` of floats.
static LogicalResult activated(const ForeignOp &node, const Operator &self) {
  FailureOr<StringRef> name =
      node.getString("fused_activation_function", "NONE");
  if (failed(name) || failed(checkActivation(node)))
    return failure();
  FailureOr<Value> value =
      buildElementwise(node, self, /*needsFloats=*/*name != "NONE");
  return failed(value) ? failure()
                       : replaceBy(node, applyActivation(node, *value));
}

static LogicalResult translateGelu(const ForeignOp &node,
                                   const Operator &self) {
  Operator chosen = self;
  chosen.emit = node.isSet("approximate") ? emitFastGelu : emitGelu;
  return translateFloats(node, chosen);
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

/// Operators that are ONNX's by another name.
static constexpr std::pair<StringLiteral, StringLiteral> kSame[] = {
    {"tfl.abs", "onnx.Abs"},
    {"tfl.cast", "onnx.Cast"},
    {"tfl.ceil", "onnx.Ceil"},
    {"tfl.cos", "onnx.Cos"},
    {"tfl.elu", "onnx.Elu"},
    {"tfl.equal", "onnx.Equal"},
    {"tfl.exp", "onnx.Exp"},
    {"tfl.floor", "onnx.Floor"},
    {"tfl.greater", "onnx.Greater"},
    {"tfl.greater_equal", "onnx.GreaterOrEqual"},
    {"tfl.leaky_relu", "onnx.LeakyRelu"},
    {"tfl.less", "onnx.Less"},
    {"tfl.less_equal", "onnx.LessOrEqual"},
    {"tfl.log", "onnx.Log"},
    {"tfl.logical_and", "onnx.And"},
    {"tfl.logical_not", "onnx.Not"},
    {"tfl.logical_or", "onnx.Or"},
    {"tfl.maximum", "onnx.Max"},
    {"tfl.minimum", "onnx.Min"},
    {"tfl.neg", "onnx.Neg"},
    {"tfl.pow", "onnx.Pow"},
    {"tfl.prelu", "onnx.PRelu"},
    {"tfl.round", "onnx.Round"},
    {"tfl.select_v2", "onnx.Where"},
    {"tfl.sign", "onnx.Sign"},
    {"tfl.sin", "onnx.Sin"},
    {"tfl.sqrt", "onnx.Sqrt"},
    {"tfl.tanh", "onnx.Tanh"},
};

/// The same with an activation behind them.
static constexpr std::pair<StringLiteral, StringLiteral> kActivated[] = {
    {"tfl.add", "onnx.Add"},
    {"tfl.div", "onnx.Div"},
    {"tfl.mul", "onnx.Mul"},
    {"tfl.sub", "onnx.Sub"},
};

ArrayRef<Operator> mlir::qdq::getTFLElementwiseOperators() {
  static const auto table = [] {
    SmallVector<Operator> rows = {
        {"tfl.floor_div", {2}, translateFloats, emitFloorDiv},
        {"tfl.floor_mod", {2}, translateFloats, emitFloorMod},
        {"tfl.gelu", {1}, translateGelu},
        {"tfl.hard_swish", {1}, translateFloats, emitHardSwish},
        {"tfl.logistic", {1}, translateFloats, emitLogistic},
        {"tfl.not_equal", {2}, translateComparison, emitNotEqual},
        {"tfl.relu", {1}, translateFloats, emitRelu},
        {"tfl.relu6", {1}, translateFloats, emitBounds<0, 6>},
        {"tfl.relu_0_to_1", {1}, translateFloats, emitBounds<0, 1>},
        {"tfl.relu_n1_to_1", {1}, translateFloats, emitBounds<-1, 1>},
        {"tfl.rsqrt", {1}, translateFloats, emitRsqrt},
        {"tfl.square", {1}, translateNumbers, emitSquare},
        {"tfl.squared_difference",
         {2},
         translateNumbers,
         emitSquaredDifference},
    };
    for (auto [name, other] : kSame) {
      rows.push_back(getOperator(getElementwiseOperators(), other));
      rows.back().name = name;
    }
    for (auto [name, other] : kActivated)
      rows.push_back({name,
                      {2},
                      activated,
                      getOperator(getElementwiseOperators(), other).emit});
    return rows;
  }();
  return table;
}
