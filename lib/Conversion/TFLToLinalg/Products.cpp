// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions and matrix products, as named ops.

#include "../ForeignOps/Broadcast.h"
#include "../ForeignOps/SizeChecks.h"
#include "../ForeignOps/TensorOps.h"
#include "../TFLToQDQ/Spread.h"
#include "../TFLToQDQ/Windows.h"
#include "Operators.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/Conversion/IntegerProducts.h"
#include "qdq/IR/TensorSlice.h"

using namespace mlir;
using namespace mlir::qdq;

using B = ImplicitLocOpBuilder;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

namespace {
/// The operands of a product with a filter; a bias may be absent.
struct Operands {
  ForeignTensor input, filter, bias;
};
} // namespace

/// Operands of f32: an input, a filter of `rank`, and a bias of one element for
/// each index of the filter's dimension `outputs`.
static FailureOr<Operands> readOperands(const ForeignOp &node, unsigned first,
                                        int64_t rank, int64_t outputs) {
  if (failed(checkActivation(node)))
    return failure();
  FailureOr<ForeignTensor> input = getFloats(node, first, "input", 1);
  FailureOr<ForeignTensor> filter = getFloats(node, first + 1, "filter", rank);
  if (failed(input) || failed(filter))
    return failure();
  Operands operands{*input, *filter, {}};
  if (filter->type.getRank() != rank || !filter->type.hasStaticShape())
    return node.refuse("filter has type ", filter->type,
                       ": expected a static shape of rank ", rank);
  if (node.getOperand(first + 2)) {
    FailureOr<ForeignTensor> bias = getFloats(node, first + 2, "bias");
    if (failed(bias))
      return failure();
    if (bias->type.getRank() != 1 ||
        differ(bias->type.getDimSize(0), filter->type.getDimSize(outputs)))
      return node.refuse("bias has type ", bias->type, ": expected ",
                         filter->type.getDimSize(outputs), " elements");
    operands.bias = *bias;
    assertSize(node, {node.materialize(*bias), 0, "bias"},
               filter->type.getDimSize(outputs));
  }
  for (const ForeignTensor *tensor : {&operands.filter, &operands.bias})
    if (*tensor &&
        tensor->type.getElementType() != input->type.getElementType())
      return node.refuse("has operands ", input->type, " and ", tensor->type,
                         ": expected one element type");
  return operands;
}

/// The product, its bias along the last dimension, and its activation.
static LogicalResult finish(const ForeignOp &node, Value product,
                            const ForeignTensor &bias, Type element) {
  B b(node.getLoc(), node.getRewriter());
  Value sum = addBias(b, product, bias ? node.materialize(bias) : Value(),
                      getElementTypeOrSelf(product));
  return replaceBy(node, castFloats(b, applyActivation(node, sum), element));
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

namespace {
/// An input padded for its windows, and the sizes of the result.
struct Padded {
  Value input;
  Sizes sizes;
};
} // namespace

static Padded padInput(const ForeignOp &node, const ForeignTensor &input,
                       const Window &window, int64_t channels) {
  B b(node.getLoc(), node.getRewriter());
  Value x = node.materialize(input);
  WindowSizes sizes = getWindowSizes(node, window, x, /*first=*/1);
  sizes.result[3] = b.getIndexAttr(channels);
  return {padCodes(node, x, {}, /*first=*/1, sizes.low, sizes.high),
          sizes.result};
}

/// input [N, H, W, C], filter [F, h, w, C / groups].
static LogicalResult translateFloatConv2D(const ForeignOp &node) {
  FailureOr<Operands> n = readOperands(node, 0, 4, /*outputs=*/0);
  if (failed(n))
    return failure();
  ArrayRef<int64_t> filter = n->filter.type.getShape();
  FailureOr<Window> window =
      readWindow2D(node, getRankedType(n->input), filter.slice(1, 2));
  if (failed(window))
    return failure();
  int64_t channels = n->input.type.getDimSize(3), depth = filter[3];
  if (ShapedType::isDynamic(channels) || channels == 0 || depth == 0 ||
      channels % depth || (channels != depth && filter[0] % (channels / depth)))
    return node.refuse("input has type ", n->input.type, " and filter ",
                       n->filter.type,
                       ": expected channels that are a multiple of the "
                       "filter's, and as many groups of filters");
  B b(node.getLoc(), node.getRewriter());
  auto [x, sizes] = padInput(node, n->input, *window, filter[0]);
  Type element = n->input.type.getElementType();
  auto convolve = [&](Value input, Value weights,
                      ArrayRef<OpFoldResult> shape) {
    return createWindowOp<linalg::Conv2DNhwcFhwcOp>(
        b, {input, weights}, createZeros(b, shape, getComputeType(element)),
        window->strides, window->dilations);
  };
  Value w = node.materialize(n->filter), product;
  int64_t groups = channels / depth;
  if (groups == 1) {
    product = convolve(x, w, sizes);
  } else {
    // No named op has groups and the channels last.
    int64_t outputs = filter[0] / groups;
    product = tensor::EmptyOp::create(b, sizes, getComputeType(element));
    for (int64_t group = 0; group < groups; ++group) {
      Value part = TensorSlice(b, x).cut(3, group * depth, depth).take(x);
      Value rows = TensorSlice(b, w).cut(0, group * outputs, outputs).take(w);
      TensorSlice result(b, sizes);
      result.cut(3, group * outputs, outputs);
      product = result.put(convolve(part, rows, result.sizes), product);
    }
  }
  return finish(node, product, n->bias, element);
}

/// input [N, H, W, C], filter [1, h, w, C * multiplier].
static LogicalResult translateFloatDepthwiseConv2D(const ForeignOp &node) {
  FailureOr<Operands> n = readOperands(node, 0, 4, /*outputs=*/3);
  if (failed(n))
    return failure();
  ArrayRef<int64_t> filter = n->filter.type.getShape();
  FailureOr<Window> window =
      readWindow2D(node, getRankedType(n->input), filter.slice(1, 2));
  if (failed(window))
    return failure();
  int64_t channels = n->input.type.getDimSize(3);
  if (ShapedType::isDynamic(channels) || channels == 0 || filter[0] != 1 ||
      filter[3] == 0 || filter[3] % channels)
    return node.refuse("input has type ", n->input.type, " and filter ",
                       n->filter.type,
                       ": expected [1, height, width, outputs], and a "
                       "multiple of the input's channels");
  int64_t multiplier = filter[3] / channels;
  B b(node.getLoc(), node.getRewriter());
  auto [x, sizes] = padInput(node, n->input, *window, channels);
  Value w = node.materialize(n->filter);
  w = reshape(b, w, {filter[1], filter[2], filter[3]});
  Type element = n->input.type.getElementType();
  Value product;
  if (multiplier == 1) {
    product = createWindowOp<linalg::DepthwiseConv2DNhwcHwcOp>(
        b, {x, w}, createZeros(b, sizes, getComputeType(element)),
        window->strides, window->dilations);
  } else {
    w = reshape(b, w, {filter[1], filter[2], channels, multiplier});
    sizes.push_back(b.getIndexAttr(multiplier));
    product = createWindowOp<linalg::DepthwiseConv2DNhwcHwcmOp>(
        b, {x, w}, createZeros(b, sizes, getComputeType(element)),
        window->strides, window->dilations);
    product = collapseDims(b, product, 3);
  }
  return finish(node, product, n->bias, element);
}

/// The input with zeros between its elements, under the filter [F, h, w, C]
/// back to front. Operand 0 is the shape of the result.
static LogicalResult translateFloatTransposeConv(const ForeignOp &node) {
  // The filter comes before the input.
  if (failed(checkActivation(node)))
    return failure();
  FailureOr<SmallVector<int64_t>> shape =
      readConstantIntegers(node, 0, "output_shape");
  FailureOr<ForeignTensor> filter = getFloats(node, 1, "weights", 4);
  FailureOr<ForeignTensor> input = getFloats(node, 2, "input", 4);
  FailureOr<int64_t> strideH = node.getInteger("stride_h", 1);
  FailureOr<int64_t> strideW = node.getInteger("stride_w", 1);
  FailureOr<StringRef> padding = node.getString("padding", "SAME");
  if (failed(shape) || failed(filter) || failed(input) || failed(strideH) ||
      failed(strideW) || failed(padding))
    return failure();
  ForeignTensor bias;
  if (node.getOperand(3)) {
    FailureOr<ForeignTensor> read = getFloats(node, 3, "bias");
    if (failed(read))
      return failure();
    bias = *read;
  }
  ArrayRef<int64_t> x = input->type.getShape(), w = filter->type.getShape();
  Type element = input->type.getElementType();
  if (x.size() != 4 || w.size() != 4 || ShapedType::isDynamicShape(x) ||
      ShapedType::isDynamicShape(w) || shape->size() != 4 || x[3] != w[3] ||
      filter->type.getElementType() != element || llvm::is_contained(x, 0) ||
      llvm::is_contained(w, 0) || *strideH < 1 || *strideW < 1 ||
      (bias && (bias.type.getElementType() != element ||
                bias.type.getShape() != ArrayRef<int64_t>{w[0]})))
    return node.refuse("has the input ", input->type, " and weights ",
                       filter->type,
                       ": expected static [batch, height, width, channels] "
                       "and [outputs, height, width, channels]");
  int64_t strides[] = {*strideH, *strideW};
  SpreadDim dims[2];
  for (int64_t dim : {0, 1}) {
    auto spread = getSpread(x[1 + dim], w[1 + dim], (*shape)[1 + dim],
                            strides[dim], *padding == "SAME");
    if (!spread)
      return node.refuse("has ", (*shape)[1 + dim],
                         " elements in spatial dimension ", dim,
                         " of the result: expected those of a ", *padding,
                         " convolution's input");
    dims[dim] = *spread;
  }
  B b(node.getLoc(), node.getRewriter());
  Value spreadInput = spread(b, node.materialize(*input), dims, /*fill=*/0);
  Value reversed = reverse(b, node.materialize(*filter), {1, 2});
  Sizes outputs = getAsIndexOpFoldResult(
      b.getContext(), {x[0], (*shape)[1], (*shape)[2], w[0]});
  int64_t ones[] = {1, 1};
  Value product = createWindowOp<linalg::Conv2DNhwcFhwcOp>(
      b, {spreadInput, reversed},
      createZeros(b, outputs, getComputeType(element)), ones, ones);
  return finish(node, product, bias, element);
}

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

/// The rows of an input times filter [outputs, depth].
static LogicalResult translateFloatFullyConnected(const ForeignOp &node) {
  FailureOr<Operands> n = readOperands(node, 0, 2, /*outputs=*/0);
  FailureOr<StringRef> format = node.getString("weights_format", "DEFAULT");
  if (failed(n) || failed(format))
    return failure();
  if (*format != "DEFAULT")
    return node.refuse("weights_format is '", *format, "': expected DEFAULT");
  RankedTensorType input = getRankedType(n->input);
  RankedTensorType result = getResultShape(node);
  int64_t outputs = n->filter.type.getDimSize(0);
  int64_t depth = n->filter.type.getDimSize(1);
  bool isLast = input.getShape().back() == depth;
  if (!result || result.getRank() == 0 || depth == 0 ||
      (!isLast &&
       !(input.hasStaticShape() && input.getNumElements() % depth == 0)))
    return node.refuse("input has type ", input, " and filter ", n->filter.type,
                       ": expected rows of ", depth, " elements");
  B b(node.getLoc(), node.getRewriter());
  Value x = node.materialize(n->input);
  Sizes own = tensor::getMixedSizes(b, b.getLoc(), x);
  OpFoldResult rows =
      isLast ? multiplySizes(b, ArrayRef(own).drop_back())
             : OpFoldResult(b.getIndexAttr(input.getNumElements() / depth));
  Value matrix = reshapeTo(b, x, own, {rows, b.getIndexAttr(depth)});
  Type element = input.getElementType();
  Sizes sizes = {rows, b.getIndexAttr(outputs)};
  Value filter = node.materialize(n->filter);
  AffineMap rowMap = b.getMultiDimIdentityMap(3).dropResult(1);
  Value product = contractLast(b, matrix, rowMap, filter, sizes);
  Value sum = addBias(b, product, n->bias ? node.materialize(n->bias) : Value(),
                      getElementTypeOrSelf(product));
  sum = castFloats(b, applyActivation(node, sum), element);
  // The shape of the input up to its last dimension, or a matrix.
  Sizes shape = sizes;
  if (isLast && result.getRank() == input.getRank()) {
    shape = own;
    shape.back() = b.getIndexAttr(outputs);
  } else if (result.getRank() != 2) {
    return node.refuse("result has type ", result, " and the input ", input,
                       ": expected a matrix, or the rank of the input");
  }
  return replaceBy(node, reshapeTo(b, sum, sizes, shape));
}

/// Matrices in batches, which are broadcast; `adj_x` and `adj_y` transpose.
static LogicalResult translateFloatBatchMatMul(const ForeignOp &node) {
  FailureOr<ForeignTensor> x = getFloats(node, 0, "x", 2);
  FailureOr<ForeignTensor> y = getFloats(node, 1, "y", 2);
  if (failed(x) || failed(y))
    return failure();
  RankedTensorType lhs = getRankedType(*x), rhs = getRankedType(*y);
  ArrayRef<int64_t> a = lhs.getShape(), c = rhs.getShape();
  bool isAdjoint[] = {node.isSet("adj_x"), node.isSet("adj_y")};
  auto batches = broadcastShapes(a.drop_back(2), c.drop_back(2));
  int64_t summedA = isAdjoint[0] ? a.size() - 2 : a.size() - 1;
  int64_t summedC = isAdjoint[1] ? c.size() - 1 : c.size() - 2;
  if (failed(batches) || differ(a[summedA], c[summedC]) ||
      lhs.getElementType() != rhs.getElementType())
    return node.refuse("x has type ", lhs, " and y ", rhs,
                       ": expected matrices in batches that fit together");
  B b(node.getLoc(), node.getRewriter());
  Value left = node.materialize(*x), right = node.materialize(*y);
  assertSameSize(node, {left, summedA, "x"}, {right, summedC, "y"});
  assertBroadcast(node, {left, right}, /*numOwn=*/2);
  repeatOpenSizes(b, left, right, /*numOwn=*/2);
  Sizes leftSizes = tensor::getMixedSizes(b, b.getLoc(), left);
  Sizes rightSizes = tensor::getMixedSizes(b, b.getLoc(), right);
  int64_t rank = batches->size() + 2;
  AffineExpr m = b.getAffineDimExpr(rank - 2), o = b.getAffineDimExpr(rank - 1),
             k = b.getAffineDimExpr(rank);
  Sizes sizes(rank);
  auto read = [&](Value operand, ArrayRef<OpFoldResult> own, AffineExpr row,
                  AffineExpr column) {
    ArrayRef<int64_t> shape = getRankedType(operand).getShape();
    int64_t offset = rank - own.size();
    SmallVector<AffineExpr> places;
    for (size_t dim = 0; dim + 2 < own.size(); ++dim) {
      // A unit that the other operand repeats.
      bool isUnit = shape[dim] == 1;
      places.push_back(isUnit ? b.getAffineConstantExpr(0)
                              : b.getAffineDimExpr(offset + dim));
      OpFoldResult &size = sizes[offset + dim];
      if (!size || !isUnit)
        size = own[dim];
    }
    places.append({row, column});
    return AffineMap::get(rank + 1, 0, places, b.getContext());
  };
  AffineMap maps[] = {isAdjoint[0] ? read(left, leftSizes, k, m)
                                   : read(left, leftSizes, m, k),
                      isAdjoint[1] ? read(right, rightSizes, o, k)
                                   : read(right, rightSizes, k, o),
                      b.getMultiDimIdentityMap(rank + 1).getMajorSubMap(rank)};
  sizes[rank - 2] = leftSizes[a.size() - (isAdjoint[0] ? 1 : 2)];
  sizes[rank - 1] = rightSizes[c.size() - (isAdjoint[1] ? 2 : 1)];
  Type element = lhs.getElementType(), type = getComputeType(element);
  Value product = createGeneric(b, {left, right}, createZeros(b, sizes, type),
                                maps, [&](Scalar x, Scalar y, Scalar sum) {
                                  return sum + x.to(type) * y.to(type);
                                });
  return replaceBy(node, castFloats(b, product, element));
}

ArrayRef<Operator> mlir::qdq::getTFLProductOperators() {
  static const Operator kOperators[] = {
      {"tfl.batch_matmul", {2}, translateFloatBatchMatMul},
      {"tfl.conv_2d", {2, 3}, translateFloatConv2D},
      {"tfl.depthwise_conv_2d", {2, 3}, translateFloatDepthwiseConv2D},
      {"tfl.fully_connected", {2, 3}, translateFloatFullyConnected},
      {"tfl.transpose_conv", {3, 4}, translateFloatTransposeConv},
  };
  return kOperators;
}
