// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Places and weights of Resize where sizes are known at run time.

#include "ResizePlaces.h"
#include "../ForeignOps/Gather.h"
#include "../ForeignOps/TensorOps.h"
#include "NodeParts.h"
#include "ResizeFormulas.h"
#include "ShapeValues.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qdq/IR/BuildGeneric.h"

using namespace mlir;
using namespace mlir::qdq;

using B = ImplicitLocOpBuilder;

/// No tensor of a runtime is longer; ONNX Runtime's sizes of Resize are i32.
static constexpr int64_t kMaxSize = INT32_MAX;

/// Inside of [0, last]; 0 for NaN, and -1 where last is.
static Scalar clampTo(Scalar x, Scalar last) {
  return x.apply<arith::MaxNumFOp>(0).apply<arith::MinNumFOp>(last);
}

FailureOr<Sizes> mlir::qdq::readOpenScales(const ForeignOp &node,
                                           unsigned index) {
  FailureOr<ForeignTensor> list = getRanked(node, index, "scales");
  if (failed(list) ||
      failed(checkListLength(node, node.getOperand(index), "scales")))
    return failure();
  if (list->type.getRank() != 1 || !list->type.hasStaticShape() ||
      !list->type.getElementType().isF32())
    return node.refuse("scales has type ", list->type,
                       ": expected a static number of f32");
  B b(node.getLoc(), node.getRewriter());
  Value tensor = node.materialize(*list);
  Sizes scales;
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
  OpFoldResult last = affine::makeComposedFoldedAffineApply(
      b, b.getLoc(), b.getAffineSymbolExpr(0) - 1, {size});
  Value lastPlace =
      arith::IndexCastOp::create(b, b.getI64Type(), toValue(b, last));
  return {
      dim, count, extent, newExtent, factor, lastPlace, isAnyEmpty(b, size)};
}

namespace {
/// The neighbors of one place, as f32; inside of the input, but for -1 where
/// that has no elements.
struct Taps {
  SmallVector<Scalar> places, weights;
};
} // namespace

static Taps findLinearTaps(Scalar place, Scalar last) {
  place = clampTo(place, last);
  Scalar low = resize::floorOf(place), half = place.constant(0.5);
  Scalar high = clampTo(low + 1, last), isLast = equal(low, high);
  return {
      {low, high},
      {select(isLast, half, high - place), select(isLast, half, place - low)}};
}

static Taps findCubicTaps(const ResizeMode &mode, Scalar place, Scalar last) {
  Scalar low = resize::floorOf(place), rest = place - low;
  Scalar distances[] = {rest + 1, rest, 1 - rest, 2 - rest};
  Taps taps;
  std::optional<Scalar> sum;
  for (auto [i, distance] : llvm::enumerate(distances)) {
    Scalar at = low + (static_cast<float>(i) - 1);
    Scalar inside = clampTo(at, last);
    Scalar weight = resize::weighCubic(mode.coefficient, distance,
                                       /*isNear=*/i == 1 || i == 2);
    if (mode.excludesOutside)
      weight = select(equal(at, inside), weight, 0);
    sum = sum ? *sum + weight : weight;
    taps.places.push_back(inside);
    taps.weights.push_back(weight);
  }
  for (Scalar &weight : taps.weights)
    if (mode.excludesOutside)
      weight = weight / *sum;
  return taps;
}

static Taps findTapsOf(const OpenAxis &axis, const ResizeMode &mode, Scalar x) {
  B &b = x.getBuilder();
  resize::Numbers<Scalar> of{
      {b, axis.size}, {b, axis.newSize}, {b, axis.scale}};
  Scalar last = of.size - 1;
  // A dimension that keeps its size keeps its elements.
  Scalar isSame = equal(of.scale, 1);
  Scalar place = select(isSame, x, findPlace(of, mode, x));
  if (mode.isCubic)
    return findCubicTaps(mode, place, last);
  if (mode.isLinear)
    return findLinearTaps(place, last);
  return {{clampTo(findNearest(of, mode, place), last)}, {}};
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
  Value zero = arith::ConstantOp::create(b, b.getI64IntegerAttr(0));
  auto generic =
      buildGeneric(b, ValueRange(), inits, maps, [&](B &body, ValueRange) {
        Scalar index(body, linalg::IndexOp::create(body, 0));
        Type i64 = body.getI64Type();
        Taps taps = findTapsOf(axis, mode, index.to(i64).to(body.getF32Type()));
        SmallVector<Value> yielded;
        // Beyond 2^24 elements, f32 may round to the place behind the last. Of
        // no elements, there is none to read.
        for (Scalar place : taps.places)
          yielded.push_back(max(min(place.to(i64), axis.last), zero));
        llvm::append_range(yielded, taps.weights);
        return yielded;
      });
  ValueRange made = generic.getResults();
  return {llvm::to_vector_of<Value>(made.take_front(count)),
          llvm::to_vector_of<Value>(made.drop_front(count))};
}

Value mlir::qdq::takeOpen(B &b, Value x, const OpenAxis &axis, Value places) {
  Sizes sizes = tensor::getMixedSizes(b, b.getLoc(), x);
  sizes[axis.dim] = axis.count;
  return gatherPlaces(
      b, x, sizes,
      [&](B &body, ValueRange indices) {
        SmallVector<Value> place(indices);
        Value at = tensor::ExtractOp::create(body, places, indices[axis.dim]);
        place[axis.dim] =
            arith::IndexCastOp::create(body, body.getIndexType(), at);
        return place;
      },
      axis.isEmpty);
}
