// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators that read elements at places that another tensor holds, and sums
// along a dimension.

#include "../ForeignOps/Gather.h"
#include "../ForeignOps/SizeSource.h"
#include "../ForeignOps/TensorOps.h"
#include "Indices.h"
#include "NodeParts.h"
#include "Operators.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/IR/TensorSlice.h"

using namespace mlir;
using namespace mlir::qdq;

using B = ImplicitLocOpBuilder;

FailureOr<ForeignTensor> mlir::qdq::getIndices(const ForeignOp &node,
                                               int64_t minRank) {
  FailureOr<ForeignTensor> indices = getRanked(node, 1, "indices", minRank);
  if (failed(indices))
    return failure();
  Type type = indices->type.getElementType();
  if (!type.isSignlessInteger(32) && !type.isSignlessInteger(64))
    return node.refuse("indices have element type ", type,
                       ": expected i32 or i64");
  return indices;
}

LogicalResult mlir::qdq::checkElements(const ForeignOp &node,
                                       const ForeignTensor &data, int64_t dim) {
  if (data.type.getDimSize(dim) != 0)
    return success();
  return node.refuse("data has type ", data.type,
                     ": expected elements in dimension ", dim);
}

LogicalResult mlir::qdq::checkIndices(const ForeignOp &node,
                                      const ForeignTensor &data, int64_t axis) {
  if (failed(checkElements(node, data, axis)))
    return failure();
  int64_t size = data.type.getDimSize(axis);
  auto known = getKnownIntegers(node, 1);
  if (!known || ShapedType::isDynamic(size))
    return success();
  for (int64_t index : *known)
    if (index < -size || index >= size)
      return node.refuse("has the index ", index, ": expected ", -size, " to ",
                         size - 1);
  return success();
}

LogicalResult mlir::qdq::checkExtents(const ForeignOp &node,
                                      const ForeignTensor &data,
                                      const ForeignTensor &indices,
                                      int64_t axis) {
  int64_t rank = data.type.getRank();
  if (indices.type.getRank() != rank)
    return node.refuse("indices have type ", indices.type, ": expected rank ",
                       rank, ", as data");
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t own = data.type.getDimSize(dim);
    int64_t read = indices.type.getDimSize(dim);
    bool isKnown = ShapedType::isStatic(own) && ShapedType::isStatic(read);
    if (dim != axis && isKnown && read > own)
      return node.refuse("indices have ", read, " elements in dimension ", dim,
                         ", and data ", own);
  }
  return success();
}

SmallVector<int64_t> mlir::qdq::findDoubtfulDims(ArrayRef<OpFoldResult> data,
                                                 ArrayRef<OpFoldResult> indices,
                                                 int64_t axis) {
  SmallVector<int64_t> doubtful{axis};
  for (int64_t dim = 0; dim < static_cast<int64_t>(data.size()); ++dim)
    if (dim != axis && !isSameSize(data[dim], indices[dim]) &&
        (isa<Value>(data[dim]) || isa<Value>(indices[dim])))
      doubtful.push_back(dim);
  return doubtful;
}

FailureOr<int64_t> mlir::qdq::getDepth(const ForeignOp &node,
                                       const ForeignTensor &data,
                                       const ForeignTensor &indices,
                                       int64_t batch) {
  int64_t rank = data.type.getRank(), last = indices.type.getRank() - 1;
  int64_t depth = indices.type.getDimSize(last);
  if (batch < 0 || batch > last || ShapedType::isDynamic(depth) || depth < 1 ||
      depth > rank - batch)
    return node.refuse("has batch_dims ", batch, ", data ", data.type,
                       " and indices ", indices.type,
                       ": expected coordinates that data has");
  for (int64_t dim = 0; dim < batch + depth; ++dim)
    if (failed(checkElements(node, data, dim)))
      return failure();
  return depth;
}

void mlir::qdq::assertCoordinates(const ForeignOp &node, Value indices,
                                  ArrayRef<OpFoldResult> own, int64_t batch) {
  if (!node.checksSizes())
    return;
  B b(node.getLoc(), node.getRewriter());
  TensorSlice column(b, indices);
  int64_t last = column.sizes.size() - 1;
  int64_t depth = *getConstantIntValue(column.sizes[last]);
  for (int64_t dim = 0; dim < depth; ++dim)
    assertInRange(node, column.cut(last, dim, 1).take(indices),
                  own[batch + dim]);
}

static LogicalResult translateGather(const ForeignOp &node) {
  FailureOr<ForeignTensor> data = getRanked(node, 0, "data", 1);
  FailureOr<ForeignTensor> indices = getIndices(node, 0);
  if (failed(data) || failed(indices))
    return failure();
  FailureOr<int64_t> axis = getAxis(node, 0, data->type.getRank());
  if (failed(axis) || failed(checkIndices(node, *data, *axis)))
    return failure();
  B b(node.getLoc(), node.getRewriter());
  Value x = node.materialize(*data);
  int64_t size = data->type.getDimSize(*axis);
  bool isOne = indices->type.getRank() == 0 && ShapedType::isStatic(size);
  if (auto known = isOne ? getKnownIntegers(node, 1) : std::nullopt) {
    // One place is a slice.
    int64_t place = (*known)[0];
    SmallVector<int64_t> shape(data->type.getShape());
    shape.erase(shape.begin() + *axis);
    return replaceBy(node, TensorSlice(b, x)
                               .cut(*axis, place < 0 ? place + size : place, 1)
                               .take(x, getRankedType(*data).clone(shape)));
  }
  Value places = node.materialize(*indices);
  OpFoldResult count = tensor::getMixedSize(b, b.getLoc(), x, *axis);
  assertInRange(node, places, count);
  return replaceBy(node, gather(b, x, places, *axis, count));
}

/// The element of each place of `indices`, which stands in for its coordinate
/// along `axis`.
static LogicalResult translateGatherElements(const ForeignOp &node) {
  FailureOr<ForeignTensor> data = getRanked(node, 0, "data", 1);
  FailureOr<ForeignTensor> indices = getIndices(node, 1);
  if (failed(data) || failed(indices))
    return failure();
  int64_t rank = data->type.getRank();
  FailureOr<int64_t> axis = getAxis(node, 0, rank);
  if (failed(axis) || failed(checkIndices(node, *data, *axis)) ||
      failed(checkExtents(node, *data, *indices, *axis)))
    return failure();
  B b(node.getLoc(), node.getRewriter());
  Value places = node.materialize(*indices);
  Value x = node.materialize(*data);
  OpFoldResult count = tensor::getMixedSize(b, b.getLoc(), x, *axis);
  assertInRange(node, places, count);
  Sizes own = tensor::getMixedSizes(b, b.getLoc(), x);
  Sizes sizes = tensor::getMixedSizes(b, b.getLoc(), places);
  SmallVector<int64_t> doubtful = findDoubtfulDims(own, sizes, *axis);
  Sizes read;
  for (int64_t dim : doubtful)
    read.push_back(own[dim]);
  auto getPlace = [&](B &body, ValueRange loops) {
    SmallVector<Value> place(loops);
    place[*axis] = tensor::ExtractOp::create(body, places, loops);
    for (int64_t dim : doubtful)
      place[dim] = wrapIndex(body, place[dim], own[dim], own[dim]);
    return place;
  };
  return replaceBy(node,
                   gatherPlaces(b, x, sizes, getPlace, isAnyEmpty(b, read)));
}

/// The last dimension of `indices` holds the coordinates of an element, or of a
/// tensor of the dimensions behind them.
static LogicalResult translateGatherND(const ForeignOp &node) {
  FailureOr<ForeignTensor> data = getRanked(node, 0, "data", 1);
  FailureOr<ForeignTensor> indices = getIndices(node, 1);
  FailureOr<int64_t> batch = node.getInteger("batch_dims", 0);
  if (failed(data) || failed(indices) || failed(batch))
    return failure();
  FailureOr<int64_t> read = getDepth(node, *data, *indices, *batch);
  if (failed(read))
    return failure();
  int64_t depth = *read, last = indices->type.getRank() - 1;
  B b(node.getLoc(), node.getRewriter());
  Value x = node.materialize(*data), places = node.materialize(*indices);
  Sizes own = tensor::getMixedSizes(b, b.getLoc(), x);
  assertCoordinates(node, places, own, *batch);
  Sizes sizes = tensor::getMixedSizes(b, b.getLoc(), places);
  sizes.pop_back();
  llvm::append_range(sizes, ArrayRef(own).drop_front(*batch + depth));
  return replaceBy(
      node,
      gatherPlaces(
          b, x, sizes,
          [&](B &body, ValueRange loops) {
            SmallVector<Value> at(loops.take_front(last));
            SmallVector<Value> place(loops.take_front(*batch));
            for (int64_t k = 0; k < depth; ++k) {
              at.push_back(arith::ConstantIndexOp::create(body, k));
              place.push_back(tensor::ExtractOp::create(body, places, at));
              at.pop_back();
            }
            for (int64_t dim = 0; dim < *batch + depth; ++dim)
              if (dim >= *batch || data->type.isDynamicDim(dim))
                place[dim] = wrapIndex(body, place[dim], own[dim], own[dim]);
            llvm::append_range(place, loops.drop_front(last));
            return place;
          },
          isAnyEmpty(b, ArrayRef(own).take_front(*batch + depth))));
}

/// Sums of the elements up to each place along an axis, one after the other.
static LogicalResult translateCumSum(const ForeignOp &node) {
  FailureOr<ForeignTensor> input = getRanked(node, 0, "x", 1);
  auto given = getIntegerList(node, "axis", 1);
  FailureOr<int64_t> isExclusive = node.getInteger("exclusive", 0);
  FailureOr<int64_t> isReverse = node.getInteger("reverse", 0);
  if (failed(input) || failed(given) || failed(isExclusive) ||
      failed(isReverse))
    return failure();
  if (!*given || (*given)->size() != 1)
    return node.refuse("axis is not one integer");
  FailureOr<int64_t> axis =
      normalizeAxis(node, (**given)[0], input->type.getRank());
  if (failed(axis))
    return failure();
  B b(node.getLoc(), node.getRewriter());
  Value result = onSignless(b, node.materialize(*input), [&](Value x) -> Value {
    Type own = getElementTypeOrSelf(x), type = getComputeType(own);
    x = isa<FloatType>(own) ? castFloats(b, x, type) : x;
    Sizes sizes = tensor::getMixedSizes(b, b.getLoc(), x), part = sizes;
    part[*axis] = b.getIndexAttr(1);
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
    auto fill = [&](Value empty) {
      return linalg::FillOp::create(b, zero, empty).getResult(0);
    };
    Value sum = fill(tensor::EmptyOp::create(b, part, type));
    Value all = tensor::EmptyOp::create(b, sizes, type);
    Value count = toValue(b, sizes[*axis]);
    Value first = arith::ConstantIndexOp::create(b, 0);
    Value step = arith::ConstantIndexOp::create(b, 1);
    auto loop = scf::ForOp::create(
        b, first, count, step, ValueRange{sum, all},
        [&](OpBuilder &nested, Location loc, Value place, ValueRange carried) {
          B body(loc, nested);
          if (*isReverse)
            place = arith::SubIOp::create(
                body, arith::SubIOp::create(body, count, step), place);
          TensorSlice slice(body, part);
          slice.cut(*axis, place, 1);
          Value next =
              linalg::AddOp::create(
                  body, ValueRange{carried[0], slice.take(x)},
                  tensor::EmptyOp::create(body, part, type).getResult())
                  .getResult(0);
          Value here = *isExclusive ? carried[0] : next;
          here = slice.put(here, carried[1]);
          scf::YieldOp::create(body, ValueRange{next, here});
        });
    Value sums = loop.getResult(1);
    return isa<FloatType>(own) ? castFloats(b, sums, own) : sums;
  });
  return replaceBy(node, result);
}

ArrayRef<Operator> mlir::qdq::getGatherOperators() {
  static const Operator kOperators[] = {
      {"onnx.CumSum", {2}, translateCumSum},
      {"onnx.Gather", {2}, translateGather},
      {"onnx.GatherElements", {2}, translateGatherElements},
      {"onnx.GatherND", {2}, translateGatherND},
  };
  return kOperators;
}
