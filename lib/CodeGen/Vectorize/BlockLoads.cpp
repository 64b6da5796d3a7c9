// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters of blocks, read in front of a tile that lies in one block.

#include "../Analysis/BodySlice.h"
#include "../Plan/Tiles.h"
#include "BlockIndex.h"
#include "ElementTiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::qdq;

/// The value in the first iteration of a tile.
static Value getFirst(OpBuilder &b, linalg::GenericOp tile, Value value) {
  IRMapping known;
  SetVector<Value> slice = getBodySlice(tile, value);
  for (Operation &op : tile.getBody()->without_terminator()) {
    if (op.getNumResults() != 1 || !slice.contains(op.getResult(0)))
      continue;
    if (isa<linalg::IndexOp>(op))
      known.map(op.getResult(0),
                arith::ConstantIndexOp::create(b, op.getLoc(), 0).getResult());
    else
      b.clone(op, known);
  }
  return known.lookupOrDefault(value);
}

/// The loop of more than one iteration that an index of a tile counts.
static std::optional<unsigned> getLoop(linalg::GenericOp tile,
                                       ArrayRef<int64_t> ranges, Value value) {
  std::optional<BlockIndex> index = BlockIndex::get(tile, value);
  if (index->isBlock())
    return std::nullopt;
  auto *found = llvm::find(index->strides, 1);
  unsigned loop = std::distance(index->strides.begin(), found);
  return found == index->strides.end() || ranges[loop] == 1
             ? std::nullopt
             : std::optional<unsigned>(loop);
}

linalg::GenericOp mlir::qdq::addInput(RewriterBase &rewriter,
                                      linalg::GenericOp tile, Value input,
                                      AffineMap map) {
  SmallVector<Value> inputs = tile.getInputs();
  SmallVector<AffineMap> maps = tile.getIndexingMapsArray();
  unsigned position = inputs.size();
  inputs.push_back(input);
  maps.insert(maps.begin() + position, map);
  rewriter.setInsertionPoint(tile);
  linalg::GenericOp result =
      rebuildGeneric(rewriter, tile, inputs, tile.getOutputs(), maps,
                     tile.getIteratorTypesArray());
  result.getBody()->insertArgument(
      position, getElementTypeOrSelf(input.getType()), tile.getLoc());
  rewriter.replaceOp(tile, result);
  return result;
}

void mlir::qdq::hoistBlockLoads(IRRewriter &rewriter, linalg::GenericOp tile) {
  Location loc = tile.getLoc();
  SmallVector<tensor::ExtractOp> loads(
      tile.getBody()->getOps<tensor::ExtractOp>());
  for (tensor::ExtractOp load : loads) {
    rewriter.setInsertionPoint(tile);
    SmallVector<int64_t> ranges = tile.getStaticLoopRanges();
    SmallVector<Range> extents =
        cast<linalg::LinalgOp>(*tile).createLoopRanges(rewriter, loc);
    SmallVector<Value> first;
    SmallVector<OpFoldResult> sizes;
    SmallVector<int64_t> shape;
    SmallVector<AffineExpr> results;
    for (Value index : load.getIndices()) {
      first.push_back(getFirst(rewriter, tile, index));
      std::optional<unsigned> loop = getLoop(tile, ranges, index);
      sizes.push_back(loop ? extents[*loop].size
                           : OpFoldResult(rewriter.getIndexAttr(1)));
      if (!loop)
        continue;
      shape.push_back(
          getConstantIntValue(sizes.back()).value_or(ShapedType::kDynamic));
      results.push_back(rewriter.getAffineDimExpr(*loop));
    }
    if (results.empty()) {
      rewriter.replaceOp(load, tensor::ExtractOp::create(
                                   rewriter, loc, load.getTensor(), first));
      continue;
    }
    auto type = cast<RankedTensorType>(load.getTensor().getType());
    Value slice = tensor::ExtractSliceOp::create(
        rewriter, loc, type.clone(shape), load.getTensor(),
        getAsOpFoldResult(first), sizes,
        SmallVector<OpFoldResult>(first.size(), rewriter.getIndexAttr(1)));
    tile = addInput(
        rewriter, tile, slice,
        AffineMap::get(tile.getNumLoops(), 0, results, rewriter.getContext()));
    rewriter.replaceOp(load, tile.getRegionInputArgs().back());
  }
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(*tile.getBody())))
    if (isOpTriviallyDead(&op))
      rewriter.eraseOp(&op);
}
