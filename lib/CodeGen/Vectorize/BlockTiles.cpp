// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Generics with short or dynamic blocks, tiled so that a tile lies in one.

#include "BlockTiles.h"
#include "../Analysis/MayTrap.h"
#include "../Plan/ConsumerFusion.h"
#include "../Plan/Tiles.h"
#include "SubByteTiles.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "qdq/IR/TileBounds.h"
#include <numeric>

using namespace mlir;
using namespace mlir::qdq;

namespace {
/// An index of a parameter: a sum over the loops, over the length of a block.
struct BlockIndex {
  /// Of each loop.
  SmallVector<int64_t> strides;
  /// Divides what is added to the sum; 0 if nothing is.
  int64_t offset = 0;
  /// 1 for an index that is not one of a block.
  int64_t length = 1;

  static std::optional<BlockIndex> get(linalg::GenericOp op, Value index);

  bool isBlock() const { return length > 1; }

private:
  bool setSum(Block *body, Value value);
};
} // namespace

/// The ops of the body of which `value` is made, users before operands.
static SmallVector<Operation *> getMakers(Block *body, Value value) {
  SmallVector<Operation *> makers;
  DenseSet<Value> needed{value};
  for (Operation &op : llvm::reverse(*body)) {
    if (!llvm::any_of(op.getResults(),
                      [&](Value result) { return needed.contains(result); }))
      continue;
    makers.push_back(&op);
    needed.insert_range(op.getOperands());
  }
  return makers;
}

/// Takes `value` for the sum: what each op is multiplied by is known when its
/// users are read.
bool BlockIndex::setSum(Block *body, Value value) {
  DenseMap<Value, int64_t> factors{{value, 1}};
  auto add = [&](int64_t &sum, int64_t factor) {
    return !llvm::AddOverflow(sum, factor, sum);
  };
  for (Operation *op : getMakers(body, value)) {
    if (op->hasTrait<OpTrait::ConstantLike>())
      continue;
    auto found = factors.find(op->getResult(0));
    if (found == factors.end())
      return false;
    int64_t factor = found->second;
    factors.erase(found);
    APInt constant;
    if (auto index = dyn_cast<linalg::IndexOp>(op)) {
      if (!add(strides[index.getDim()], factor))
        return false;
    } else if (auto sum = dyn_cast<arith::AddIOp>(op)) {
      if (!add(factors[sum.getLhs()], factor) ||
          !add(factors[sum.getRhs()], factor))
        return false;
    } else if (auto product = dyn_cast<arith::MulIOp>(op)) {
      if (!matchPattern(product.getRhs(), m_ConstantInt(&constant)) ||
          !constant.isStrictlyPositive() ||
          llvm::MulOverflow(factor, constant.getSExtValue(), factor) ||
          !add(factors[product.getLhs()], factor))
        return false;
    } else {
      return false;
    }
  }
  // Summands that no loop is part of.
  for (auto [summand, factor] : factors) {
    int64_t divisor;
    if ((summand.getParentBlock() == body &&
         !matchPattern(summand, m_Constant())) ||
        llvm::MulOverflow(factor, getKnownDivisor(summand), divisor))
      return false;
    offset = std::gcd(offset, divisor);
  }
  return true;
}

std::optional<BlockIndex> BlockIndex::get(linalg::GenericOp op, Value index) {
  BlockIndex result;
  result.strides.assign(op.getNumLoops(), 0);
  APInt length;
  auto division = index.getDefiningOp<arith::DivUIOp>();
  if (division && division->getBlock() == op.getBody() &&
      matchPattern(division.getRhs(), m_ConstantInt(&length)) &&
      length.isStrictlyPositive()) {
    result.length = length.getSExtValue();
    index = division.getLhs();
  }
  if (!result.setSum(op.getBody(), index))
    return std::nullopt;
  return result;
}

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

/// The value in the first iteration of a tile.
static Value getFirst(OpBuilder &b, Block *body, Value value) {
  IRMapping known;
  SmallVector<Operation *> makers = getMakers(body, value);
  for (Operation *op : llvm::reverse(makers)) {
    if (isa<linalg::IndexOp>(op))
      known.map(op->getResult(0),
                arith::ConstantIndexOp::create(b, op->getLoc(), 0).getResult());
    else
      b.clone(*op, known);
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

/// `tile` with a further input.
static linalg::GenericOp addInput(IRRewriter &rewriter, linalg::GenericOp tile,
                                  Value input, AffineMap map) {
  SmallVector<Value> inputs = tile.getInputs();
  SmallVector<AffineMap> maps = tile.getIndexingMapsArray();
  unsigned position = inputs.size();
  inputs.push_back(input);
  maps.insert(maps.begin() + position, map);
  linalg::GenericOp result =
      rebuildGeneric(rewriter, tile, inputs, tile.getOutputs(), maps,
                     tile.getIteratorTypesArray());
  result.getBody()->insertArgument(
      position, cast<ShapedType>(input.getType()).getElementType(),
      tile.getLoc());
  rewriter.replaceOp(tile, result);
  return result;
}

/// The parameters that the body of a tile loads, from in front of it.
static void hoistLoads(IRRewriter &rewriter, linalg::GenericOp tile) {
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
      first.push_back(getFirst(rewriter, tile.getBody(), index));
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
    rewriter.replaceOp(load,
                       tile.getRegionInputArgs()[tile.getNumDpsInputs() - 1]);
  }
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(*tile.getBody())))
    if (isOpTriviallyDead(&op))
      rewriter.eraseOp(&op);
}

/// Tiles `op`, and with it the user that cuts its words, if there is one. What
/// is left over by tiles is peeled: of the innermost loop it stays a loop.
static LogicalResult tileBlocks(TileRewriter &rewriter, linalg::GenericOp op,
                                ArrayRef<int64_t> sizes) {
  rewriter.setPlan(op, {TileStrategy::Block});
  linalg::GenericOp user = getWordUser(op);
  SmallVector<scf::ForOp> nest;
  // Each tile fills its part of the result.
  linalg::FillOp start;
  if (user) {
    FailureOr<SmallVector<LoopLikeOpInterface>> tiled =
        tileWithConsumer(rewriter, op, user,
                         getAsIndexOpFoldResult(rewriter.getContext(), sizes),
                         scf::SCFTilingOptions::LoopType::ForOp);
    if (failed(tiled))
      return failure();
    for (LoopLikeOpInterface loop : *tiled)
      nest.push_back(cast<scf::ForOp>(loop.getOperation()));
  } else {
    OpOperand &init = op.getDpsInitsMutable()[0];
    if (op.getNumReductionLoops() > 0)
      start = init.get().getDefiningOp<linalg::FillOp>();
    if (start)
      rewriter.modifyOpInPlace(op, [&] { init.set(start.output()); });
    FailureOr<SmallVector<scf::ForOp>> tiled = tileGeneric(rewriter, op, sizes);
    if (failed(tiled)) {
      if (start)
        rewriter.modifyOpInPlace(op, [&] { init.set(start.getResult(0)); });
      return failure();
    }
    nest = *tiled;
  }
  SmallVector<Operation *> loops{nest.front()};
  for (scf::ForOp loop : llvm::reverse(nest)) {
    scf::ForOp rest = peelRemainder(rewriter, loop);
    if (!rest)
      continue;
    if (loop == nest.front())
      loops.push_back(rest);
    if (loop == nest.back() && sizes.back() != 0)
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
    if (start) {
      rewriter.setInsertionPoint(tile);
      OpOperand &init = tile.getDpsInitsMutable()[0];
      auto fill = linalg::FillOp::create(rewriter, tile.getLoc(), start.value(),
                                         init.get());
      rewriter.modifyOpInPlace(tile, [&] { init.set(fill.getResult(0)); });
    }
    hoistLoads(rewriter, tile);
  }
  return success();
}

LogicalResult mlir::qdq::tileBlocks(TileRewriter &rewriter, Operation *root) {
  auto loadsParameter = [](linalg::GenericOp op) {
    return op.hasPureTensorSemantics() &&
           !op.getBody()->getOps<tensor::ExtractOp>().empty();
  };
  bool isTiled = false;
  for (linalg::GenericOp op :
       collectUnplanned(rewriter, root, loadsParameter)) {
    expandBodyAffine(rewriter, op);
    std::optional<BlockTiles> tiles = BlockTiles::get(op);
    if (!tiles)
      continue;
    if (llvm::all_of(tiles->getSizes(), [](int64_t s) { return s == 0; })) {
      hoistLoads(rewriter, op);
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
