// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads LSTM and GRU.

#include "RecurrentNode.h"
#include "NodeParts.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::qdq;

/// Refuses whatever changes the formulas.
static LogicalResult checkAttributes(const ForeignOp &node,
                                     const Recurrent &n) {
  SmallVector<StringRef> functions = {"Sigmoid", "Tanh"};
  if (n.isLSTM)
    functions.push_back("Tanh");
  if (auto given = dyn_cast_or_null<ArrayAttr>(node.getAttr("activations")))
    for (auto [index, function] : llvm::enumerate(given)) {
      auto name = dyn_cast<StringAttr>(function);
      StringRef expected = functions[index % functions.size()];
      if (!name || !name.getValue().equals_insensitive(expected))
        return node.refuse("has the activation ", function, ": expected ",
                           expected, " as number ", index);
    }
  FailureOr<int64_t> layout = node.getInteger("layout", 0);
  FailureOr<int64_t> coupled = node.getInteger("input_forget", 0);
  if (failed(layout) || failed(coupled))
    return failure();
  if (*layout || *coupled || node.has("clip"))
    return node.refuse("has layout = ", *layout, ", input_forget = ", *coupled,
                       node.has("clip") ? " and clip" : "",
                       ": expected 0, 0 and no clip");
  if (node.getOperand(4) || node.getOperand(7))
    return node.refuse("has ", node.getOperand(4) ? "sequence_lens" : "P",
                       ": expected sequences of one length, and no peepholes");
  return success();
}

/// An operand of f32 whose static sizes are those of `shape`, where that says
/// one.
static LogicalResult read(const ForeignOp &node, unsigned index, StringRef name,
                          ArrayRef<int64_t> shape, ForeignTensor &tensor) {
  FailureOr<ForeignTensor> own = getFloats(node, index, name, shape.size());
  if (failed(own))
    return failure();
  auto expected = RankedTensorType::get(
      shape, Float32Type::get(node.getLoc().getContext()));
  if (own->type.getElementType() != expected.getElementType() ||
      failed(verifyCompatibleShape(own->type.getShape(), shape)))
    return node.refuse(name, " has type ", own->type, ": expected ", expected);
  tensor = *own;
  return success();
}

FailureOr<Recurrent> mlir::qdq::readRecurrent(const ForeignOp &node,
                                              bool isLSTM) {
  Recurrent n{isLSTM, false, 0, {}, {}, {}, {}, {}, {}};
  FailureOr<StringRef> direction = node.getString("direction", "forward");
  FailureOr<int64_t> resets = node.getInteger("linear_before_reset", 0);
  FailureOr<ForeignTensor> r = getFloats(node, 2, "R", 3);
  if (failed(direction) || failed(resets) || failed(r) ||
      failed(checkAttributes(node, n)))
    return failure();
  n.resetsBehind = *resets;
  if (*direction != "reverse")
    n.reversed.push_back(false);
  if (*direction != "forward")
    n.reversed.push_back(true);
  n.hidden = r->type.getShape().back();
  constexpr int64_t kOpen = ShapedType::kDynamic;
  int64_t count = n.reversed.size(), rows = n.getNumGates() * n.hidden;
  if (ShapedType::isDynamic(n.hidden) || n.hidden == 0)
    return node.refuse("R has type ", r->type, ": expected a static size");
  if (failed(read(node, 0, "X", {kOpen, kOpen, kOpen}, n.x)))
    return failure();
  int64_t batch = n.x.type.getDimSize(1), inputs = n.x.type.getDimSize(2);
  if (failed(read(node, 1, "W", {count, rows, inputs}, n.w)) ||
      failed(read(node, 2, "R", {count, rows, n.hidden}, n.r)) ||
      (node.getOperand(3) &&
       failed(read(node, 3, "B", {count, 2 * rows}, n.bias))))
    return failure();
  for (unsigned state : {0, 1})
    if (node.getOperand(5 + state) &&
        failed(read(node, 5 + state, state ? "initial_c" : "initial_h",
                    {count, batch, n.hidden}, n.states[state])))
      return failure();
  return n;
}
