// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions of codes.

#include "NamedConvolution.h"
#include "ProductRange.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/IR/TensorSlice.h"
#include "qdq/IR/TypeRewrite.h"

using namespace mlir;
using namespace mlir::qdq;

/// Says why these are no operands of a convolution; empty where they are.
static StringRef findFault(RankedTensorType input, RankedTensorType filter,
                           const ConvolutionShape &shape) {
  int64_t rank = input.getRank();
  if (rank < 3 || rank > 5 || filter.getRank() != rank)
    return "the input and the filter do not have 1 to 3 spatial dimensions";
  size_t spatial = rank - 2;
  for (ArrayRef<int64_t> list :
       {ArrayRef(shape.strides), ArrayRef(shape.dilations),
        ArrayRef(shape.padLow), ArrayRef(shape.padHigh)})
    if (!list.empty() && list.size() != spatial)
      return "strides, dilations and pads are not one for each spatial "
             "dimension";
  auto isNoStep = [](int64_t step) { return step < 1 || step > INT32_MAX; };
  auto isNoPad = [](int64_t pad) { return pad < 0 || pad > INT32_MAX; };
  if (shape.groups < 1 || llvm::any_of(shape.strides, isNoStep) ||
      llvm::any_of(shape.dilations, isNoStep))
    return "strides, dilations and the number of groups are not positive";
  if (llvm::any_of(shape.padLow, isNoPad) ||
      llvm::any_of(shape.padHigh, isNoPad))
    return "a padding is negative";
  int64_t channels = input.getDimSize(shape.getChannelDim(rank));
  int64_t perGroup = filter.getDimSize(1);
  if (!ShapedType::isDynamic(filter.getDimSize(0)) &&
      filter.getDimSize(0) % shape.groups != 0)
    return "the filters are not divided evenly by the groups";
  if (!ShapedType::isDynamic(channels) &&
      (channels % shape.groups != 0 || (!ShapedType::isDynamic(perGroup) &&
                                        channels != perGroup * shape.groups)))
    return "the channels of the input are not those of the filter in each "
           "group";
  return "";
}

static bool hasPadding(const ConvolutionShape &shape) {
  auto isPad = [](int64_t pad) { return pad != 0; };
  return llvm::any_of(shape.padLow, isPad) ||
         llvm::any_of(shape.padHigh, isPad);
}

static Value pad(ImplicitLocOpBuilder &b, const ProductOperand &input,
                 const ConvolutionShape &shape) {
  if (!hasPadding(shape))
    return input.codes;
  Type element = getElementTypeOrSelf(input.codes);
  Value padding = createCodePadding(b, input);
  Value codes = asSignless(b, b.getLoc(), input.codes);
  auto getPads = [&](ArrayRef<int64_t> pads) {
    SmallVector<OpFoldResult> all(cast<ShapedType>(codes.getType()).getRank(),
                                  b.getIndexAttr(0));
    for (auto [index, size] : llvm::enumerate(pads))
      all[shape.getFirstSpatial() + index] = b.getIndexAttr(size);
    return all;
  };
  Value padded = tensor::PadOp::create(b, Type(), codes, getPads(shape.padLow),
                                       getPads(shape.padHigh), padding);
  return castElementType(
      b, b.getLoc(), padded,
      cast<RankedTensorType>(padded.getType()).clone(element));
}

/// The extents of the result's spatial dimensions.
static SmallVector<OpFoldResult> getOutputSizes(ImplicitLocOpBuilder &b,
                                                Value input, Value filter,
                                                int64_t firstSpatial,
                                                ArrayRef<int64_t> strides,
                                                ArrayRef<int64_t> dilations) {
  AffineExpr size = b.getAffineDimExpr(0), window = b.getAffineDimExpr(1);
  SmallVector<OpFoldResult> sizes;
  for (auto [dim, steps] : llvm::enumerate(llvm::zip(strides, dilations))) {
    auto [stride, dilation] = steps;
    AffineExpr last = size - (window - 1) * dilation - 1;
    sizes.push_back(affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), last.floorDiv(stride) + 1,
        {tensor::getMixedSize(b, b.getLoc(), input, firstSpatial + dim),
         tensor::getMixedSize(b, b.getLoc(), filter, dim + 2)}));
  }
  return sizes;
}

CreateNamed mlir::qdq::getNamedConvolution(Channels channels,
                                           ArrayRef<int64_t> strides,
                                           ArrayRef<int64_t> dilations) {
  using namespace linalg;
  using Create = CreateNamed (*)(ArrayRef<int64_t>, ArrayRef<int64_t>);
  static constexpr Create kByRank[][3] = {
      {createConvolution<Conv1DNcwFcwOp>, createConvolution<Conv2DNchwFchwOp>,
       createConvolution<Conv3DNcdhwFcdhwOp>},
      {nullptr, createConvolution<Conv2DNgchwGfchwOp>, nullptr},
      {createConvolution<DepthwiseConv1DNcwCwOp>,
       createConvolution<DepthwiseConv2DNchwChwOp>,
       createConvolution<DepthwiseConv3DNcdhwCdhwOp>},
  };
  Create create = kByRank[static_cast<int>(channels)][strides.size() - 1];
  return create ? create(strides, dilations) : CreateNamed();
}

/// Refuses what `buildIntegerProduct` would, on the operands as they are given.
static LogicalResult checkOperands(ImplicitLocOpBuilder &b,
                                   const ProductOperand &input,
                                   const ProductOperand &filter, Value bias,
                                   const ConvolutionShape &shape,
                                   Accumulator accumulator,
                                   std::string &reason) {
  auto inputType = dyn_cast<RankedTensorType>(input.codes.getType());
  auto filterType = dyn_cast<RankedTensorType>(filter.codes.getType());
  if (!inputType || !filterType) {
    reason = "the input or the filter is no ranked tensor";
    return failure();
  }
  reason = findFault(inputType, filterType, shape);
  if (!reason.empty())
    return failure();
  auto isSmall = [](Value value) {
    auto type = dyn_cast<IntegerType>(getElementTypeOrSelf(value));
    return !value || (type && type.getWidth() <= 32);
  };
  for (Value value :
       {input.codes, input.zeroPoint, filter.codes, filter.zeroPoint, bias})
    if (value && !isSmall(value)) {
      reason = "codes, zero points or the bias are no integers of up to 32 "
               "bits";
      return failure();
    }
  auto isPerFilter = [&](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && type.getRank() == 1 &&
           succeeded(verifyCompatibleShape(type.getShape(),
                                           filterType.getShape().take_front()));
  };
  for (Value value : {filter.zeroPoint, bias})
    if (value && !isSingle(value) && !isPerFilter(value)) {
      reason = "the filter's zero point or the bias has not one element for "
               "each filter";
      return failure();
    }
  if (bias && !isa<RankedTensorType>(bias.getType())) {
    reason = "the bias is no ranked tensor";
    return failure();
  }
  if (input.zeroPoint && !isSingle(input.zeroPoint)) {
    reason = "the input's zero point has more than one element";
    return failure();
  }
  if (hasPadding(shape) && failed(checkCodePadding(input, reason)))
    return failure();
  std::optional<int64_t> terms = 1;
  for (int64_t size : filterType.getShape().drop_front())
    terms =
        !terms || ShapedType::isDynamic(size)
            ? std::nullopt
            : std::optional(std::min<int64_t>(
                  llvm::SaturatingMultiply<uint64_t>(*terms, size), INT64_MAX));
  return getProductTypes(input, filter, bias, terms, accumulator, reason);
}

FailureOr<Value> mlir::qdq::buildIntegerConvolution(
    ImplicitLocOpBuilder &b, ProductOperand input, ProductOperand filter,
    Value bias, const ConvolutionShape &shape, Accumulator accumulator,
    std::string &reason) {
  if (failed(checkOperands(b, input, filter, bias, shape, accumulator, reason)))
    return failure();
  auto inputType = cast<RankedTensorType>(input.codes.getType());
  auto filterType = cast<RankedTensorType>(filter.codes.getType());
  int64_t spatial = inputType.getRank() - 2;
  SmallVector<int64_t> ones(spatial, 1);
  ArrayRef<int64_t> strides = shape.strides.empty() ? ones : shape.strides;
  ArrayRef<int64_t> dilations =
      shape.dilations.empty() ? ones : shape.dilations;
  int64_t channelDim = shape.getChannelDim(inputType.getRank());
  Channels channels = shape.groups == 1 ? Channels::All
                      : inputType.getDimSize(channelDim) == shape.groups &&
                              filterType.getDimSize(0) == shape.groups
                          ? Channels::Alone
                          : Channels::InGroups;
  input.codes = pad(b, input, shape);
  SmallVector<OpFoldResult> outputs =
      getOutputSizes(b, input.codes, filter.codes, shape.getFirstSpatial(),
                     strides, dilations);
  // Loops: those of the result, channels, window.
  bool hasGroups = channels != Channels::All;
  bool hasFilters = channels != Channels::Alone;
  unsigned numLoops = 0;
  IntegerProduct product;
  auto addLoops = [&](unsigned count, utils::IteratorType iterator) {
    SmallVector<AffineExpr> loops;
    for (; count > 0; --count) {
      loops.push_back(b.getAffineDimExpr(numLoops++));
      product.iterators.push_back(iterator);
    }
    return loops;
  };
  auto addParallel = [&](unsigned count) {
    return addLoops(count, utils::IteratorType::parallel);
  };
  auto addReduction = [&](unsigned count) {
    return addLoops(count, utils::IteratorType::reduction);
  };
  SmallVector<AffineExpr> batch = addParallel(1), output;
  if (shape.isChannelsLast)
    output = addParallel(spatial);
  SmallVector<AffineExpr> filters = addParallel(hasGroups + hasFilters);
  if (!shape.isChannelsLast)
    output = addParallel(spatial);
  SmallVector<AffineExpr> channel = addReduction(hasFilters);
  SmallVector<AffineExpr> window = addReduction(spatial);
  auto makeMap = [&](std::initializer_list<ArrayRef<AffineExpr>> parts) {
    SmallVector<AffineExpr> results;
    for (ArrayRef<AffineExpr> part : parts)
      llvm::append_range(results, part);
    return AffineMap::get(numLoops, 0, results, b.getContext());
  };
  SmallVector<AffineExpr> places;
  for (int64_t i = 0; i < spatial; ++i)
    places.push_back(output[i] * strides[i] + window[i] * dilations[i]);
  SmallVector<AffineExpr> channelsOfInput(
      ArrayRef(filters).take_front(hasGroups));
  llvm::append_range(channelsOfInput, channel);
  AffineExpr zero = b.getAffineConstantExpr(0);
  auto makeImageMap = [&](ArrayRef<AffineExpr> inChannel,
                          ArrayRef<AffineExpr> inSpace) {
    return shape.isChannelsLast ? makeMap({batch, inSpace, inChannel})
                                : makeMap({batch, inChannel, inSpace});
  };
  product.aMap = makeImageMap(channelsOfInput, places);
  product.bMap =
      makeMap({filters, hasFilters ? ArrayRef(channel) : zero, window});
  product.resultMap = makeImageMap(filters, output);

  // Values of each filter have the dimensions of the filters.
  bool isSplit = channels == Channels::InGroups;
  auto placePerFilter = [&](Value &value, AffineMap &map) {
    auto type = value ? dyn_cast<RankedTensorType>(value.getType())
                      : RankedTensorType();
    if (!type)
      return;
    if (isSingle(value)) {
      SmallVector<AffineExpr> zeros(type.getRank(), zero);
      map = makeMap({zeros});
      return;
    }
    if (isSplit)
      value = splitDim(b, value, 0, shape.groups);
    map = makeMap({filters});
  };
  placePerFilter(input.zeroPoint, input.zeroPointMap);
  placePerFilter(filter.zeroPoint, filter.zeroPointMap);
  placePerFilter(bias, product.biasMap);
  product.resultSizes = {tensor::getMixedSize(b, b.getLoc(), input.codes, 0)};
  SmallVector<OpFoldResult> filterSizes;
  if (isSplit) {
    input.codes = splitDim(b, input.codes, channelDim, shape.groups);
    filter.codes = splitDim(b, filter.codes, 0, shape.groups);
    filterSizes.push_back(b.getIndexAttr(shape.groups));
  }
  filterSizes.push_back(
      tensor::getMixedSize(b, b.getLoc(), filter.codes, isSplit));
  auto appendSizes = [&](ArrayRef<OpFoldResult> sizes) {
    llvm::append_range(product.resultSizes, sizes);
  };
  appendSizes(shape.isChannelsLast ? outputs : filterSizes);
  appendSizes(shape.isChannelsLast ? filterSizes : outputs);

  product.a = input;
  product.b = filter;
  product.bias = bias;
  product.accumulator = accumulator;
  // With the channels last none has a filter of this shape.
  if (!shape.isChannelsLast)
    product.createNamed = getNamedConvolution(channels, strides, dilations);
  FailureOr<Value> result = buildIntegerProduct(b, product, reason);
  if (failed(result) || !isSplit)
    return result;
  SmallVector<ReassociationIndices> together;
  for (int64_t dim = 0; dim <= spatial + 2; ++dim) {
    if (dim == channelDim + 1)
      together.back().push_back(dim);
    else
      together.push_back({dim});
  }
  return tensor::CollapseShapeOp::create(b, *result, together).getResult();
}
