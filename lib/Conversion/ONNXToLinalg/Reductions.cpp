// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions over axes.

#include "../ForeignOps/TensorOps.h"
#include "Joins.h"
#include "NodeParts.h"
#include "Operators.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/IR/TypeRewrite.h"

using namespace mlir;
using namespace mlir::qdq;

/// Maps each element of floats by a function.
static Value
mapFloats(ImplicitLocOpBuilder &b, Value x,
          function_ref<Value(ImplicitLocOpBuilder &, Value)> function) {
  return mapElements(b, {x}, getElementTypeOrSelf(x),
                     [&](ImplicitLocOpBuilder &body, ValueRange elements) {
                       return function(body, elements[0]);
                     });
}

/// The tensor joined over `axes`, or with `isNoop` as it is; its unit
/// dimensions go unless `keepsDims`.
static LogicalResult finish(const ForeignOp &node, Join join,
                            const ForeignTensor &x, ArrayRef<int64_t> axes,
                            bool keepsDims, bool isNoop = false) {
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  StringRef name = node.getOperation()->getName().stripDialect();
  Type element = x.type.getElementType();
  bool isUnsigned = element.isUnsignedInteger() || element.isInteger(1);
  Value result = onSignless(b, node.materialize(x), [&](Value value) -> Value {
    Type own = getElementTypeOrSelf(value), type = getComputeType(own);
    if (isa<FloatType>(own))
      value = castFloats(b, value, type);
    Value count;
    if (name == "ReduceMean" || name == "GlobalAveragePool")
      count = countOver(b, value, axes, type);
    if (name == "ReduceSumSquare" || name == "ReduceL2")
      value = mapFloats(b, value, [](ImplicitLocOpBuilder &body, Value e) {
        return arith::MulFOp::create(body, e, e).getResult();
      });
    if (name == "ReduceL1")
      value = mapFloats(b, value, [](ImplicitLocOpBuilder &body, Value e) {
        return math::AbsFOp::create(body, e).getResult();
      });
    // Elements that are not joined stay as they are: 0 + -0 would be 0.
    if (!isNoop)
      value = reduceOver(
          b, value, axes, getIdentity(b, join, type, isUnsigned),
          [&](OpBuilder &nested, Location loc, Value e, Value joined) {
            ImplicitLocOpBuilder body(loc, nested);
            return emitJoin(body, join, joined, e, isUnsigned);
          });
    if (count)
      value = mapFloats(b, value, [&](ImplicitLocOpBuilder &body, Value e) {
        return arith::DivFOp::create(body, e, count).getResult();
      });
    if (name == "ReduceL2")
      value = mapFloats(b, value, [](ImplicitLocOpBuilder &body, Value e) {
        return math::SqrtOp::create(body, e).getResult();
      });
    if (isa<FloatType>(own))
      value = castFloats(b, value, own);
    return keepsDims ? insertUnitDims(b, value, axes) : value;
  });
  return replaceBy(node, result);
}

template <Join join, bool needsFloats = false>
static LogicalResult translateReduce(const ForeignOp &node,
                                     const Operator &self) {
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
  return finish(node, join, *x, axes, *keepsDims != 0,
                /*isNoop=*/*isNoop && !hasAxes);
}

/// Over all spatial dimensions, which stay.
template <Join join>
static LogicalResult translateGlobalPool(const ForeignOp &node,
                                         const Operator &) {
  FailureOr<ForeignTensor> x = getFloats(node, 0, "X", 3);
  if (failed(x))
    return failure();
  return finish(node, join, *x,
                llvm::to_vector(llvm::seq<int64_t>(2, x->type.getRank())),
                /*keepsDims=*/true);
}

ArrayRef<Operator> mlir::qdq::getReductionOperators() {
  static const Operator kOperators[] = {
      {"onnx.GlobalAveragePool", {1}, translateGlobalPool<Join::Sum>},
      {"onnx.GlobalMaxPool", {1}, translateGlobalPool<Join::Max>},
      {"onnx.ReduceL1", {1, 2}, translateReduce<Join::Sum, true>},
      {"onnx.ReduceL2", {1, 2}, translateReduce<Join::Sum, true>},
      {"onnx.ReduceMax", {1, 2}, translateReduce<Join::Max>},
      {"onnx.ReduceMean", {1, 2}, translateReduce<Join::Sum, true>},
      {"onnx.ReduceMin", {1, 2}, translateReduce<Join::Min>},
      {"onnx.ReduceProd", {1, 2}, translateReduce<Join::Product>},
      {"onnx.ReduceSum", {1, 2}, translateReduce<Join::Sum>},
      {"onnx.ReduceSumSquare", {1, 2}, translateReduce<Join::Sum, true>},
  };
  return kOperators;
}
