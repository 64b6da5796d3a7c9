// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tfl.conv_2d and tfl.depthwise_conv_2d.

#include "../ForeignOps/TensorOps.h"
#include "../IntegerProducts/NamedConvolution.h"
#include "DynamicCodes.h"
#include "ProductEnd.h"
#include "Rescaling.h"
#include "Translations.h"
#include "Windows.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/Conversion/IntegerProducts.h"
#include "qdq/IR/TensorSlice.h"
#include "qdq/IR/TypeRewrite.h"

using namespace mlir;
using namespace mlir::qdq;

namespace {
/// The operands of both ops; the filter is [outputs, height, width, inputs], or
/// [1, height, width, outputs].
struct Convolution {
  CodeTensor input, filter;
  CodeType result;
  Window window;
  /// The filter's dimension of outputs.
  int64_t outputAxis;
  SumRescaling rescaling;
  std::pair<int64_t, int64_t> bounds;

  int64_t getNumOutputs() const { return filter.type.getDimSize(outputAxis); }
};
} // namespace

static FailureOr<Convolution>
readConvolution(const ForeignOp &op, const Stamp &stamp, int64_t outputAxis) {
  Reader read;
  Convolution n;
  n.input = read(readCodes(op, 0, "input"));
  n.filter = read(readCodes(op, 1, "filter", /*allowsAxis=*/true));
  n.result = read(readResultCodes(op));
  if (failed(read))
    return failure();
  n.outputAxis = outputAxis;
  RankedTensorType input = n.input.type, filter = n.filter.type;
  if (filter.getRank() != 4 || n.filter.axis.value_or(outputAxis) != outputAxis)
    return op.refuse("filter has type ", filter, " and scales along axis ",
                     n.filter.axis.value_or(outputAxis),
                     ": expected rank 4, and one scale or those of axis ",
                     outputAxis);
  int64_t outputs = n.getNumOutputs();
  if (ShapedType::isDynamic(outputs))
    return op.refuse("filter has type ", filter,
                     ": expected a static number of outputs");
  n.window = read(readWindow2D(op, input, filter.getShape().slice(1, 2)));
  if (failed(read))
    return failure();
  Type storage = n.input.getStorage();
  if (storage.getIntOrFloatBitWidth() > 16 ||
      n.filter.getStorage().getIntOrFloatBitWidth() > 16)
    return op.refuse("input has type ", input, " and filter ", filter,
                     ": expected codes of up to 16 bits");
  // XNNPACK has no 16 bits.
  Rescale rescale = storage.isInteger(16)
                        ? getOwnRescale(stamp, Rescale::Fixed15)
                        : getSumRescale(stamp, Rescale::Fixed31Double);
  n.rescaling = getRescaling(rescale, n.input, n.filter, n.result,
                             storage.isUnsignedInteger() ? ScaleProduct::F32
                                                         : ScaleProduct::F64,
                             /*axis=*/3);
  n.bounds = read(readActivationBounds(op, stamp, n.result));
  if (failed(read) || failed(checkRescaling(op, n.rescaling)) ||
      failed(checkBias(op, 2, n.input, n.filter, outputs)) ||
      failed(checkWindowResult(op, n.input, n.window, outputs, n.result)))
    return failure();
  return n;
}

//===----------------------------------------------------------------------===//
// The sum of products
//===----------------------------------------------------------------------===//

namespace {
/// The loops of a convolution: batch, height, width, `numOuter` loops of the
/// channels, and reductions: height and width of the window, inputs.
struct ConvolutionLoops {
  ConvolutionLoops(MLIRContext *ctx, unsigned numOuter, bool sumsInputs) {
    auto add = [&](utils::IteratorType iterator) {
      iterators.push_back(iterator);
      return getAffineDimExpr(iterators.size() - 1, ctx);
    };
    auto parallel = utils::IteratorType::parallel;
    auto reduction = utils::IteratorType::reduction;
    for (AffineExpr *loop : {&batch, &place[0], &place[1]})
      *loop = add(parallel);
    for (unsigned i = 0; i < numOuter; ++i)
      outer.push_back(add(parallel));
    for (AffineExpr &loop : kernel)
      loop = add(reduction);
    if (sumsInputs)
      inputs.push_back(add(reduction));
  }

  SmallVector<AffineExpr> getInput(const Window &window,
                                   ArrayRef<AffineExpr> channels) const {
    SmallVector<AffineExpr> indices = {batch};
    for (int64_t dim = 0; dim < 2; ++dim)
      indices.push_back(place[dim] * window.strides[dim] +
                        kernel[dim] * window.dilations[dim]);
    llvm::append_range(indices, channels);
    return indices;
  }

  AffineMap makeMap(ArrayRef<AffineExpr> indices) const {
    return AffineMap::get(iterators.size(), 0, indices, batch.getContext());
  }

  AffineExpr batch, place[2], kernel[2];
  SmallVector<AffineExpr> outer, inputs;
  SmallVector<utils::IteratorType> iterators;
};
} // namespace

/// Fills in what does not depend on the kind of convolution, and builds the
/// sum. `outer` are the sizes of the channels' loops, of which the result has
/// one dimension.
static FailureOr<Value> buildSum(const ForeignOp &op, const Factors &factors,
                                 const ConvolutionLoops &loops,
                                 IntegerProduct &product,
                                 ArrayRef<int64_t> outer) {
  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  auto place = [&](const ForeignTensor &zeroPoint, Value &value,
                   AffineMap &map) {
    if (!zeroPoint)
      return;
    value = op.materializeParameter(zeroPoint);
    map = loops.makeMap(loops.outer);
    if (outer.size() == 2 && !isSingle(zeroPoint.type))
      value = splitDim(b, value, 0, outer[0]);
  };
  place(factors.zeroPoint, product.a.zeroPoint, product.a.zeroPointMap);
  place(factors.filter.parameters.zeroPoint, product.b.zeroPoint,
        product.b.zeroPointMap);
  if (factors.bias) {
    product.bias = factors.bias;
    product.biasMap = loops.makeMap(loops.outer);
    if (outer.size() == 2)
      product.bias = splitDim(b, product.bias, 0, outer[0]);
  }
  SmallVector<AffineExpr> indices = {loops.batch, loops.place[0],
                                     loops.place[1]};
  llvm::append_range(indices, loops.outer);
  product.resultMap = loops.makeMap(indices);
  product.iterators = loops.iterators;
  product.resultSizes = {
      tensor::getMixedSize(b, b.getLoc(), product.a.codes, 0)};
  llvm::append_range(product.resultSizes, factors.windowed.outputs);
  for (int64_t size : outer)
    product.resultSizes.push_back(b.getIndexAttr(size));
  std::string reason;
  FailureOr<Value> sum = buildIntegerProduct(b, product, reason);
  if (failed(sum))
    return op.refuse(reason);
  return outer.size() == 2 ? collapseDims(b, *sum, 3) : *sum;
}

//===----------------------------------------------------------------------===//
// The operators
//===----------------------------------------------------------------------===//

/// Refuses channels that do not fit together.
static LogicalResult checkChannels(const ForeignOp &op, RankedTensorType input,
                                   const CodeTensor &filter, bool isDepthwise) {
  int64_t inputs = input.getDimSize(3);
  ArrayRef<int64_t> shape = filter.type.getShape();
  if (isDepthwise) {
    if (shape[0] != 1 || ShapedType::isDynamic(inputs) || inputs == 0 ||
        shape[3] % inputs != 0)
      return op.refuse("input ", input, " and filter ", filter.type,
                       " do not fit together: expected [1, height, width, "
                       "outputs], and a multiple of the input's channels");
    return success();
  }
  int64_t perGroup = shape[3];
  if (ShapedType::isDynamic(inputs) || ShapedType::isDynamic(perGroup) ||
      perGroup == 0 || inputs % perGroup != 0 ||
      shape[0] % std::max<int64_t>(inputs / perGroup, 1) != 0)
    return op.refuse("input ", input, " and filter ", filter.type,
                     " do not fit together: expected static channels, those of "
                     "the input in groups of the filter's");
  return success();
}

FailureOr<Value> mlir::qdq::buildConv2D(const ForeignOp &op,
                                        const Factors &factors) {
  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  const Window &window = factors.window;
  Value codes = factors.windowed.codes;
  ArrayRef<int64_t> filter = factors.filter.type.getShape();
  int64_t inputs = cast<RankedTensorType>(codes.getType()).getDimSize(3);
  int64_t outputs = filter[0], perGroup = filter[3];
  int64_t groups = std::max<int64_t>(inputs / perGroup, 1);
  bool isSplit = groups != 1;
  ConvolutionLoops loops(b.getContext(), isSplit ? 2 : 1, /*sumsInputs=*/true);
  IntegerProduct product;
  product.a.codes = codes;
  product.b.codes = factors.filterCodes;
  SmallVector<AffineExpr> channels, filters(loops.outer);
  SmallVector<int64_t> outer = {outputs};
  if (isSplit) {
    product.a.codes = splitDim(b, codes, 3, groups);
    product.b.codes = splitDim(b, product.b.codes, 0, groups);
    channels.push_back(loops.outer[0]);
    outer = {groups, outputs / groups};
    product.createNamed = createConvolution<linalg::Conv2DNhwgcGfhwcOp>(
        window.strides, window.dilations);
  } else {
    product.createNamed = createConvolution<linalg::Conv2DNhwcFhwcOp>(
        window.strides, window.dilations);
  }
  channels.push_back(loops.inputs[0]);
  product.aMap = loops.makeMap(loops.getInput(window, channels));
  llvm::append_range(filters, loops.kernel);
  filters.push_back(loops.inputs[0]);
  product.bMap = loops.makeMap(filters);
  return buildSum(op, factors, loops, product, outer);
}

static FailureOr<Value> buildDepthwiseConv2D(const ForeignOp &op,
                                             const Factors &factors) {
  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  const Window &window = factors.window;
  Value codes = factors.windowed.codes;
  int64_t inputs = cast<RankedTensorType>(codes.getType()).getDimSize(3);
  int64_t outputs = factors.filter.type.getDimSize(3);
  int64_t multiplier = outputs / inputs;
  bool isSplit = multiplier != 1;
  ConvolutionLoops loops(b.getContext(), isSplit ? 2 : 1, /*sumsInputs=*/false);
  IntegerProduct product;
  product.a.codes = codes;
  product.b.codes = collapseDims(b, factors.filterCodes, 0);
  SmallVector<int64_t> outer = {outputs};
  if (isSplit) {
    product.b.codes = splitDim(b, product.b.codes, 2, inputs);
    outer = {inputs, multiplier};
    product.createNamed = createConvolution<linalg::DepthwiseConv2DNhwcHwcmOp>(
        window.strides, window.dilations);
  } else {
    product.createNamed = createConvolution<linalg::DepthwiseConv2DNhwcHwcOp>(
        window.strides, window.dilations);
  }
  product.aMap =
      loops.makeMap(loops.getInput(window, ArrayRef(loops.outer).take_front()));
  SmallVector<AffineExpr> filters(std::begin(loops.kernel),
                                  std::end(loops.kernel));
  llvm::append_range(filters, loops.outer);
  product.bMap = loops.makeMap(filters);
  return buildSum(op, factors, loops, product, outer);
}

static FailureOr<Value> build(const ForeignOp &op, const Factors &factors,
                              bool isDepthwise) {
  return isDepthwise ? buildDepthwiseConv2D(op, factors)
                     : buildConv2D(op, factors);
}

static bool isDepthwiseConv2D(const ForeignOp &op) {
  return op.getName() == "tfl.depthwise_conv_2d";
}

LogicalResult mlir::qdq::translateConv2D(const ForeignOp &op,
                                         const Stamp &stamp) {
  bool isDepthwise = isDepthwiseConv2D(op);
  FailureOr<Convolution> n =
      readConvolution(op, stamp, /*outputAxis=*/isDepthwise ? 3 : 0);
  if (failed(n) ||
      failed(checkChannels(op, n->input.type, n->filter, isDepthwise)))
    return failure();
  const ForeignTensor &zeroPoint = n->input.parameters.zeroPoint;
  Bias bias = createBias(op, 2, n->getNumOutputs());
  FailureOr<Value> sum = build(
      op,
      {padWindows(op, n->input.getCodes(op), n->window, zeroPoint), zeroPoint,
       n->filter, n->filter.getCodes(op), n->window, bias.inProduct},
      isDepthwise);
  if (failed(sum))
    return failure();
  return replaceWithStorage(
      op, createRequantize(op, stamp, addBias(op, *sum, bias), n->result,
                           n->rescaling, n->bounds));
}

//===----------------------------------------------------------------------===//
// Floats by codes
//===----------------------------------------------------------------------===//

/// Parameters for each batch. With one scale for each output the codes are
/// asymmetric, else symmetric, whatever the op says: so are LiteRT's kernels.
LogicalResult mlir::qdq::translateDynamicConv2D(const ForeignOp &op,
                                                const Stamp &stamp) {
  bool isDepthwise = isDepthwiseConv2D(op);
  int64_t outputAxis = isDepthwise ? 3 : 0;
  FailureOr<DynamicProduct> n = readDynamicProduct(op, /*rank=*/4, outputAxis);
  if (failed(n))
    return failure();
  FailureOr<Window> window =
      readWindow2D(op, n->input, n->filter.type.getShape().slice(1, 2));
  if (failed(window) ||
      failed(checkChannels(op, n->input, n->filter, isDepthwise)))
    return failure();
  int64_t groups =
      isDepthwise ? 1 : n->input.getDimSize(3) / n->filter.type.getDimSize(3);
  bool isAsymmetric = n->filter.axis || isDepthwise || groups != 1;
  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  DynamicCodes codes =
      createDynamicCodes(op, stamp, op.getOperand(0), isAsymmetric);
  Value differences = subtractDynamicZeroPoints(b, codes);
  FailureOr<Value> sum = build(op,
                               {padWindows(op, differences, *window, {}),
                                {},
                                n->filter,
                                n->filter.getCodes(op),
                                *window,
                                {}},
                               isDepthwise);
  if (failed(sum))
    return failure();
  Value result =
      scaleDynamicProduct(op, *n, *sum, codes.scales,
                          isAsymmetric && !isDepthwise ? ScaleOrder::FilterFirst
                                                       : ScaleOrder::Product);
  if (failed(verifyCompatibleShape(result.getType(), n->result)))
    return op.refuse("result has type ", n->result, ": expected the shape of ",
                     result.getType());
  return op.replace(result);
}
