// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions over axes.

#include "../ForeignOps/TensorOps.h"
#include "Joins.h"
#include "NodeParts.h"
#include "Operators.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/IR/TypeRewrite.h"
#include <cmath>

using namespace mlir;
using namespace mlir::qdq;

/// The largest elements over `axes`; 0 in the place of infinities, from which
/// nothing can be subtracted, and of NaN.
static Value findShift(ImplicitLocOpBuilder &b, Value x,
                       ArrayRef<int64_t> axes) {
  return mapFloats(b, {joinOver(b, x, axes, Join::Max)}, [](Scalar most) {
    return select(abs(most) < INFINITY, most, 0);
  });
}

/// log(sum e^x), without a sum that overflows.
static Value reduceLogSumExp(ImplicitLocOpBuilder &b, Value x,
                             ArrayRef<int64_t> axes) {
  Value shift = findShift(b, x, axes);
  Value powers =
      mapFloats(b, {x, insertUnitDims(b, shift, axes)}, [](Scalar x, Scalar y) {
        return (x - y).apply<math::ExpOp>();
      });
  return mapFloats(
      b, {dropUnitDims(b, sumOver(b, powers, axes), axes), shift},
      [](Scalar sum, Scalar y) { return sum.apply<math::LogOp>() + y; });
}

LogicalResult mlir::qdq::replaceByJoined(const ForeignOp &node, Join join,
                                         const ForeignTensor &x,
                                         ArrayRef<int64_t> axes, bool keepsDims,
                                         bool isNoop, int64_t p) {
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  StringRef name = node.getOperation()->getName().stripDialect();
  Type element = x.type.getElementType();
  bool isUnsigned = element.isUnsignedInteger() || element.isInteger(1);
  Value result = onSignless(b, node.materialize(x), [&](Value value) -> Value {
    Type own = getElementTypeOrSelf(value), type = getComputeType(own);
    if (isa<FloatType>(own))
      value = castFloats(b, value, type);
    if (name == "ReduceLogSumExp") {
      // Of one element, the logarithm is that of its power.
      if (!isNoop)
        value = reduceLogSumExp(b, value, axes);
      value = castFloats(b, value, own);
      return keepsDims ? insertUnitDims(b, value, axes) : value;
    }
    Value count;
    if (name == "ReduceMean" || name == "GlobalAveragePool" || name == "mean")
      count = countOver(b, value, axes, type);
    int64_t power = name == "ReduceSumSquare" ? 2 : p;
    if (power)
      value =
          mapFloats(b, {value}, [&](Scalar e) { return emitPower(e, power); });
    // Elements that are not joined stay as they are: 0 + -0 would be 0.
    if (!isNoop)
      value = joinOver(b, value, axes, join, isUnsigned);
    if (count)
      value = mapFloats(b, {value}, [&](Scalar e) { return e / count; });
    if (p)
      value = mapFloats(b, {value}, [&](Scalar e) { return emitRoot(e, p); });
    if (name == "ReduceLogSum")
      value = mapFloats(b, {value},
                        [](Scalar e) { return e.apply<math::LogOp>(); });
    if (isa<FloatType>(own))
      value = castFloats(b, value, own);
    return keepsDims ? insertUnitDims(b, value, axes) : value;
  });
  return replaceBy(node, result);
}

template <Join join, bool needsFloats = false, int64_t p = 0>
static LogicalResult translateReduce(const ForeignOp &node) {
  FailureOr<ForeignTensor> x =
      needsFloats ? getFloats(node, 0, "data") : getRanked(node, 0, "data");
  auto given = getIntegerList(node, "axes", 1);
  FailureOr<int64_t> keepsDims = node.getInteger("keepdims", 1);
  FailureOr<int64_t> isNoop = node.getInteger("noop_with_empty_axes", 0);
  if (failed(x) || failed(given) || failed(keepsDims) || failed(isNoop))
    return failure();
  int64_t rank = x->type.getRank();
  bool hasAxes = *given && !(*given)->empty();
  SmallVector<int64_t> axes;
  if (hasAxes) {
    FailureOr<SmallVector<int64_t>> normal = normalizeAxes(node, **given, rank);
    if (failed(normal))
      return failure();
    axes = *normal;
    llvm::sort(axes);
  } else if (!*isNoop) {
    axes = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  }
  return replaceByJoined(node, join, *x, axes, *keepsDims != 0,
                         /*isNoop=*/*isNoop && !hasAxes, p);
}

/// Over all spatial dimensions, which stay.
template <Join join>
static LogicalResult translateGlobalPool(const ForeignOp &node) {
  FailureOr<ForeignTensor> x = getFloats(node, 0, "X", 3);
  FailureOr<int64_t> p = 0;
  if (node.getOperation()->getName().stripDialect() == "GlobalLpPool")
    p = getNorm(node);
  if (failed(x) || failed(p))
    return failure();
  return replaceByJoined(
      node, join, *x, llvm::to_vector(llvm::seq<int64_t>(2, x->type.getRank())),
      /*keepsDims=*/true, /*isNoop=*/false, *p);
}

ArrayRef<Operator> mlir::qdq::getReductionOperators() {
  static const Operator kOperators[] = {
      {"onnx.GlobalAveragePool", {1}, translateGlobalPool<Join::Sum>},
      {"onnx.GlobalLpPool", {1}, translateGlobalPool<Join::Sum>},
      {"onnx.GlobalMaxPool", {1}, translateGlobalPool<Join::Max>},
      {"onnx.ReduceL1", {1, 2}, translateReduce<Join::Sum, true, 1>},
      {"onnx.ReduceL2", {1, 2}, translateReduce<Join::Sum, true, 2>},
      {"onnx.ReduceLogSum", {1, 2}, translateReduce<Join::Sum, true>},
      {"onnx.ReduceLogSumExp", {1, 2}, translateReduce<Join::Sum, true>},
      {"onnx.ReduceMax", {1, 2}, translateReduce<Join::Max>},
      {"onnx.ReduceMean", {1, 2}, translateReduce<Join::Sum, true>},
      {"onnx.ReduceMin", {1, 2}, translateReduce<Join::Min>},
      {"onnx.ReduceProd", {1, 2}, translateReduce<Join::Product>},
      {"onnx.ReduceSum", {1, 2}, translateReduce<Join::Sum>},
      {"onnx.ReduceSumSquare", {1, 2}, translateReduce<Join::Sum, true>},
  };
  return kOperators;
}
