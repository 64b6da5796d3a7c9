// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops on unranked tensors as ops on flat ones.

#include "Lowerings.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/IR/FunctionPattern.h"

using namespace mlir;
using namespace mlir::qdq;

/// The sizes of an unranked tensor as `tensor<?xindex>`.
static Value getShape(ImplicitLocOpBuilder &b, Value value) {
  Value rank = tensor::RankOp::create(b, value);
  auto type = RankedTensorType::get({ShapedType::kDynamic}, b.getIndexType());
  return tensor::GenerateOp::create(
      b, type, rank, [&](OpBuilder &nested, Location loc, ValueRange index) {
        Value size = tensor::DimOp::create(nested, loc, value, index[0]);
        tensor::YieldOp::create(nested, loc, size);
      });
}

/// The product of the sizes in [from, to).
static Value multiplyRange(ImplicitLocOpBuilder &b, Value shape, Value from,
                           Value to) {
  Value one = arith::ConstantIndexOp::create(b, 1);
  auto loop = scf::ForOp::create(
      b, from, to, one, one,
      [&](OpBuilder &nested, Location loc, Value index, ValueRange product) {
        Value size = tensor::ExtractOp::create(nested, loc, shape, index);
        Value next = arith::MulIOp::create(nested, loc, product[0], size);
        scf::YieldOp::create(nested, loc, next);
      });
  return loop.getResult(0);
}

FlatValue mlir::qdq::flattenUnranked(ImplicitLocOpBuilder &b, Value value,
                                     const Granularity &granularity) {
  if (isa<RankedTensorType>(value.getType()))
    return {value, granularity, Value()};
  Value shape = getShape(b, value);
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value rank = tensor::RankOp::create(b, value);
  FlatValue flat{value, granularity, shape};

  SmallVector<Value> sizes;
  if (granularity.isTensor()) {
    sizes.push_back(multiplyRange(b, shape, zero, rank));
  } else {
    Value axis = arith::ConstantIndexOp::create(b, granularity.getAxis());
    if (granularity.getAxis() < 0)
      axis = arith::AddIOp::create(b, rank, axis);
    Value one = arith::ConstantIndexOp::create(b, 1);
    Value behind = arith::AddIOp::create(b, axis, one);
    sizes = {multiplyRange(b, shape, zero, axis),
             tensor::ExtractOp::create(b, shape, axis),
             multiplyRange(b, shape, behind, rank)};
    flat.granularity = Granularity::alongAxis(1);
  }
  SmallVector<int64_t> flatShape(sizes.size(), ShapedType::kDynamic);
  auto type = RankedTensorType::get(flatShape, getElementTypeOrSelf(value));
  Value flatSizes = tensor::FromElementsOp::create(b, sizes);
  flat.value = tensor::ReshapeOp::create(b, type, value, flatSizes);
  return flat;
}

template <typename OpTy>
static LogicalResult flattenOp(OpTy op, PatternRewriter &rewriter) {
  if (!isa<UnrankedTensorType>(op.getInput().getType()))
    return rewriter.notifyMatchFailure(op, "is not on an unranked tensor");
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  FlatValue flat = flattenUnranked(b, op.getInput(), op.getGranularity());
  SmallVector<Value> operands(op->getOperands());
  operands.front() = flat.value;
  Type type = cast<RankedTensorType>(flat.value.getType())
                  .clone(getElementTypeOrSelf(op.getResult()));
  auto flatOp = cast<OpTy>(clone(b, op, type, operands));
  if (flat.granularity.isAxis())
    flatOp.setAxis(flat.granularity.getAxis());
  rewriter.replaceOpWithNewOp<tensor::ReshapeOp>(
      op, op.getResult().getType(), flatOp.getResult(), flat.shape);
  return success();
}

void mlir::qdq::populateUnrankedPatterns(RewritePatternSet &patterns,
                                         PatternBenefit benefit) {
  patterns.add<FunctionPattern<flattenOp<QuantizeOp>>,
               FunctionPattern<flattenOp<DequantizeOp>>,
               FunctionPattern<flattenOp<RequantizeOp>>>(patterns.getContext(),
                                                         benefit);
}
