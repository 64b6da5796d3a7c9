// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plan of each op that becomes vectors, beside the IR.

#include "TilePlan.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace mlir::qdq;

void TileRewriter::copyPlans(Operation *op, Operation *copy) {
  SmallVector<Operation *> from, to;
  op->walk([&](linalg::LinalgOp nested) { from.push_back(nested); });
  copy->walk([&](linalg::LinalgOp nested) { to.push_back(nested); });
  assert(from.size() == to.size() && "expected a clone or a tile");
  for (auto [original, clone] : llvm::zip(from, to))
    if (const TilePlan *plan = getPlan(original))
      setPlan(clone, TilePlan(*plan));
}

LogicalResult TileRewriter::simplify(Operation *root,
                                     const FrozenRewritePatternSet &patterns) {
  GreedyRewriteConfig config;
  config.setListener(&tracker);
  // Patterns make ops with bodies, which only the next round sees.
  bool isChanged = true;
  for (int64_t round = 0; isChanged && round < config.getMaxIterations();
       ++round) {
    SmallVector<Operation *> ops;
    root->walk<WalkOrder::PreOrder>([&](Operation *op) {
      // A tile is made with its body.
      bool isInside = isa_and_present<linalg::LinalgOp>(op->getParentOp());
      if (touched.contains(op) ||
          (isInside && touched.contains(op->getParentOp())))
        ops.push_back(op);
    });
    // The driver begins with the last one.
    std::reverse(ops.begin(), ops.end());
    if (failed(applyOpPatternsGreedily(ops, patterns, config, &isChanged)))
      return failure();
  }
  return success();
}

/// Plans what replaces an op as that: an op of the same kind, made for it.
void TileRewriter::movePlan(Operation *op, Operation *by) {
  const TilePlan *plan = getPlan(op);
  if (plan && by && made.contains(by) && by->getName() == op->getName())
    setPlan(by, TilePlan(*plan));
}

void TileRewriter::Tracker::notifyOperationInserted(Operation *op,
                                                    InsertPoint previous) {
  ForwardingListener::notifyOperationInserted(op, previous);
  tiles.touched.insert(op);
  if (previous.isSet())
    return;
  // Another op may have had its address, erased behind the rewriter's back.
  tiles.plans.erase(op);
  tiles.made.insert(op);
}

void TileRewriter::Tracker::notifyOperationModified(Operation *op) {
  ForwardingListener::notifyOperationModified(op);
  tiles.touched.insert(op);
}

void TileRewriter::Tracker::notifyOperationReplaced(Operation *op,
                                                    Operation *by) {
  ForwardingListener::notifyOperationReplaced(op, by);
  tiles.movePlan(op, by);
}

void TileRewriter::Tracker::notifyOperationReplaced(Operation *op,
                                                    ValueRange by) {
  ForwardingListener::notifyOperationReplaced(op, by);
  for (Value value : by) {
    auto cast = value.getDefiningOp<tensor::CastOp>();
    tiles.movePlan(op, (cast ? cast.getSource() : value).getDefiningOp());
  }
}

void TileRewriter::Tracker::notifyOperationErased(Operation *op) {
  ForwardingListener::notifyOperationErased(op);
  tiles.plans.erase(op);
  tiles.touched.erase(op);
  tiles.made.erase(op);
}

void TileRewriter::Tracker::notifyPatternBegin(const Pattern &pattern,
                                               Operation *op) {
  ForwardingListener::notifyPatternBegin(pattern, op);
  tiles.made.clear();
}
