// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bodies of parallel loops as functions, which need no threads for one call.

#include "../Loops/OutlineRegion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "qdq/CodeGen/Passes.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_OUTLINEPARALLELPASS
#include "qdq/CodeGen/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

/// `first` and `second` of a reduction as one value, by the ops of `region`.
static Value combine(OpBuilder &b, Region &region, Value first, Value second) {
  Block &block = region.front();
  IRMapping mapping;
  mapping.map(block.getArgument(0), first);
  mapping.map(block.getArgument(1), second);
  for (Operation &op : block.without_terminator())
    b.clone(op, mapping);
  return mapping.lookupOrDefault(block.getTerminator()->getOperand(0));
}

/// The same iterations one after the other. The order of a reduction is fixed.
static scf::LoopNest buildSerial(OpBuilder &b, scf::ParallelOp loop) {
  auto reduce = cast<scf::ReduceOp>(loop.getBody()->getTerminator());
  return scf::buildLoopNest(
      b, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(),
      loop.getStep(), loop.getInitVals(),
      [&](OpBuilder &nested, Location, ValueRange indices, ValueRange carried) {
        IRMapping mapping;
        mapping.map(loop.getInductionVars(), indices);
        for (Operation &op : loop.getBody()->without_terminator())
          nested.clone(op, mapping);
        SmallVector<Value> results;
        for (auto [region, before, operand] :
             llvm::zip(reduce.getReductions(), carried, reduce.getOperands()))
          results.push_back(combine(nested, region, before,
                                    mapping.lookupOrDefault(operand)));
        return results;
      });
}

/// True at run time if there is more than one iteration.
static Value hasSeveralIterations(OpBuilder &b, scf::ParallelOp loop) {
  Location loc = loop.getLoc();
  Value several;
  for (auto [lower, upper, step] :
       llvm::zip(loop.getLowerBound(), loop.getUpperBound(), loop.getStep())) {
    Value next = arith::AddIOp::create(b, loc, lower, step);
    Value isMore =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, next, upper);
    several = several ? arith::OrIOp::create(b, loc, several, isMore) : isMore;
  }
  return several;
}

namespace {
struct OutlineParallelPass
    : qdq::impl::OutlineParallelPassBase<OutlineParallelPass> {
  using OutlineParallelPassBase::OutlineParallelPassBase;

  void runOnOperation() override {
    SmallVector<scf::ParallelOp> loops;
    getOperation()->walk([&](scf::ParallelOp loop) { loops.push_back(loop); });
    if (loops.empty())
      return markAllAnalysesPreserved();
    SymbolTable symbols(getOperation());
    IRRewriter rewriter(&getContext());
    // Inner loops come first.
    for (scf::ParallelOp loop : loops) {
      rewriter.setInsertionPoint(loop);
      if (loop.getNumReductions() > 0)
        rewriter.replaceOp(loop, buildSerial(rewriter, loop).results);
      else if (failed(outlineRegion(rewriter, symbols, loop, loop.getRegion(),
                                    ".part")))
        return signalPassFailure();
      // Without reductions, all operands are bounds and steps.
      else if (!getConstantIntValues(getAsOpFoldResult(loop->getOperands())))
        guard(rewriter, loop);
    }
  }

private:
  /// Runs a single iteration here.
  void guard(IRRewriter &rewriter, scf::ParallelOp loop) {
    rewriter.setInsertionPoint(loop);
    Value several = hasSeveralIterations(rewriter, loop);
    auto choice = scf::IfOp::create(rewriter, loop.getLoc(), several,
                                    /*withElseRegion=*/true);
    rewriter.setInsertionPointToStart(choice.elseBlock());
    buildSerial(rewriter, loop);
    rewriter.moveOpBefore(loop, choice.thenBlock(),
                          choice.thenBlock()->begin());
  }
};
} // namespace
