// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tfl.conv_2d and tfl.depthwise_conv_2d.

#include "../ForeignOps/TensorOps.h"
#include "../IntegerProducts/NamedConvolution.h"
#include "DynamicCodes.h"
#include "ProductEnd.h"
#include "Rescaling.h"
#include "Translations.h"
#include "Windows.h"
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
  if (storage.getIntOrFloatBitWidth() > 16 || n.filter.getWidth() > 16)
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

FailureOr<Value> mlir::qdq::buildConv2D(const ForeignOp &op,
                                        const Factors &factors,
                                        bool isDepthwise) {
  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  const Window &window = factors.window;
  IntegerProduct product;
  Value &codes = product.a.codes, &filter = product.b.codes;
  codes = factors.windowed.codes;
  filter = factors.filterCodes;
  ArrayRef<int64_t> shape = factors.filter.type.getShape();
  int64_t inputs = cast<RankedTensorType>(codes.getType()).getDimSize(3);
  int64_t outputs = shape[isDepthwise ? 3 : 0];
  // Each channel of a depthwise convolution is a group.
  int64_t groups =
      isDepthwise ? inputs : std::max<int64_t>(inputs / shape[3], 1);
  bool isSplit = isDepthwise ? outputs != inputs : groups != 1;
  // The loops of the channels, of which the result has one dimension.
  SmallVector<int64_t> outer = {outputs};
  if (isDepthwise)
    filter = collapseDims(b, filter, 0);
  if (isSplit) {
    outer = {groups, outputs / groups};
    if (!isDepthwise)
      codes = splitDim(b, codes, 3, groups);
    filter = splitDim(b, filter, isDepthwise ? 2 : 0, groups);
  }
  using namespace linalg;
  using Create = CreateNamed (*)(ArrayRef<int64_t>, ArrayRef<int64_t>);
  static constexpr Create kNamed[][2] = {
      {createConvolution<Conv2DNhwcFhwcOp>,
       createConvolution<Conv2DNhwgcGfhwcOp>},
      {createConvolution<DepthwiseConv2DNhwcHwcOp>,
       createConvolution<DepthwiseConv2DNhwcHwcmOp>}};
  product.createNamed =
      kNamed[isDepthwise][isSplit](window.strides, window.dilations);

  // Batch, height, width, channels; height and width of the window, inputs.
  unsigned numParallel = 3 + outer.size();
  SmallVector<AffineExpr> loops(numParallel + (isDepthwise ? 2 : 3));
  bindDimsList<AffineExpr>(b.getContext(), loops);
  ArrayRef<AffineExpr> all(loops), channels = all.slice(3, outer.size()),
                                   kernel = all.slice(numParallel, 2),
                                   summed = all.drop_front(numParallel + 2);
  auto makeMap = [&](std::initializer_list<ArrayRef<AffineExpr>> parts) {
    SmallVector<AffineExpr> indices;
    for (ArrayRef<AffineExpr> part : parts)
      llvm::append_range(indices, part);
    return AffineMap::get(loops.size(), 0, indices, b.getContext());
  };
  AffineExpr places[2];
  for (int64_t dim = 0; dim < 2; ++dim)
    places[dim] = loops[1 + dim] * window.strides[dim] +
                  kernel[dim] * window.dilations[dim];
  bool hasGroups = isSplit || isDepthwise;
  product.aMap =
      makeMap({loops[0], places, channels.take_front(hasGroups), summed});
  product.bMap = isDepthwise ? makeMap({kernel, channels})
                             : makeMap({channels, kernel, summed});
  product.resultMap = makeMap({all.take_front(numParallel)});
  product.iterators.assign(loops.size(), utils::IteratorType::reduction);
  std::fill_n(product.iterators.begin(), numParallel,
              utils::IteratorType::parallel);

  auto place = [&](Value value, Value &own, AffineMap &map) {
    bool isWhole = isSplit && value && !isSingle(value);
    own = isWhole ? splitDim(b, value, 0, groups) : value;
    map = makeMap({channels});
  };
  place(op.materializeParameter(factors.zeroPoint), product.a.zeroPoint,
        product.a.zeroPointMap);
  place(op.materializeParameter(factors.filter.parameters.zeroPoint),
        product.b.zeroPoint, product.b.zeroPointMap);
  place(factors.bias, product.bias, product.biasMap);
  product.resultSizes = {tensor::getMixedSize(b, b.getLoc(), codes, 0)};
  llvm::append_range(product.resultSizes, factors.windowed.outputs);
  llvm::append_range(product.resultSizes,
                     getAsIndexOpFoldResult(b.getContext(), outer));
  std::string reason;
  FailureOr<Value> sum = buildIntegerProduct(b, product, reason);
  if (failed(sum))
    return op.refuse(reason);
  return isSplit ? collapseDims(b, *sum, 3) : *sum;
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
  FailureOr<Value> sum = buildConv2D(
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
  FailureOr<Value> sum = buildConv2D(op,
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
