// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of activations, as bounds or a function.

#include "FloatActivation.h"
#include "../ONNXToLinalg/NodeParts.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::qdq;

static Scalar emitRelu(Scalar x) { return max(x, 0); }

template <int lo, int hi>
static Scalar emitBounds(Scalar x) {
  return min(max(x, lo), hi);
}

static Scalar emitTanh(Scalar x) { return x.apply<math::TanhOp>(); }

namespace {
struct Activation {
  StringLiteral name;
  Scalar (*emit)(Scalar x);
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
  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  return mapFloats(b, {floats}, activation->emit);
}
