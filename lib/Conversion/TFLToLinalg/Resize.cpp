// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tfl.resize_nearest_neighbor and tfl.resize_bilinear of static sizes: the
// places are constants.

#include "../ForeignOps/TensorOps.h"
#include "Operators.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <cmath>

using namespace mlir;
using namespace mlir::qdq;

using B = ImplicitLocOpBuilder;

/// One, in the fixed point of LiteRT's places of codes.
static constexpr int64_t kUnit = 1024;

namespace {
/// [batch, height, width, channels], and the new height and width.
struct Resize {
  ForeignTensor input;
  SmallVector<int64_t> sizes;
  bool alignsCorners, hasHalfPixels;

  int64_t getSize(int64_t dim) const { return input.type.getDimSize(1 + dim); }
  /// Elements of the input for each one of the result, in f32 as LiteRT has it.
  float getStep(int64_t dim) const {
    if (alignsCorners && sizes[dim] > 1)
      return static_cast<float>(getSize(dim) - 1) / (sizes[dim] - 1);
    return static_cast<float>(getSize(dim)) / sizes[dim];
  }
};
} // namespace

static FailureOr<Resize> readResize(const ForeignOp &node, bool needsFloats) {
  FailureOr<ForeignTensor> input = needsFloats ? getFloats(node, 0, "input", 4)
                                               : getRanked(node, 0, "input", 4);
  FailureOr<SmallVector<int64_t>> sizes = readConstantIntegers(node, 1, "size");
  if (failed(input) || failed(sizes))
    return failure();
  ArrayRef<int64_t> shape = input->type.getShape();
  auto isOutside = [](int64_t size) { return size < 1 || size > (1 << 24); };
  if (shape.size() != 4 || sizes->size() != 2 ||
      llvm::any_of(*sizes, isOutside) ||
      llvm::any_of(shape.slice(1, 2), isOutside))
    return node.refuse("input has type ", input->type, " and size ",
                       sizes->size(),
                       " numbers: expected static height and "
                       "width from 1 to 2^24, and two such numbers");
  return Resize{*input, *sizes, node.isSet("align_corners"),
                node.isSet("half_pixel_centers")};
}

static LogicalResult translateNearest(const ForeignOp &node) {
  FailureOr<Resize> n = readResize(node, /*needsFloats=*/false);
  if (failed(n))
    return failure();
  B b(node.getLoc(), node.getRewriter());
  Value value = node.materialize(n->input);
  for (int64_t dim = 0; dim < 2; ++dim) {
    SmallVector<int64_t> places;
    for (int64_t index = 0; index < n->sizes[dim]; ++index) {
      float place =
          (index + (n->hasHalfPixels ? 0.5f : 0.0f)) * n->getStep(dim);
      int64_t nearest =
          n->alignsCorners ? std::round(place) : std::floor(place);
      places.push_back(std::clamp<int64_t>(nearest, 0, n->getSize(dim) - 1));
    }
    value = takeAlong(b, value, 1 + dim, places);
  }
  return replaceBy(node, value);
}

namespace {
/// Two neighbors of each place along a dimension, and the weight of the second.
struct Neighbors {
  SmallVector<int64_t> places[2];
  SmallVector<float> weights[2];
};
} // namespace

static Neighbors getNeighbors(const Resize &n, int64_t dim) {
  Neighbors result;
  for (int64_t index = 0; index < n.sizes[dim]; ++index) {
    float step = n.getStep(dim);
    float place = n.hasHalfPixels ? (index + 0.5f) * step - 0.5f : index * step;
    int64_t low = std::max<int64_t>(std::floor(place), 0);
    int64_t high = std::min<int64_t>(std::ceil(place), n.getSize(dim) - 1);
    float rest = place - low;
    result.places[0].push_back(std::min(low, n.getSize(dim) - 1));
    result.places[1].push_back(std::max<int64_t>(high, 0));
    result.weights[0].push_back(1 - rest);
    result.weights[1].push_back(rest);
  }
  return result;
}

/// LiteRT's places of codes, in units of 2^-10.
static Neighbors getCodeNeighbors(const Resize &n, int64_t dim) {
  int64_t from = n.getSize(dim), to = n.sizes[dim];
  if (n.alignsCorners && to > 1) {
    --from;
    --to;
  }
  int64_t step = (kUnit * from + to / 2) / to;
  Neighbors result;
  for (int64_t index = 0; index < n.sizes[dim]; ++index) {
    int64_t place = index * step;
    if (n.hasHalfPixels)
      place += step / 2 - kUnit / 2;
    int64_t low = std::max<int64_t>(place / kUnit, 0);
    low = std::min(low, n.getSize(dim) - 1);
    result.places[0].push_back(low);
    result.places[1].push_back(
        std::min((place + kUnit - 1) / kUnit, n.getSize(dim) - 1));
    result.weights[0].push_back(kUnit - (place - kUnit * low));
    result.weights[1].push_back(place - kUnit * low);
  }
  return result;
}

/// The four neighbors of each place and, behind them, two weights of rows and
/// columns in turn.
static SmallVector<Value> takeNeighbors(B &b, Value input, Type type,
                                        const Neighbors &rows,
                                        const Neighbors &columns) {
  auto weights = [&](ArrayRef<float> values, int64_t dim) -> Value {
    SmallVector<int64_t> shape(4, 1);
    shape[1 + dim] = values.size();
    SmallVector<Attribute> attrs;
    for (float value : values)
      attrs.push_back(isa<FloatType>(type)
                          ? Attribute(b.getFloatAttr(type, value))
                          : b.getIntegerAttr(type, value));
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(RankedTensorType::get(shape, type), attrs));
  };
  SmallVector<Value> operands;
  for (int column = 0; column < 2; ++column)
    for (int row = 0; row < 2; ++row)
      operands.push_back(takeAlong(b, takeAlong(b, input, 1, rows.places[row]),
                                   2, columns.places[column]));
  for (int side = 0; side < 2; ++side) {
    operands.push_back(weights(rows.weights[side], 0));
    operands.push_back(weights(columns.weights[side], 1));
  }
  return operands;
}

/// The sum of the four neighbors, in `type`, times their weights.
static Scalar sumNeighbors(B &b, ValueRange x, Type type) {
  auto getTerm = [&](int index) {
    return Scalar(b, x[index]).to(type) * x[4 + 2 * (index % 2)] *
           x[5 + 2 * (index / 2)];
  };
  Scalar total = getTerm(0);
  for (int index = 1; index < 4; ++index)
    total = total + getTerm(index);
  return total;
}

/// Codes: weights in units of 2^-10, and halves away from zero.
static LogicalResult translateBilinearCodes(const ForeignOp &node,
                                            const Resize &n) {
  B b(node.getLoc(), node.getRewriter());
  Type element = n.input.type.getElementType(), i64 = b.getI64Type();
  SmallVector<Value> operands =
      takeNeighbors(b, node.materialize(n.input), i64, getCodeNeighbors(n, 0),
                    getCodeNeighbors(n, 1));
  return replaceBy(
      node, mapElements(b, operands, element, [&](B &body, ValueRange x) {
        Scalar sum = sumNeighbors(body, x, i64), isPositive = sum > 0;
        int64_t half = kUnit * kUnit / 2;
        Scalar up = sum.constant(half), down = sum.constant(-half);
        Scalar rounded = sum + select(isPositive, up, down);
        return (rounded / (kUnit * kUnit)).to(element);
      }));
}

/// In LiteRT's order.
static LogicalResult translateBilinear(const ForeignOp &node) {
  FailureOr<Resize> n = readResize(node, /*needsFloats=*/false);
  if (failed(n))
    return failure();
  if (Type own = n->input.type.getElementType();
      own.isSignlessInteger(8) || own.isSignlessInteger(16))
    return translateBilinearCodes(node, *n);
  if (failed(getFloats(node, 0, "input")))
    return failure();
  B b(node.getLoc(), node.getRewriter());
  Type element = n->input.type.getElementType();
  Type type = getComputeType(element);
  Value input = castFloats(b, node.materialize(n->input), type);
  Neighbors rows = getNeighbors(*n, 0), columns = getNeighbors(*n, 1);
  Value sum = mapElements(
      b, takeNeighbors(b, input, type, rows, columns), type,
      [&](B &body, ValueRange x) { return sumNeighbors(body, x, type); });
  return replaceBy(node, castFloats(b, sum, element));
}

ArrayRef<Operator> mlir::qdq::getTFLResizeOperators() {
  static const Operator kOperators[] = {
      {"tfl.resize_bilinear", {2}, translateBilinear},
      {"tfl.resize_nearest_neighbor", {2}, translateNearest},
  };
  return kOperators;
}
