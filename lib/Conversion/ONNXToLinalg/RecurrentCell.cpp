// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A step of RNN, GRU and LSTM: sums in ONNX Runtime's order.

#include "RecurrentCell.h"
#include "../ForeignOps/NodeSizes.h"
#include "../ForeignOps/TensorOps.h"
#include "NodeParts.h"
#include "qdq/IR/TensorSlice.h"

using namespace mlir;
using namespace mlir::qdq;

using B = ImplicitLocOpBuilder;

//===----------------------------------------------------------------------===//
// Parts of tensors
//===----------------------------------------------------------------------===//

Value mlir::qdq::takeFirst(B &b, Value x, OpFoldResult index) {
  RankedTensorType type = getRankedType(x);
  return TensorSlice(b, x)
      .cut(0, index, 1)
      .take(x, RankedTensorType::get(type.getShape().drop_front(),
                                     type.getElementType()));
}

/// The parts of size `hidden` of the last dimension.
static SmallVector<Value> split(B &b, Value x, int64_t hidden) {
  RankedTensorType type = getRankedType(x);
  SmallVector<Value> parts;
  for (int64_t from = 0; from < type.getShape().back(); from += hidden)
    parts.push_back(
        TensorSlice(b, x).cut(type.getRank() - 1, from, hidden).take(x));
  return parts;
}

static Scalar multiply(Scalar x, Scalar y) { return x * y; }
static Scalar activate(const Activation &function, Scalar x) {
  B &b = x.getBuilder();
  return {
      b,
      function.emit(
          b, {{x}, false, function.alpha, function.beta, function.functions})};
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

Value RecurrentWeights::multiply(B &b, Value rows) const {
  if (!scale)
    return contractColumns(b, rows, values);
  // `convert-onnx-to-qdq` lowers it.
  SmallVector<int64_t> shape(getRankedType(rows).getShape());
  shape.back() = getRankedType(values).getShape().back();
  OperationState product(b.getLoc(), kCustomOp);
  product.addOperands({rows, values, scale, zeroPoint});
  product.addAttribute("domain_name", b.getStringAttr("com.microsoft"));
  product.addAttribute("function_name",
                       b.getStringAttr("DynamicQuantizeMatMul"));
  product.addTypes(RankedTensorType::get(shape, b.getF32Type()));
  return b.create(product)->getResult(0);
}

Value RecurrentWeights::multiplyGates(B &b, Value rows, int64_t hidden,
                                      int64_t from, int64_t count) const {
  return contractColumns(b, rows,
                         TensorSlice(b, values)
                             .cut(0, from * hidden, count * hidden)
                             .take(values));
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

namespace {
/// A step under construction.
struct Step {
  B &b;
  const RecurrentCell &cell;
  /// The products of the inputs, by gate.
  SmallVector<Value> x;

  /// The gate `index`: `function` of its sum, with the product of the state, a
  /// state by a peephole and the bias, each of which but the first may be null.
  Value gate(int64_t index, const Activation &function, Value product,
             Value state = Value(), Value peephole = Value()) const;
  Value stepRNN(Value hidden) const;
  Value stepGRU(Value hidden) const;
  SmallVector<Value> stepLSTM(Value hidden, Value memory) const;
};
} // namespace

Value Step::gate(int64_t index, const Activation &function, Value product,
                 Value state, Value peephole) const {
  SmallVector<Value> operands = {x[index], product};
  if (peephole)
    operands.append({state, peephole});
  Value bias = cell.biases.empty() ? Value() : cell.biases[index];
  if (bias)
    operands.push_back(bias);
  return mapFloats(b, operands, [&](B &body, ValueRange e) {
    Scalar sum = Scalar(body, e[0]) + e[1];
    if (peephole)
      sum = sum + Scalar(body, e[2]) * e[3];
    if (bias)
      sum = sum + e.back();
    if (cell.n.clip)
      sum = max(min(sum, *cell.n.clip), -*cell.n.clip);
    return activate(function, sum);
  });
}

Value Step::stepRNN(Value hidden) const {
  return gate(0, cell.activations[0], cell.states.multiply(b, hidden));
}

/// Gates z, r, h.
Value Step::stepGRU(Value hidden) const {
  bool resetsBehind = cell.n.resetsBehind;
  int64_t size = cell.n.hidden;
  Value rows =
      cell.states.multiplyGates(b, hidden, size, 0, resetsBehind ? 3 : 2);
  SmallVector<Value> products = split(b, rows, size);
  Value update = gate(0, cell.activations[0], products[0]);
  Value reset = gate(1, cell.activations[0], products[1]);
  Value candidate;
  if (resetsBehind) {
    Value sum = addBias(b, products[2], cell.resetBias, cell.n.computeType);
    candidate = mapFloats(b, {reset, sum}, multiply);
  } else {
    candidate = cell.states.multiplyGates(
        b, mapFloats(b, {reset, hidden}, multiply), size, 2, 1);
  }
  Value fresh = gate(2, cell.activations[1], candidate);
  return mapFloats(b, {update, fresh, hidden},
                   [](Scalar kept, Scalar x, Scalar y) {
                     Scalar rest = 1 - kept;
                     return rest * x + kept * y;
                   });
}

/// Gates i, o, f, c.
SmallVector<Value> Step::stepLSTM(Value hidden, Value memory) const {
  SmallVector<Value> products =
      split(b, cell.states.multiply(b, hidden), cell.n.hidden);
  ArrayRef<Activation> functions = cell.activations;
  auto peephole = [&](int64_t index) {
    return cell.peepholes.empty() ? Value() : cell.peepholes[index];
  };
  Value input = gate(0, functions[0], products[0], memory, peephole(0));
  Value forget = cell.n.couplesGates
                     ? mapFloats(b, {input}, [](Scalar x) { return 1 - x; })
                     : gate(2, functions[0], products[2], memory, peephole(2));
  Value fresh = gate(3, functions[1], products[3]);
  Value next = mapFloats(b, {memory, forget, input, fresh},
                         [](Scalar x, Scalar forget, Scalar input, Scalar y) {
                           return x * forget + input * y;
                         });
  Value output = gate(1, functions[0], products[1], next, peephole(1));
  Value result = mapFloats(b, {output, next}, [&](Scalar x, Scalar y) {
    return activate(functions[2], y) * x;
  });
  return {result, next};
}

SmallVector<Value> RecurrentCell::step(B &b, Value x, ValueRange last) const {
  Step step{b, *this, split(b, x, n.hidden)};
  if (n.cell == Cell::LSTM)
    return step.stepLSTM(last[0], last[1]);
  return {n.cell == Cell::GRU ? step.stepGRU(last[0]) : step.stepRNN(last[0])};
}

//===----------------------------------------------------------------------===//
// Directions
//===----------------------------------------------------------------------===//

RecurrentCell mlir::qdq::makeRecurrentCell(const ForeignOp &node,
                                           const Recurrent &n,
                                           int64_t direction) {
  B b(node.getLoc(), node.getRewriter());
  auto take = [&](const ForeignTensor &from) {
    return from ? takeFirst(b, n.materialize(node, from),
                            b.getIndexAttr(direction))
                : Value();
  };
  int64_t count = n.getNumActivations();
  RecurrentCell cell{
      n,  ArrayRef(n.activations).slice(direction * count, count),
      {}, {},
      {}, {},
      {}};
  cell.inputs = {take(n.w), take(n.scales[0]), take(n.zeroPoints[0])};
  cell.states = {take(n.r), take(n.scales[1]), take(n.zeroPoints[1])};
  if (n.peepholes)
    cell.peepholes = split(b, take(n.peepholes), n.hidden);
  if (!n.bias)
    return cell;
  SmallVector<Value> halves =
      split(b, take(n.bias), n.getNumGates() * n.hidden);
  cell.biases =
      split(b, mapFloats(b, halves, [](Scalar x, Scalar y) { return x + y; }),
            n.hidden);
  if (n.cell == Cell::GRU && n.resetsBehind) {
    cell.biases[2] = split(b, halves[0], n.hidden)[2];
    cell.resetBias = split(b, halves[1], n.hidden)[2];
  }
  return cell;
}
