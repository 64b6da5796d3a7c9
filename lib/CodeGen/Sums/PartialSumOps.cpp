// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One tile of a sum in partial sums, written out.

#include "../Plan/Tiles.h"
#include "../Vectorize/LaneLoops.h"
#include "PartialSums.h"
#include "SplitLoops.h"
#include "SumLanes.h"
#include "SumTiles.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/IR/TensorSlice.h"
#include "qdq/Transforms/DeclareSumOrder.h"

using namespace mlir;
using namespace mlir::qdq;

/// Rows of results that are few beside the elements of a storage word.
static constexpr int64_t kFewRows = 2;

namespace {
/// The ops that replace a tile.
class PartialSums {
public:
  PartialSums(TileRewriter &rewriter, linalg::GenericOp op, int64_t vectorBits)
      : rewriter(rewriter), b(op.getLoc(), rewriter), op(op),
        count(getNumPartialSums(op)), vectorBits(vectorBits),
        results(getResultLoops(op)), lanesFirst(hasResultLanes(op)) {
    b.setInsertionPoint(op);
    for (Range range : cast<linalg::LinalgOp>(op.getOperation())
                           .createLoopRanges(b, op.getLoc()))
      sizes.push_back(range.size);
    // Lanes of terms are vectors themselves.
    lanesFirst |= vectorBits == 0;
  }

  Value build();
  void plan();

private:
  OpFoldResult getIndex(int64_t value) { return b.getIndexAttr(value); }
  OpFoldResult apply(AffineExpr expr, ArrayRef<OpFoldResult> values) {
    return affine::makeComposedFoldedAffineApply(b, b.getLoc(), expr, values);
  }
  Value createSums(ArrayRef<OpFoldResult> lanes);
  void setLayout(const SumLanes &lanes);
  Value addPart(const SumLanes &lanes, OpFoldResult from, OpFoldResult steps,
                OpFoldResult part, Value sums);
  Value addLanes(const SumLanes &lanes);
  Value addInLoops();
  Value addTerm(ValueRange at, Value sums);
  linalg::GenericOp createSum(ValueRange inputs, Value init,
                              ArrayRef<AffineMap> maps,
                              ArrayRef<utils::IteratorType> iterators);

  TileRewriter &rewriter;
  ImplicitLocOpBuilder b;
  linalg::GenericOp op;
  int64_t count, vectorBits;
  SmallVector<OpFoldResult> sizes;
  SmallVector<unsigned> results;
  /// True if lanes are the outer dimensions of the partial sums.
  bool lanesFirst;
  /// The loop that each dimension of the partial sums comes from.
  SmallVector<unsigned> layout;
  /// The sums that were made.
  SmallVector<linalg::GenericOp> parts;
};
} // namespace

/// Partial sums of no terms yet. Starts from -0.0, the identity of addition.
Value PartialSums::createSums(ArrayRef<OpFoldResult> shape) {
  Type element = getElementTypeOrSelf(op.getDpsInits()[0]);
  Value none = arith::ConstantOp::create(b, b.getFloatAttr(element, -0.0));
  Value empty = tensor::EmptyOp::create(b, shape, element);
  return linalg::FillOp::create(b, none, empty).getResult(0);
}

/// The sum of the tile over other loops.
linalg::GenericOp
PartialSums::createSum(ValueRange inputs, Value init, ArrayRef<AffineMap> maps,
                       ArrayRef<utils::IteratorType> iterators) {
  auto made = linalg::GenericOp::create(b, init.getType(), inputs, init, maps,
                                        iterators);
  rewriter.cloneRegionBefore(op.getRegion(), made.getRegion(),
                             made.getRegion().begin());
  made.getBody()->getTerminator()->getOperand(0).getDefiningOp()->removeAttr(
      kPartialSumsAttr);
  return made;
}

/// Adds the terms from `from` on, in `steps` of `part` neighbors, to as many
/// partial sums.
Value PartialSums::addPart(const SumLanes &lanes, OpFoldResult from,
                           OpFoldResult steps, OpFoldResult part, Value sums) {
  // The new loops: what is left of the reductions, then the partial sums.
  LoopSplit split;
  split.exprs.resize(op.getNumLoops());
  SmallVector<utils::IteratorType> iterators;
  auto addLoop = [&](utils::IteratorType type) {
    iterators.push_back(type);
    return b.getAffineDimExpr(iterators.size() - 1);
  };
  AffineExpr step, lane;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (isReductionLoop(op, loop) && !llvm::is_contained(lanes.whole, loop)) {
      AffineExpr dim = addLoop(utils::IteratorType::reduction);
      (lanes.split == loop ? step : split.exprs[loop]) = dim;
    }
  SmallVector<AffineExpr> written;
  for (unsigned loop : layout) {
    written.push_back(addLoop(utils::IteratorType::parallel));
    (lanes.split == loop ? lane : split.exprs[loop]) = written.back();
  }
  if (lanes.split) {
    split.exprs[*lanes.split] = step * lanes.part + lane;
    split.parts[*lanes.split] = {{step, lane}, {steps, part}};
  }
  split.numLoops = iterators.size();

  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    Value value = operand->get();
    AffineMap map = op.getMatchingIndexingMap(operand);
    if (lanes.isRagged && map.isFunctionOfDim(*lanes.split)) {
      TensorSlice slice(b, value);
      for (auto [i, expr] : llvm::enumerate(map.getResults()))
        if (expr == b.getAffineDimExpr(*lanes.split))
          slice.cut(i, from,
                    apply(b.getAffineDimExpr(0) * b.getAffineDimExpr(1),
                          {steps, part}));
      value = slice.take(value);
    }
    inputs.push_back(split.splitOperand(b, value, map));
    maps.push_back(map);
  }
  maps.push_back(AffineMap::get(iterators.size(), 0, written, b.getContext()));
  linalg::GenericOp made = createSum(inputs, sums, maps, iterators);
  split.replaceIndices(rewriter, made, from);
  parts.push_back(made);
  return made->getResult(0);
}

/// Plans sums whose neighboring lanes are terms. Others are planned as any sum.
void PartialSums::plan() {
  if (lanesFirst)
    return;
  for (linalg::GenericOp part : parts)
    if (!planSubByteReduction(rewriter, part, vectorBits))
      (void)planResultLanes(rewriter, part, vectorBits);
}

/// Lanes are the innermost dimensions, so that neighboring terms are vectors,
/// or the outermost ones, but for elements of one storage word.
void PartialSums::setLayout(const SumLanes &lanes) {
  SmallVector<unsigned> loops;
  if (lanes.split)
    loops.push_back(*lanes.split);
  llvm::append_range(loops, lanes.whole);
  layout = results;
  if (!lanesFirst || results.empty()) {
    llvm::append_range(layout, loops);
    return;
  }
  // A word is read once for its elements, unless many rows share them.
  int64_t rows = 1;
  for (unsigned loop : ArrayRef(results).drop_back())
    rows *= getConstantIntValue(sizes[loop]).value_or(kFewRows + 1);
  if (!loops.empty() && rows <= kFewRows && countsFields(op, loops.back()))
    layout.insert(layout.end() - 1, loops.pop_back_val());
  layout.insert(layout.begin(), loops.begin(), loops.end());
}

Value PartialSums::addLanes(const SumLanes &lanes) {
  setLayout(lanes);
  SmallVector<OpFoldResult> shape;
  std::optional<unsigned> position;
  for (unsigned loop : layout) {
    if (lanes.split == loop)
      position = shape.size();
    shape.push_back(lanes.split == loop ? getIndex(lanes.part) : sizes[loop]);
  }
  Value sums = createSums(shape);
  if (!lanes.split)
    return addPart(lanes, getIndex(0), getIndex(1), getIndex(1), sums);
  AffineExpr size = getAffineDimExpr(0, b.getContext());
  OpFoldResult all = sizes[*lanes.split], part = getIndex(lanes.part),
               steps = apply(size.floorDiv(lanes.part), all);
  if (!isZeroInteger(steps))
    sums = addPart(lanes, getIndex(0), steps, part, sums);
  if (!lanes.isRagged)
    return sums;
  OpFoldResult from = apply(size.floorDiv(lanes.part) * lanes.part, all),
               rest = apply(size % lanes.part, all);
  TensorSlice slice(b, shape);
  slice.cut(*position, getIndex(0), rest);
  return slice.put(addPart(lanes, from, getIndex(1), rest, slice.take(sums)),
                   sums);
}

/// Adds one term of each result to the partial sum that is its turn.
Value PartialSums::addTerm(ValueRange at, Value sums) {
  SmallVector<OpFoldResult> indices(op.getNumLoops(), getIndex(0));
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  AffineExpr d0 = getAffineDimExpr(0, b.getContext()),
             d1 = getAffineDimExpr(1, b.getContext()),
             s0 = getAffineSymbolExpr(0, b.getContext());
  OpFoldResult number = getIndex(0);
  for (unsigned i = 0; i < reductions.size(); ++i) {
    indices[reductions[i]] = at[i];
    number = apply(d0 * s0 + d1, {number, at[i], sizes[reductions[i]]});
  }
  OpFoldResult lane = apply(d0 % count, number);

  // The loops over the results remain.
  SmallVector<AffineExpr> exprs(op.getNumLoops());
  for (auto [i, loop] : llvm::enumerate(results))
    exprs[loop] = getAffineDimExpr(i, b.getContext());
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  auto isTerm = [&](AffineExpr expr) {
    return llvm::any_of(
        reductions, [&](unsigned loop) { return expr.isFunctionOfDim(loop); });
  };
  for (OpOperand *operand : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(operand);
    SmallVector<AffineExpr> kept;
    Value value = operand->get();
    if (llvm::any_of(map.getResults(), isTerm)) {
      auto type = cast<RankedTensorType>(value.getType());
      TensorSlice slice(b, value);
      SmallVector<int64_t> shape;
      for (auto [i, expr] : llvm::enumerate(map.getResults())) {
        if (isTerm(expr))
          slice.cut(i,
                    affine::makeComposedFoldedAffineApply(
                        b, b.getLoc(), map.getSubMap(i), indices),
                    1);
        else
          shape.push_back(type.getDimSize(i));
      }
      value = slice.take(value,
                         RankedTensorType::get(shape, type.getElementType()));
    }
    for (AffineExpr expr : map.getResults())
      if (!isTerm(expr))
        kept.push_back(expr.replaceDims(exprs));
    inputs.push_back(value);
    maps.push_back(AffineMap::get(results.size(), 0, kept, b.getContext()));
  }
  maps.push_back(b.getMultiDimIdentityMap(results.size()));

  auto type = cast<RankedTensorType>(sums.getType());
  TensorSlice slice(b, sums);
  slice.cut(0, lane, 1);
  auto sliced = RankedTensorType::get(type.getShape().drop_front(),
                                      type.getElementType());
  linalg::GenericOp made =
      createSum(inputs, slice.take(sums, sliced), maps,
                SmallVector<utils::IteratorType>(
                    results.size(), utils::IteratorType::parallel));
  for (auto index :
       llvm::make_early_inc_range(made.getBody()->getOps<linalg::IndexOp>())) {
    if (AffineExpr expr = exprs[index.getDim()])
      index.setDim(cast<AffineDimExpr>(expr).getPosition());
    else
      rewriter.replaceOp(index, cast<Value>(indices[index.getDim()]));
  }
  return slice.put(made->getResult(0), sums);
}

/// The partial sums term by term, where their lanes follow no loop.
Value PartialSums::addInLoops() {
  layout = results;
  layout.insert(layout.begin(), op.getNumLoops());
  SmallVector<OpFoldResult> shape{getIndex(count)};
  for (unsigned loop : results)
    shape.push_back(sizes[loop]);
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  SmallVector<Value> from, to, step;
  for (unsigned loop : reductions) {
    from.push_back(arith::ConstantIndexOp::create(b, 0));
    to.push_back(getValueOrCreateConstantIndexOp(b, b.getLoc(), sizes[loop]));
    step.push_back(arith::ConstantIndexOp::create(b, 1));
  }
  scf::LoopNest nest = scf::buildLoopNest(
      b, b.getLoc(), from, to, step, createSums(shape),
      [&](OpBuilder &inner, Location, ValueRange at, ValueRange carried) {
        OpBuilder::InsertionGuard guard(b);
        b.restoreInsertionPoint(inner.saveInsertionPoint());
        Value next = addTerm(at, carried.front());
        inner.restoreInsertionPoint(b.saveInsertionPoint());
        return scf::ValueVector{next};
      });
  return nest.results.front();
}

Value PartialSums::build() {
  Value init = op.getDpsInits()[0];
  std::optional<SumLanes> lanes = SumLanes::get(op, count);
  Value sums = lanes ? addLanes(*lanes) : addInLoops();
  auto isLane = llvm::map_to_vector(layout, [&](unsigned loop) {
    return !llvm::is_contained(results, loop);
  });
  bool sharesWords = !results.empty() && countsFields(op, results.back());
  return joinPartialSums(b, sums, init, isLane, sharesWords);
}

void mlir::qdq::writeOutPartialSums(TileRewriter &rewriter,
                                    linalg::GenericOp tile,
                                    int64_t vectorBits) {
  // No term, no partial sum.
  if (llvm::is_contained(tile.getStaticLoopRanges(), 0))
    return rewriter.replaceOp(tile, tile.getDpsInits());
  PartialSums sums(rewriter, tile, vectorBits);
  rewriter.replaceOp(tile, sums.build());
  sums.plan();
}
