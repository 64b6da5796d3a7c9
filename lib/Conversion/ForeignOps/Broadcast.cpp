// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NumPy's broadcasting on tensors.

#include "Broadcast.h"
#include "SizeSource.h"
#include "TensorOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qdq/IR/TypeRewrite.h"

using namespace mlir;
using namespace mlir::qdq;

FailureOr<SmallVector<int64_t>>
mlir::qdq::broadcastShapes(ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs) {
  if (lhs.size() < rhs.size())
    std::swap(lhs, rhs);
  SmallVector<int64_t> result(lhs);
  size_t offset = lhs.size() - rhs.size();
  for (auto [index, size] : llvm::enumerate(rhs)) {
    int64_t &out = result[offset + index];
    // An open size fits any static one; beside 1 it stays open.
    if (out == size || size == 1 || (ShapedType::isDynamic(size) && out != 1))
      continue;
    if (out != 1 && ShapedType::isStatic(out))
      return failure();
    out = size;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Sizes that only the values tell
//===----------------------------------------------------------------------===//

/// `tensor` with dimension `dim`, which is 1, `size` times as long.
static Value repeat(ImplicitLocOpBuilder &b, Value tensor, int64_t dim,
                    OpFoldResult size) {
  auto type = cast<RankedTensorType>(tensor.getType());
  int64_t rank = type.getRank();
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, b.getLoc(), tensor);
  sizes[dim] = size;
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  SmallVector<AffineExpr> places(identity.getResults());
  places[dim] = b.getAffineConstantExpr(0);
  return readPlaces(b, tensor, sizes, places);
}

/// TOSA's lowering has the same branch.
static Value repeatSignless(ImplicitLocOpBuilder &b, Value tensor, int64_t dim,
                            OpFoldResult size) {
  auto own = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape(own.getShape());
  std::optional<int64_t> known = getConstantIntValue(size);
  shape[dim] = known.value_or(ShapedType::kDynamic);
  auto type = own.clone(shape);
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value isSingle = arith::CmpIOp::create(
      b, arith::CmpIPredicate::eq, tensor::DimOp::create(b, tensor, dim), one);
  auto yield = [&](OpBuilder &nested, Location loc, Value value) {
    if (value.getType() != type)
      value = tensor::CastOp::create(nested, loc, type, value);
    scf::YieldOp::create(nested, loc, value);
  };
  Value repeated =
      scf::IfOp::create(
          b, isSingle,
          [&](OpBuilder &nested, Location loc) {
            ImplicitLocOpBuilder inner(loc, nested);
            yield(nested, loc, repeat(inner, tensor, dim, size));
          },
          [&](OpBuilder &nested, Location loc) { yield(nested, loc, tensor); })
          .getResult(0);
  if (type.hasStaticShape())
    return repeated;
  // Upstream's bounds of values would compare the sizes of the branches, and in
  // each case those of the branches before them: exponentially often.
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, b.getLoc(), tensor);
  sizes[dim] = size;
  Value list = tensor::FromElementsOp::create(
      b, getValueOrCreateConstantIndexOp(b, b.getLoc(), sizes));
  return tensor::ReshapeOp::create(b, type, repeated, list);
}

Value mlir::qdq::repeatIfSingle(ImplicitLocOpBuilder &b, Value tensor,
                                int64_t dim, OpFoldResult size) {
  return onSignless(b, tensor, [&](Value signless) {
    return repeatSignless(b, signless, dim, size);
  });
}

/// One of them is open, and the other open or more than 1.
static bool isInDoubt(int64_t lhs, int64_t rhs) {
  if (ShapedType::isStatic(lhs) && ShapedType::isStatic(rhs))
    return false;
  return lhs != 1 && rhs != 1;
}

Value mlir::qdq::chooseSize(ImplicitLocOpBuilder &b, Value own, Value other) {
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value isSingle = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, own, one);
  Value factor = arith::IndexCastUIOp::create(b, b.getIndexType(), isSingle);
  Value more = arith::SubIOp::create(b, other, own);
  return arith::AddIOp::create(b, own, arith::MulIOp::create(b, more, factor));
}

SmallVector<OpFoldResult> mlir::qdq::repeatOpenSizes(ImplicitLocOpBuilder &b,
                                                     Value &lhs, Value &rhs,
                                                     int64_t numOwn) {
  auto getType = [](Value value) {
    return cast<RankedTensorType>(value.getType());
  };
  int64_t lhsRank = getType(lhs).getRank(), rhsRank = getType(rhs).getRank();
  SmallVector<OpFoldResult> decided(std::max(lhsRank, rhsRank));
  Value left = lhs, right = rhs;
  for (int64_t back = numOwn + 1; back <= std::min(lhsRank, rhsRank); ++back) {
    int64_t lhsDim = lhsRank - back, rhsDim = rhsRank - back;
    int64_t lhsSize = getType(left).getDimSize(lhsDim);
    int64_t rhsSize = getType(right).getDimSize(rhsDim);
    if (!isInDoubt(lhsSize, rhsSize))
      continue;
    if (ShapedType::isDynamic(lhsSize) && ShapedType::isDynamic(rhsSize) &&
        areSameIfBroadcast(findSizeSource(left, lhsDim),
                           findSizeSource(right, rhsDim)))
      continue;
    OpFoldResult &size = decided[back - 1];
    if (ShapedType::isStatic(lhsSize) || ShapedType::isStatic(rhsSize))
      size = b.getIndexAttr(ShapedType::isStatic(lhsSize) ? lhsSize : rhsSize);
    else
      size = chooseSize(b, tensor::DimOp::create(b, left, lhsDim),
                        tensor::DimOp::create(b, right, rhsDim));
    if (ShapedType::isDynamic(lhsSize))
      lhs = repeatIfSingle(b, lhs, lhsDim, size);
    if (ShapedType::isDynamic(rhsSize))
      rhs = repeatIfSingle(b, rhs, rhsDim, size);
  }
  return decided;
}

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

BroadcastOperand mlir::qdq::dropRepeatedDims(ImplicitLocOpBuilder &b,
                                             Value tensor,
                                             ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(tensor.getType());
  int64_t offset = shape.size() - type.getRank();
  SmallVector<AffineExpr> indices;
  SmallVector<int64_t> repeated;
  for (auto [dim, size] : llvm::enumerate(type.getShape())) {
    if (size == 1 && shape[offset + dim] != 1)
      repeated.push_back(dim);
    else
      indices.push_back(b.getAffineDimExpr(offset + dim));
  }
  return {dropUnitDims(b, tensor, repeated),
          AffineMap::get(shape.size(), 0, indices, b.getContext())};
}
