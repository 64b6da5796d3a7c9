// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LSTM and GRU of floats: products of the whole sequence, then a loop over its
// steps.

#include "../ForeignOps/TensorOps.h"
#include "NodeParts.h"
#include "Operators.h"
#include "RecurrentNode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/Conversion/IntegerProducts.h"

using namespace mlir;
using namespace mlir::qdq;

using B = ImplicitLocOpBuilder;
using Sizes = SmallVector<OpFoldResult>;

//===----------------------------------------------------------------------===//
// Parts of tensors
//===----------------------------------------------------------------------===//

static Value slice(B &b, Value x, RankedTensorType type, Sizes offsets,
                   Sizes sizes) {
  Sizes ones(offsets.size(), b.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(b, type, x, offsets, sizes, ones);
}

/// The tensor at an index of its first dimension.
static Value at(B &b, Value x, OpFoldResult index) {
  RankedTensorType type = getRankedType(x);
  Sizes sizes = tensor::getMixedSizes(b, b.getLoc(), x);
  Sizes offsets(sizes.size(), b.getIndexAttr(0));
  offsets[0] = index;
  sizes[0] = b.getIndexAttr(1);
  return slice(b, x,
               RankedTensorType::get(type.getShape().drop_front(),
                                     type.getElementType()),
               offsets, sizes);
}

/// `count` elements along a dimension from `from` on.
static Value part(B &b, Value x, int64_t dim, int64_t from, int64_t count) {
  RankedTensorType type = getRankedType(x);
  SmallVector<int64_t> shape(type.getShape());
  Sizes sizes = tensor::getMixedSizes(b, b.getLoc(), x);
  Sizes offsets(sizes.size(), b.getIndexAttr(0));
  offsets[dim] = b.getIndexAttr(from);
  sizes[dim] = b.getIndexAttr(count);
  shape[dim] = count;
  return slice(b, x, type.clone(shape), offsets, sizes);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

static Value emit(B &b, StringRef name, Value x) {
  return getOperator(getElementwiseOperators(), name)
      .emit(b, Elements{{x}, false, 0, 0});
}
static Value sigmoid(B &b, Value x) { return emit(b, "onnx.Sigmoid", x); }
static Value tanh(B &b, Value x) { return math::TanhOp::create(b, x); }
static Value add(B &b, Value x, Value y) {
  return arith::AddFOp::create(b, x, y);
}
static Value mul(B &b, Value x, Value y) {
  return arith::MulFOp::create(b, x, y);
}

namespace {
/// One direction.
struct Direction {
  const Recurrent &n;
  /// Products of the inputs [steps, batch, gates * hidden], with their bias.
  Value inputs;
  Value weights, bias;

  /// The gates of a step: rows [batch, gates * hidden].
  SmallVector<Value> split(B &b, Value rows) const {
    SmallVector<Value> gates;
    int64_t width = getRankedType(rows).getDimSize(1);
    for (int64_t from = 0; from < width; from += n.hidden)
      gates.push_back(part(b, rows, 1, from, n.hidden));
    return gates;
  }
  Value map(B &b, SmallVector<Value> operands,
            function_ref<Value(B &, ValueRange)> body) const {
    return mapElements(b, std::move(operands), b.getF32Type(), body);
  }
  SmallVector<Value> stepLSTM(B &b, Value x, ValueRange states) const;
  SmallVector<Value> stepGRU(B &b, Value x, Value state) const;
};
} // namespace

/// Gates i, o, f, c.
SmallVector<Value> Direction::stepLSTM(B &b, Value x, ValueRange states) const {
  Value rows = contractColumns(b, states[0], weights);
  SmallVector<Value> all =
      split(b, map(b, {x, rows}, [](B &body, ValueRange e) {
              return add(body, e[0], e[1]);
            }));
  Value cell =
      map(b, {all[0], all[2], all[3], states[1]}, [](B &body, ValueRange e) {
        Value added = mul(body, sigmoid(body, e[0]), tanh(body, e[2]));
        Value kept = mul(body, sigmoid(body, e[1]), e[3]);
        return add(body, kept, added);
      });
  Value hidden = map(b, {all[1], cell}, [](B &body, ValueRange e) {
    return mul(body, sigmoid(body, e[0]), tanh(body, e[1]));
  });
  return {hidden, cell};
}

/// Gates z, r, h.
SmallVector<Value> Direction::stepGRU(B &b, Value x, Value state) const {
  auto product = [](B &body, ValueRange e) { return mul(body, e[0], e[1]); };
  // The product of a state with some gates' weights.
  auto recur = [&](Value by, int64_t from, int64_t count) {
    Value own = part(b, weights, 0, from * n.hidden, count * n.hidden);
    Value ownBias =
        bias ? part(b, bias, 0, from * n.hidden, count * n.hidden) : Value();
    return addBias(b, contractColumns(b, by, own), ownBias, b.getF32Type());
  };
  SmallVector<Value> own = split(b, x);
  SmallVector<Value> all = split(b, recur(state, 0, n.resetsBehind ? 3 : 2));
  auto gate = [&](int64_t index) {
    return map(b, {own[index], all[index]}, [](B &body, ValueRange e) {
      return sigmoid(body, add(body, e[0], e[1]));
    });
  };
  Value update = gate(0), reset = gate(1);
  Value candidate = n.resetsBehind
                        ? map(b, {reset, all[2]}, product)
                        : recur(map(b, {reset, state}, product), 2, 1);
  return {map(b, {update, own[2], candidate, state}, [](B &body, ValueRange e) {
    Value one = createNumber(body, e[0].getType(), 1);
    Value fresh = tanh(body, add(body, e[1], e[2]));
    Value rest = arith::SubFOp::create(body, one, e[0]);
    return add(body, mul(body, rest, fresh), mul(body, e[0], e[3]));
  })};
}

/// The loop over the steps: the last states, and `all` [steps, directions,
/// batch, hidden] with those of the direction.
static SmallVector<Value> run(B &b, const Direction &of, int64_t direction,
                              ArrayRef<Value> first, Value all) {
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value count = tensor::DimOp::create(b, of.inputs, 0);
  SmallVector<Value> carried(first);
  carried.push_back(all);
  auto loop = scf::ForOp::create(
      b, zero, count, one, carried,
      [&](OpBuilder &nested, Location loc, Value step, ValueRange values) {
        B body(loc, nested);
        if (of.n.reversed[direction]) {
          Value last = arith::SubIOp::create(body, count, one);
          step = arith::SubIOp::create(body, last, step);
        }
        Value x = at(body, of.inputs, step);
        SmallVector<Value> states =
            of.n.isLSTM ? of.stepLSTM(body, x, values.drop_back())
                        : of.stepGRU(body, x, values[0]);
        Sizes sizes = tensor::getMixedSizes(body, loc, values.back());
        Sizes ones(4, body.getIndexAttr(1)), offsets(4, body.getIndexAttr(0));
        sizes[0] = sizes[1] = body.getIndexAttr(1);
        offsets[0] = step;
        offsets[1] = body.getIndexAttr(direction);
        states.push_back(tensor::InsertSliceOp::create(
            body, states[0], values.back(), offsets, sizes, ones));
        scf::YieldOp::create(body, states);
      });
  return llvm::to_vector(ValueRange(loop.getResults()));
}

/// The parts of a tensor for a direction, which come to it along dimension 0.
static Value stack(B &b, ArrayRef<Value> parts) {
  auto type = getRankedType(parts[0]);
  Sizes part = tensor::getMixedSizes(b, b.getLoc(), parts[0]), whole = part;
  whole.insert(whole.begin(), b.getIndexAttr(parts.size()));
  part.insert(part.begin(), b.getIndexAttr(1));
  Value all = tensor::EmptyOp::create(b, whole, type.getElementType());
  Sizes ones(whole.size(), b.getIndexAttr(1));
  Sizes offsets(whole.size(), b.getIndexAttr(0));
  for (auto [index, value] : llvm::enumerate(parts)) {
    offsets[0] = b.getIndexAttr(index);
    all = tensor::InsertSliceOp::create(b, value, all, offsets, part, ones);
  }
  return all;
}

static LogicalResult translateRecurrent(const ForeignOp &node,
                                        const Operator &self) {
  FailureOr<Recurrent> n = readRecurrent(node, self.name == "onnx.LSTM");
  if (failed(n))
    return failure();
  B b(node.getLoc(), node.getRewriter());
  Type f32 = b.getF32Type();
  Value x = node.materialize(n->x);
  int64_t rows = n->getNumGates() * n->hidden, count = n->reversed.size();
  Sizes xSizes = tensor::getMixedSizes(b, b.getLoc(), x);
  Value all =
      tensor::EmptyOp::create(b,
                              Sizes{xSizes[0], b.getIndexAttr(count), xSizes[1],
                                    b.getIndexAttr(n->hidden)},
                              f32);
  SmallVector<Value> last[2];
  for (int64_t direction = 0; direction < count; ++direction) {
    OpFoldResult index = b.getIndexAttr(direction);
    auto take = [&](const ForeignTensor &from) {
      return at(b, node.materialize(from), index);
    };
    Value inputBias, bias;
    if (n->bias) {
      Value both = take(n->bias);
      inputBias = part(b, both, 0, 0, rows);
      bias = part(b, both, 0, rows, rows);
    }
    Value inputs =
        addBias(b, contractColumns(b, x, take(n->w)), inputBias, f32);
    if (n->isLSTM)
      inputs = addBias(b, inputs, bias, f32);
    SmallVector<Value> first;
    for (int64_t state = 0; state < (n->isLSTM ? 2 : 1); ++state)
      first.push_back(
          n->states[state]
              ? take(n->states[state])
              : createZeros(b, {xSizes[1], b.getIndexAttr(n->hidden)}, f32));
    SmallVector<Value> results =
        run(b, {*n, inputs, take(n->r), bias}, direction, first, all);
    all = results.pop_back_val();
    for (auto [state, value] : llvm::enumerate(results))
      last[state].push_back(value);
  }
  SmallVector<Value> values = {all};
  for (ArrayRef<Value> parts : last)
    if (!parts.empty())
      values.push_back(stack(b, parts));
  values.resize(node.getOperation()->getNumResults());
  return replaceByAll(node, values);
}

ArrayRef<Operator> mlir::qdq::getRecurrentOperators() {
  static const Operator kOperators[] = {
      {"onnx.GRU", {3, 6, 2}, translateRecurrent},
      {"onnx.LSTM", {3, 8, 3}, translateRecurrent},
  };
  return kOperators;
}
