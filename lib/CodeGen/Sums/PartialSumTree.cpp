// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tree that joins partial sums.

#include "PartialSumTree.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

/// The sum of all `values`, joined in halves.
static Value joinHalves(ImplicitLocOpBuilder &b, SmallVector<Value> values) {
  while (values.size() > 1) {
    size_t half = values.size() / 2;
    for (size_t i = 0; i < half; ++i)
      values[i] = arith::AddFOp::create(b, values[i], values[i + half]);
    values.resize(half);
  }
  return values.front();
}

static Value getPart(ImplicitLocOpBuilder &b, Value vector, int64_t from,
                     int64_t size) {
  return vector::ExtractStridedSliceOp::create(
      b, vector, ArrayRef<int64_t>{from}, ArrayRef<int64_t>{size},
      ArrayRef<int64_t>{1});
}

/// Joins the elements of each vector; the totals are one vector. There are as
/// many vectors as a power of two, and no more than they have elements.
static Value joinVectors(ImplicitLocOpBuilder &b, SmallVector<Value> vectors) {
  int64_t count = vectors.size();
  int64_t size = cast<VectorType>(vectors.front().getType()).getNumElements();
  for (; size > count; size /= 2)
    for (Value &vector : vectors)
      vector = arith::AddFOp::create(b, getPart(b, vector, 0, size / 2),
                                     getPart(b, vector, size / 2, size / 2));
  // Two vectors become one: of each block a half, beside that of the other.
  for (int64_t half = count / 2; half > 0; half /= 2) {
    SmallVector<Value> joined;
    for (int64_t i = 0; i < half; ++i) {
      SmallVector<int64_t> low, high;
      for (int64_t block = 0; block < count; block += 2 * half)
        for (int64_t source : {int64_t(0), count})
          for (int64_t lane = 0; lane < half; ++lane) {
            low.push_back(source + block + lane);
            high.push_back(source + block + half + lane);
          }
      auto shuffle = [&](ArrayRef<int64_t> mask) -> Value {
        return vector::ShuffleOp::create(b, vectors[i], vectors[i + half],
                                         mask);
      };
      Value left = shuffle(low), right = shuffle(high);
      joined.push_back(arith::AddFOp::create(b, left, right));
    }
    vectors = joined;
  }
  return vectors.front();
}

namespace {
/// Partial sums whose innermost dimensions are the lanes, as vectors.
struct LaneVectors {
  Value read(ValueRange at) {
    SmallVector<Value> indices(at);
    indices.append(lanes.size(), getIndex(0));
    auto type = VectorType::get(lanes, getElementTypeOrSelf(sums));
    Value vector =
        vector::TransferReadOp::create(b, type, sums, indices, getPadding(),
                                       SmallVector<bool>(lanes.size(), true));
    return vector::ShapeCastOp::create(
        b, VectorType::get(type.getNumElements(), type.getElementType()),
        vector);
  }
  Value joinOne(ValueRange at, Value result);
  Value joinAll(Value init, ArrayRef<int64_t> shape);

  Value getIndex(int64_t at) { return arith::ConstantIndexOp::create(b, at); }
  Value getPadding() {
    Type element = getElementTypeOrSelf(sums);
    return arith::ConstantOp::create(b, b.getZeroAttr(element));
  }

  ImplicitLocOpBuilder &b;
  Value sums;
  SmallVector<int64_t> lanes;
};
} // namespace

Value LaneVectors::joinOne(ValueRange at, Value result) {
  Value total =
      vector::ExtractOp::create(b, joinVectors(b, {read(at)}), int64_t(0));
  Value start = tensor::ExtractOp::create(b, result, at);
  total = arith::AddFOp::create(b, start, total);
  return tensor::InsertOp::create(b, total, result, at);
}

/// All results of a static shape, whose number is a power of two.
Value LaneVectors::joinAll(Value init, ArrayRef<int64_t> shape) {
  int64_t count = computeProduct(shape), columns = shape.back();
  SmallVector<int64_t> basis = computeSuffixProduct(shape);
  auto getOrigin = [&](int64_t number) {
    return llvm::map_to_vector(delinearize(number, basis),
                               [&](int64_t at) { return getIndex(at); });
  };
  SmallVector<Value> vectors;
  for (int64_t number = 0; number < count; ++number)
    vectors.push_back(read(getOrigin(number)));
  Value totals = joinVectors(b, vectors);
  for (int64_t row = 0; row < count; row += columns) {
    auto type = VectorType::get(columns, getElementTypeOrSelf(init));
    Value start = vector::TransferReadOp::create(
        b, type, init, getOrigin(row), getPadding(), ArrayRef<bool>{true});
    Value total =
        arith::AddFOp::create(b, start, getPart(b, totals, row, columns));
    init = vector::TransferWriteOp::create(b, total, init, getOrigin(row),
                                           ArrayRef<bool>{true})
               .getResult();
  }
  return init;
}

static Value joinInVectors(ImplicitLocOpBuilder &b, Value sums, Value init,
                           ArrayRef<int64_t> lanes) {
  auto type = cast<RankedTensorType>(init.getType());
  LaneVectors vectors{b, sums, SmallVector<int64_t>(lanes)};
  if (type.hasStaticShape() && llvm::isPowerOf2_64(type.getNumElements()) &&
      type.getNumElements() > 1 &&
      type.getNumElements() <= computeProduct(lanes))
    return vectors.joinAll(init, type.getShape());
  SmallVector<Value> from, to, step;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    from.push_back(arith::ConstantIndexOp::create(b, 0));
    to.push_back(tensor::DimOp::create(b, init, dim));
    step.push_back(arith::ConstantIndexOp::create(b, 1));
  }
  scf::LoopNest nest = scf::buildLoopNest(
      b, b.getLoc(), from, to, step, init,
      [&](OpBuilder &inner, Location loc, ValueRange at, ValueRange carried) {
        ImplicitLocOpBuilder body(loc, inner);
        LaneVectors one{body, sums, SmallVector<int64_t>(lanes)};
        return scf::ValueVector{one.joinOne(at, carried.front())};
      });
  return nest.results.front();
}

/// With the last two dimensions as one.
static Value collapseInner(ImplicitLocOpBuilder &b, Value value) {
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0; dim + 1 < rank; ++dim)
    groups.push_back({dim});
  groups.back().push_back(rank - 1);
  return tensor::CollapseShapeOp::create(b, value, groups);
}

/// Results are vectors: a slice of the partial sums of each number.
static SmallVector<Value> getSlices(ImplicitLocOpBuilder &b, Value sums,
                                    RankedTensorType type,
                                    ArrayRef<bool> isLane,
                                    ArrayRef<int64_t> lanes) {
  SmallVector<OpFoldResult> offsets(isLane.size(), b.getIndexAttr(0)),
      strides(isLane.size(), b.getIndexAttr(1)),
      shape = tensor::getMixedSizes(b, b.getLoc(), sums);
  for (auto [dim, counts] : llvm::enumerate(isLane))
    if (counts)
      shape[dim] = b.getIndexAttr(1);
  SmallVector<Value> slices;
  SmallVector<int64_t> basis = computeSuffixProduct(lanes);
  for (int64_t lane = 0; lane < computeProduct(lanes); ++lane) {
    SmallVector<int64_t> at = delinearize(lane, basis);
    for (auto [dim, counts] : llvm::enumerate(isLane))
      if (counts) {
        offsets[dim] = b.getIndexAttr(at.front());
        at.erase(at.begin());
      }
    slices.push_back(
        tensor::ExtractSliceOp::create(b, type, sums, offsets, shape, strides));
  }
  return slices;
}

static Value joinSlices(ImplicitLocOpBuilder &b, Value init,
                        SmallVector<Value> slices) {
  auto type = cast<RankedTensorType>(init.getType());
  SmallVector<AffineMap> maps(slices.size() + 1,
                              b.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, type, slices, init, maps, iterators,
             [&](OpBuilder &inner, Location loc, ValueRange arguments) {
               ImplicitLocOpBuilder body(loc, inner);
               Value total =
                   joinHalves(body, llvm::to_vector(arguments.drop_back()));
               total = arith::AddFOp::create(body, arguments.back(), total);
               linalg::YieldOp::create(body, total);
             })
      ->getResult(0);
}

Value mlir::qdq::joinPartialSums(ImplicitLocOpBuilder &b, Value sums,
                                 Value init, ArrayRef<bool> isLane,
                                 bool sharesWords) {
  SmallVector<int64_t> lanes;
  for (auto [size, counts] : llvm::zip_equal(
           cast<RankedTensorType>(sums.getType()).getShape(), isLane))
    if (counts)
      lanes.push_back(size);
  bool isInner =
      !lanes.empty() && llvm::all_of(isLane.take_back(lanes.size()),
                                     [](bool counts) { return counts; });
  if (isInner)
    return joinInVectors(b, sums, init, lanes);
  auto type = cast<RankedTensorType>(init.getType());
  SmallVector<Value> slices = getSlices(b, sums, type, isLane, lanes);
  if (!sharesWords || type.getRank() < 2)
    return joinSlices(b, init, slices);
  for (Value &slice : slices)
    slice = collapseInner(b, slice);
  Value joined = joinSlices(b, collapseInner(b, init), slices);
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0; dim + 1 < type.getRank(); ++dim)
    groups.push_back({dim});
  groups.back().push_back(type.getRank() - 1);
  return tensor::ExpandShapeOp::create(
      b, type, joined, groups, tensor::getMixedSizes(b, b.getLoc(), init));
}
