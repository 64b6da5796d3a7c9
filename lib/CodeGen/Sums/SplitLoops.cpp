// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of a generic as several, by reshapes of its operands.

#include "SplitLoops.h"
#include "../Plan/Tiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::qdq;

linalg::GenericOp mlir::qdq::splitLoops(
    RewriterBase &rewriter, linalg::GenericOp op,
    const DenseMap<unsigned, SmallVector<int64_t>> &parts,
    function_ref<void(OpOperand &, Value &, AffineMap &)> lay) {
  MLIRContext *context = op.getContext();
  // Of each loop its index in the new loops, and those that replace it.
  SmallVector<AffineExpr> exprs;
  SmallVector<SmallVector<AffineExpr>> dims;
  SmallVector<utils::IteratorType> iterators;
  for (auto [loop, type] : llvm::enumerate(op.getIteratorTypesArray())) {
    ArrayRef<int64_t> sizes;
    if (auto found = parts.find(loop); found != parts.end())
      sizes = found->second;
    SmallVector<AffineExpr> &own = dims.emplace_back();
    AffineExpr index;
    for (size_t i = 0; i < std::max<size_t>(sizes.size(), 1); ++i) {
      own.push_back(getAffineDimExpr(iterators.size(), context));
      iterators.push_back(type);
      index = index ? index * sizes[i] + own.back() : own.back();
    }
    exprs.push_back(index);
  }

  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    SmallVector<AffineExpr> indices;
    SmallVector<ReassociationIndices> groups;
    SmallVector<int64_t> shape;
    for (auto [i, expr] :
         llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults())) {
      ReassociationIndices &group = groups.emplace_back(1, indices.size());
      auto dim = dyn_cast<AffineDimExpr>(expr);
      auto split = dim ? parts.find(dim.getPosition()) : parts.end();
      if (split == parts.end()) {
        indices.push_back(
            simplifyAffineExpr(expr.replaceDims(exprs), iterators.size(), 0));
        shape.push_back(cast<RankedTensorType>(value.getType()).getDimSize(i));
        continue;
      }
      for (size_t part = 1; part < split->second.size(); ++part)
        group.push_back(indices.size() + part);
      llvm::append_range(indices, dims[dim.getPosition()]);
      llvm::append_range(shape, split->second);
    }
    if (shape.size() > groups.size())
      value = tensor::ExpandShapeOp::create(
          rewriter, op.getLoc(),
          cast<RankedTensorType>(value.getType()).clone(shape), value, groups);
    auto map = AffineMap::get(iterators.size(), 0, indices, context);
    if (lay)
      lay(operand, value, map);
    maps.push_back(map);
    if (op.isDpsInput(&operand))
      inputs.push_back(value);
  }
  linalg::GenericOp split =
      rebuildGeneric(rewriter, op, inputs, op.getDpsInits(), maps, iterators);
  for (auto index :
       llvm::make_early_inc_range(split.getBody()->getOps<linalg::IndexOp>())) {
    unsigned loop = index.getDim();
    if (auto dim = dyn_cast<AffineDimExpr>(exprs[loop])) {
      rewriter.modifyOpInPlace(index, [&] { index.setDim(dim.getPosition()); });
      continue;
    }
    ArrayRef<AffineExpr> own = dims[loop];
    assert(own.size() == 2 && "an index of two parts");
    rewriter.setInsertionPoint(index);
    Location loc = index.getLoc();
    auto create = [&](AffineExpr dim) -> Value {
      return linalg::IndexOp::create(rewriter, loc,
                                     cast<AffineDimExpr>(dim).getPosition());
    };
    Value steps = arith::MulIOp::create(
        rewriter, loc, create(own[0]),
        arith::ConstantIndexOp::create(rewriter, loc, parts.at(loop)[1]));
    rewriter.replaceOpWithNewOp<arith::AddIOp>(index, steps, create(own[1]));
  }
  rewriter.replaceOp(op, split);
  return split;
}
