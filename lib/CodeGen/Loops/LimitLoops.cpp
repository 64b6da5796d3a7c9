// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Limits to the time that LLVM spends on loops: those of large functions as
// functions of their own.

#include "LimitUnrolling.h"
#include "OutlineRegion.h"
#include "ShareOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "qdq/CodeGen/Passes.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_LIMITLOOPSPASS
#include "qdq/CodeGen/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

/// Loops of one function: enough to make little of the cost of a function, and
/// few enough that nothing is quadratic in them.
static constexpr size_t kLoops = 16;

/// Moves the ops from `first` to `last`, of one block, into a region. Its
/// results are the values that others use.
static scf::ExecuteRegionOp wrap(RewriterBase &rewriter, Operation *first,
                                 Operation *last) {
  Block *block = first->getBlock();
  auto begin = first->getIterator(), end = std::next(last->getIterator());
  // A set: the order of a block is counted again after each change.
  DenseSet<Operation *> moved;
  for (Operation &op : llvm::make_range(begin, end))
    moved.insert(&op);
  SmallVector<Value> results;
  for (Operation &op : llvm::make_range(begin, end))
    for (Value result : op.getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            return !moved.contains(block->findAncestorOpInBlock(*user));
          }))
        results.push_back(result);
  Location loc = first->getLoc();
  rewriter.setInsertionPoint(first);
  auto wrapper = scf::ExecuteRegionOp::create(rewriter, loc,
                                              ValueRange(results).getTypes());
  Block *body = rewriter.createBlock(&wrapper.getRegion());
  body->getOperations().splice(body->end(), block->getOperations(), begin, end);
  for (auto [result, value] : llvm::zip_equal(wrapper.getResults(), results))
    rewriter.replaceUsesWithIf(value, result, [&](OpOperand &use) {
      return !wrapper->isProperAncestor(use.getOwner());
    });
  rewriter.setInsertionPointToEnd(body);
  scf::YieldOp::create(rewriter, loc, results);
  return wrapper;
}

/// Moves into the region the ops that compute values for it alone.
static void sinkOperands(RewriterBase &rewriter, scf::ExecuteRegionOp wrapper) {
  Region &region = wrapper.getRegion();
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(region, captured);
  SmallVector<Value> left = captured.takeVector();
  while (!left.empty()) {
    Operation *op = left.pop_back_val().getDefiningOp();
    auto isInside = [&](Operation *user) {
      return region.isAncestor(user->getParentRegion());
    };
    if (!op || op->getBlock() != wrapper->getBlock() ||
        op->getNumRegions() > 0 || !isPure(op) ||
        !llvm::all_of(op->getUsers(), isInside))
      continue;
    rewriter.moveOpBefore(op, &region.front(), region.front().begin());
    llvm::append_range(left, op->getOperands());
  }
}

static LogicalResult outline(RewriterBase &rewriter, Operation *first,
                             Operation *last, SymbolTable &symbols) {
  scf::ExecuteRegionOp wrapper = wrap(rewriter, first, last);
  sinkOperands(rewriter, wrapper);
  FailureOr<func::CallOp> call =
      outlineRegion(rewriter, symbols, wrapper, wrapper.getRegion(), ".loops");
  if (failed(call))
    return failure();
  forbidInlining(symbols.lookup<func::FuncOp>(call->getCallee()));
  rewriter.moveOpBefore(*call, wrapper);
  rewriter.replaceOp(wrapper, call->getResults());
  return success();
}

/// The loops of the body, and the conditions around loops. None, if memory of
/// its stack must not outlive a function.
static SmallVector<Operation *> collectLoops(func::FuncOp function) {
  SmallVector<Operation *> loops;
  if (!function.getBody().hasOneBlock())
    return loops;
  for (Operation &op : function.getBody().getOps()) {
    if (isa<memref::AllocaOp>(op))
      return {};
    if (isa<LoopLikeOpInterface, scf::IfOp>(op))
      loops.push_back(&op);
  }
  return loops;
}

/// Replaces loops of `minOps` ops or more that are alike, and have no results,
/// by calls of one function.
static void shareLoops(RewriterBase &rewriter, SymbolTable &symbols,
                       func::FuncOp function, unsigned minOps) {
  llvm::MapVector<size_t, SmallVector<AlikeRuns>> kinds;
  for (Operation *loop : collectLoops(function)) {
    if (loop->getNumResults() > 0)
      continue;
    unsigned numOps = 0;
    SmallVector<AlikeRuns> &alike = kinds[hashNestedOps(loop, numOps)];
    if (numOps >= minOps &&
        llvm::none_of(alike, [&](AlikeRuns &runs) { return runs.add({loop}); }))
      alike.emplace_back(OpRun{loop});
  }
  for (auto &entry : kinds)
    for (const AlikeRuns &runs : entry.second)
      if (runs.hasOthers())
        runs.share(rewriter, symbols, function);
}

namespace {
struct LimitLoopsPass : qdq::impl::LimitLoopsPassBase<LimitLoopsPass> {
  using LimitLoopsPassBase::LimitLoopsPassBase;

  void runOnOperation() override {
    limitUnrolling(getOperation());
    SymbolTable symbols(getOperation());
    IRRewriter rewriter(&getContext());
    auto functions = getOperation().getOps<func::FuncOp>();
    for (func::FuncOp function : llvm::to_vector(functions)) {
      SmallVector<Operation *> loops = collectLoops(function);
      if (loops.size() < minLoops)
        continue;
      shareLoops(rewriter, symbols, function, minShared);
      loops = collectLoops(function);
      // The last first: what is computed for them alone leaves the others.
      for (size_t end = loops.size(); end > 0; end -= std::min(end, kLoops)) {
        size_t begin = end - std::min(end, kLoops);
        if (failed(outline(rewriter, loops[begin], loops[end - 1], symbols)))
          return signalPassFailure();
      }
    }
  }
};
} // namespace
