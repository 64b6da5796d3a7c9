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
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::qdq;

using B = ImplicitLocOpBuilder;
using Sizes = SmallVector<OpFoldResult>;

namespace {
struct Sampling {
  bool isNearest, alignsCorners, hasZeros, reflects;
  /// The type in which places are computed.
  Type type;
};
} // namespace

/// A place beyond the borders `low` and `high`, mirrored at them as often as it
/// takes.
static Value reflect(B &b, Value x, Value low, Value high) {
  Type type = x.getType();
  auto compare = [&](arith::CmpFPredicate predicate, Value lhs, Value rhs) {
    return arith::CmpFOp::create(b, predicate, lhs, rhs).getResult();
  };
  Value zero = createNumber(b, type, 0), one = createNumber(b, type, 1);
  Value two = createNumber(b, type, 2);
  Value range = arith::SubFOp::create(b, high, low);
  // One place has no distance to another one.
  Value isPoint = compare(arith::CmpFPredicate::OEQ, range, zero);
  Value divisor = arith::SelectOp::create(b, isPoint, one, range);
  Value isBelow = compare(arith::CmpFPredicate::OLT, x, low);
  Value isAbove = compare(arith::CmpFPredicate::OGT, x, high);
  Value beyond =
      arith::SelectOp::create(b, isBelow, arith::SubFOp::create(b, low, x),
                              arith::SubFOp::create(b, x, high));
  Value turns =
      math::FloorOp::create(b, arith::DivFOp::create(b, beyond, divisor));
  Value rest = arith::SubFOp::create(b, beyond,
                                     arith::MulFOp::create(b, turns, divisor));
  Value half = math::FloorOp::create(b, arith::DivFOp::create(b, turns, two));
  Value isEven = compare(arith::CmpFPredicate::OEQ, turns,
                         arith::MulFOp::create(b, half, two));
  // From the border that is nearer in the last turn.
  Value fromLow = arith::XOrIOp::create(b, isBelow, isEven);
  Value mirrored =
      arith::SelectOp::create(b, fromLow, arith::SubFOp::create(b, high, rest),
                              arith::AddFOp::create(b, low, rest));
  mirrored = arith::SelectOp::create(b, isPoint, low, mirrored);
  Value isOutside = arith::OrIOp::create(b, isBelow, isAbove);
  return arith::SelectOp::create(b, isOutside, mirrored, x);
}

/// The place, in elements, that a number from -1 to 1 stands for in a dimension
/// of `size` elements.
static Value findPlace(B &b, Value x, Value size, const Sampling &how) {
  Type type = how.type;
  auto number = [&](double value) { return createNumber(b, type, value); };
  Value one = number(1), last = arith::SubFOp::create(b, size, one);
  Value half = number(0.5), place = arith::AddFOp::create(b, x, one);
  if (how.alignsCorners) {
    place = arith::MulFOp::create(b, place, half);
    place = arith::MulFOp::create(b, place, last);
  } else {
    place = arith::MulFOp::create(b, place, size);
    place = arith::SubFOp::create(b, place, one);
    place = arith::MulFOp::create(b, place, half);
  }
  if (how.isNearest)
    place = math::RoundEvenOp::create(b, place);
  if (!how.reflects)
    return place;
  if (how.alignsCorners)
    return reflect(b, place, number(0), last);
  return reflect(b, place, number(-0.5), arith::SubFOp::create(b, size, half));
}

namespace {
/// An element along one dimension: its index, whether it is there, and its
/// weight, which is null for 1.
struct Tap {
  Value index, isInside, weight;
};
} // namespace

/// The elements around a place, or the nearest one.
static SmallVector<Tap> findTaps(B &b, Value place, Value size,
                                 const Sampling &how) {
  Type type = how.type;
  Value zero = createNumber(b, type, 0), one = createNumber(b, type, 1);
  Value last = arith::SubFOp::create(b, size, one);
  // Beyond the borders all places are the same, and NaN is no place.
  Value inside = arith::MinNumFOp::create(
      b, arith::MaxNumFOp::create(b, place, zero), last);
  auto makeTap = [&](Value at, Value weight) {
    Value isInside = arith::CmpFOp::create(
        b, arith::CmpFPredicate::OEQ, at,
        arith::MinimumFOp::create(b, arith::MaximumFOp::create(b, at, zero),
                                  last));
    Value index = arith::MinNumFOp::create(
        b, arith::MaxNumFOp::create(b, at, zero), last);
    // Of no elements, there is none to read.
    index = arith::MaxNumFOp::create(b, index, zero);
    index = arith::FPToSIOp::create(b, b.getI64Type(), index);
    index = arith::IndexCastOp::create(b, b.getIndexType(), index);
    return Tap{index, isInside, weight};
  };
  if (!how.hasZeros)
    place = inside;
  if (how.isNearest)
    return {makeTap(place, Value())};
  Value low = math::FloorOp::create(b, place);
  Value high = arith::AddFOp::create(b, low, one);
  return {makeTap(low, arith::SubFOp::create(b, high, place)),
          makeTap(high, arith::SubFOp::create(b, place, low))};
}

/// The sum of the elements around a place, by the product of their weights.
static Value sample(B &b, Value x, ValueRange outer,
                    ArrayRef<SmallVector<Tap>> taps, Value isEmpty,
                    const Sampling &how) {
  size_t count = how.isNearest ? 1 : size_t(1) << taps.size();
  Value sum;
  for (size_t corner = 0; corner < count; ++corner) {
    SmallVector<Value> place(outer);
    Value weight, isInside;
    for (auto [dim, own] : llvm::enumerate(taps)) {
      // The last dimension changes first.
      const Tap &tap = own[(corner >> (taps.size() - 1 - dim)) & 1];
      place.push_back(tap.index);
      isInside = isInside ? arith::AndIOp::create(b, isInside, tap.isInside)
                          : tap.isInside;
      weight = weight && tap.weight
                   ? arith::MulFOp::create(b, weight, tap.weight)
                   : tap.weight;
    }
    Value element = castFloat(b, readElement(b, x, place, isEmpty), how.type);
    if (how.hasZeros)
      element = arith::SelectOp::create(b, isInside, element,
                                        createNumber(b, how.type, 0));
    if (weight)
      element = arith::MulFOp::create(b, element, weight);
    sum = sum ? arith::AddFOp::create(b, sum, element) : element;
  }
  return sum;
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
static LogicalResult translateGridSample(const ForeignOp &node,
                                         const Operator &) {
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
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  return replaceBy(
      node, linalg::GenericOp::create(
                b, init.getType(), operands, init, maps, loops,
                [&](OpBuilder &nested, Location loc, ValueRange e) {
                  B body(loc, nested);
                  SmallVector<SmallVector<Tap>> taps;
                  for (auto [number, extent] :
                       llvm::zip_equal(e.drop_back(), extents)) {
                    Value place = findPlace(
                        body, castFloat(body, number, how->type), extent, *how);
                    taps.push_back(findTaps(body, place, extent, *how));
                  }
                  SmallVector<Value> outer = {linalg::IndexOp::create(body, 0),
                                              linalg::IndexOp::create(body, 1)};
                  Value sum = sample(body, source, outer, taps, isEmpty, *how);
                  linalg::YieldOp::create(body, castFloat(body, sum, element));
                })
                .getResult(0));
}

ArrayRef<Operator> mlir::qdq::getGridSampleOperators() {
  static const Operator kOperators[] = {
      {"onnx.GridSample", {2}, translateGridSample},
  };
  return kOperators;
}
