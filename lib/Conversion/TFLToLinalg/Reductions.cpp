// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions over axes, and normalizations.

#include "../ONNXToLinalg/Joins.h"
#include "Operators.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::qdq;

using B = ImplicitLocOpBuilder;

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// The axes of operand 1, sorted; LiteRT accepts one twice.
static FailureOr<SmallVector<int64_t>> readAxes(const ForeignOp &node,
                                                int64_t rank) {
  FailureOr<SmallVector<int64_t>> list = readConstantIntegers(node, 1, "axis");
  if (failed(list))
    return failure();
  SmallVector<int64_t> axes;
  for (int64_t given : *list) {
    FailureOr<int64_t> axis = normalizeAxis(node, given, rank);
    if (failed(axis))
      return failure();
    if (!llvm::is_contained(axes, *axis))
      axes.push_back(*axis);
  }
  llvm::sort(axes);
  return axes;
}

template <Join join, bool isMean = false>
static LogicalResult translateReduce(const ForeignOp &node) {
  FailureOr<ForeignTensor> x =
      isMean ? getFloats(node, 0, "input") : getRanked(node, 0, "input");
  if (failed(x))
    return failure();
  FailureOr<SmallVector<int64_t>> axes = readAxes(node, x->type.getRank());
  Type element = x->type.getElementType();
  if (failed(axes))
    return failure();
  if (element.isUnsignedInteger() || element.isInteger(1))
    return node.refuse("input has type ", x->type,
                       ": expected floats or signed integers");
  return replaceByJoined(node, join, *x, *axes, node.isSet("keep_dims"));
}

/// The first index of the largest, or the smallest element along an axis.
template <bool isMax>
static LogicalResult translateArg(const ForeignOp &node) {
  FailureOr<ForeignTensor> x = getRanked(node, 0, "input", 1);
  FailureOr<TensorType> result = node.getResultType(0);
  if (failed(x) || failed(result))
    return failure();
  FailureOr<SmallVector<int64_t>> axes = readAxes(node, x->type.getRank());
  if (failed(axes))
    return failure();
  Type element = x->type.getElementType(), index = result->getElementType();
  if (axes->size() != 1 || element.isUnsignedInteger() ||
      element.isInteger(1) || !index.isSignlessInteger())
    return node.refuse("has the input ", x->type, " and the result ", *result,
                       ": expected one axis, floats or signed integers, and "
                       "integers");
  B b(node.getLoc(), node.getRewriter());
  Value first = findBest(
      b, node.materialize(*x), axes->front(), index,
      [](Scalar e, Scalar best) { return isMax ? e > best : e < best; });
  return replaceBy(node, first);
}

//===----------------------------------------------------------------------===//
// Normalizations
//===----------------------------------------------------------------------===//

namespace {
/// Floats in their compute type, and the last axis.
struct Rows {
  Value values;
  Type element, type;
  int64_t axis;
};
} // namespace

static FailureOr<Rows> readRows(const ForeignOp &node) {
  FailureOr<ForeignTensor> x = getFloats(node, 0, "input", 1);
  if (failed(x))
    return failure();
  B b(node.getLoc(), node.getRewriter());
  Type element = x->type.getElementType(), type = getComputeType(element);
  return Rows{castFloats(b, node.materialize(*x), type), element, type,
              x->type.getRank() - 1};
}

/// x - max x, along the last axis.
static Value subtractMax(B &b, const Rows &rows) {
  Value most = joinOver(b, rows.values, {rows.axis}, Join::Max);
  most = insertUnitDims(b, most, {rows.axis});
  return mapFloats(b, {rows.values, most},
                   [](Scalar x, Scalar y) { return x - y; });
}

/// exp(beta (x - max)) by its sum.
static LogicalResult translateSoftmax(const ForeignOp &node) {
  FailureOr<float> beta = node.getFloat("beta", 1);
  if (failed(beta))
    return failure();
  FailureOr<Rows> rows = readRows(node);
  if (failed(rows))
    return failure();
  B b(node.getLoc(), node.getRewriter());
  Value powers = mapFloats(b, {subtractMax(b, *rows)}, [&](Scalar x) {
    return (*beta == 1 ? x : x * *beta).apply<math::ExpOp>();
  });
  Value sums = sumOver(b, powers, {rows->axis});
  Value parts = mapFloats(b, {powers, sums},
                          [](Scalar x, Scalar sum) { return x / sum; });
  return replaceBy(node, castFloats(b, parts, rows->element));
}

static LogicalResult translateLogSoftmax(const ForeignOp &node) {
  FailureOr<Rows> rows = readRows(node);
  if (failed(rows))
    return failure();
  B b(node.getLoc(), node.getRewriter());
  Value differences = subtractMax(b, *rows);
  Value powers = mapFloats(b, {differences},
                           [](Scalar x) { return x.apply<math::ExpOp>(); });
  Value sums = sumOver(b, powers, {rows->axis});
  Value logs = mapFloats(b, {differences, sums}, [](Scalar x, Scalar sum) {
    return x - sum.apply<math::LogOp>();
  });
  return replaceBy(node, castFloats(b, logs, rows->element));
}

/// By the norm along the last axis, which is 1e-6 at least.
static LogicalResult translateL2Normalization(const ForeignOp &node) {
  if (failed(checkActivation(node)))
    return failure();
  FailureOr<Rows> rows = readRows(node);
  if (failed(rows))
    return failure();
  B b(node.getLoc(), node.getRewriter());
  Value squares = mapFloats(b, {rows->values}, [](Scalar x) { return x * x; });
  Value sums = sumOver(b, squares, {rows->axis});
  Value parts = mapFloats(b, {rows->values, sums}, [](Scalar x, Scalar sum) {
    return x / max(sum.apply<math::SqrtOp>(), 1e-6f);
  });
  return replaceBy(node,
                   castFloats(b, applyActivation(node, parts), rows->element));
}

ArrayRef<Operator> mlir::qdq::getTFLReductionOperators() {
  static const Operator kOperators[] = {
      {"tfl.arg_max", {2}, translateArg</*isMax=*/true>},
      {"tfl.arg_min", {2}, translateArg</*isMax=*/false>},
      {"tfl.l2_normalization", {1}, translateL2Normalization},
      {"tfl.log_softmax", {1}, translateLogSoftmax},
      {"tfl.mean", {2}, translateReduce<Join::Sum, /*isMean=*/true>},
      {"tfl.reduce_max", {2}, translateReduce<Join::Max>},
      {"tfl.reduce_min", {2}, translateReduce<Join::Min>},
      {"tfl.reduce_prod", {2}, translateReduce<Join::Product>},
      {"tfl.softmax", {1}, translateSoftmax},
      {"tfl.sum", {2}, translateReduce<Join::Sum>},
  };
  return kOperators;
}
