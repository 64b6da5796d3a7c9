// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RNN, GRU and LSTM, of floats and of weights that are codes: products of the
// whole sequence, then a loop over its steps.

#include "../ForeignOps/SizeChecks.h"
#include "../ForeignOps/TensorOps.h"
#include "NodeParts.h"
#include "Operators.h"
#include "RecurrentCell.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qdq/Conversion/IntegerProducts.h"
#include "qdq/IR/TensorSlice.h"

using namespace mlir;
using namespace mlir::qdq;

using B = ImplicitLocOpBuilder;

//===----------------------------------------------------------------------===//
// Lengths of sequences
//===----------------------------------------------------------------------===//

/// The lengths, from 0 to the number of steps.
static Value clampLengths(B &b, Value lengths, Value steps) {
  Value most = Scalar(b, steps).to(b.getI32Type());
  return mapElements(b, {lengths}, b.getI32Type(),
                     [&](Scalar length) { return min(max(length, 0), most); });
}

/// The largest of lengths.
static Value getLongest(B &b, Value lengths) {
  Value longest = reduceOver(b, lengths, {0}, b.getI32IntegerAttr(0),
                             [](Scalar x, Scalar y) { return max(x, y); });
  return Scalar(b, toScalar(b, longest)).to(b.getIndexType());
}

/// The steps of each row of `x` [steps, batch, ...] within its length in
/// reverse order, as ONNX's ReverseSequence does it.
static Value reverseSequences(B &b, Value x, Value lengths) {
  Sizes sizes = tensor::getMixedSizes(b, b.getLoc(), x);
  return gatherPlaces(b, x, sizes, [&](B &body, ValueRange place) {
    Scalar step(body, place[0]), number = readEntry(lengths, {body, place[1]});
    Scalar length = number.to(body.getIndexType()), isInside = step < length;
    SmallVector<Value> from(place);
    from[0] = select(isInside, length - 1 - step, step);
    return from;
  });
}

/// The rows of `inside` whose length is above `step`, those of `behind` where
/// it is not; zeros where that is null.
static Value selectRows(B &b, Value lengths, Value step, Value inside,
                        Value behind) {
  SmallVector<Value> operands = {inside, insertUnitDims(b, lengths, {1})};
  if (behind)
    operands.push_back(behind);
  Value number = Scalar(b, step).to(b.getI32Type());
  return mapFloats(b, operands, [&](B &body, ValueRange e) {
    Scalar isInside = Scalar(body, number) < e[1];
    return select(isInside, {body, e[0]}, behind ? Scalar::Operand(e[2]) : 0);
  });
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

namespace {
/// The results of a direction: the hidden states [steps, batch, hidden], and
/// the last states [batch, hidden].
struct Sequence {
  Value all;
  SmallVector<Value> last;
};
} // namespace

/// A tensor with `part` in the place of its own at an index of a dimension.
static Value insertAt(B &b, Value part, Value whole, int64_t dim,
                      OpFoldResult index) {
  return TensorSlice(b, whole).cut(dim, index, 1).put(part, whole);
}

/// The loop over the steps of `x` [steps, batch, inputs]. With `lengths`, a row
/// behind its end has the hidden state 0, as ONNX Runtime has it, and its last
/// state is carried beside that.
static Sequence run(B &b, const RecurrentCell &cell, bool isReversed,
                    ArrayRef<Value> first, Value x, Value lengths) {
  int64_t numStates = first.size();
  Sizes sizes = tensor::getMixedSizes(b, b.getLoc(), x);
  sizes[2] = b.getIndexAttr(cell.n.hidden);
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value count = tensor::DimOp::create(b, x, 0);
  SmallVector<Value> carried(first);
  if (lengths) {
    carried.push_back(createZeros(b, {sizes[1], sizes[2]}, cell.n.computeType));
    count = getLongest(b, lengths);
    // Only these steps decide on the codes of X.
    x = TensorSlice(b, x).cut(0, b.getIndexAttr(0), count).take(x);
    if (isReversed)
      x = reverseSequences(b, x, lengths);
  }
  Value inputs = cell.inputs.multiply(b, x);
  Type type = cell.n.computeType;
  carried.push_back(lengths ? createZeros(b, sizes, type)
                            : tensor::EmptyOp::create(b, sizes, type));
  auto loop = scf::ForOp::create(
      b, zero, count, one, carried,
      [&](OpBuilder &nested, Location loc, Value step, ValueRange values) {
        B body(loc, nested);
        if (isReversed && !lengths) {
          Value last = arith::SubIOp::create(body, count, one);
          step = arith::SubIOp::create(body, last, step);
        }
        ValueRange states = values.take_front(numStates);
        SmallVector<Value> next =
            cell.step(body, takeFirst(body, inputs, step), states);
        if (lengths) {
          auto select = [&](Value inside, Value behind) {
            return selectRows(body, lengths, step, inside, behind);
          };
          next.push_back(select(next[0], values[numStates]));
          next[0] = select(next[0], Value());
          if (numStates > 1)
            next[1] = select(next[1], states[1]);
        }
        next.push_back(insertAt(body, next[0], values.back(), 0, step));
        scf::YieldOp::create(body, next);
      });
  SmallVector<Value> results = llvm::to_vector(ValueRange(loop.getResults()));
  Value all = results.pop_back_val();
  if (!lengths)
    return {all, results};
  results[0] = results.pop_back_val();
  // Of a row without steps, ONNX Runtime gives zeros.
  if (numStates > 1)
    results[1] = selectRows(b, lengths, zero, results[1], Value());
  return {isReversed ? reverseSequences(b, all, lengths) : all, results};
}

/// The parts of the directions along a dimension.
static Value stack(B &b, ArrayRef<Value> parts, int64_t dim) {
  if (parts.size() == 1)
    return insertUnitDims(b, parts[0], {dim});
  Sizes whole = tensor::getMixedSizes(b, b.getLoc(), parts[0]);
  whole.insert(whole.begin() + dim, b.getIndexAttr(parts.size()));
  Value all = tensor::EmptyOp::create(b, whole, getElementTypeOrSelf(parts[0]));
  for (auto [index, part] : llvm::enumerate(parts))
    all = insertAt(b, part, all, dim, b.getIndexAttr(index));
  return all;
}

LogicalResult mlir::qdq::translateRecurrent(const ForeignOp &node,
                                            const Operator &self) {
  FailureOr<Recurrent> n = readRecurrent(node, self.name);
  if (failed(n))
    return failure();
  B b(node.getLoc(), node.getRewriter());
  auto withBatch = [&](Value value, int64_t dim) -> Value {
    RankedTensorType type = getRankedType(value);
    SmallVector<int64_t> shape(type.getShape());
    shape[dim] = n->batch;
    if (type.clone(shape) == type)
      return value;
    assertShape(node, value, type.clone(shape));
    return tensor::CastOp::create(b, type.clone(shape), value);
  };
  // As [steps, batch, ...] and [directions, batch, ...].
  auto materialize = [&](const ForeignTensor &from) {
    Value value = n->materialize(node, from);
    return withBatch(n->batchFirst ? transpose(b, value, {1, 0, 2}) : value, 1);
  };
  Value x = materialize(n->x), lengths;
  if (n->lengths)
    lengths = clampLengths(b, withBatch(node.materialize(n->lengths), 0),
                           tensor::DimOp::create(b, x, 0));
  Sizes stateSizes = {tensor::getMixedSize(b, b.getLoc(), x, 1),
                      b.getIndexAttr(n->hidden)};
  int64_t numStates = n->getNumStates();
  SmallVector<Value> first[2], all, last[2];
  for (int64_t state = 0; state < numStates; ++state) {
    Value given = n->states[state] ? materialize(n->states[state]) : Value();
    for (size_t direction = 0; direction < n->reversed.size(); ++direction)
      first[state].push_back(
          given ? takeFirst(b, given, b.getIndexAttr(direction))
                : createZeros(b, stateSizes, n->computeType));
  }
  for (auto [direction, isReversed] : llvm::enumerate(n->reversed)) {
    SmallVector<Value> states;
    for (int64_t state = 0; state < numStates; ++state)
      states.push_back(first[state][direction]);
    Sequence sequence = run(b, makeRecurrentCell(node, *n, direction),
                            isReversed, states, x, lengths);
    all.push_back(sequence.all);
    for (int64_t state = 0; state < numStates; ++state)
      last[state].push_back(sequence.last[state]);
  }
  SmallVector<Value> values = {stack(b, all, 1)};
  if (n->batchFirst)
    values[0] = transpose(b, values[0], {2, 0, 1, 3});
  for (int64_t state = 0; state < numStates; ++state) {
    Value stacked = stack(b, last[state], 0);
    values.push_back(n->batchFirst ? transpose(b, stacked, {1, 0, 2})
                                   : stacked);
  }
  for (Value &value : values)
    value = castFloats(b, value, n->element);
  return replaceByAll(node, values);
}
