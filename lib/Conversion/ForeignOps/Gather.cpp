// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gathers as linalg.generic.

#include "Gather.h"
#include "TensorOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Utils/Utils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
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

Value mlir::qdq::wrapIndex(ImplicitLocOpBuilder &b, Value index,
                           OpFoldResult count, OpFoldResult size) {
  Scalar place = Scalar(b, index).to(b.getIndexType());
  Scalar zero = place.constant(0), fromBack = place + toValue(b, count);
  place = select(place < zero, fromBack, place);
  Scalar one = place.constant(1);
  std::optional<int64_t> known = getConstantIntValue(size);
  return place.apply<arith::MinUIOp>(known ? place.constant(*known - 1)
                                           : Scalar(b, toValue(b, size)) - one);
}

Value mlir::qdq::isAnyEmpty(ImplicitLocOpBuilder &b,
                            ArrayRef<OpFoldResult> sizes) {
  Value isEmpty;
  for (OpFoldResult size : sizes) {
    if (getConstantIntValue(size))
      continue;
    Value isZero =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, toValue(b, size),
                              arith::ConstantIndexOp::create(b, 0).getResult());
    isEmpty = isEmpty ? arith::OrIOp::create(b, isEmpty, isZero) : isZero;
  }
  return isEmpty;
}

Value mlir::qdq::readElement(ImplicitLocOpBuilder &b, Value tensor,
                             ValueRange place, Value isEmpty) {
  if (!isEmpty)
    return tensor::ExtractOp::create(b, tensor, place);
  auto yieldZero = [&](OpBuilder &nested, Location loc) {
    TypedAttr zero = nested.getZeroAttr(getElementTypeOrSelf(tensor));
    scf::YieldOp::create(
        nested, loc, arith::ConstantOp::create(nested, loc, zero).getResult());
  };
  auto yieldElement = [&](OpBuilder &nested, Location loc) {
    scf::YieldOp::create(
        nested, loc,
        tensor::ExtractOp::create(nested, loc, tensor, place).getResult());
  };
  return scf::IfOp::create(b, isEmpty, yieldZero, yieldElement).getResult(0);
}

/// Of a tensor without signedness: bodies have no others.
static Value gatherSignless(ImplicitLocOpBuilder &b, Value tensor,
                            Value indices, int64_t axis, OpFoldResult count) {
  auto type = cast<RankedTensorType>(tensor.getType());
  int64_t indicesRank = cast<RankedTensorType>(indices.getType()).getRank();
  SmallVector<OpFoldResult> own = tensor::getMixedSizes(b, b.getLoc(), tensor);
  SmallVector<OpFoldResult> sizes(ArrayRef(own).take_front(axis));
  llvm::append_range(sizes, tensor::getMixedSizes(b, b.getLoc(), indices));
  llvm::append_range(sizes, ArrayRef(own).drop_front(axis + 1));
  OpFoldResult size = own[axis];
  Value isEmpty = isAnyEmpty(b, size);
  int64_t rank = sizes.size();
  Value init = tensor::EmptyOp::create(b, sizes, type.getElementType());
  AffineMap maps[] = {getIndicesMap(b, rank, axis, indicesRank),
                      b.getMultiDimIdentityMap(rank)};
  return createGeneric(
      b, indices, init, maps, [&](ImplicitLocOpBuilder &body, ValueRange x) {
        Value index = wrapIndex(body, x[0], count, size);
        SmallVector<Value> place;
        for (int64_t dim = 0; dim < type.getRank(); ++dim) {
          if (dim == axis)
            place.push_back(index);
          else
            place.push_back(linalg::IndexOp::create(
                body, dim < axis ? dim : dim + indicesRank - 1));
        }
        return readElement(body, tensor, place, isEmpty);
      });
}

Value mlir::qdq::gather(ImplicitLocOpBuilder &b, Value tensor, Value indices,
                        int64_t axis, OpFoldResult count) {
  return onSignless(b, tensor, [&](Value signless) {
    return gatherSignless(b, signless, indices, axis, count);
  });
}

static Scalar isInRange(Scalar index, OpFoldResult count) {
  ImplicitLocOpBuilder &b = index.getBuilder();
  Scalar place = index.to(b.getIndexType());
  Value most = toValue(b, count);
  std::optional<int64_t> known = getConstantIntValue(count);
  Scalar zero = place.constant(known ? -*known : 0);
  Scalar isAbove = place >= (known ? zero : zero - most);
  return isAbove & (place < most);
}

void mlir::qdq::assertInRange(const ForeignOp &node, Value indices,
                              OpFoldResult count) {
  if (!node.checksSizes() || matchPattern(indices, m_Constant()))
    return;
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  int64_t rank = cast<RankedTensorType>(indices.getType()).getRank();
  auto type = RankedTensorType::get({}, b.getI1Type());
  Value init = arith::ConstantOp::create(b, DenseElementsAttr::get(type, true));
  AffineMap maps[] = {b.getMultiDimIdentityMap(rank),
                      AffineMap::get(rank, 0, b.getContext())};
  Value all =
      createGeneric(b, indices, init, maps, [&](Scalar index, Scalar all) {
        return all & isInRange(index, count);
      });
  Value condition = tensor::ExtractOp::create(b, all, ValueRange());
  std::optional<int64_t> known = getConstantIntValue(count);
  std::string range =
      known ? std::to_string(-*known) + " to " + std::to_string(*known - 1)
            : "-n to n - 1, of n elements of data";
  cf::AssertOp::create(b, condition,
                       (node.getOperation()->getName().getStringRef() +
                        ": an index is not from " + range)
                           .str());
}

Value mlir::qdq::clearOutOfRange(ImplicitLocOpBuilder &b, Value values,
                                 Value indices, int64_t axis, int64_t count) {
  auto type = cast<RankedTensorType>(values.getType());
  auto indicesType = cast<RankedTensorType>(indices.getType());
  int64_t rank = type.getRank();
  Value init = tensor::EmptyOp::create(
      b, type, tensor::createDynamicDimValues(b, b.getLoc(), values));
  AffineMap maps[] = {b.getMultiDimIdentityMap(rank),
                      getIndicesMap(b, rank, axis, indicesType.getRank()),
                      b.getMultiDimIdentityMap(rank)};
  return createGeneric(
      b, {values, indices}, init, maps, [&](Scalar x, Scalar index) {
        return select(isInRange(index, b.getIndexAttr(count)), x, 0);
      });
}
