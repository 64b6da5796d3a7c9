// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order in which the terms of a sum of floats are added.

#include "qdq/Transforms/DeclareSumOrder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "qdq/IR/DependentDialects.h"
#include "qdq/IR/FunctionPattern.h"
#include "qdq/Transforms/Passes.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_DECLARESUMORDERPASS
#include "qdq/Transforms/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

/// True for a contraction on tensors whose result is of floats.
static bool contractsFloats(linalg::LinalgOp op) {
  return linalg::isaContractionOpInterface(op) && op->getNumResults() == 1 &&
         isa<FloatType>(getElementTypeOrSelf(op->getResultTypes().front()));
}

bool mlir::qdq::separatesTerms(linalg::LinalgOp op) {
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  for (AffineMap map : op.getIndexingMapsArray())
    for (AffineExpr index : map.getResults()) {
      bool ofTerms = false, ofResults = false;
      for (auto [loop, kind] : llvm::enumerate(kinds))
        if (index.isFunctionOfDim(loop))
          (linalg::isReductionIterator(kind) ? ofTerms : ofResults) = true;
      if (ofTerms && ofResults)
        return false;
    }
  return true;
}

/// The sum of floats that the body of `op`, on tensors, adds to; null where the
/// written order is declared.
static arith::AddFOp getAddition(linalg::LinalgOp op) {
  if (op->getNumResults() != 1 || op.getNumReductionLoops() == 0)
    return {};
  Value out = op.getRegionOutputArgs().front();
  auto sum = op.getBlock()
                 ->getTerminator()
                 ->getOperand(0)
                 .getDefiningOp<arith::AddFOp>();
  bool isSum = sum && !sum->hasAttr(kInOrderAttr) && out.hasOneUse() &&
               *out.user_begin() == sum;
  return isSum ? sum : arith::AddFOp();
}

/// The same; null for windows.
static arith::AddFOp getSum(linalg::LinalgOp op) {
  arith::AddFOp sum = getAddition(op);
  if (!sum || contractsFloats(op))
    return sum;
  AffineMap result = op.getIndexingMapsArray().back();
  return result.isProjectedPermutation() &&
                 result.getNumResults() == op.getNumParallelLoops() &&
                 separatesTerms(op)
             ? sum
             : arith::AddFOp();
}

/// The sum of products of a convolution.
static arith::AddFOp getWindowSum(linalg::LinalgOp op) {
  arith::AddFOp sum = getAddition(op);
  bool isWindow = sum && !separatesTerms(op) &&
                  llvm::any_of(sum->getOperands(), [](Value term) {
                    return term.getDefiningOp<arith::MulFOp>() != nullptr;
                  });
  return isWindow ? sum : arith::AddFOp();
}

/// Sets the flags of a sum, and of the products that it adds.
static void setFlags(PatternRewriter &rewriter, arith::AddFOp sum,
                     arith::FastMathFlags flags) {
  auto mark = [&](auto marked) {
    rewriter.modifyOpInPlace(marked, [&] { marked.setFastmath(flags); });
  };
  for (Value term : sum->getOperands())
    if (auto product = term.getDefiningOp<arith::MulFOp>())
      mark(product);
  mark(sum);
}

namespace {
/// A named sum of floats as a `linalg.generic`.
struct GeneralizeSum : OpInterfaceRewritePattern<linalg::LinalgOp> {
  GeneralizeSum(MLIRContext *context, SumOrder order, PatternBenefit benefit)
      : OpInterfaceRewritePattern(context, benefit), order(order) {}

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    bool isSum = isa<linalg::ReduceOp>(op.getOperation())
                     ? getSum(op) != nullptr
                     : contractsFloats(op) ||
                           (order == SumOrder::Any && getWindowSum(op));
    if (isa<linalg::GenericOp>(op.getOperation()) || !isSum)
      return rewriter.notifyMatchFailure(op, "is no named sum of floats");
    return linalg::generalizeNamedOp(rewriter, op);
  }

  SumOrder order;
};

} // namespace

/// Lets the products of windows be rounded with their sum. Their order stays.
static LogicalResult contractWindow(linalg::GenericOp op,
                                    PatternRewriter &rewriter) {
  arith::AddFOp sum = getWindowSum(op);
  if (!sum || sum.getFastmath() != arith::FastMathFlags::none)
    return rewriter.notifyMatchFailure(op, "is no window, or has flags");
  setFlags(rewriter, sum, arith::FastMathFlags::contract);
  return success();
}

/// A product of a contraction in f32 or f64 is rounded with the sum.
static void declareLanes(PatternRewriter &rewriter, linalg::GenericOp op,
                         arith::AddFOp sum) {
  Operation *declared = sum;
  Value out = op.getRegionOutputArgs().front();
  auto product =
      sum.getOperand(sum.getLhs() == out).getDefiningOp<arith::MulFOp>();
  if (product && contractsFloats(op) &&
      sum.getType().getIntOrFloatBitWidth() >= 32) {
    rewriter.setInsertionPoint(sum);
    declared = rewriter.replaceOpWithNewOp<math::FmaOp>(sum, product.getLhs(),
                                                        product.getRhs(), out);
  }
  rewriter.modifyOpInPlace(declared, [&] {
    declared->setAttr(kPartialSumsAttr,
                      rewriter.getI64IntegerAttr(kNumPartialSums));
  });
}

/// Says the order at a sum.
static LogicalResult declareOrder(linalg::GenericOp op,
                                  PatternRewriter &rewriter, SumOrder order) {
  arith::AddFOp sum = getSum(op);
  if (!sum || sum->hasAttr(kPartialSumsAttr))
    return rewriter.notifyMatchFailure(op, "is no sum, or has an order");
  constexpr arith::FastMathFlags any =
      arith::FastMathFlags::reassoc | arith::FastMathFlags::contract;
  // Any order may be that of lanes.
  bool isLanes = order == SumOrder::Lanes;
  if (sum.getFastmath() != arith::FastMathFlags::none &&
      !(isLanes && sum.getFastmath() == any))
    return rewriter.notifyMatchFailure(op, "is a sum with flags");
  setFlags(rewriter, sum, isLanes ? arith::FastMathFlags::none : any);
  if (isLanes)
    declareLanes(rewriter, op, sum);
  return success();
}

namespace {
struct DeclareSumOrderPass
    : qdq::impl::DeclareSumOrderPassBase<DeclareSumOrderPass> {
  using DeclareSumOrderPassBase::DeclareSumOrderPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    qdq::populateSumOrderPatterns(patterns, order);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace

void mlir::qdq::populateSumOrderPatterns(RewritePatternSet &patterns,
                                         SumOrder order,
                                         PatternBenefit benefit) {
  // The order of a sum that says nothing.
  if (order == SumOrder::Sequential)
    return;
  loadDependentDialects(patterns.getContext(), createDeclareSumOrderPass());
  patterns.add<GeneralizeSum, FunctionPattern<declareOrder>>(
      patterns.getContext(), order, benefit);
  if (order == SumOrder::Any)
    patterns.add<FunctionPattern<contractWindow>>(patterns.getContext(),
                                                  benefit);
}
