// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The formulas of Resize.cpp, emitted: arithmetic is ONNX Runtime's, in f32.

#include "ResizePlaces.h"
#include "../ForeignOps/Gather.h"
#include "../ForeignOps/SizeChecks.h"
#include "../ForeignOps/TensorOps.h"
#include "NodeParts.h"
#include "ShapeValues.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::qdq;

using B = ImplicitLocOpBuilder;

/// No tensor of a runtime is longer; ONNX Runtime's sizes of Resize are i32.
static constexpr int64_t kMaxSize = INT32_MAX;

namespace {
/// Arithmetic in f32, by operators.
struct Real {
  B *b;
  Value value;
};
} // namespace

static Real operator+(Real x, Real y) {
  return {x.b, arith::AddFOp::create(*x.b, x.value, y.value)};
}
static Real operator-(Real x, Real y) {
  return {x.b, arith::SubFOp::create(*x.b, x.value, y.value)};
}
static Real operator*(Real x, Real y) {
  return {x.b, arith::MulFOp::create(*x.b, x.value, y.value)};
}
static Real operator/(Real x, Real y) {
  return {x.b, arith::DivFOp::create(*x.b, x.value, y.value)};
}

static Real toReal(B &b, double value) {
  return {&b, createNumber(b, b.getF32Type(), value)};
}
static Real floorOf(Real x) {
  return {x.b, math::FloorOp::create(*x.b, x.value)};
}
static Real ceilOf(Real x) {
  return {x.b, math::CeilOp::create(*x.b, x.value)};
}
static Real select(Value condition, Real x, Real y) {
  return {x.b, arith::SelectOp::create(*x.b, condition, x.value, y.value)};
}
static Value compare(arith::CmpFPredicate predicate, Real x, Real y) {
  return arith::CmpFOp::create(*x.b, predicate, x.value, y.value);
}

/// Inside of [0, last]; 0 for NaN, and -1 where last is.
static Real clampTo(Real x, Real last) {
  Value atLeast =
      arith::MaxNumFOp::create(*x.b, x.value, toReal(*x.b, 0).value);
  return {x.b, arith::MinNumFOp::create(*x.b, atLeast, last.value)};
}

FailureOr<SmallVector<OpFoldResult>>
mlir::qdq::readOpenScales(const ForeignOp &node, unsigned index) {
  FailureOr<ForeignTensor> list = getRanked(node, index, "scales");
  if (failed(list))
    return failure();
  if (list->type.getRank() != 1 || !list->type.hasStaticShape() ||
      !list->type.getElementType().isF32())
    return node.refuse("scales has type ", list->type,
                       ": expected a static number of f32");
  B b(node.getLoc(), node.getRewriter());
  Value tensor = node.materialize(*list);
  SmallVector<OpFoldResult> scales;
  for (int64_t i = 0; i < list->type.getNumElements(); ++i)
    scales.push_back(
        tensor::ExtractOp::create(
            b, tensor, arith::ConstantIndexOp::create(b, i).getResult())
            .getResult());
  return scales;
}

/// `size * scale`, cut off.
static OpFoldResult scaleSize(B &b, Value size, Value scale) {
  Value product =
      math::FloorOp::create(b, arith::MulFOp::create(b, size, scale));
  Value integer = toInteger(b, product, b.getI64Type(), /*isUnsigned=*/false);
  return arith::IndexCastOp::create(b, b.getIndexType(), integer).getResult();
}

OpenAxis mlir::qdq::createOpenAxis(const ForeignOp &node, int64_t dim,
                                   OpFoldResult size, OpFoldResult newSize,
                                   OpFoldResult scale) {
  B b(node.getLoc(), node.getRewriter());
  Value extent = countAsF32(b, size), factor;
  if (scale) {
    auto known = dyn_cast<Attribute>(scale);
    factor = known ? arith::ConstantOp::create(b, cast<TypedAttr>(known))
                   : cast<Value>(scale);
    newSize = scaleSize(b, extent, factor);
  }
  OpFoldResult count = clampToSize(b, newSize);
  if (auto open = dyn_cast<Value>(count)) {
    Value most = arith::ConstantIndexOp::create(b, kMaxSize);
    count = arith::MinSIOp::create(b, open, most).getResult();
  }
  Value newExtent = countAsF32(b, count);
  if (!factor)
    factor = arith::DivFOp::create(b, newExtent, extent);
  return {dim, count, extent, newExtent, factor, isAnyEmpty(b, size)};
}

/// The place in the input that an index of the result stands for.
static Real findPlace(const OpenAxis &axis, const ResizeMode &mode, Real x) {
  B &b = *x.b;
  Real size{&b, axis.size}, newSize{&b, axis.newSize}, scale{&b, axis.scale};
  Real half = toReal(b, 0.5), one = toReal(b, 1), zero = toReal(b, 0);
  if (mode.coordinates == "asymmetric")
    return x / scale;
  Value isPoint = compare(arith::CmpFPredicate::OLE, newSize, one);
  if (mode.coordinates == "align_corners")
    return select(isPoint, zero, x * (size - one) / (newSize - one));
  if (mode.coordinates == "tf_half_pixel_for_nn")
    return (x + half) / scale;
  if (mode.coordinates == "half_pixel_symmetric") {
    Real adjustment = newSize / (scale * size);
    Real center = size / toReal(b, 2);
    return center * (one - adjustment) + (x + half) / scale - half;
  }
  Real place = (x + half) / scale - half;
  return mode.coordinates == "pytorch_half_pixel" ? select(isPoint, zero, place)
                                                  : place;
}

static Real findNearest(const OpenAxis &axis, const ResizeMode &mode,
                        Real place) {
  B &b = *place.b;
  Real half = toReal(b, 0.5);
  if (mode.nearest == "ceil")
    return ceilOf(place);
  if (mode.nearest == "round_prefer_ceil")
    return floorOf(place + half);
  if (mode.nearest == "round_prefer_floor")
    return ceilOf(place - half);
  if (mode.nearest != "simple")
    return floorOf(place);
  Value isSmaller =
      compare(arith::CmpFPredicate::OLT, {&b, axis.scale}, toReal(b, 1));
  return select(isSmaller, ceilOf(place), floorOf(place));
}

namespace {
/// The neighbors of one place, as f32; inside of the input, but for -1 where
/// that has no elements.
struct Taps {
  SmallVector<Real> places, weights;
};
} // namespace

static Taps findLinearTaps(Real place, Real last) {
  B &b = *place.b;
  place = clampTo(place, last);
  Real low = floorOf(place), one = toReal(b, 1), half = toReal(b, 0.5);
  Real high = clampTo(low + one, last);
  Value isLast = compare(arith::CmpFPredicate::OEQ, low, high);
  return {
      {low, high},
      {select(isLast, half, high - place), select(isLast, half, place - low)}};
}

/// By two polynomials: up to a distance of 1, and from there to 2.
static Real weighCubic(Real a, Real x, bool isNear) {
  B &b = *x.b;
  auto number = [&](double value) { return toReal(b, value); };
  if (isNear)
    return ((a + number(2)) * x - (a + number(3))) * x * x + number(1);
  return ((a * x - number(5) * a) * x + number(8) * a) * x - number(4) * a;
}

static Taps findCubicTaps(const ResizeMode &mode, Real place, Real last) {
  B &b = *place.b;
  Real low = floorOf(place), rest = place - low, zero = toReal(b, 0);
  Real one = toReal(b, 1), two = toReal(b, 2), a = toReal(b, mode.coefficient);
  Real distances[] = {rest + one, rest, one - rest, two - rest};
  Taps taps;
  std::optional<Real> sum;
  for (auto [i, distance] : llvm::enumerate(distances)) {
    Real at = low + toReal(b, static_cast<double>(i) - 1);
    Real inside = clampTo(at, last);
    // A distance of 1 has the weight 0 by both polynomials.
    Real weight = weighCubic(a, distance, /*isNear=*/i == 1 || i == 2);
    if (mode.excludesOutside)
      weight =
          select(compare(arith::CmpFPredicate::OEQ, at, inside), weight, zero);
    sum = sum ? *sum + weight : weight;
    taps.places.push_back(inside);
    taps.weights.push_back(weight);
  }
  for (Real &weight : taps.weights)
    if (mode.excludesOutside)
      weight = weight / *sum;
  return taps;
}

static Taps findTapsOf(const OpenAxis &axis, const ResizeMode &mode, Real x) {
  Real last = Real{x.b, axis.size} - toReal(*x.b, 1);
  // A dimension that keeps its size keeps its elements.
  Value isSame =
      compare(arith::CmpFPredicate::OEQ, {x.b, axis.scale}, toReal(*x.b, 1));
  Real place = select(isSame, x, findPlace(axis, mode, x));
  if (mode.isCubic)
    return findCubicTaps(mode, place, last);
  if (mode.isLinear)
    return findLinearTaps(place, last);
  return {{clampTo(findNearest(axis, mode, place), last)}, {}};
}

OpenNeighbors mlir::qdq::findOpenNeighbors(B &b, const OpenAxis &axis,
                                           const ResizeMode &mode) {
  int64_t count = mode.isCubic ? 4 : mode.isLinear ? 2 : 1;
  int64_t results = mode.isCubic || mode.isLinear ? 2 * count : count;
  SmallVector<Value> inits;
  for (int64_t i = 0; i < results; ++i)
    inits.push_back(tensor::EmptyOp::create(
        b, axis.count, i < count ? Type(b.getI64Type()) : b.getF32Type()));
  SmallVector<AffineMap> maps(results, b.getMultiDimIdentityMap(1));
  auto generic = linalg::GenericOp::create(
      b, ValueRange(inits).getTypes(), ValueRange(), inits, maps,
      utils::IteratorType::parallel,
      [&](OpBuilder &nested, Location loc, ValueRange) {
        B body(loc, nested);
        Value index = arith::IndexCastOp::create(
            body, body.getI64Type(), linalg::IndexOp::create(body, 0));
        Real x{&body, arith::SIToFPOp::create(body, body.getF32Type(), index)};
        Taps taps = findTapsOf(axis, mode, x);
        SmallVector<Value> yielded;
        for (Real place : taps.places) {
          // Of no elements, there is none to read.
          Value inside = arith::MaxNumFOp::create(body, place.value,
                                                  toReal(body, 0).value);
          yielded.push_back(
              arith::FPToSIOp::create(body, body.getI64Type(), inside));
        }
        for (Real weight : taps.weights)
          yielded.push_back(weight.value);
        linalg::YieldOp::create(body, yielded);
      });
  ValueRange made = generic.getResults();
  return {llvm::to_vector_of<Value>(made.take_front(count)),
          llvm::to_vector_of<Value>(made.drop_front(count))};
}

Value mlir::qdq::takeOpen(B &b, Value x, const OpenAxis &axis, Value places) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, b.getLoc(), x);
  // Beyond 2^24 elements, a place in f32 may be that behind the last one.
  Value last = arith::SubIOp::create(
      b, getValueOrCreateConstantIndexOp(b, b.getLoc(), sizes[axis.dim]),
      arith::ConstantIndexOp::create(b, 1));
  sizes[axis.dim] = axis.count;
  return gatherPlaces(
      b, x, sizes,
      [&](B &body, ValueRange indices) {
        SmallVector<Value> place(indices);
        Value at = tensor::ExtractOp::create(body, places, indices[axis.dim]);
        at = arith::IndexCastOp::create(body, body.getIndexType(), at);
        place[axis.dim] = arith::MinSIOp::create(body, at, last);
        return place;
      },
      axis.isEmpty);
}
