// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Softmax and Hardmax, normalizations by mean and variance, and by norms.

#include "../ForeignOps/SizeChecks.h"
#include "../ForeignOps/Window.h"
#include "Joins.h"
#include "NodeParts.h"
#include "Operators.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::qdq;

using B = ImplicitLocOpBuilder;

static Value subtract(B &b, Value x, Value y) {
  return mapFloats(b, {x, y}, [](Scalar x, Scalar y) { return x - y; });
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

/// x less the greatest number along the axis. A NaN, which is none, stays, and
/// makes every power or share of its row NaN.
static Value subtractMost(B &b, Value x, int64_t axis) {
  auto type = cast<FloatType>(getElementTypeOrSelf(x));
  FloatAttr least = FloatAttr::get(
      type, APFloat::getInf(type.getFloatSemantics(), /*Negative=*/true));
  Value most =
      reduceOver(b, x, {axis}, least, [](Scalar x, Scalar most) -> Scalar {
        return x.apply<arith::MaxNumFOp>(most);
      });
  return subtract(b, x, insertUnitDims(b, most, {axis}));
}

static Value mapToPowers(B &b, Value x, Functions functions) {
  return mapFloats(b, {x},
                   [=](Scalar e) { return functions.expOfNegative(e); });
}

/// log(e^x / sum e^x), without a logarithm of 0.
static Value logSoftmax(B &b, Value x, int64_t axis, Functions functions) {
  Value shifted = subtractMost(b, x, axis);
  Value powers = mapToPowers(b, shifted, functions);
  Value logs = mapFloats(b, {sumOver(b, powers, {axis})},
                         [](Scalar e) { return e.apply<math::LogOp>(); });
  return subtract(b, shifted, logs);
}

/// e^x / sum e^x, where the sum's reciprocal is rounded.
static Value softmaxOfORT(B &b, Value x, int64_t axis, Functions functions) {
  Value powers = mapToPowers(b, subtractMost(b, x, axis), functions);
  Value shares = mapFloats(b, {joinOver(b, powers, {axis}, Join::Sum)},
                           [](Scalar sum) { return 1 / sum; });
  return mapFloats(b, {powers, insertUnitDims(b, shares, {axis})},
                   [](Scalar power, Scalar share) { return power * share; });
}

/// 1 at the first of the largest elements, which is no NaN, and 0 elsewhere.
static Value hardmax(B &b, Value x, int64_t axis) {
  Type type = getElementTypeOrSelf(x);
  Value most = findBest(b, x, axis, b.getI64Type(),
                        [](Scalar e, Scalar best) { return e > best; });
  return mapFloats(
      b, {x, insertUnitDims(b, most, {axis})}, [&](Scalar e, Scalar index) {
        B &body = e.getBuilder();
        Scalar here(body, linalg::IndexOp::create(body, axis));
        Scalar isMost = equal(here.to(index.getType()), index);
        Value isNumber =
            arith::CmpFOp::create(body, arith::CmpFPredicate::ORD, e, e);
        return (isMost & isNumber).toUnsigned(type);
      });
}

/// Along one axis; before opset 13 over all dimensions from it on.
static LogicalResult translateSoftmax(const ForeignOp &node,
                                      const Operator &self) {
  FailureOr<ForeignTensor> input = getFloats(node, 0, "input");
  if (failed(input))
    return failure();
  bool isFlat = getOpset(node) < 13;
  int64_t rank = input->type.getRank();
  if (rank == 0)
    return node.refuse("input has type ", input->type,
                       ": expected rank 1 or more");
  FailureOr<int64_t> axis = getAxis(node, isFlat ? 1 : -1, rank);
  if (failed(axis))
    return failure();
  B b(node.getLoc(), node.getRewriter());
  Type element = input->type.getElementType();
  Value x = castFloats(b, node.materialize(*input), getComputeType(element));
  Sizes sizes = tensor::getMixedSizes(b, b.getLoc(), x);
  int64_t dim = *axis;
  bool isReshaped = isFlat && *axis != rank - 1;
  Sizes flat = sizes;
  if (isReshaped) {
    ArrayRef<OpFoldResult> all(sizes);
    flat = {multiplySizes(b, all.take_front(*axis)),
            multiplySizes(b, all.drop_front(*axis))};
    x = reshapeTo(b, x, sizes, flat);
    dim = 1;
  }
  Functions functions(node.getProfile());
  Value result;
  if (self.name == "onnx.LogSoftmax") {
    result = logSoftmax(b, x, dim, functions);
  } else if (self.name == "onnx.Hardmax") {
    result = hardmax(b, x, dim);
  } else if (functions.areORT(getElementTypeOrSelf(x))) {
    result = softmaxOfORT(b, x, dim, functions);
  } else {
    Value init = tensor::EmptyOp::create(
        b, tensor::getMixedSizes(b, b.getLoc(), x), getElementTypeOrSelf(x));
    result =
        linalg::SoftmaxOp::create(b, TypeRange(init.getType()), x, init, dim)
            ->getResult(0);
  }
  if (isReshaped)
    result = reshapeTo(b, result, flat, sizes);
  return replaceBy(node, castFloats(b, result, element));
}

//===----------------------------------------------------------------------===//
// Mean and variance
//===----------------------------------------------------------------------===//

/// x / sqrt(mean of x^2 + epsilon).
static Value divideByDeviation(B &b, Value x, ArrayRef<int64_t> axes,
                               float epsilon) {
  Value squares = mapFloats(b, {x}, [](Scalar e) { return e * e; });
  Value count = countOver(b, x, axes, getElementTypeOrSelf(x));
  Value deviation = mapFloats(b, {sumOver(b, squares, axes)}, [&](Scalar sum) {
    return (sum / count + epsilon).apply<math::SqrtOp>();
  });
  return mapFloats(b, {x, deviation}, [](Scalar x, Scalar y) { return x / y; });
}

static Value subtractMean(B &b, Value x, ArrayRef<int64_t> axes) {
  Value count = countOver(b, x, axes, getElementTypeOrSelf(x));
  Value mean = mapFloats(b, {sumOver(b, x, axes)},
                         [&](Scalar sum) { return sum / count; });
  return subtract(b, x, mean);
}

/// x * scale + bias, which may be null.
static Value scaleAndShift(B &b, Value x, Value scale, Value bias) {
  x = mapFloats(b, {x, scale}, [](Scalar x, Scalar y) { return x * y; });
  if (!bias)
    return x;
  return mapFloats(b, {x, bias}, [](Scalar x, Scalar y) { return x + y; });
}

/// LayerNormalization, and RMSNormalization, which subtracts no mean.
static LogicalResult translateLayerNormalization(const ForeignOp &node,
                                                 const Operator &self) {
  bool hasMean = self.name == "onnx.LayerNormalization";
  FailureOr<ForeignTensor> input = getFloats(node, 0, "X", 1);
  FailureOr<ForeignTensor> scale = getFloats(node, 1, "Scale");
  FailureOr<ForeignTensor> bias =
      node.getOperand(2) ? getFloats(node, 2, "B") : ForeignTensor();
  FailureOr<float> epsilon = node.getFloat("epsilon", 1e-5f);
  if (failed(input) || failed(scale) || failed(bias) || failed(epsilon))
    return failure();
  int64_t rank = input->type.getRank();
  FailureOr<int64_t> axis = getAxis(node, -1, rank);
  if (failed(axis))
    return failure();
  for (ForeignTensor tensor : {*scale, *bias}) {
    if (!tensor)
      continue;
    ArrayRef<int64_t> own = tensor.type.getShape();
    ArrayRef<int64_t> all = input->type.getShape();
    bool fits = own.size() <= all.size();
    for (auto [lhs, rhs] : llvm::zip(llvm::reverse(own), llvm::reverse(all)))
      fits &= lhs == 1 || !differ(lhs, rhs);
    if (!fits)
      return node.refuse("has a scale or bias of type ", tensor.type,
                         ", which does not broadcast to ", input->type);
  }
  B b(node.getLoc(), node.getRewriter());
  Type element = input->type.getElementType(), type = getComputeType(element);
  Value x = castFloats(b, node.materialize(*input), type);
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq(*axis, rank));
  if (hasMean)
    x = subtractMean(b, x, axes);
  x = divideByDeviation(b, x, axes, *epsilon);
  Value factor = castFloats(b, node.materialize(*scale), type), shift;
  assertBroadcastTo(node, factor, "Scale", x);
  if (*bias) {
    shift = castFloats(b, node.materialize(*bias), type);
    assertBroadcastTo(node, shift, "B", x);
  }
  return replaceBy(node,
                   castFloats(b, scaleAndShift(b, x, factor, shift), element));
}

/// Vectors of channels at the indices from 1 on.
static LogicalResult readChannels(const ForeignOp &node, const ForeignTensor &x,
                                  ArrayRef<StringRef> names,
                                  SmallVectorImpl<ForeignTensor> &vectors) {
  Value input = node.materialize(x);
  for (auto [index, name] : llvm::enumerate(names)) {
    FailureOr<ForeignTensor> vector = getFloats(node, index + 1, name);
    if (failed(vector))
      return failure();
    if (vector->type.getRank() != 1 ||
        differ(vector->type.getDimSize(0), x.type.getDimSize(1)))
      return node.refuse(name, " has type ", vector->type, ": expected ",
                         x.type.getDimSize(1), " elements, one a channel");
    assertSameSize(node, {node.materialize(*vector), 0, name},
                   {input, 1, "the input"});
    vectors.push_back(*vector);
  }
  return success();
}

static LogicalResult translateInstanceNormalization(const ForeignOp &node) {
  FailureOr<ForeignTensor> input = getFloats(node, 0, "input", 3);
  FailureOr<float> epsilon = node.getFloat("epsilon", 1e-5f);
  SmallVector<ForeignTensor> vectors;
  if (failed(input) || failed(epsilon) ||
      failed(readChannels(node, *input, {"scale", "B"}, vectors)))
    return failure();
  B b(node.getLoc(), node.getRewriter());
  Type element = input->type.getElementType(), type = getComputeType(element);
  int64_t rank = input->type.getRank();
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(2, rank));
  Value x = castFloats(b, node.materialize(*input), type);
  x = divideByDeviation(b, subtractMean(b, x, axes), axes, *epsilon);
  auto read = [&](const ForeignTensor &vector) {
    return placeChannels(b, castFloats(b, node.materialize(vector), type),
                         rank);
  };
  Value scale = read(vectors[0]);
  x = scaleAndShift(b, x, scale, read(vectors[1]));
  return replaceBy(node, castFloats(b, x, element));
}

/// As runtimes compute it: x * factor + (B - mean * factor), where factor is
/// scale / sqrt(var + epsilon).
static LogicalResult translateBatchNormalization(const ForeignOp &node) {
  FailureOr<ForeignTensor> input = getFloats(node, 0, "X", 2);
  FailureOr<float> epsilon = node.getFloat("epsilon", 1e-5f);
  FailureOr<int64_t> isTraining = node.getInteger("training_mode", 0);
  SmallVector<ForeignTensor> vectors;
  if (failed(input) || failed(epsilon) || failed(isTraining) ||
      failed(readChannels(node, *input,
                          {"scale", "B", "input_mean", "input_var"}, vectors)))
    return failure();
  if (*isTraining)
    return node.refuse("training_mode is ", *isTraining, ": expected 0");
  B b(node.getLoc(), node.getRewriter());
  Type element = input->type.getElementType(), type = getComputeType(element);
  int64_t rank = input->type.getRank();
  SmallVector<Value> values;
  for (const ForeignTensor &vector : vectors)
    values.push_back(castFloats(b, node.materialize(vector), type));
  Value factor =
      mapFloats(b, {values[0], values[3]}, [&](Scalar scale, Scalar variance) {
        return scale / (variance + *epsilon).apply<math::SqrtOp>();
      });
  Value shifted = mapFloats(b, {values[2], factor},
                            [](Scalar x, Scalar y) { return x * y; });
  Value shift = subtract(b, values[1], shifted);
  Value x = castFloats(b, node.materialize(*input), type);
  x = scaleAndShift(b, x, placeChannels(b, factor, rank),
                    placeChannels(b, shift, rank));
  return replaceBy(node, castFloats(b, x, element));
}

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

/// By the norm along an axis; 0 where the norm is 0.
static LogicalResult translateLpNormalization(const ForeignOp &node) {
  FailureOr<ForeignTensor> input = getFloats(node, 0, "input", 1);
  FailureOr<int64_t> p = getNorm(node);
  if (failed(input) || failed(p))
    return failure();
  FailureOr<int64_t> axis = getAxis(node, -1, input->type.getRank());
  if (failed(axis))
    return failure();
  B b(node.getLoc(), node.getRewriter());
  Type element = input->type.getElementType(), type = getComputeType(element);
  Value x = castFloats(b, node.materialize(*input), type);
  Value powers = mapFloats(b, {x}, [&](Scalar e) { return emitPower(e, *p); });
  Value norms = mapFloats(b, {sumOver(b, powers, {*axis})},
                          [&](Scalar sum) { return emitRoot(sum, *p); });
  Value parts = mapFloats(b, {x, norms}, [](Scalar e, Scalar norm) {
    Scalar zero = e.constant(0), isZero = equal(norm, zero);
    return select(isZero, zero, e / norm);
  });
  return replaceBy(node, castFloats(b, parts, element));
}

/// x / (bias + alpha mean)^beta, where the mean is that of the squares of
/// `size` channels around the own one, and of zeros beyond them.
static LogicalResult translateLRN(const ForeignOp &node) {
  FailureOr<ForeignTensor> input = getFloats(node, 0, "X", 2);
  FailureOr<int64_t> size = node.getInteger("size", 0);
  FailureOr<float> alpha = node.getFloat("alpha", 1e-4f);
  FailureOr<float> beta = node.getFloat("beta", 0.75f);
  FailureOr<float> bias = node.getFloat("bias", 1);
  if (failed(input) || failed(size) || failed(alpha) || failed(beta) ||
      failed(bias))
    return failure();
  if (*size < 1 || *size > INT16_MAX)
    return node.refuse("size is ", *size, ": expected a number of channels");
  B b(node.getLoc(), node.getRewriter());
  Type element = input->type.getElementType(), type = getComputeType(element);
  Value x = castFloats(b, node.materialize(*input), type);
  int64_t low = (*size - 1) / 2, high = *size - 1 - low;
  Window window{{*size}, {1}, {1}, {low}, {high}};
  Value padded = padCodes(node, x, {}, 1, OpFoldResult(b.getIndexAttr(low)),
                          OpFoldResult(b.getIndexAttr(high)));
  Value sums = reduceWindows(
      b, padded, window, 1, tensor::getMixedSizes(b, b.getLoc(), x),
      b.getZeroAttr(type), [](Scalar sum, Scalar y) { return sum + y * y; });
  Value parts = mapFloats(b, {x, sums}, [&](Scalar e, Scalar sum) {
    Scalar factor = sum.constant(*alpha / *size), base = sum.constant(*bias);
    return e / (base + factor * sum).apply<math::PowFOp>(*beta);
  });
  return replaceBy(node, castFloats(b, parts, element));
}

ArrayRef<Operator> mlir::qdq::getNormalizationOperators() {
  static const Operator kOperators[] = {
      {"onnx.BatchNormalization", {5}, translateBatchNormalization},
      {"onnx.Hardmax", {1}, translateSoftmax},
      {"onnx.InstanceNormalization", {3}, translateInstanceNormalization},
      {"onnx.LRN", {1}, translateLRN},
      {"onnx.LayerNormalization", {2, 3}, translateLayerNormalization},
      {"onnx.LogSoftmax", {1}, translateSoftmax},
      {"onnx.LpNormalization", {1}, translateLpNormalization},
      {"onnx.RMSNormalization", {2}, translateLayerNormalization},
      {"onnx.Softmax", {1}, translateSoftmax},
  };
  return kOperators;
}
