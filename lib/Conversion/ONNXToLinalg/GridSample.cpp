// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GridSample, by nearest elements or linear interpolation.

#include "../ForeignOps/Gather.h"
#include "../ForeignOps/SizeChecks.h"
#include "../ForeignOps/TensorOps.h"
#include "NodeParts.h"
#include "Operators.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::qdq;

using B = ImplicitLocOpBuilder;

namespace {
struct Sampling {
  bool isNearest, alignsCorners, hasZeros, reflects;
  /// The type in which places are computed.
  Type type;
};
} // namespace

/// A place beyond the borders `low` and `high`, mirrored at them as often as it
/// takes.
static Scalar reflect(Scalar x, Scalar low, Scalar high) {
  Scalar zero = x.constant(0), one = x.constant(1), two = x.constant(2);
  Scalar range = high - low;
  // One place has no distance to another one.
  Scalar isPoint = equal(range, zero), divisor = select(isPoint, one, range);
  Scalar isBelow = x<low, isAbove = x> high;
  Scalar beyond = select(isBelow, low - x, x - high);
  Scalar turns = (beyond / divisor).apply<math::FloorOp>();
  Scalar rest = beyond - turns * divisor;
  Scalar half = (turns / two).apply<math::FloorOp>();
  Scalar isEven = equal(turns, half * two);
  // From the border that is nearer in the last turn.
  Scalar mirrored = select(isBelow ^ isEven, high - rest, low + rest);
  mirrored = select(isPoint, low, mirrored);
  return select(isBelow | isAbove, mirrored, x);
}

/// The place, in elements, that a number from -1 to 1 stands for in a dimension
/// of `size` elements.
static Scalar findPlace(Scalar x, Scalar size, const Sampling &how) {
  Scalar one = x.constant(1), last = size - one;
  Scalar half = x.constant(0.5), place = x + one;
  if (how.alignsCorners)
    place = place * half * last;
  else
    place = (place * size - one) * half;
  if (how.isNearest)
    place = place.apply<math::RoundEvenOp>();
  if (!how.reflects)
    return place;
  if (how.alignsCorners)
    return reflect(place, x.constant(0), last);
  return reflect(place, x.constant(-0.5), size - half);
}

namespace {
/// An element along one dimension: its index, whether it is there, and its
/// weight, which is absent for 1.
struct Tap {
  Scalar index, isInside;
  std::optional<Scalar> weight;
};
} // namespace

/// The elements around a place, or the nearest one.
static SmallVector<Tap> findTaps(Scalar place, Scalar size,
                                 const Sampling &how) {
  B &b = place.getBuilder();
  Scalar zero = place.constant(0), one = place.constant(1), last = size - one;
  // Beyond the borders all places are the same, and NaN is no place.
  auto bound = [&](Scalar at) {
    return at.apply<arith::MaxNumFOp>(zero).apply<arith::MinNumFOp>(last);
  };
  Scalar inside = bound(place);
  auto makeTap = [&](Scalar at, std::optional<Scalar> weight = {}) {
    Scalar isInside = equal(at, min(max(at, zero), last));
    // Of no elements, there is none to read.
    Scalar index = bound(at).apply<arith::MaxNumFOp>(zero);
    index = index.to(b.getI64Type()).to(b.getIndexType());
    return Tap{index, isInside, weight};
  };
  if (!how.hasZeros)
    place = inside;
  if (how.isNearest)
    return {makeTap(place)};
  Scalar low = place.apply<math::FloorOp>(), high = low + one;
  return {makeTap(low, high - place), makeTap(high, place - low)};
}

/// The sum of the elements around a place, by the product of their weights.
static Scalar sample(B &b, Value x, ValueRange outer,
                     ArrayRef<SmallVector<Tap>> taps, Value isEmpty,
                     const Sampling &how) {
  size_t count = how.isNearest ? 1 : size_t(1) << taps.size();
  std::optional<Scalar> sum;
  for (size_t corner = 0; corner < count; ++corner) {
    SmallVector<Value> place(outer);
    std::optional<Scalar> weight, isInside;
    for (auto [dim, own] : llvm::enumerate(taps)) {
      // The last dimension changes first.
      const Tap &tap = own[(corner >> (taps.size() - 1 - dim)) & 1];
      place.push_back(tap.index);
      isInside = isInside ? *isInside & tap.isInside : tap.isInside;
      weight = weight && tap.weight ? *weight * *tap.weight : tap.weight;
    }
    Scalar element = Scalar(b, readElement(b, x, place, isEmpty)).to(how.type);
    if (how.hasZeros)
      element = select(*isInside, element, 0);
    if (weight)
      element = element * *weight;
    sum = sum ? *sum + element : element;
  }
  return *sum;
}

static FailureOr<Sampling> readSampling(const ForeignOp &node, Type type) {
  FailureOr<StringRef> mode = node.getString("mode", "linear");
  FailureOr<StringRef> padding = node.getString("padding_mode", "zeros");
  FailureOr<int64_t> aligns = node.getInteger("align_corners", 0);
  if (failed(mode) || failed(padding) || failed(aligns))
    return failure();
  if (!llvm::is_contained({"linear", "bilinear", "nearest"}, *mode) ||
      !llvm::is_contained({"zeros", "border", "reflection"}, *padding))
    return node.refuse("mode is '", *mode, "' and padding_mode '", *padding,
                       "': expected linear or nearest, and zeros, border or "
                       "reflection");
  return Sampling{*mode == "nearest", *aligns != 0, *padding == "zeros",
                  *padding == "reflection", type};
}

/// X [N, C, spatial...] at the places of grid [N, spatial..., dims], of which
/// the last dimension of X comes first.
LogicalResult mlir::qdq::translateGridSample(const ForeignOp &node) {
  FailureOr<ForeignTensor> x = getFloats(node, 0, "X", 3);
  FailureOr<ForeignTensor> grid = getFloats(node, 1, "grid");
  if (failed(x) || failed(grid))
    return failure();
  Type element = x->type.getElementType();
  FailureOr<Sampling> how = readSampling(node, getComputeType(element));
  if (failed(how))
    return failure();
  int64_t rank = x->type.getRank(), spatial = rank - 2;
  if (grid->type.getRank() != rank ||
      grid->type.getDimSize(rank - 1) != spatial ||
      grid->type.getElementType() != element)
    return node.refuse("has X ", x->type, " and grid ", grid->type,
                       ": expected one rank and type, and ", spatial,
                       " numbers for each place");
  B b(node.getLoc(), node.getRewriter());
  Value source = node.materialize(*x), numbers = node.materialize(*grid);
  assertSameSize(node, {source, 0, "X"}, {numbers, 0, "grid"});
  Sizes own = tensor::getMixedSizes(b, b.getLoc(), source);
  Sizes sizes = tensor::getMixedSizes(b, b.getLoc(), numbers);
  sizes.pop_back();
  sizes.insert(sizes.begin() + 1, own[1]);
  SmallVector<Value> extents;
  for (OpFoldResult size : ArrayRef(own).drop_front(2))
    extents.push_back(castFloat(b, countAsF32(b, size), how->type));
  // One operand for each number of a place.
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  SmallVector<AffineExpr> places;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim != 1)
      places.push_back(b.getAffineDimExpr(dim));
  for (int64_t dim = 0; dim < spatial; ++dim) {
    places.push_back(b.getAffineConstantExpr(spatial - 1 - dim));
    maps.push_back(AffineMap::get(rank, 0, places, b.getContext()));
    places.pop_back();
    operands.push_back(numbers);
  }
  maps.push_back(b.getMultiDimIdentityMap(rank));
  Value isEmpty = isAnyEmpty(b, ArrayRef(own).drop_front(2));
  Value init = tensor::EmptyOp::create(b, sizes, element);
  Value result =
      createGeneric(b, operands, init, maps, [&](B &body, ValueRange e) {
        SmallVector<SmallVector<Tap>> taps;
        for (auto [number, extent] : llvm::zip_equal(e.drop_back(), extents)) {
          Scalar size(body, extent), x = Scalar(body, number).to(how->type);
          taps.push_back(findTaps(findPlace(x, size, *how), size, *how));
        }
        SmallVector<Value> outer = {linalg::IndexOp::create(body, 0),
                                    linalg::IndexOp::create(body, 1)};
        return sample(body, source, outer, taps, isEmpty, *how).to(element);
      });
  return replaceBy(node, result);
}
