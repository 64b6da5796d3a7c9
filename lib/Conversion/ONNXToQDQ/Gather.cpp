// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gathers as linalg.generic.

#include "Gather.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "qdq/IR/TypeRewrite.h"

using namespace mlir;
using namespace mlir::qdq;

SmallVector<int64_t> mlir::qdq::getGatheredShape(ArrayRef<int64_t> shape,
                                                 ArrayRef<int64_t> indices,
                                                 int64_t axis) {
  SmallVector<int64_t> result(shape.take_front(axis));
  llvm::append_range(result, indices);
  llvm::append_range(result, shape.drop_front(axis + 1));
  return result;
}

/// From the dimensions of a gather of `rank` to those of its indices.
static AffineMap getIndicesMap(ImplicitLocOpBuilder &b, int64_t rank,
                               int64_t axis, int64_t indicesRank) {
  SmallVector<AffineExpr> dims;
  for (int64_t dim = 0; dim < indicesRank; ++dim)
    dims.push_back(b.getAffineDimExpr(axis + dim));
  return AffineMap::get(rank, 0, dims, b.getContext());
}

Value mlir::qdq::gather(ImplicitLocOpBuilder &b, Value tensor, Value indices,
                        int64_t axis, int64_t count) {
  auto own = cast<RankedTensorType>(tensor.getType());
  auto indicesType = cast<RankedTensorType>(indices.getType());
  int64_t indicesRank = indicesType.getRank();
  // Bodies have no scalars with a signedness.
  tensor = asSignless(b, b.getLoc(), tensor);
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape =
      getGatheredShape(type.getShape(), indicesType.getShape(), axis);
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < indicesRank; ++dim)
    if (indicesType.isDynamicDim(dim))
      sizes.push_back(tensor::DimOp::create(b, indices, dim));
  int64_t rank = shape.size();
  auto result = RankedTensorType::get(shape, type.getElementType());
  Value init = tensor::EmptyOp::create(b, result, sizes);
  AffineMap maps[] = {getIndicesMap(b, rank, axis, indicesRank),
                      b.getMultiDimIdentityMap(rank)};
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      b, result, indices, init, maps, loops,
      [&](OpBuilder &nested, Location loc, ValueRange arguments) {
        ImplicitLocOpBuilder body(loc, nested);
        Value index =
            arith::IndexCastOp::create(body, body.getIndexType(), arguments[0]);
        Value zero = arith::ConstantIndexOp::create(body, 0);
        Value fromBack = arith::AddIOp::create(
            body, index, arith::ConstantIndexOp::create(body, count));
        Value isNegative =
            arith::CmpIOp::create(body, arith::CmpIPredicate::slt, index, zero);
        index = arith::SelectOp::create(body, isNegative, fromBack, index);
        Value last =
            arith::ConstantIndexOp::create(body, type.getDimSize(axis) - 1);
        index = arith::MinUIOp::create(body, index, last);
        SmallVector<Value> place;
        for (int64_t dim = 0; dim < type.getRank(); ++dim) {
          if (dim == axis)
            place.push_back(index);
          else
            place.push_back(linalg::IndexOp::create(
                body, dim < axis ? dim : dim + indicesRank - 1));
        }
        Value element = tensor::ExtractOp::create(body, tensor, place);
        linalg::YieldOp::create(body, element);
      });
  Value gathered = generic.getResult(0);
  if (own.getElementType() == type.getElementType())
    return gathered;
  return tensor::BitcastOp::create(b, result.clone(own.getElementType()),
                                   gathered);
}

static Value isInRange(ImplicitLocOpBuilder &b, Value index, int64_t count) {
  auto compare = [&](arith::CmpIPredicate predicate, int64_t bound) {
    Value limit =
        arith::ConstantOp::create(b, b.getIntegerAttr(index.getType(), bound));
    return arith::CmpIOp::create(b, predicate, index, limit);
  };
  return arith::AndIOp::create(b, compare(arith::CmpIPredicate::sge, -count),
                               compare(arith::CmpIPredicate::slt, count));
}

void mlir::qdq::assertInRange(const ForeignOp &node, Value indices,
                              int64_t count) {
  if (!node.checksSizes() || matchPattern(indices, m_Constant()))
    return;
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  int64_t rank = cast<RankedTensorType>(indices.getType()).getRank();
  auto type = RankedTensorType::get({}, b.getI1Type());
  Value init = arith::ConstantOp::create(b, DenseElementsAttr::get(type, true));
  AffineMap maps[] = {b.getMultiDimIdentityMap(rank),
                      AffineMap::get(rank, 0, b.getContext())};
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::reduction);
  auto all = linalg::GenericOp::create(
      b, type, indices, init, maps, loops,
      [&](OpBuilder &nested, Location loc, ValueRange arguments) {
        ImplicitLocOpBuilder body(loc, nested);
        Value both = arith::AndIOp::create(
            body, arguments[1], isInRange(body, arguments[0], count));
        linalg::YieldOp::create(body, both);
      });
  Value condition = tensor::ExtractOp::create(b, all.getResult(0));
  cf::AssertOp::create(b, condition,
                       (node.getOperation()->getName().getStringRef() +
                        ": an index is not from " + Twine(-count) + " to " +
                        Twine(count - 1))
                           .str());
}

Value mlir::qdq::clearOutOfRange(ImplicitLocOpBuilder &b, Value values,
                                 Value indices, int64_t axis, int64_t count) {
  auto type = cast<RankedTensorType>(values.getType());
  auto indicesType = cast<RankedTensorType>(indices.getType());
  int64_t rank = type.getRank();
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(tensor::DimOp::create(b, values, dim));
  Value init = tensor::EmptyOp::create(b, type, sizes);
  AffineMap maps[] = {b.getMultiDimIdentityMap(rank),
                      getIndicesMap(b, rank, axis, indicesType.getRank()),
                      b.getMultiDimIdentityMap(rank)};
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      b, type, ValueRange{values, indices}, init, maps, loops,
      [&](OpBuilder &nested, Location loc, ValueRange arguments) {
        ImplicitLocOpBuilder body(loc, nested);
        Value isInside = isInRange(body, arguments[1], count);
        Value zero = arith::ConstantOp::create(
            body, body.getZeroAttr(type.getElementType()));
        Value result =
            arith::SelectOp::create(body, isInside, arguments[0], zero);
        linalg::YieldOp::create(body, result);
      });
  return generic.getResult(0);
}
