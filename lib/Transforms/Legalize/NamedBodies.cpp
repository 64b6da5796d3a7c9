// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bodies of named linalg ops, which are what the name says.

#include "qdq/Transforms/Legalize/NamedBodies.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

/// The named op whose body `op` is in, or null. `linalg.map` and
/// `linalg.reduce` say in their bodies what they compute.
static linalg::LinalgOp getNamedOp(Operation *op) {
  auto named = dyn_cast_if_present<linalg::LinalgOp>(op->getParentOp());
  bool isFree =
      named && isa<linalg::GenericOp, linalg::MapOp, linalg::ReduceOp>(
                   named.getOperation());
  return isFree ? linalg::LinalgOp() : named;
}

bool mlir::qdq::isInNamedBody(Operation *op) {
  return static_cast<bool>(getNamedOp(op));
}

void mlir::qdq::generalizeNamedBodies(
    Operation *root, llvm::function_ref<bool(Operation *)> isChanged) {
  llvm::SetVector<Operation *> ops;
  root->walk([&](Operation *op) {
    if (linalg::LinalgOp named = getNamedOp(op); named && isChanged(op))
      ops.insert(named);
  });
  IRRewriter rewriter(root->getContext());
  for (Operation *op : ops) {
    rewriter.setInsertionPoint(op);
    // Upstream generalizes each op with a body.
    (void)linalg::generalizeNamedOp(rewriter, cast<linalg::LinalgOp>(op));
  }
}
