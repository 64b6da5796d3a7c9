// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Limits to the time that LLVM spends on loops: those of large functions as
// functions of their own.

#include "LimitUnrolling.h"
#include "ShareOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
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

/// The ops from `first` to `last`, of one block, and those before that compute
/// values for them alone; no constants that others read.
static OpRun collectRun(Operation *first, Operation *last) {
  OpRun run;
  DenseSet<Operation *> inside;
  bool isBefore = false;
  for (Operation *op = last; op; op = op->getPrevNode()) {
    auto isInside = [&](Operation *user) {
      return inside.contains(op->getBlock()->findAncestorOpInBlock(*user));
    };
    bool isForRun = op->getNumRegions() == 0 && isPure(op) &&
                    !op->use_empty() && llvm::all_of(op->getUsers(), isInside);
    if (isForRun || (!isBefore && !op->hasTrait<OpTrait::ConstantLike>())) {
      inside.insert(op);
      run.push_back(op);
    }
    isBefore |= op == first;
  }
  std::reverse(run.begin(), run.end());
  return run;
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
        AlikeRuns(collectRun(loops[begin], loops[end - 1]))
            .share(rewriter, symbols, function, ".loops");
      }
    }
  }
};
} // namespace
