// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A conversion that must be complete: patterns in one walk, and an error with
// the reason for every op that stays.

#ifndef QDQ_CONVERSION_WALKCONVERSION_H
#define QDQ_CONVERSION_WALKCONVERSION_H

#include "mlir/IR/PatternMatch.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"
#include "qdq/Conversion/Unconverted.h"

namespace mlir::qdq {

/// Listens to a driver, and afterwards erases what only erased ops used, and
/// ops that were made for nothing.
class DeadProducers : public RewriterBase::Listener {
public:
  void notifyOperationInserted(Operation *op,
                               OpBuilder::InsertPoint previous) override;
  void notifyOperationErased(Operation *op) override;

  /// Erases those that are dead, then what they alone read.
  void erase(MLIRContext *ctx);

private:
  DenseSet<Operation *> candidates;
};

/// True for an unregistered op at the end of a block that needs a terminator:
/// the verifier takes the op for one, so that it must not be erased.
bool standsForTerminator(Operation *op);

/// The match failure of a pattern whose op stands for a terminator.
LogicalResult checkBlockEnd(Operation *op, RewriterBase &rewriter);

/// Applies `patterns` once to every op under `root`, without folding (a folder
/// would remove a quantize/dequantize pair). What only converted ops used goes
/// with them. Every op for which `isIllegal` then holds is tried once more, and
/// gets an error with the reasons that the patterns give; the result is then
/// failure. With `Unconverted::Keep` it gets a remark, and that is all.
LogicalResult convertByWalk(Operation *root,
                            const FrozenRewritePatternSet &patterns,
                            function_ref<bool(Operation *)> isIllegal,
                            Unconverted unconverted = Unconverted::Error);

} // namespace mlir::qdq

#endif // QDQ_CONVERSION_WALKCONVERSION_H
