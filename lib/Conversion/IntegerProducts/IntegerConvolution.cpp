// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions of codes.

#include "NamedConvolution.h"
#include "ProductRange.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/IR/TensorSlice.h"
#include "qdq/IR/TypeRewrite.h"

using namespace mlir;
using namespace mlir::qdq;

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

/// The products of a sum; nothing where the filter's sizes are open.
static std::optional<int64_t> getTerms(RankedTensorType filter) {
  std::optional<int64_t> terms = 1;
  for (int64_t size : filter.getShape().drop_front())
    terms =
        !terms || ShapedType::isDynamic(size)
            ? std::nullopt
            : std::optional(std::min<int64_t>(
                  llvm::SaturatingMultiply<uint64_t>(*terms, size), INT64_MAX));
  return terms;
}

FailureOr<Value> mlir::qdq::buildIntegerConvolution(
    ImplicitLocOpBuilder &b, ProductOperand input, ProductOperand filter,
    Value bias, const ConvolutionShape &shape, Accumulator accumulator,
    std::string &reason) {
  auto inputType = cast<RankedTensorType>(input.codes.getType());
  auto filterType = cast<RankedTensorType>(filter.codes.getType());
  if (failed(getProductTypes(input, filter, bias, getTerms(filterType),
                             accumulator, reason)))
    return failure();
  int64_t spatial = inputType.getRank() - 2;
  ArrayRef<int64_t> strides = shape.strides, dilations = shape.dilations;
  assert(spatial >= 1 && spatial <= 3 &&
         filterType.getRank() == inputType.getRank() &&
         "expected 1 to 3 spatial dimensions");
  assert(int64_t(strides.size()) == spatial &&
         int64_t(dilations.size()) == spatial &&
         "expected a step for each spatial dimension");
  assert((!input.zeroPoint || isSingle(input.zeroPoint)) &&
         "expected one zero point of the input");
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
  return collapseDims(b, *result, channelDim);
}
