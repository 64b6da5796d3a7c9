// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tree that joins partial sums.

#include "../Plan/Tiles.h"
#include "PartialSums.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/IR/BuildGeneric.h"
#include "qdq/IR/TensorSlice.h"

using namespace mlir;
using namespace mlir::qdq;

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

/// Adds the sum of the innermost partial sums at `at`, the lanes, to that
/// element of `result`.
static Value joinLanes(ImplicitLocOpBuilder &b, Value sums, ValueRange at,
                       Value result, ArrayRef<int64_t> lanes) {
  SmallVector<Value> indices(at);
  indices.append(lanes.size(), arith::ConstantIndexOp::create(b, 0));
  Type element = getElementTypeOrSelf(sums);
  Value padding = arith::ConstantOp::create(b, b.getZeroAttr(element));
  Value vector = vector::TransferReadOp::create(
      b, VectorType::get(lanes, element), sums, indices, padding,
      SmallVector<bool>(lanes.size(), true));
  int64_t size = computeProduct(lanes);
  vector =
      vector::ShapeCastOp::create(b, VectorType::get(size, element), vector);
  for (; size > 1; size /= 2) {
    Value low =
        vector::ExtractStridedSliceOp::create(b, vector, 0, size / 2, 1);
    Value high =
        vector::ExtractStridedSliceOp::create(b, vector, size / 2, size / 2, 1);
    vector = arith::AddFOp::create(b, low, high);
  }
  Value total = vector::ExtractOp::create(b, vector, int64_t(0));
  Value start = tensor::ExtractOp::create(b, result, at);
  total = arith::AddFOp::create(b, start, total);
  return tensor::InsertOp::create(b, total, result, at);
}

static Value joinInVectors(ImplicitLocOpBuilder &b, Value sums, Value init,
                           ArrayRef<int64_t> lanes) {
  auto type = cast<RankedTensorType>(init.getType());
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
        return scf::ValueVector{
            joinLanes(body, sums, at, carried.front(), lanes)};
      });
  return nest.results.front();
}

/// Results are vectors: a slice of the partial sums of each number.
static SmallVector<Value> getSlices(ImplicitLocOpBuilder &b, Value sums,
                                    ArrayRef<bool> isLane,
                                    ArrayRef<int64_t> lanes) {
  auto all = cast<RankedTensorType>(sums.getType());
  SmallVector<int64_t> kept;
  for (auto [size, counts] : llvm::zip_equal(all.getShape(), isLane))
    if (!counts)
      kept.push_back(size);
  auto type = RankedTensorType::get(kept, all.getElementType());
  TensorSlice slice(b, sums);
  SmallVector<Value> slices;
  SmallVector<int64_t> basis = computeSuffixProduct(lanes);
  for (int64_t lane = 0; lane < computeProduct(lanes); ++lane) {
    SmallVector<int64_t> at = delinearize(lane, basis);
    for (auto [dim, counts] : llvm::enumerate(isLane))
      if (counts) {
        slice.cut(dim, at.front(), 1);
        at.erase(at.begin());
      }
    slices.push_back(slice.take(sums, type));
  }
  return slices;
}

static Value joinSlices(ImplicitLocOpBuilder &b, Value init,
                        SmallVector<Value> slices) {
  auto type = cast<RankedTensorType>(init.getType());
  SmallVector<AffineMap> maps(slices.size() + 1,
                              b.getMultiDimIdentityMap(type.getRank()));
  auto join = [](ImplicitLocOpBuilder &body, ValueRange elements) -> Value {
    Value total = joinHalves(body, llvm::to_vector(elements.drop_back()));
    return arith::AddFOp::create(body, elements.back(), total);
  };
  return buildGeneric(b, slices, init, maps, join).getResult(0);
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
  SmallVector<Value> slices = getSlices(b, sums, isLane, lanes);
  if (!sharesWords || type.getRank() < 2)
    return joinSlices(b, init, slices);
  // The last two dimensions as one.
  SmallVector<ReassociationIndices> groups =
      groupDims(type.getRank(), type.getRank() - 2, 2);
  for (Value &slice : slices)
    slice = tensor::CollapseShapeOp::create(b, slice, groups);
  Value joined =
      joinSlices(b, tensor::CollapseShapeOp::create(b, init, groups), slices);
  return tensor::ExpandShapeOp::create(
      b, type, joined, groups, tensor::getMixedSizes(b, b.getLoc(), init));
}
