// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Least and greatest values in vectors, whose lanes are terms.

#include "../Plan/TileNest.h"
#include "../Plan/Tiles.h"
#include "../Vectorize/ElementTiles.h"
#include "../Vectorize/ElementwiseBody.h"
#include "SumTiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::qdq;
using vector::CombiningKind;

/// Vectors that are compared side by side: they hide the latency of that.
static constexpr int64_t kComparedVectors = 4;

/// Fewer terms are no vector.
static constexpr int64_t kFewestTerms = 4;

namespace {
/// How a result is chosen of its terms.
struct Choice {
  CombiningKind kind;
  /// True for a comparison: what won it is no NaN.
  bool isCompared = false;
};
} // namespace

/// `x < best ? x : best`, or `>`: NaN never is, so no lane has one.
static std::optional<Choice> getComparison(arith::SelectOp select, Value best) {
  auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
  if (!compare || select.getFalseValue() != best || compare.getRhs() != best ||
      compare.getLhs() != select.getTrueValue() || !best.hasNUses(2))
    return std::nullopt;
  if (compare.getPredicate() == arith::CmpFPredicate::OLT)
    return Choice{CombiningKind::MINNUMF, /*isCompared=*/true};
  if (compare.getPredicate() == arith::CmpFPredicate::OGT)
    return Choice{CombiningKind::MAXNUMF, /*isCompared=*/true};
  return std::nullopt;
}

/// How the body of `op` chooses a result of its terms.
static std::optional<Choice> getChoice(linalg::GenericOp op, unsigned result) {
  Value best = op.getRegionOutputArgs()[result];
  Operation *chosen =
      op.getBody()->getTerminator()->getOperand(result).getDefiningOp();
  if (!chosen)
    return std::nullopt;
  if (auto select = dyn_cast<arith::SelectOp>(chosen))
    return getComparison(select, best);
  if (!best.hasOneUse() || *best.user_begin() != chosen ||
      !isa<arith::MinimumFOp, arith::MaximumFOp, arith::MinNumFOp,
           arith::MaxNumFOp, arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp,
           arith::MaxUIOp>(chosen))
    return std::nullopt;
  return Choice{*linalg::getCombinerOpKind(chosen)};
}

/// The constant number that a result starts from; nothing for NaN.
static std::optional<llvm::APFloat> getStart(linalg::GenericOp op,
                                             unsigned result) {
  auto fill = op.getDpsInits()[result].getDefiningOp<linalg::FillOp>();
  llvm::APFloat start(0.0);
  if (fill && matchPattern(fill.value(), m_ConstantFloat(&start)) &&
      !start.isNaN())
    return start;
  return std::nullopt;
}

/// True if the order of the terms does not matter: comparisons start from a
/// number such that no zero may win, of which the first one would. The other
/// ops of floats order the zeros, or leave open which one is chosen.
static bool isOrderless(linalg::GenericOp op, unsigned result) {
  std::optional<Choice> choice = getChoice(op, result);
  if (!choice || !choice->isCompared)
    return choice.has_value();
  std::optional<llvm::APFloat> start = getStart(op, result);
  return start &&
         (start->isZero() ||
          start->isNegative() == (choice->kind == CombiningKind::MINNUMF));
}

static bool isExtremes(linalg::GenericOp op) {
  if (op.getNumReductionLoops() == 0 ||
      !linalg::isReductionIterator(op.getIteratorTypesArray().back()) ||
      !llvm::all_of(op->getOperandTypes(), hasWholeBytes))
    return false;
  unsigned lane = op.getNumLoops() - 1;
  int64_t terms = op.getStaticLoopRanges().back();
  if ((!ShapedType::isDynamic(terms) && terms < kFewestTerms) ||
      !isElementwiseBody(op, lane))
    return false;
  // A bf16 that lives across blocks loses subnormals.
  auto isBF16 = [](Value value) { return value.getType().isBF16(); };
  if (llvm::any_of(op.getBody()->getArguments(), isBF16))
    return false;
  bool varies = false;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    std::optional<int64_t> stride = getLaneStride(map, lane);
    if (!stride || *stride > 1 ||
        (op.isDpsInit(&operand) && !map.isProjectedPermutation()))
      return false;
    varies |= *stride == 1;
  }
  return varies && llvm::all_of(llvm::seq(op.getNumResults()),
                                [&](unsigned i) { return isOrderless(op, i); });
}

/// Lanes that are terms.
static int64_t getLanes(linalg::GenericOp op, int64_t vectorBits) {
  return getLoopLanes(op, op.getNumLoops() - 1, vectorBits);
}

/// A maxnumf or minnumf from a number on is a comparison that no NaN wins,
/// which takes fewer instructions. Which zero it gives is open.
static void compareNumbers(RewriterBase &rewriter, linalg::GenericOp op,
                           unsigned result) {
  Value best = op.getRegionOutputArgs()[result];
  Operation *chosen =
      op.getBody()->getTerminator()->getOperand(result).getDefiningOp();
  if (!isa<arith::MaxNumFOp, arith::MinNumFOp>(chosen) || !getStart(op, result))
    return;
  rewriter.setInsertionPoint(chosen);
  Value term = chosen->getOperand(chosen->getOperand(0) == best);
  Value wins = arith::CmpFOp::create(rewriter, chosen->getLoc(),
                                     isa<arith::MaxNumFOp>(chosen)
                                         ? arith::CmpFPredicate::OGT
                                         : arith::CmpFPredicate::OLT,
                                     term, best);
  rewriter.replaceOpWithNewOp<arith::SelectOp>(chosen, wins, term, best);
}

void mlir::qdq::tileExtremes(TileRewriter &rewriter, Operation *root,
                             const VectorizationOptions &options) {
  for (linalg::GenericOp op : collectUnplanned(rewriter, root, isExtremes)) {
    for (unsigned i = 0; i < op.getNumResults(); ++i)
      compareNumbers(rewriter, op, i);
    SmallVector<int64_t> ranges = op.getStaticLoopRanges();
    SmallVector<int64_t> sizes(op.getNumLoops(), 0);
    SmallVector<unsigned> parallel;
    op.getParallelDims(parallel);
    for (unsigned loop : parallel)
      sizes[loop] = 1;
    // Short groups are searched side by side.
    int64_t terms = ranges.back();
    if (!parallel.empty() && !ShapedType::isDynamic(terms)) {
      int64_t vectors =
          llvm::divideCeil(terms, getLanes(op, options.getByteBits()));
      int64_t &groups = sizes[parallel.back()];
      groups = getEvenPart(ranges[parallel.back()],
                           std::max<int64_t>(kComparedVectors / vectors, 1));
    }
    tileReduction(rewriter, op, {TileStrategy::Extremes}, sizes);
  }
}

namespace {
/// The results of a tile, in registers.
class ExtremeTile : TileNest {
public:
  ExtremeTile(ImplicitLocOpBuilder &b, linalg::GenericOp tile,
              ArrayRef<Choice> choices, int64_t lanes)
      : TileNest(b, tile), choices(choices), lanes(lanes),
        lane(tile.getNumLoops() - 1) {}

  /// Builds the tile; its results.
  SmallVector<Value> build();

private:
  using Values = SmallVector<Value>;

  /// The body for `count` terms from the offsets on, with the best so far.
  Values compare(ValueRange best, int64_t count);
  /// The same for vectors of lanes side by side, of each of which `best` has
  /// one.
  Values compareSideBySide(ValueRange best, int64_t vectors);
  /// Compares the terms of the innermost loop.
  Values compareLine(ValueRange best);
  Values search(ValueRange best);

  ArrayRef<Choice> choices;
  int64_t lanes;
  unsigned lane;
  int64_t vectors = 1;
};
} // namespace

ExtremeTile::Values ExtremeTile::compare(ValueRange best, int64_t count) {
  return computeLanes(*this, count, best, [&](OpOperand &input) -> Value {
    if (*getLaneStride(op.getMatchingIndexingMap(&input), lane) == 0)
      return {};
    auto type = VectorType::get(count, getElementTypeOrSelf(input.get()));
    return readPadded(type, input, /*isInBounds=*/true);
  });
}

ExtremeTile::Values ExtremeTile::compareSideBySide(ValueRange best,
                                                   int64_t vectors) {
  Values next;
  auto compareNext = [&] {
    llvm::append_range(next, compare(best.take_front(choices.size()), lanes));
    best = best.drop_front(choices.size());
  };
  forEachOf(lane, vectors, compareNext, lanes);
  llvm::append_range(next, best);
  return next;
}

ExtremeTile::Values ExtremeTile::compareLine(ValueRange best) {
  OpFoldResult size = sizes[lane];
  OpFoldResult wide = roundDown(size, vectors * lanes);
  Values next = createLoop(
      lane, b.getIndexAttr(0), wide, vectors * lanes, best,
      [&](ValueRange carried) { return compareSideBySide(carried, vectors); });
  if (std::optional<int64_t> terms = getConstantIntValue(size)) {
    int64_t rest = *terms % (vectors * lanes);
    offsets[lane] = wide;
    next = compareSideBySide(next, rest / lanes);
    // A second comparison of a term does no harm.
    offsets[lane] = b.getIndexAttr(*terms - lanes);
    if (rest % lanes != 0)
      next = compareSideBySide(next, 1);
    offsets[lane] = b.getIndexAttr(0);
    return next;
  }
  OpFoldResult whole = roundDown(size, lanes);
  next = createLoop(lane, wide, whole, lanes, next, [&](ValueRange carried) {
    return compareSideBySide(carried, 1);
  });
  // The last values that are carried have one lane.
  return createLoop(lane, whole, size, 1, next, [&](ValueRange carried) {
    Values all = llvm::to_vector(carried.drop_back(choices.size()));
    llvm::append_range(all, compare(carried.take_back(choices.size()), 1));
    return all;
  });
}

ExtremeTile::Values ExtremeTile::search(ValueRange start) {
  auto broadcast = [&](Value value, int64_t count) -> Value {
    return vector::BroadcastOp::create(
        b, VectorType::get(count, value.getType()), value);
  };
  bool isDynamic = !getStaticSize(lane);
  Values best;
  for (int64_t i = 0; i < vectors; ++i)
    for (Value value : start)
      best.push_back(broadcast(value, lanes));
  if (isDynamic)
    for (Value value : start)
      best.push_back(broadcast(value, 1));

  SmallVector<unsigned> outer;
  op.getReductionDims(outer);
  outer.pop_back();
  best = forEach(outer, best,
                 [&](ValueRange carried) { return compareLine(carried); });

  Values results;
  for (auto [i, choice] : llvm::enumerate(choices)) {
    // The start of a comparison is no NaN, either.
    auto flags = choice.isCompared ? arith::FastMathFlags::nnan
                                   : arith::FastMathFlags::none;
    Value all = best[i];
    for (int64_t part = 1; part < vectors; ++part)
      all = vector::makeArithReduction(
          b, b.getLoc(), choice.kind, all, best[part * choices.size() + i],
          arith::FastMathFlagsAttr::get(b.getContext(), flags));
    Value result = vector::ReductionOp::create(b, choice.kind, all, flags);
    if (isDynamic)
      result = vector::ReductionOp::create(
          b, choice.kind, best[vectors * choices.size() + i], result, flags);
    results.push_back(result);
  }
  return results;
}

SmallVector<Value> ExtremeTile::build() {
  std::optional<int64_t> terms = getStaticSize(lane);
  vectors = terms ? std::clamp<int64_t>(*terms / lanes, 1, kComparedVectors)
                  : kComparedVectors;
  Values results = llvm::to_vector(op.getDpsInits());
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  forEachOf(parallel, [&] {
    Values start;
    for (auto [result, init] :
         llvm::zip_equal(results, op.getDpsInitsMutable()))
      start.push_back(
          tensor::ExtractOp::create(b, result, createIndices(init)));
    for (auto [result, value, init] :
         llvm::zip_equal(results, search(start), op.getDpsInitsMutable()))
      result = tensor::InsertOp::create(b, value, result, createIndices(init));
  });
  return results;
}

void mlir::qdq::vectorizeExtremes(TileRewriter &rewriter, Operation *root,
                                  const VectorizationOptions &options) {
  for (linalg::GenericOp tile :
       rewriter.getTiles(root, TileStrategy::Extremes)) {
    // Folding may have found that there is nothing to compare.
    if (llvm::is_contained(tile.getStaticLoopRanges(), 0) ||
        !hasStaticResults(tile))
      continue;
    SmallVector<Choice> choices;
    for (unsigned i = 0; i < tile.getNumResults(); ++i)
      choices.push_back(*getChoice(tile, i));
    expandBodyAffine(rewriter, tile);
    ImplicitLocOpBuilder b(tile.getLoc(), rewriter);
    b.setInsertionPoint(tile);
    int64_t lanes = getLanes(tile, options.getByteBits());
    rewriter.replaceOp(tile, ExtremeTile(b, tile, choices, lanes).build());
  }
}
