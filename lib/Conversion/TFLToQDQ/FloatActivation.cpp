// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of activations, as bounds or a function.

#include "FloatActivation.h"
#include "../ForeignOps/TensorOps.h"
#include "../ONNXToLinalg/NodeParts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::qdq;

using B = ImplicitLocOpBuilder;

static Value emitRelu(B &b, Value x) {
  return arith::MaximumFOp::create(b, x, createNumber(b, x.getType(), 0));
}

template <int lo, int hi>
static Value emitBounds(B &b, Value x) {
  x = arith::MaximumFOp::create(b, x, createNumber(b, x.getType(), lo));
  return arith::MinimumFOp::create(b, x, createNumber(b, x.getType(), hi));
}

static Value emitTanh(B &b, Value x) { return math::TanhOp::create(b, x); }

namespace {
struct Activation {
  StringLiteral name;
  Value (*emit)(B &b, Value x);
};
} // namespace

static constexpr Activation kActivations[] = {
    {"NONE", nullptr},
    {"RELU", emitRelu},
    {"RELU_N1_TO_1", emitBounds<-1, 1>},
    {"RELU6", emitBounds<0, 6>},
    {"TANH", emitTanh},
};

/// The row of an op; null for an unknown one.
static const Activation *findActivation(const ForeignOp &op) {
  FailureOr<StringRef> name = op.getString("fused_activation_function", "NONE");
  const auto *found = llvm::find_if(kActivations, [&](const Activation &row) {
    return succeeded(name) && row.name == *name;
  });
  return found == std::end(kActivations) ? nullptr : found;
}

LogicalResult mlir::qdq::checkActivation(const ForeignOp &op) {
  if (findActivation(op))
    return success();
  return op.refuse("fused_activation_function is ",
                   op.getAttr("fused_activation_function"),
                   ": expected NONE, RELU, RELU_N1_TO_1, RELU6 or TANH");
}

Value mlir::qdq::applyActivation(const ForeignOp &op, Value floats) {
  const Activation *activation = findActivation(op);
  if (!activation || !activation->emit)
    return floats;
  B b(op.getLoc(), op.getRewriter());
  return mapElements(
      b, {floats}, getElementTypeOrSelf(floats),
      [&](B &body, ValueRange x) { return activation->emit(body, x[0]); });
}
