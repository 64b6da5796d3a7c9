// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions over axes.

#include "../ForeignOps/TensorOps.h"
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

namespace {
enum class Join { Sum, Product, Max, Min };
} // namespace

template <Join join>
static Value emitJoin(ImplicitLocOpBuilder &b, const Elements &e) {
  Value x = e.x[0], y = e.x[1];
  bool isFloat = e.areFloats();
  switch (join) {
  case Join::Sum:
    return isFloat ? Value(arith::AddFOp::create(b, x, y))
                   : arith::AddIOp::create(b, x, y);
  case Join::Product:
    return isFloat ? Value(arith::MulFOp::create(b, x, y))
                   : arith::MulIOp::create(b, x, y);
  case Join::Max:
    return isFloat        ? Value(arith::MaximumFOp::create(b, x, y))
           : e.isUnsigned ? Value(arith::MaxUIOp::create(b, x, y))
                          : arith::MaxSIOp::create(b, x, y);
  case Join::Min:
    return isFloat        ? Value(arith::MinimumFOp::create(b, x, y))
           : e.isUnsigned ? Value(arith::MinUIOp::create(b, x, y))
                          : arith::MinSIOp::create(b, x, y);
  }
  llvm_unreachable("all ways to join are above");
}

/// The identity of the join.
template <Join join>
static TypedAttr getIdentity(Builder &b, Type type, bool isUnsigned) {
  if (join == Join::Sum || join == Join::Product) {
    int64_t value = join == Join::Product;
    return isa<FloatType>(type) ? TypedAttr(b.getFloatAttr(type, value))
                                : b.getIntegerAttr(type, value);
  }
  bool isMax = join == Join::Max;
  if (auto floats = dyn_cast<FloatType>(type))
    return b.getFloatAttr(type,
                          APFloat::getInf(floats.getFloatSemantics(), isMax));
  unsigned width = type.getIntOrFloatBitWidth();
  if (isUnsigned)
    return b.getIntegerAttr(type, isMax ? APInt::getMinValue(width)
                                        : APInt::getMaxValue(width));
  return b.getIntegerAttr(type, isMax ? APInt::getSignedMinValue(width)
                                      : APInt::getSignedMaxValue(width));
}

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
template <Join join>
static LogicalResult finish(const ForeignOp &node, const ForeignTensor &x,
                            ArrayRef<int64_t> axes, bool keepsDims,
                            bool isNoop = false) {
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
          b, value, axes, getIdentity<join>(b, type, isUnsigned),
          [&](OpBuilder &nested, Location loc, Value e, Value joined) {
            ImplicitLocOpBuilder body(loc, nested);
            return emitJoin<join>(body,
                                  Elements{{joined, e}, isUnsigned, 0, 0});
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
  return finish<join>(node, *x, axes, *keepsDims != 0,
                      /*isNoop=*/*isNoop && !hasAxes);
}

/// Over all spatial dimensions, which stay.
template <Join join>
static LogicalResult translateGlobalPool(const ForeignOp &node,
                                         const Operator &) {
  FailureOr<ForeignTensor> x = getFloats(node, 0, "X", 3);
  if (failed(x))
    return failure();
  return finish<join>(node, *x,
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
