// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Resize and Upsample, by nearest elements, or linear or cubic interpolation.
// The places are constants where sizes and scales are known.

#include "../ForeignOps/SizeSource.h"
#include "../ForeignOps/TensorOps.h"
#include "NodeParts.h"
#include "ResizeFormulas.h"
#include "ShapeValues.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include <cmath>

using namespace mlir;
using namespace mlir::qdq;

using B = ImplicitLocOpBuilder;

namespace {
/// One dimension that is resized; arithmetic is ONNX Runtime's, in f32.
struct Axis {
  int64_t dim, size, newSize;
  float scale;
  /// Instead of these numbers, those that are known at run time.
  OpenAxis open = {};
};
} // namespace

static resize::Numbers<float> getNumbers(const Axis &axis) {
  return {static_cast<float>(axis.size), static_cast<float>(axis.newSize),
          axis.scale};
}

static float getPlace(const Axis &axis, const ResizeMode &mode, int64_t index) {
  return resize::findPlace(getNumbers(axis), mode, static_cast<float>(index));
}

static int64_t getNearest(const Axis &axis, const ResizeMode &mode,
                          float place) {
  return std::clamp<int64_t>(resize::findNearest(getNumbers(axis), mode, place),
                             0, axis.size - 1);
}

Value mlir::qdq::takeAlong(B &b, Value x, int64_t dim,
                           ArrayRef<int64_t> table) {
  Sizes sizes = tensor::getMixedSizes(b, b.getLoc(), x);
  sizes[dim] = b.getIndexAttr(table.size());
  Value places = arith::ConstantOp::create(b, b.getIndexTensorAttr(table));
  // Whole steps need no table.
  int64_t step = 1;
  while (step < static_cast<int64_t>(table.size()) && table[step] == 0)
    ++step;
  bool isWhole = llvm::all_of(llvm::enumerate(table), [&](auto entry) {
    return entry.value() == static_cast<int64_t>(entry.index()) / step;
  });
  return gatherPlaces(b, x, sizes, [&](B &body, ValueRange indices) {
    SmallVector<Value> place(indices);
    if (isWhole)
      place[dim] = arith::DivUIOp::create(
          body, indices[dim], arith::ConstantIndexOp::create(body, step));
    else
      place[dim] = tensor::ExtractOp::create(body, places, indices[dim]);
    return place;
  });
}

namespace {
/// The neighbors of each place along a dimension, and their weights as tensors
/// that are broadcast.
struct Neighbors {
  SmallVector<SmallVector<int64_t>> places;
  SmallVector<Value> openPlaces, weights;
};

/// A neighbor of one place.
struct Neighbor {
  int64_t index;
  float weight;
};
} // namespace

/// The element before the place and the one behind it.
static SmallVector<Neighbor> findLinear(const Axis &axis, float place) {
  place = std::clamp<float>(place, 0, axis.size - 1);
  int64_t low = std::min<int64_t>(place, axis.size - 1);
  int64_t high = std::min<int64_t>(low + 1, axis.size - 1);
  float toLow = std::abs(place - low), toHigh = std::abs(place - high);
  if (low == high)
    toLow = toHigh = 0.5f;
  return {{low, toHigh}, {high, toLow}};
}

/// Two elements before the place and two behind it. Outside of the input they
/// are the nearest ones inside, or have no weight.
static SmallVector<Neighbor> findCubic(const Axis &axis, const ResizeMode &mode,
                                       float place) {
  float low = std::floor(place), rest = place - low, sum = 0;
  float distances[] = {rest + 1, rest, 1 - rest, 2 - rest};
  SmallVector<Neighbor> neighbors;
  for (auto [i, distance] : llvm::enumerate(distances)) {
    int64_t index = static_cast<int64_t>(low) + static_cast<int64_t>(i) - 1;
    float weight =
        resize::weighCubic(mode.coefficient, distance, distance <= 1);
    int64_t inside = std::clamp<int64_t>(index, 0, axis.size - 1);
    if (mode.excludesOutside && index != inside)
      weight = 0;
    sum += weight;
    neighbors.push_back({inside, weight});
  }
  for (Neighbor &neighbor : neighbors)
    if (mode.excludesOutside)
      neighbor.weight /= sum;
  return neighbors;
}

/// A vector as a tensor that is broadcast along the other dimensions.
static Value placeAlong(B &b, Value vector, int64_t dim, int64_t rank) {
  SmallVector<int64_t> others;
  for (int64_t other = 0; other < rank; ++other)
    if (other != dim)
      others.push_back(other);
  return insertUnitDims(b, vector, others);
}

static Neighbors findNeighbors(B &b, RankedTensorType type, const Axis &axis,
                               const ResizeMode &mode) {
  size_t count = mode.isCubic ? 4 : 2;
  Neighbors n;
  if (axis.open) {
    OpenNeighbors open = findOpenNeighbors(b, axis.open, mode);
    n.openPlaces = open.places;
    for (Value own : open.weights)
      n.weights.push_back(placeAlong(b,
                                     castFloats(b, own, type.getElementType()),
                                     axis.dim, type.getRank()));
    return n;
  }
  n.places.resize(count);
  SmallVector<SmallVector<Attribute>> weights(count);
  Type element = type.getElementType();
  for (int64_t index = 0; index < axis.newSize; ++index) {
    float place = getPlace(axis, mode, index);
    auto found =
        mode.isCubic ? findCubic(axis, mode, place) : findLinear(axis, place);
    for (size_t i = 0; i < count; ++i) {
      n.places[i].push_back(found[i].index);
      weights[i].push_back(b.getFloatAttr(element, found[i].weight));
    }
  }
  SmallVector<int64_t> shape(type.getRank(), 1);
  shape[axis.dim] = axis.newSize;
  for (ArrayRef<Attribute> own : weights)
    n.weights.push_back(arith::ConstantOp::create(
        b, DenseElementsAttr::get(RankedTensorType::get(shape, element), own)));
  return n;
}

/// The elements at each neighbor.
static void takeNeighbors(B &b, Value x, const Axis &axis,
                          const Neighbors &neighbors,
                          SmallVectorImpl<Value> &taken) {
  for (Value places : neighbors.openPlaces)
    taken.push_back(takeOpen(b, x, axis.open, places));
  for (ArrayRef<int64_t> places : neighbors.places)
    taken.push_back(takeAlong(b, x, axis.dim, places));
}

/// Between all neighbors at once, the last dimension first, as ONNX Runtime
/// does.
static Value interpolate(B &b, Value x, ArrayRef<Axis> axes,
                         const ResizeMode &mode) {
  SmallVector<Neighbors> neighbors;
  SmallVector<Value> operands = {x};
  for (const Axis &axis : axes) {
    neighbors.push_back(findNeighbors(b, getRankedType(x), axis, mode));
    SmallVector<Value> corners;
    for (Value corner : operands)
      takeNeighbors(b, corner, axis, neighbors.back(), corners);
    operands = corners;
  }
  size_t count = operands.size();
  for (const Neighbors &n : llvm::reverse(neighbors))
    llvm::append_range(operands, n.weights);
  return mapElements(b, operands, getElementTypeOrSelf(x),
                     [&](B &body, ValueRange e) -> Value {
                       ValueRange weights = e.drop_front(count);
                       std::optional<Scalar> sum;
                       for (size_t corner = 0; corner < count; ++corner) {
                         std::optional<Scalar> weight;
                         size_t place = corner;
                         for (size_t axis = 0; axis < axes.size(); ++axis) {
                           size_t taps = neighbors[axis].weights.size();
                           Scalar own(body,
                                      weights[taps * axis + place % taps]);
                           place /= taps;
                           weight = weight ? *weight * own : own;
                         }
                         Scalar term = *weight * e[corner];
                         sum = sum ? *sum + term : term;
                       }
                       return *sum;
                     });
}

/// The elements, of type `from` or floats of another width, as `to`: codes as
/// the floats in which they are computed, or cut off, as ONNX Runtime does.
static Value convert(B &b, Value x, Type from, Type to) {
  if (isa<FloatType>(from))
    return castFloats(b, x, to);
  return mapElements(b, {x}, toSignless(to), [&](Scalar e) {
    Type type = toSignless(to);
    return from.isUnsignedInteger() ? e.toUnsigned(type) : e.to(type);
  });
}

/// Stands for the size that a dimension has.
static constexpr int64_t kUnchanged = ShapedType::kDynamic;

/// The operand `sizes`: numbers, and values where nothing tells them.
static FailureOr<Sizes> readNewSizes(const ForeignOp &node,
                                     const ForeignTensor &x,
                                     ArrayRef<int64_t> dims) {
  FailureOr<Sizes> list = readIntegers(node, 3, "sizes");
  if (failed(list))
    return failure();
  B b(node.getLoc(), node.getRewriter());
  Value value = node.materialize(x);
  RankedTensorType result = getResultShape(node);
  for (auto [size, dim] : llvm::zip(*list, dims)) {
    bool isTyped = result && result.getRank() == x.type.getRank() &&
                   !result.isDynamicDim(dim);
    if (getConstantIntValue(size))
      continue;
    if (isTyped)
      size = b.getIndexAttr(result.getDimSize(dim));
    else if (isSameSize(tensor::getMixedSize(b, b.getLoc(), value, dim), size))
      size = b.getIndexAttr(kUnchanged);
  }
  return list;
}

/// The operand `scales`: numbers, or values; nothing where it is absent.
static FailureOr<Sizes> readScales(const ForeignOp &node, bool isUpsample,
                                   bool isOld) {
  Builder b(node.getRewriter());
  Sizes scales;
  if (isUpsample && node.has("scales")) {
    FailureOr<SmallVector<float>> list = node.getFloats("scales");
    if (failed(list))
      return failure();
    for (float scale : *list)
      scales.push_back(b.getF32FloatAttr(scale));
    return scales;
  }
  unsigned index = isUpsample || isOld ? 1 : 2;
  Value operand = node.getOperand(index);
  if (operand && !getElements(operand))
    return readOpenScales(node, index);
  auto list = getFloatList(node, index, "scales");
  if (failed(list))
    return failure();
  if (*list)
    for (double scale : **list)
      scales.push_back(b.getF32FloatAttr(scale));
  return scales;
}

/// An axis whose numbers are all known; nothing for one that stays as it is.
static FailureOr<std::optional<Axis>> getKnownAxis(const ForeignOp &node,
                                                   int64_t dim, int64_t size,
                                                   std::optional<float> scale,
                                                   int64_t newSize) {
  using Result = std::optional<Axis>;
  if (scale)
    newSize = static_cast<int64_t>(std::floor(size * *scale));
  else if (newSize == size)
    return Result();
  if (size < 1 || newSize < 1 || newSize > INT32_MAX)
    return node.refuse("resizes ", size, " elements to ", newSize,
                       " in dimension ", dim, ": expected some of both");
  return Result(Axis{dim, size, newSize,
                     scale.value_or(static_cast<float>(newSize) / size)});
}

/// Scales and sizes of all dimensions, as attributes or operands.
static FailureOr<SmallVector<Axis>> readAxes(const ForeignOp &node,
                                             const ForeignTensor &x,
                                             bool isUpsample, bool isOld) {
  int64_t rank = x.type.getRank();
  SmallVector<int64_t> dims = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  auto givenAxes = getIntegerList(node, "axes", std::nullopt);
  if (failed(givenAxes))
    return failure();
  if (*givenAxes) {
    auto normal = normalizeAxes(node, **givenAxes, rank);
    if (failed(normal))
      return failure();
    dims = *normal;
  }
  FailureOr<Sizes> given = readScales(node, isUpsample, isOld);
  if (failed(given))
    return failure();
  bool hasScales = !given->empty();
  if (!hasScales && !isUpsample && !isOld)
    given = readNewSizes(node, x, dims);
  if (failed(given))
    return failure();
  if (given->size() != dims.size())
    return node.refuse("has ", given->size(), " scales or sizes: expected ",
                       dims.size());
  B b(node.getLoc(), node.getRewriter());
  Value value = node.materialize(x);
  SmallVector<Axis> axes;
  for (auto [number, dim] : llvm::zip_equal(*given, dims)) {
    std::optional<float> scale;
    std::optional<int64_t> newSize = getConstantIntValue(number);
    if (auto attr = dyn_cast<Attribute>(number); attr && hasScales)
      scale = cast<FloatAttr>(attr).getValue().convertToFloat();
    if (scale == 1.0f || newSize == kUnchanged)
      continue;
    if (scale && (!(*scale > 0) || *scale > INT16_MAX))
      return node.refuse("has the scale ", *scale, ": expected a positive one");
    int64_t size = x.type.getDimSize(dim);
    if (ShapedType::isStatic(size) && (scale || newSize)) {
      auto known = getKnownAxis(node, dim, size, scale, newSize.value_or(0));
      if (failed(known))
        return failure();
      if (*known)
        axes.push_back(**known);
      continue;
    }
    if (size == 0)
      return node.refuse("X has type ", x.type,
                         ": expected elements in "
                         "dimension ",
                         dim, ", which is resized");
    OpFoldResult own = tensor::getMixedSize(b, b.getLoc(), value, dim);
    Axis axis{dim, size, 0, 0};
    axis.open =
        createOpenAxis(node, dim, own, hasScales ? OpFoldResult() : number,
                       hasScales ? number : OpFoldResult());
    axes.push_back(axis);
  }
  return axes;
}

LogicalResult mlir::qdq::translateResize(const ForeignOp &node,
                                         const Operator &self) {
  bool isUpsample = self.name == "onnx.Upsample";
  bool isOld = isUpsample || getOpset(node) < 11;
  FailureOr<ForeignTensor> x = getRanked(node, 0, "X");
  FailureOr<StringRef> mode = node.getString("mode", "nearest");
  FailureOr<StringRef> coordinates = node.getString(
      "coordinate_transformation_mode", isOld ? "asymmetric" : "half_pixel");
  FailureOr<StringRef> nearest =
      node.getString("nearest_mode", isOld ? "simple" : "round_prefer_floor");
  FailureOr<StringRef> policy =
      node.getString("keep_aspect_ratio_policy", "stretch");
  FailureOr<int64_t> antialias = node.getInteger("antialias", 0);
  FailureOr<float> coefficient = node.getFloat("cubic_coeff_a", -0.75f);
  FailureOr<int64_t> excludes = node.getInteger("exclude_outside", 0);
  if (failed(x) || failed(mode) || failed(coordinates) || failed(nearest) ||
      failed(policy) || failed(antialias) || failed(coefficient) ||
      failed(excludes))
    return failure();
  if (!llvm::is_contained({"nearest", "linear", "bilinear", "cubic"}, *mode))
    return node.refuse("mode is '", *mode,
                       "': expected nearest, linear or cubic");
  if (!llvm::is_contained({"asymmetric", "align_corners", "half_pixel",
                           "half_pixel_symmetric", "pytorch_half_pixel",
                           "tf_half_pixel_for_nn"},
                          *coordinates))
    return node.refuse("coordinate_transformation_mode is '", *coordinates,
                       "': expected half_pixel, half_pixel_symmetric, "
                       "pytorch_half_pixel, align_corners, asymmetric or "
                       "tf_half_pixel_for_nn");
  if (*policy != "stretch" || *antialias)
    return node.refuse("keep_aspect_ratio_policy is '", *policy,
                       "' and antialias ", *antialias,
                       ": expected stretch and 0");
  FailureOr<SmallVector<Axis>> axes =
      readAxes(node, *x, isUpsample, isOld && !isUpsample);
  if (failed(axes))
    return failure();
  bool isCubic = *mode == "cubic", isLinear = *mode != "nearest" && !isCubic;
  Type element = x->type.getElementType();
  if (isLinear && !isa<FloatType>(element) && !isCode8(element))
    return node.refuse("X has type ", x->type,
                       ": expected floats or codes of 8 bits to interpolate");
  if (isCubic && !isa<FloatType>(element))
    return node.refuse(
        "X has type ", x->type,
        ": expected floats for mode cubic, whose results may lie "
        "beyond its elements");
  ResizeMode how{*coordinates, *nearest,     isLinear,
                 isCubic,      *coefficient, *excludes != 0};
  B b(node.getLoc(), node.getRewriter());
  Value value = node.materialize(*x);
  if ((isLinear || isCubic) && !axes->empty()) {
    Type real =
        isa<FloatType>(element) ? getComputeType(element) : b.getF32Type();
    value = convert(b, value, element, real);
    if (isLinear)
      value = interpolate(b, value, *axes, how);
    else
      for (const Axis &axis : llvm::reverse(*axes))
        value = interpolate(b, value, axis, how);
    return replaceBy(node, convert(b, value, element, element));
  }
  // The last dimension first, of which there are fewer elements then.
  for (const Axis &axis : llvm::reverse(*axes)) {
    if (axis.open) {
      OpenNeighbors open = findOpenNeighbors(b, axis.open, how);
      value = takeOpen(b, value, axis.open, open.places.front());
      continue;
    }
    SmallVector<int64_t> table;
    for (int64_t index = 0; index < axis.newSize; ++index)
      table.push_back(getNearest(axis, how, getPlace(axis, how, index)));
    value = takeAlong(b, value, axis.dim, table);
  }
  return replaceBy(node, value);
}
