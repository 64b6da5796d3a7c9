// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NumPy's broadcasting on tensors.

#include "Broadcast.h"
#include "TensorOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/IR/QDQ.h"
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

namespace {
/// Where an open size comes from: a dimension of a tensor, or a number, which
/// has no dimension.
struct SizeSource {
  Value value;
  int64_t dim;

  bool operator==(const SizeSource &other) const {
    return value == other.value && dim == other.dim;
  }
};
} // namespace

/// Follows the ops that keep a size, or that are told one.
static SizeSource findSizeSource(Value tensor, int64_t dim) {
  auto fromSize = [](OpFoldResult size) -> std::optional<SizeSource> {
    auto value = dyn_cast<Value>(size);
    if (!value)
      return std::nullopt;
    if (auto op = value.getDefiningOp<tensor::DimOp>())
      if (std::optional<int64_t> index = op.getConstantIndex())
        return SizeSource{op.getSource(), *index};
    return SizeSource{value, -1};
  };
  SizeSource source{tensor, dim};
  while (source.dim >= 0) {
    Operation *op = source.value.getDefiningOp();
    std::optional<SizeSource> next;
    if (!op)
      break;
    if (auto styled = dyn_cast<DestinationStyleOpInterface>(op))
      next = {styled.getTiedOpOperand(cast<OpResult>(source.value))->get(),
              source.dim};
    else if (isa<tensor::CastOp, tensor::BitcastOp, QuantizeOp, DequantizeOp,
                 RequantizeOp>(op))
      next = {op->getOperand(0), source.dim};
    else if (auto empty = dyn_cast<tensor::EmptyOp>(op))
      next = fromSize(empty.getMixedSizes()[source.dim]);
    else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
      next = fromSize(expand.getMixedOutputShape()[source.dim]);
    else if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
      ArrayRef<int64_t> shape = collapse.getSrcType().getShape();
      ReassociationIndices group =
          collapse.getReassociationIndices()[source.dim];
      llvm::erase_if(group, [&](int64_t inner) { return shape[inner] == 1; });
      if (group.size() == 1)
        next = {collapse.getSrc(), group[0]};
    } else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
      if (slice.getDroppedDims().none())
        next = fromSize(slice.getMixedSizes()[source.dim]);
    } else if (auto pad = dyn_cast<tensor::PadOp>(op)) {
      if (isConstantIntValue(pad.getMixedLowPad()[source.dim], 0) &&
          isConstantIntValue(pad.getMixedHighPad()[source.dim], 0))
        next = {pad.getSource(), source.dim};
    } else if (auto concat = dyn_cast<tensor::ConcatOp>(op)) {
      if (static_cast<int64_t>(concat.getDim()) != source.dim)
        next = {concat.getInputs()[0], source.dim};
    }
    if (!next || !next->value ||
        (next->dim >= 0 && !isa<RankedTensorType>(next->value.getType())))
      break;
    source = *next;
  }
  return source;
}

OpFoldResult mlir::qdq::getSourceSize(ImplicitLocOpBuilder &b, Value tensor,
                                      int64_t dim) {
  SizeSource source = findSizeSource(tensor, dim);
  if (source.dim < 0)
    return source.value;
  return tensor::getMixedSize(b, b.getLoc(), source.value, source.dim);
}

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

/// `tensor`, whose dimension `dim` has `size` elements or one that is repeated.
/// TOSA's lowering has the same branch.
static Value repeatIfSingle(ImplicitLocOpBuilder &b, Value tensor, int64_t dim,
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
  return scf::IfOp::create(
             b, isSingle,
             [&](OpBuilder &nested, Location loc) {
               ImplicitLocOpBuilder inner(loc, nested);
               yield(nested, loc, repeat(inner, tensor, dim, size));
             },
             [&](OpBuilder &nested, Location loc) {
               yield(nested, loc, tensor);
             })
      .getResult(0);
}

/// One of them is open, and the other open or more than 1.
static bool isInDoubt(int64_t lhs, int64_t rhs) {
  if (ShapedType::isStatic(lhs) && ShapedType::isStatic(rhs))
    return false;
  return lhs != 1 && rhs != 1;
}

void mlir::qdq::repeatOpenSizes(ImplicitLocOpBuilder &b, Value &lhs, Value &rhs,
                                int64_t numOwn) {
  auto getType = [](Value value) {
    return cast<RankedTensorType>(value.getType());
  };
  int64_t lhsRank = getType(lhs).getRank(), rhsRank = getType(rhs).getRank();
  for (int64_t back = numOwn + 1; back <= std::min(lhsRank, rhsRank); ++back) {
    int64_t lhsDim = lhsRank - back, rhsDim = rhsRank - back;
    int64_t lhsSize = getType(lhs).getDimSize(lhsDim);
    int64_t rhsSize = getType(rhs).getDimSize(rhsDim);
    if (!isInDoubt(lhsSize, rhsSize))
      continue;
    if (ShapedType::isDynamic(lhsSize) && ShapedType::isDynamic(rhsSize) &&
        findSizeSource(lhs, lhsDim) == findSizeSource(rhs, rhsDim))
      continue;
    OpFoldResult size;
    if (ShapedType::isStatic(lhsSize) || ShapedType::isStatic(rhsSize)) {
      size = b.getIndexAttr(ShapedType::isStatic(lhsSize) ? lhsSize : rhsSize);
    } else {
      Value own = tensor::DimOp::create(b, lhs, lhsDim);
      Value other = tensor::DimOp::create(b, rhs, rhsDim);
      Value one = arith::ConstantIndexOp::create(b, 1);
      Value isSingle =
          arith::CmpIOp::create(b, arith::CmpIPredicate::eq, own, one);
      size = arith::SelectOp::create(b, isSingle, other, own).getResult();
    }
    auto repeatOpen = [&](Value &value, int64_t own, int64_t dim) {
      if (ShapedType::isDynamic(own))
        value = onSignless(b, value, [&](Value signless) {
          return repeatIfSingle(b, signless, dim, size);
        });
    };
    repeatOpen(lhs, lhsSize, lhsDim);
    repeatOpen(rhs, rhsSize, rhsDim);
  }
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
  SmallVector<int64_t> kept;
  SmallVector<ReassociationIndices> groups;
  ReassociationIndices leading;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (type.getDimSize(dim) == 1 && shape[offset + dim] != 1) {
      (groups.empty() ? leading : groups.back()).push_back(dim);
      continue;
    }
    groups.push_back(groups.empty() ? leading : ReassociationIndices());
    groups.back().push_back(dim);
    kept.push_back(type.getDimSize(dim));
    indices.push_back(b.getAffineDimExpr(offset + dim));
  }
  auto map = AffineMap::get(shape.size(), 0, indices, b.getContext());
  if (static_cast<int64_t>(kept.size()) != type.getRank())
    tensor =
        tensor::CollapseShapeOp::create(b, type.clone(kept), tensor, groups);
  return {tensor, map};
}
