// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions of codes: reading and building.

#include "Convolution.h"
#include "../ForeignOps/SizeChecks.h"
#include "CodeOperands.h"
#include "ReadWindow.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::qdq;

FailureOr<Convolution> mlir::qdq::readConvolution(const ForeignOp &node,
                                                  unsigned inputIndex,
                                                  unsigned filterIndex,
                                                  bool isChannelsLast) {
  FailureOr<ForeignTensor> input = getCodes(node, inputIndex, "x");
  FailureOr<ForeignTensor> filter = getCodes(node, filterIndex, "w");
  if (failed(input) || failed(filter))
    return failure();
  return makeConvolution(node, *input, *filter, isChannelsLast);
}

FailureOr<Convolution> mlir::qdq::makeConvolution(const ForeignOp &node,
                                                  const ForeignTensor &input,
                                                  const ForeignTensor &filter,
                                                  bool isChannelsLast) {
  FailureOr<int64_t> groups = node.getInteger("group", 1);
  if (failed(groups))
    return failure();
  ArrayRef<int64_t> sizes = input.type.getShape();
  ArrayRef<int64_t> kernel = filter.type.getShape();
  if (sizes.size() < 3 || sizes.size() > 5 || sizes.size() != kernel.size())
    return node.refuse("has operands ", input.type, " and ", filter.type,
                       ": expected one rank, from 3 to 5");
  if (*groups < 1 ||
      (ShapedType::isStatic(kernel[0]) && kernel[0] % *groups != 0))
    return node.refuse("group is ", *groups, ": expected a divisor of the ",
                       kernel[0], " filters");
  Convolution convolution{input, {},      filter,         {}, {},
                          {},    *groups, isChannelsLast, {}};
  int64_t channels = sizes[convolution.getChannelDim()];
  if (ShapedType::isStatic(channels) &&
      (channels % *groups != 0 || differ(kernel[1], channels / *groups)))
    return node.refuse("x has ", channels, " channels and w ", kernel[1],
                       " with group = ", *groups,
                       ": expected group times those of w");
  ArrayRef<int64_t> space =
      sizes.slice(convolution.getFirstSpatial(), sizes.size() - 2);
  FailureOr<Window> window = readWindow(node, space, kernel.drop_front(2));
  if (failed(window))
    return failure();
  convolution.window = *window;
  convolution.shape.assign(sizes.begin(), sizes.end());
  convolution.shape[convolution.getChannelDim()] = kernel[0];
  for (auto [dim, size] : llvm::enumerate(space))
    convolution.shape[convolution.getFirstSpatial() + dim] =
        window->getOutputSize(dim, size);
  return convolution;
}

LogicalResult mlir::qdq::checkPerFilter(const ForeignOp &node, StringRef name,
                                        const ForeignTensor &parameter,
                                        const Convolution &convolution) {
  return checkSingleOrEach(node, name, parameter,
                           convolution.filter.type.getDimSize(0), "filters");
}

LogicalResult mlir::qdq::readZeroPoints(const ForeignOp &node,
                                        Convolution &convolution,
                                        unsigned inputIndex,
                                        unsigned filterIndex) {
  Reader read;
  ForeignTensor &input = convolution.inputZeroPoint,
                &filter = convolution.filterZeroPoint;
  input = read(getZeroPointOf(node, inputIndex, "x_zero_point",
                              convolution.input.type.getElementType()));
  filter = read(getZeroPointOf(node, filterIndex, "w_zero_point",
                               convolution.filter.type.getElementType()));
  if (failed(read) || failed(checkSingle(node, "x_zero_point", input)))
    return failure();
  return checkPerFilter(node, "w_zero_point", filter, convolution);
}

/// Pads what depends on open sizes, and leaves the rest to `shape`.
static Value padOpenDims(const ForeignOp &node, const Convolution &convolution,
                         Value input, ConvolutionShape &shape) {
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  const Window &window = convolution.window;
  SmallVector<OpFoldResult> low(window.getRank(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> high = low;
  for (int64_t dim = 0; dim < window.getRank(); ++dim) {
    if (ShapedType::isStatic(shape.padLow[dim]))
      continue;
    OpFoldResult size = tensor::getMixedSize(
        b, b.getLoc(), input, convolution.getFirstSpatial() + dim);
    std::tie(low[dim], high[dim]) = getPads(b, window, dim, size);
    shape.padLow[dim] = shape.padHigh[dim] = 0;
  }
  return padCodes(node, input, convolution.inputZeroPoint,
                  convolution.getFirstSpatial(), low, high);
}

FailureOr<Value> mlir::qdq::createProduct(const ForeignOp &node,
                                          const Convolution &convolution,
                                          Accumulator accumulator) {
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  const Window &window = convolution.window;
  ConvolutionShape shape{window.strides,     window.dilations,
                         window.padLow,      window.padHigh,
                         convolution.groups, convolution.isChannelsLast};
  Value codes = node.materialize(convolution.input);
  assertWindowFits(node, window, codes, convolution.getFirstSpatial());
  ProductOperand input{padOpenDims(node, convolution, codes, shape)};
  ProductOperand filter{node.materialize(convolution.filter)};
  input.zeroPoint = node.materializeParameter(convolution.inputZeroPoint);
  filter.zeroPoint = node.materializeParameter(convolution.filterZeroPoint);
  Value bias = node.materialize(convolution.bias);
  std::string reason;
  FailureOr<Value> product = buildIntegerConvolution(
      b, input, filter, bias, shape, accumulator, reason);
  if (failed(product))
    return node.refuse(reason);
  return product;
}
