// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of a generic as several, by reshapes of its operands.

#include "SplitLoops.h"
#include "../Plan/Tiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::qdq;

Value LoopSplit::splitOperand(ImplicitLocOpBuilder &b, Value operand,
                              AffineMap &map) const {
  SmallVector<AffineExpr> indices;
  SmallVector<ReassociationIndices> groups;
  SmallVector<OpFoldResult> sizes, shape;
  if (isa<ShapedType>(operand.getType()))
    sizes = tensor::getMixedSizes(b, b.getLoc(), operand);
  for (auto [expr, size] : llvm::zip_equal(map.getResults(), sizes)) {
    ReassociationIndices &group = groups.emplace_back(1, indices.size());
    auto dim = dyn_cast<AffineDimExpr>(expr);
    auto part = dim ? parts.find(dim.getPosition()) : parts.end();
    if (part == parts.end()) {
      indices.push_back(
          simplifyAffineExpr(expr.replaceDims(exprs), numLoops, 0));
      shape.push_back(size);
      continue;
    }
    for (size_t i = 1; i < part->second.dims.size(); ++i)
      group.push_back(indices.size() + i);
    llvm::append_range(indices, part->second.dims);
    llvm::append_range(shape, part->second.sizes);
  }
  map = AffineMap::get(numLoops, 0, indices, b.getContext());
  if (shape.size() == groups.size())
    return operand;
  auto type = cast<RankedTensorType>(operand.getType())
                  .clone(std::get<0>(decomposeMixedValues(shape)));
  return tensor::ExpandShapeOp::create(b, type, operand, groups, shape);
}

void LoopSplit::replaceIndices(RewriterBase &rewriter, linalg::GenericOp made,
                               OpFoldResult from) const {
  OpBuilder::InsertionGuard guard(rewriter);
  for (auto index :
       llvm::make_early_inc_range(made.getBody()->getOps<linalg::IndexOp>())) {
    AffineExpr expr = exprs[index.getDim()];
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      rewriter.modifyOpInPlace(index, [&] { index.setDim(dim.getPosition()); });
      continue;
    }
    // The outer one of two loops, times a number, and the inner one.
    ArrayRef<AffineExpr> dims = parts.at(index.getDim()).dims;
    assert(dims.size() == 2 && "an index of two parts");
    rewriter.setInsertionPoint(index);
    Location loc = index.getLoc();
    auto create = [&](AffineExpr dim) -> Value {
      return linalg::IndexOp::create(rewriter, loc,
                                     cast<AffineDimExpr>(dim).getPosition());
    };
    std::optional<int64_t> number =
        getStride(expr, cast<AffineDimExpr>(dims[0]).getPosition(), numLoops);
    Value steps = arith::MulIOp::create(
        rewriter, loc, create(dims[0]),
        arith::ConstantIndexOp::create(rewriter, loc, *number));
    Value sum = arith::AddIOp::create(rewriter, loc, steps, create(dims[1]));
    if (from && !isZeroInteger(from))
      sum = arith::AddIOp::create(
          rewriter, loc, sum,
          getValueOrCreateConstantIndexOp(rewriter, loc, from));
    rewriter.replaceOp(index, sum);
  }
}

linalg::GenericOp mlir::qdq::splitLoops(
    RewriterBase &rewriter, linalg::GenericOp op,
    const DenseMap<unsigned, SmallVector<int64_t>> &parts,
    function_ref<void(OpOperand &, Value &, AffineMap &)> lay) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  LoopSplit split;
  SmallVector<utils::IteratorType> iterators;
  for (auto [loop, type] : llvm::enumerate(op.getIteratorTypesArray())) {
    SmallVector<int64_t> sizes = parts.lookup(loop);
    LoopSplit::Part part;
    AffineExpr index;
    for (size_t i = 0; i < std::max<size_t>(sizes.size(), 1); ++i) {
      AffineExpr dim = b.getAffineDimExpr(iterators.size());
      iterators.push_back(type);
      index = index ? index * sizes[i] + dim : dim;
      part.dims.push_back(dim);
    }
    part.sizes = getAsIndexOpFoldResult(op.getContext(), sizes);
    split.exprs.push_back(index);
    if (!sizes.empty())
      split.parts[loop] = part;
  }
  split.numLoops = iterators.size();

  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    Value value = split.splitOperand(b, operand.get(), map);
    if (lay)
      lay(operand, value, map);
    maps.push_back(map);
    if (op.isDpsInput(&operand))
      inputs.push_back(value);
  }
  linalg::GenericOp made =
      rebuildGeneric(rewriter, op, inputs, op.getDpsInits(), maps, iterators);
  split.replaceIndices(rewriter, made);
  rewriter.replaceOp(op, made);
  return made;
}
