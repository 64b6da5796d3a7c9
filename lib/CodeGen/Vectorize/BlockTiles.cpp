// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Generics with short or dynamic blocks, tiled so that a tile lies in one.

#include "../Analysis/MayTrap.h"
#include "../Plan/ConsumerFusion.h"
#include "../Plan/Tiles.h"
#include "BlockIndex.h"
#include "ElementTiles.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <numeric>

using namespace mlir;
using namespace mlir::qdq;

namespace {
/// The tiles of an op in which all its block indices are constant.
class BlockTiles {
public:
  static std::optional<BlockTiles> get(linalg::GenericOp op);

  ArrayRef<int64_t> getSizes() const { return sizes; }

private:
  bool demand(const BlockIndex &index);
  bool isConstant(const BlockIndex &index) const;
  bool isEntered(linalg::GenericOp op, tensor::ExtractOp load) const;

  /// The static size of a loop in a tile, or dynamic.
  int64_t getExtent(unsigned loop) const {
    return sizes[loop] ? sizes[loop] : ranges[loop];
  }

  SmallVector<int64_t> ranges;
  /// Of each loop, 0 for all of it.
  SmallVector<int64_t> sizes;
};
} // namespace

/// Makes tiles small enough to lie in one block, if that is possible.
bool BlockTiles::demand(const BlockIndex &index) {
  for (auto [loop, stride] : llvm::enumerate(index.strides)) {
    if (stride == 0 || ranges[loop] == 1)
      continue;
    if (stride % index.length != 0 && index.length % stride != 0)
      return false;
    int64_t size = std::max<int64_t>(index.length / stride, 1);
    sizes[loop] = std::gcd(sizes[loop], size);
  }
  return true;
}

/// True if each tile lies in one block.
bool BlockTiles::isConstant(const BlockIndex &index) const {
  int64_t span = 1, begin = std::gcd(index.offset, index.length);
  for (auto [loop, stride] : llvm::enumerate(index.strides)) {
    int64_t extent = getExtent(loop);
    if (stride == 0)
      continue;
    if (ShapedType::isDynamic(extent))
      return false;
    span += stride * (extent - 1);
    begin = std::gcd(begin, stride * sizes[loop]);
  }
  return span <= begin;
}

/// True if a tile is known to read what the load does, which goes before it: a
/// whole loop of a dynamic size need not have an iteration, unless it counts a
/// dimension of what is read.
bool BlockTiles::isEntered(linalg::GenericOp op, tensor::ExtractOp load) const {
  SmallVector<bool> counted(ranges.size(), false);
  for (Value value : load.getIndices()) {
    std::optional<BlockIndex> index = BlockIndex::get(op, value);
    for (auto [loop, stride] : llvm::enumerate(index->strides))
      if (!index->isBlock() && stride != 0)
        counted[loop] = true;
  }
  return llvm::all_of(llvm::enumerate(counted), [&](auto loop) {
    return loop.value() || ShapedType::isStatic(getExtent(loop.index()));
  });
}

std::optional<BlockTiles> BlockTiles::get(linalg::GenericOp op) {
  BlockTiles tiles;
  tiles.ranges = op.getStaticLoopRanges();
  if (tiles.ranges.empty() || llvm::is_contained(tiles.ranges, 0))
    return std::nullopt;
  tiles.sizes.assign(op.getNumLoops(), 0);
  SmallVector<BlockIndex> blocks;
  for (auto load : op.getBody()->getOps<tensor::ExtractOp>()) {
    if (load.getTensor().getParentBlock() == op.getBody())
      return std::nullopt;
    for (Value value : load.getIndices()) {
      std::optional<BlockIndex> index = BlockIndex::get(op, value);
      if (!index)
        return std::nullopt;
      if (index->isBlock()) {
        if (!tiles.demand(*index))
          return std::nullopt;
        blocks.push_back(*index);
        continue;
      }
      // A dimension of the parameter that is one of the loops.
      auto isNeutral = [](int64_t stride) { return stride == 0; };
      if (llvm::count_if(index->strides, isNeutral) + 1 <
              static_cast<int64_t>(index->strides.size()) ||
          *llvm::max_element(index->strides) > 1)
        return std::nullopt;
    }
  }
  if (blocks.empty())
    return std::nullopt;
  for (auto [size, range] : llvm::zip_equal(tiles.sizes, tiles.ranges))
    if (!ShapedType::isDynamic(range) && range <= size)
      size = 0;
  if (!llvm::all_of(blocks, [&](const BlockIndex &index) {
        return tiles.isConstant(index);
      }))
    return std::nullopt;
  // Neighbors in memory one after another.
  bool isOutside = false;
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  for (int64_t loop = op.getNumLoops() - 1; loop >= 0; --loop) {
    bool isReduction = iterators[loop] == utils::IteratorType::reduction;
    if (isReduction && tiles.sizes[loop] != 0)
      return std::nullopt;
    isOutside |= tiles.sizes[loop] != 0;
    if (isOutside && !isReduction && tiles.sizes[loop] == 0 &&
        tiles.ranges[loop] != 1)
      tiles.sizes[loop] = 1;
  }
  // Upstream's verifier refuses each offset into a size of 0.
  if (!llvm::all_of(op.getBody()->getOps<tensor::ExtractOp>(),
                    [&](tensor::ExtractOp load) {
                      ArrayRef<int64_t> shape =
                          load.getTensor().getType().getShape();
                      return !llvm::is_contained(shape, 0) &&
                             (!mayTrap(load) || tiles.isEntered(op, load));
                    }))
    return std::nullopt;
  return tiles;
}

/// Each loop that is peeled doubles the code.
static constexpr int64_t kMostPeeled = 3;

/// Tiles `op`. What is left over by tiles is peeled, for the innermost loops:
/// of the last one it stays a loop.
static LogicalResult tileBlocks(TileRewriter &rewriter, linalg::GenericOp op,
                                ArrayRef<int64_t> sizes) {
  rewriter.setPlan(op, {TileStrategy::Block});
  FailureOr<SmallVector<LoopLikeOpInterface>> nest =
      tileFused(rewriter, cast<linalg::LinalgOp>(op.getOperation()),
                getAsIndexOpFoldResult(rewriter.getContext(), sizes),
                scf::SCFTilingOptions::LoopType::ForOp);
  if (failed(nest))
    return failure();
  SmallVector<Operation *> loops{nest->front()};
  int64_t numPeeled = 0;
  for (LoopLikeOpInterface loop : llvm::reverse(*nest)) {
    if (numPeeled == kMostPeeled)
      break;
    scf::ForOp rest = peelRemainder(rewriter, cast<scf::ForOp>(*loop));
    if (!rest)
      continue;
    ++numPeeled;
    if (loop == nest->front())
      loops.push_back(rest);
    if (loop == nest->back() && sizes.back() != 0)
      for (linalg::GenericOp tile :
           rewriter.getTiles(rest, TileStrategy::Block))
        rewriter.setPlan(tile, {TileStrategy::Loop});
  }
  SmallVector<linalg::GenericOp> tiles;
  for (Operation *loop : loops)
    tiles.append(collectGenerics(loop, [&](linalg::GenericOp tile) {
      return rewriter.getPlan(tile) != nullptr;
    }));
  for (linalg::GenericOp tile : tiles) {
    expandBodyAffine(rewriter, tile);
    hoistBlockLoads(rewriter, tile);
  }
  return success();
}

LogicalResult mlir::qdq::tileBlocks(TileRewriter &rewriter, Operation *root) {
  auto loadsParameter = [](linalg::GenericOp op) {
    return !op.getBody()->getOps<tensor::ExtractOp>().empty();
  };
  bool isTiled = false;
  for (linalg::GenericOp op :
       collectUnplanned(rewriter, root, loadsParameter)) {
    expandBodyAffine(rewriter, op);
    std::optional<BlockTiles> tiles = BlockTiles::get(op);
    if (!tiles)
      continue;
    if (llvm::all_of(tiles->getSizes(), [](int64_t s) { return s == 0; })) {
      hoistBlockLoads(rewriter, op);
      continue;
    }
    if (succeeded(::tileBlocks(rewriter, op, tiles->getSizes())))
      isTiled = true;
    else
      rewriter.dropPlan(op);
  }
  if (!isTiled)
    return success();
  // Gives whole blocks their static shapes.
  RewritePatternSet shapes = getTileShapePatterns(root->getContext());
  if (failed(rewriter.simplify(root, std::move(shapes))))
    return failure();
  for (linalg::GenericOp tile : rewriter.getTiles(root, TileStrategy::Block))
    rewriter.dropPlan(tile);
  for (linalg::GenericOp rest : rewriter.getTiles(root, TileStrategy::Loop))
    if (!ShapedType::isDynamic(rest.getStaticLoopRanges().back()))
      rewriter.dropPlan(rest);
  return success();
}
