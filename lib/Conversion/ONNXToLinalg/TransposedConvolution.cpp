// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ConvTranspose as convolutions, one for the places of the result whose windows
// have the same number of weights.

#include "../ForeignOps/SizeChecks.h"
#include "../ForeignOps/TensorOps.h"
#include "../ONNXToQDQ/ReadWindow.h"
#include "NodeParts.h"
#include "Operators.h"
#include "Products.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "qdq/Conversion/IntegerProducts.h"
#include "qdq/IR/TensorSlice.h"
#include <numeric>

using namespace mlir;
using namespace mlir::qdq;

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

namespace {
/// How a ConvTranspose places its elements, for each spatial dimension.
struct Transposed {
  SmallVector<int64_t> strides, dilations, low;
  /// The size of the result is that of the input times the stride, and this.
  SmallVector<int64_t> more;
};
} // namespace

/// ONNX: output = stride (input - 1) + output_padding + extent - low - high.
static FailureOr<Transposed> readTransposed(const ForeignOp &node,
                                            ArrayRef<int64_t> sizes,
                                            ArrayRef<int64_t> kernel) {
  int64_t rank = sizes.size();
  auto strides = readSteps(node, "strides", rank, 1, 1);
  auto dilations = readSteps(node, "dilations", rank, 1, 1);
  auto pads = readSteps(node, "pads", 2 * rank, 0, 0);
  auto extra = readSteps(node, "output_padding", rank, 0, 0);
  auto output = readSteps(node, "output_shape", rank, 0, 0);
  FailureOr<StringRef> autoPad = node.getString("auto_pad", "NOTSET");
  if (failed(strides) || failed(dilations) || failed(pads) || failed(extra) ||
      failed(output) || failed(autoPad))
    return failure();
  bool isSame = autoPad->starts_with("SAME_");
  bool hasOutput = node.has("output_shape") && (*output)[0] > 0;
  Transposed t{*strides, *dilations, {}, {}};
  for (int64_t dim = 0; dim < rank; ++dim) {
    bool isOpen = ShapedType::isDynamic(sizes[dim]);
    if (isOpen && hasOutput)
      return node.refuse("has attribute 'output_shape' and an open size in "
                         "dimension ",
                         dim + 2, ": expected a static one");
    int64_t stride = t.strides[dim];
    int64_t extent = (kernel[dim] - 1) * t.dilations[dim] + 1;
    // Those of an input of one element, where the size is open.
    int64_t own = stride * (isOpen ? 1 : sizes[dim]);
    int64_t full = own - stride + (*extra)[dim] + extent;
    int64_t low = (*pads)[dim], high = (*pads)[rank + dim];
    if (*autoPad == "VALID")
      low = high = 0;
    if (isSame || hasOutput) {
      int64_t wanted = hasOutput ? (*output)[dim] : own;
      int64_t total = std::max<int64_t>(full - wanted, 0);
      low = *autoPad == "SAME_UPPER" ? total / 2 : total - total / 2;
      high = total - low;
      if (full < wanted)
        high -= wanted - full;
    }
    int64_t left = full - low - high;
    if (left < 1 && !isOpen)
      return node.refuse("has ", left, " elements in dimension ", dim + 2,
                         ": expected pads that leave some");
    // Of a single element, no step is longer than its window.
    if (sizes[dim] == 1)
      t.strides[dim] = own = std::min(stride, full);
    t.low.push_back(low);
    t.more.push_back(left - own);
  }
  return t;
}

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

namespace {
/// Places of a result in one dimension: in each step of a stride, `count` of
/// them from `first` on. Place i of step j is the sum, over `taps` numbers t,
/// of element j - shift - t * dilation, zero outside of the input, times weight
/// `weight` + i + t * step.
struct Phases {
  int64_t first, count, taps, weight, step, shift, dilation;

  /// The distance from the first element of a window to the last.
  int64_t getReach() const { return (taps - 1) * dilation; }
};
} // namespace

/// The places that have weights, with their neighbors of as many.
static SmallVector<Phases> getPhases(int64_t kernel, int64_t stride,
                                     int64_t dilation) {
  SmallVector<Phases> groups;
  if (dilation == 1) {
    int64_t longer = kernel % stride, taps = kernel / stride;
    if (longer != 0)
      groups.push_back({0, longer, taps + 1, 0, stride, 0, 1});
    if (taps != 0)
      groups.push_back({longer, stride - longer, taps, longer, stride, 0, 1});
    return groups;
  }
  int64_t common = std::gcd(stride, dilation), step = stride / common;
  for (int64_t weight = 0; weight < std::min(step, kernel); ++weight)
    groups.push_back({weight * dilation % stride, 1,
                      (kernel - 1 - weight) / step + 1, weight, step,
                      weight * dilation / stride, dilation / common});
  return groups;
}

/// The same, one place each.
static SmallVector<Phases> separate(ArrayRef<Phases> groups) {
  SmallVector<Phases> single;
  for (Phases phases : groups)
    for (int64_t i = 0; i < phases.count; ++i)
      single.push_back({phases.first + i, 1, phases.taps, phases.weight + i,
                        phases.step, phases.shift, phases.dilation});
  return single;
}

/// As many convolutions, at most, are built for one node.
static constexpr int64_t kMostConvolutions = 256;

/// Those of all spatial dimensions, in all combinations.
static FailureOr<SmallVector<SmallVector<Phases>>>
combinePhases(const ForeignOp &node, const Transposed &t,
              ArrayRef<int64_t> kernel, int64_t groups) {
  SmallVector<SmallVector<Phases>> all(1);
  for (size_t dim = 0; dim < t.strides.size(); ++dim) {
    SmallVector<Phases> own =
        getPhases(kernel[dim], t.strides[dim], t.dilations[dim]);
    int64_t places = 0;
    for (const Phases &phases : own)
      places += phases.count;
    // No named op has groups of several filters in three dimensions.
    bool isSeparate = groups > 1 && t.strides.size() == 3;
    int64_t count = all.size() * (isSeparate ? places : own.size());
    if (count > kMostConvolutions)
      return node.refuse("has strides and dilations of ", count,
                         " convolutions: expected at most ", kMostConvolutions);
    if (isSeparate)
      own = separate(own);
    SmallVector<SmallVector<Phases>> longer;
    for (const SmallVector<Phases> &phases : all)
      for (const Phases &more : own) {
        longer.push_back(phases);
        longer.back().push_back(more);
      }
    all = std::move(longer);
  }
  return all;
}

namespace {
/// The sum of a ConvTranspose, from the phases of all spatial dimensions. It
/// has steps of `strides`, and in each step a place for each phase.
class PhaseBuilder {
public:
  PhaseBuilder(const ForeignOp &node, const Transposed &t, Value input,
               Value filter, int64_t groups);

  /// [N, F, spatial...].
  Value build(ArrayRef<SmallVector<Phases>> combinations);

private:
  int64_t getRank() const { return t.strides.size(); }
  /// The size of a spatial dimension of the input times `factor`, and a
  /// summand.
  OpFoldResult scaleInput(int64_t dim, int64_t factor, int64_t summand);
  /// The weights of `phases` as a filter [groups * phases * F / groups, C /
  /// groups, spatial...] of a convolution.
  Value viewFilter(ArrayRef<Phases> phases);
  Value cutInput(ArrayRef<Phases> phases);
  /// [N, groups, F / groups, steps and phases of each spatial dimension].
  Value sumPhases(ArrayRef<Phases> phases);
  Sizes getSizes(ArrayRef<int64_t> phases);

  const ForeignOp &node;
  const Transposed &t;
  ImplicitLocOpBuilder b;
  Value input, filter;
  int64_t groups, filters;
  OpFoldResult batch;
  /// The first step, and how many more there are than elements of the input.
  SmallVector<int64_t> from, more;
  /// The number of steps.
  Sizes steps;
};
} // namespace

PhaseBuilder::PhaseBuilder(const ForeignOp &node, const Transposed &t,
                           Value input, Value filter, int64_t groups)
    : node(node), t(t), b(node.getLoc(), node.getRewriter()), input(input),
      filter(filter), groups(groups),
      filters(getRankedType(filter).getDimSize(1)),
      batch(tensor::getMixedSize(b, b.getLoc(), input, 0)) {
  for (int64_t dim = 0; dim < getRank(); ++dim) {
    int64_t end = t.low[dim] + t.more[dim];
    from.push_back(t.low[dim] / t.strides[dim]);
    more.push_back(llvm::divideCeilSigned(end, t.strides[dim]) - from.back());
    steps.push_back(scaleInput(dim, 1, more.back()));
  }
}

OpFoldResult PhaseBuilder::scaleInput(int64_t dim, int64_t factor,
                                      int64_t summand) {
  OpFoldResult size = tensor::getMixedSize(b, b.getLoc(), input, 2 + dim);
  return affine::makeComposedFoldedAffineApply(
      b, b.getLoc(), b.getAffineSymbolExpr(0) * factor + summand, {size});
}

Value PhaseBuilder::viewFilter(ArrayRef<Phases> phases) {
  RankedTensorType type = getRankedType(filter);
  SmallVector<int64_t> strides = computeStrides(type.getShape());
  int64_t inputs = type.getDimSize(0) / groups, first = 0;
  SmallVector<int64_t> shape = {groups}, steps = {inputs * strides[0]};
  for (auto [dim, phase] : llvm::enumerate(phases)) {
    shape.push_back(phase.count);
    steps.push_back(strides[2 + dim]);
  }
  llvm::append_values(shape, filters, inputs);
  llvm::append_values(steps, strides[1], strides[0]);
  SmallVector<int64_t> result = {computeProduct(shape) / inputs, inputs};
  // A window begins with its last weight.
  for (auto [dim, phase] : llvm::enumerate(phases)) {
    shape.push_back(phase.taps);
    result.push_back(phase.taps);
    steps.push_back(-phase.step * strides[2 + dim]);
    first += (phase.weight + (phase.taps - 1) * phase.step) * strides[2 + dim];
  }
  return reshape(b, viewElements(b, filter, shape, steps, first), result);
}

Value PhaseBuilder::cutInput(ArrayRef<Phases> phases) {
  int64_t rank = getRank();
  Sizes sizes = tensor::getMixedSizes(b, b.getLoc(), input);
  Sizes offsets(2 + rank, b.getIndexAttr(0)), ones(2 + rank, b.getIndexAttr(1)),
      low(rank), high(rank);
  AffineExpr s0 = b.getAffineSymbolExpr(0), s1 = b.getAffineSymbolExpr(1);
  for (auto [dim, phase] : llvm::enumerate(phases)) {
    // The elements from `begin` on, as many as `end` behind the last.
    int64_t begin = from[dim] - phase.shift - phase.getReach();
    int64_t end = from[dim] - phase.shift + more[dim];
    low[dim] = b.getIndexAttr(std::max<int64_t>(-begin, 0));
    high[dim] = b.getIndexAttr(end);
    if (begin <= 0 && end >= 0)
      continue;
    // Perhaps there are no such elements.
    int64_t start = std::max<int64_t>(begin, 0);
    OpFoldResult own = sizes[2 + dim];
    OpFoldResult &offset = offsets[2 + dim], &size = sizes[2 + dim];
    auto map = [&](AffineExpr first, int64_t second) {
      return AffineMap::get(0, 2, {first, b.getAffineConstantExpr(second)},
                            b.getContext());
    };
    offset = affine::makeComposedFoldedAffineMin(b, b.getLoc(), map(s0, start),
                                                 {own, own});
    size = affine::makeComposedFoldedAffineMax(
        b, b.getLoc(), map(s0 - s1 + std::min<int64_t>(end, 0), 0),
        {own, offset});
    high[dim] = affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), s0 - s1 + (end - start), {own, size});
    // No slice begins behind the last element.
    if (isConstantIntValue(size, 0))
      offset = b.getIndexAttr(0);
  }
  Value cut =
      b.createOrFold<tensor::ExtractSliceOp>(input, offsets, sizes, ones);
  return padCodes(node, cut, {}, 2, low, high);
}

Sizes PhaseBuilder::getSizes(ArrayRef<int64_t> phases) {
  Sizes sizes = {batch, b.getIndexAttr(groups), b.getIndexAttr(filters)};
  for (auto [count, phase] : llvm::zip_equal(steps, phases))
    llvm::append_values(sizes, count, b.getIndexAttr(phase));
  return sizes;
}

Value PhaseBuilder::sumPhases(ArrayRef<Phases> phases) {
  int64_t rank = getRank();
  Window window;
  window.strides.assign(rank, 1);
  SmallVector<int64_t> channels = {groups}, order = {0, 1, 2 + rank};
  ReassociationIndices ofChannels = {1};
  for (auto [dim, phase] : llvm::enumerate(phases)) {
    window.dilations.push_back(phase.dilation);
    channels.push_back(phase.count);
    ofChannels.push_back(2 + dim);
    llvm::append_values(order, 3 + rank + dim, 2 + dim);
  }
  channels.push_back(filters);
  ofChannels.push_back(2 + rank);
  Sizes sizes = {batch, b.getIndexAttr(computeProduct(channels))};
  llvm::append_range(sizes, steps);
  Value sum =
      convolve(b, cutInput(phases), viewFilter(phases), groups, window, sizes);
  SmallVector<int64_t> shape(getRankedType(sum).getShape());
  shape.erase(shape.begin() + 1);
  shape.insert(shape.begin() + 1, channels.begin(), channels.end());
  sizes.erase(sizes.begin() + 1);
  Sizes split = getAsIndexOpFoldResult(b.getContext(), channels);
  sizes.insert(sizes.begin() + 1, split.begin(), split.end());
  SmallVector<ReassociationIndices> parts = {{0}, ofChannels};
  for (int64_t dim = 0; dim < rank; ++dim)
    parts.push_back({3 + rank + dim});
  sum = tensor::ExpandShapeOp::create(b, getRankedType(sum).clone(shape), sum,
                                      parts, sizes);
  return transpose(b, sum, order);
}

Value PhaseBuilder::build(ArrayRef<SmallVector<Phases>> combinations) {
  int64_t rank = getRank();
  int64_t places = 0;
  for (ArrayRef<Phases> phases : combinations) {
    int64_t count = 1;
    for (const Phases &phase : phases)
      count *= phase.count;
    places += count;
  }
  Value all;
  Sizes sizes = getSizes(t.strides);
  if (combinations.size() == 1 && places == computeProduct(t.strides)) {
    all = sumPhases(combinations.front());
  } else {
    Type sum = getComputeType(getRankedType(filter).getElementType());
    all = places == computeProduct(t.strides)
              ? tensor::EmptyOp::create(b, sizes, sum).getResult()
              : createZeros(b, sizes, sum);
    for (ArrayRef<Phases> phases : combinations) {
      TensorSlice part(b, sizes);
      for (auto [dim, phase] : llvm::enumerate(phases))
        part.cut(4 + 2 * dim, phase.first, phase.count);
      all = part.put(sumPhases(phases), all);
    }
  }
  SmallVector<ReassociationIndices> parts = {{0}, {1, 2}};
  Sizes outputs = {batch, b.getIndexAttr(groups * filters)};
  outputs.resize(2 + rank);
  TensorSlice result(b, outputs);
  for (int64_t dim = 0; dim < rank; ++dim) {
    parts.push_back({3 + 2 * dim, 4 + 2 * dim});
    int64_t offset = t.low[dim] - from[dim] * t.strides[dim];
    result.cut(2 + dim, b.getIndexAttr(offset),
               scaleInput(dim, t.strides[dim], t.more[dim]));
  }
  return result.take(tensor::CollapseShapeOp::create(b, all, parts));
}

//===----------------------------------------------------------------------===//
// The operator
//===----------------------------------------------------------------------===//

LogicalResult mlir::qdq::translateConvTranspose(const ForeignOp &node) {
  FailureOr<ForeignTensor> input = getFloats(node, 0, "X", 3);
  FailureOr<int64_t> groups = node.getInteger("group", 1);
  ForeignTensor filter, bias;
  if (failed(input) || failed(groups) ||
      failed(readFilter(node, *input, filter, bias)))
    return failure();
  ArrayRef<int64_t> x = input->type.getShape(), w = filter.type.getShape();
  int64_t rank = x.size(), spatial = rank - 2;
  if (rank > 5 || rank != filter.type.getRank() ||
      !filter.type.hasStaticShape())
    return node.refuse("has operands ", input->type, " and ", filter.type,
                       ": expected one rank, from 3 to 5, and static sizes of "
                       "W");
  if (*groups < 1 || w[0] % *groups || differ(w[0], x[1]))
    return node.refuse("X has type ", input->type, ", W ", filter.type,
                       " and group is ", *groups,
                       ": expected the same channels, in whole groups");
  if (*groups > 1 && spatial == 3 && !(w[1] == 1 && *groups == w[0]))
    return node.refuse("has ", *groups,
                       " groups and 3 spatial dimensions: expected 1 group, "
                       "or one for each channel and filter");
  if (bias && differ(bias.type.getDimSize(0), w[1] * *groups))
    return node.refuse("B has type ", bias.type, ": expected ", w[1] * *groups,
                       " elements");
  if (llvm::is_contained(x.drop_front(), 0) || llvm::is_contained(w, 0))
    return node.refuse("has operands ", input->type, " and ", filter.type,
                       ": expected elements");
  FailureOr<Transposed> t =
      readTransposed(node, x.drop_front(2), w.drop_front(2));
  if (failed(t))
    return failure();

  auto phases = combinePhases(node, *t, w.drop_front(2), *groups);
  if (failed(phases))
    return failure();

  Value source = node.materialize(*input), weights = node.materialize(filter);
  assertSameSize(node, {source, 1, "X"}, {weights, 0, "W"});
  for (int64_t dim = 0; dim < spatial; ++dim)
    assertAtLeast(
        node, {source, 2 + dim, "X"},
        std::max<int64_t>(
            llvm::divideCeilSigned(1 - t->more[dim], t->strides[dim]), 1));
  Value sum = PhaseBuilder(node, *t, source, weights, *groups).build(*phases);
  sum = addBiasOfChannels(node, sum, bias);
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  return replaceBy(node, castFloats(b, sum, input->type.getElementType()));
}
