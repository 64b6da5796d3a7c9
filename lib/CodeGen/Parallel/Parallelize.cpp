// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structured ops in parts that can run at the same time.

#include "../Dots/DotTiles.h"
#include "../Plan/ConsumerFusion.h"
#include "../Plan/RowGroup.h"
#include "../Plan/Tiles.h"
#include "PartSizes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "qdq/CodeGen/Passes.h"
#include "qdq/IR/QDQ.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_PARALLELIZEPASS
#include "qdq/CodeGen/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

/// The estimates of a part's work multiply this.
static constexpr int64_t kMostMinPart = int64_t(1) << 40;

/// True for loops that may be divided among threads: each output has a
/// dimension for the loop, so that two parts write no element both.
static SmallVector<bool> getDivisibleLoops(linalg::LinalgOp op) {
  SmallVector<bool> divisible;
  for (auto [loop, type] : llvm::enumerate(op.getIteratorTypesArray())) {
    bool isDivisible = linalg::isParallelIterator(type);
    for (OpOperand &output : op.getDpsInitsMutable()) {
      AffineMap map = op.getMatchingIndexingMap(&output);
      isDivisible &= map.isProjectedPermutation() && map.isFunctionOfDim(loop);
    }
    divisible.push_back(isDivisible);
  }
  return divisible;
}

/// True if the body may do more than compute, as an unregistered op may.
static bool hasEffects(linalg::LinalgOp op) {
  return !llvm::all_of(*op.getBlock(), [](Operation &inner) {
    return isMemoryEffectFree(&inner);
  });
}

/// The time of one of these ops, in vectors, to that of an addition, as
/// measured on Zen 2.
static int64_t getTime(Operation &op) {
  if (isa<tensor::ExtractOp>(op))
    return 20;
  if (isa<EncodeOp, arith::DivFOp>(op))
    return 4;
  if (isa<math::MathDialect>(op.getDialect()) &&
      !isa<math::AbsFOp, math::FmaOp, math::RoundEvenOp>(op))
    return 32;
  return 1;
}

/// The cost of an iteration, about 1 for an elementwise op: cheap ops wait for
/// memory.
static int64_t getWork(linalg::LinalgOp op) {
  constexpr int64_t kOrderedSum = 32, kCheapOps = 4;
  int64_t time = 0;
  for (Operation &inner : op.getBlock()->without_terminator())
    time += getTime(inner);
  // Sums in the written order wait for each other.
  if (op.getNumReductionLoops() > 0 &&
      llvm::any_of(*op.getBlock(), llvm::IsaPred<arith::AddFOp>))
    time += kOrderedSum;
  return std::max<int64_t>(time / kCheapOps, 1);
}

namespace {
struct ParallelizePass : qdq::impl::ParallelizePassBase<ParallelizePass> {
  using ParallelizePassBase::ParallelizePassBase;

  void runOnOperation() override {
    if (minPart < 1 || minPart > kMostMinPart) {
      getOperation()->emitError() << "min-part is " << minPart.getValue()
                                  << ": expected 1 to " << kMostMinPart;
      return signalPassFailure();
    }
    TileRewriter rewriter(&getContext());
    bool isChanged = blockFloatBits != 0;
    // Planned before sums are divided: parts are what the whole would be.
    if (blockFloatBits != 0 && failed(planBlockFloatingPoint(
                                   rewriter, getOperation(), blockFloatBits)))
      return signalPassFailure();
    // First what is divided together.
    auto isAny = [](linalg::LinalgOp) { return true; };
    for (const RowGroup &group : collectRowGroups(collectOps(isAny)))
      isChanged |= divideRows(rewriter, group);
    auto isUsedSum = [](linalg::LinalgOp op) {
      return op.getNumReductionLoops() > 0 && getElementwiseConsumer(op);
    };
    for (linalg::LinalgOp op : collectOps(isUsedSum))
      isChanged |= divideWithUser(rewriter, op);
    // A fill moves into the parts of its only reader.
    auto isFill = [](linalg::LinalgOp op) { return isa<linalg::FillOp>(op); };
    for (linalg::LinalgOp op : collectOps(std::not_fn(isFill)))
      isChanged |= divide(rewriter, op);
    for (linalg::LinalgOp op : collectOps(isFill))
      isChanged |= divide(rewriter, op);
    if (blockFloatBits != 0)
      applyBlockFloatingPoint(rewriter, getOperation(), blockFloatBits);
    if (!isChanged)
      markAllAnalysesPreserved();
  }

private:
  SmallVector<linalg::LinalgOp>
  collectOps(function_ref<bool(linalg::LinalgOp)> filter) {
    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (op->getNumResults() > 0 && op.getNumLoops() > 0 &&
          !op->getParentOfType<scf::ForallOp>() &&
          !op->getParentOfType<scf::ParallelOp>() && !hasEffects(op) &&
          filter(op))
        ops.push_back(op);
    });
    return ops;
  }

  bool divideRows(TileRewriter &rewriter, const RowGroup &group) {
    linalg::LinalgOp root = group.getRoot();
    SmallVector<bool> divisible(root.getNumLoops(), false);
    std::fill_n(divisible.begin(), group.numOuter, true);
    int64_t work = 0;
    for (linalg::LinalgOp op : group.ops)
      work += getWork(op);
    rewriter.setInsertionPoint(root);
    SmallVector<OpFoldResult> parts =
        chooseParts(rewriter, root, divisible, work);
    if (parts.empty())
      return false;
    OpFoldResult &rows = parts[group.numOuter - 1];
    if (std::optional<int64_t> count = getConstantIntValue(rows);
        count && *count != 0)
      rows = rewriter.getIndexAttr(std::max(*count, group.getFewestRows()));
    return succeeded(
        group.tile(rewriter, parts, scf::SCFTilingOptions::LoopType::ForallOp));
  }

  /// A sum and what makes something smaller of it.
  bool divideWithUser(TileRewriter &rewriter, linalg::LinalgOp op) {
    linalg::GenericOp user = getElementwiseConsumer(op);
    // Two sums may have had one user.
    if (!user || llvm::is_contained(getDivisibleLoops(user), false))
      return false;
    rewriter.setInsertionPoint(op);
    SmallVector<OpFoldResult> parts =
        chooseParts(rewriter, op, getDivisibleLoops(op), getWork(op));
    return !parts.empty() && succeeded(tileWithConsumer(
                                 rewriter, op, user, parts,
                                 scf::SCFTilingOptions::LoopType::ForallOp));
  }

  SmallVector<OpFoldResult> chooseParts(TileRewriter &rewriter,
                                        linalg::LinalgOp op,
                                        ArrayRef<bool> divisible,
                                        int64_t work) {
    if (std::optional<ProductLoops> loops = ProductLoops::get(op))
      return chooseProductParts(rewriter, op, *loops, minPart);
    // The loops in the order of the first result, where neighbors lie together.
    SmallVector<unsigned> order;
    for (auto [loop, isDivisible] : llvm::enumerate(divisible))
      if (!isDivisible)
        order.push_back(loop);
    AffineMap result = op.getMatchingIndexingMap(&op.getDpsInitsMutable()[0]);
    for (AffineExpr expr : result.getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(expr);
          dim && divisible[dim.getPosition()])
        order.push_back(dim.getPosition());
    SmallVector<Range> ranges = op.createLoopRanges(rewriter, op.getLoc());
    SmallVector<Range> ordered;
    SmallVector<bool> orderedDivisible;
    for (unsigned loop : order) {
      ordered.push_back(ranges[loop]);
      orderedDivisible.push_back(divisible[loop]);
    }
    int64_t size = std::max<int64_t>(minPart / work, 1);
    SmallVector<OpFoldResult> chosen = PartSizes(rewriter, op.getLoc(), size)
                                           .choose(ordered, orderedDivisible);
    if (chosen.empty())
      return {};
    SmallVector<OpFoldResult> parts(ranges.size());
    for (auto [loop, part] : llvm::zip_equal(order, chosen))
      parts[loop] = part;
    return parts;
  }

  bool divide(TileRewriter &rewriter, linalg::LinalgOp op) {
    SmallVector<bool> divisible = getDivisibleLoops(op);
    if (llvm::none_of(divisible, [](bool loop) { return loop; }))
      return false;
    if (!canTile(op))
      return false;
    rewriter.setInsertionPoint(op);
    SmallVector<OpFoldResult> parts =
        chooseParts(rewriter, op, divisible, getWork(op));
    if (parts.empty())
      return false;
    // An op that upstream cannot tile stays whole.
    return succeeded(tileFused(rewriter, op, parts,
                               scf::SCFTilingOptions::LoopType::ForallOp));
  }
};
} // namespace
