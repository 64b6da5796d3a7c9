// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of qdq-simplify.

#ifndef QDQ_LIB_TRANSFORMS_SIMPLIFY_SIMPLIFYPATTERNS_H
#define QDQ_LIB_TRANSFORMS_SIMPLIFY_SIMPLIFYPATTERNS_H

#include "qdq/IR/QDQ.h"
#include "qdq/Transforms/Simplify.h"
#include "llvm/ADT/DenseSet.h"
#include <memory>

namespace mlir::qdq {

/// What `max-code-diff` leaves for each op. A bound is spent once: a second
/// difference on top of a first could exceed it.
class CodeDifferenceBound {
public:
  explicit CodeDifferenceBound(int64_t bound) : bound(bound) {}

  /// How far the codes of `op` may still move.
  int64_t get(Operation *op) const { return spent.contains(op) ? 0 : bound; }
  void spend(Operation *op) { spent.insert(op); }

private:
  int64_t bound;
  DenseSet<Operation *> spent;
};
/// Shared by the patterns of one set.
using SharedBound = std::shared_ptr<CodeDifferenceBound>;

/// Zero points that change nothing, and differences that an integer holds.
void populateSimplifyZeroPointPatterns(RewritePatternSet &patterns,
                                       PatternBenefit benefit);

/// Divisions that a multiplication gives as well.
void populateSimplifyDivisionPatterns(RewritePatternSet &patterns,
                                      const SharedBound &bound,
                                      PatternBenefit benefit);

/// A quantize of a dequantize that is the identity on codes.
void populateSimplifyRoundTripPatterns(RewritePatternSet &patterns,
                                       const SharedBound &bound,
                                       PatternBenefit benefit);

/// A quantize of a dequantize as one quantize of the codes.
void populateSimplifyRequantizePatterns(RewritePatternSet &patterns,
                                        const SharedBound &bound,
                                        PatternBenefit benefit);

/// Sets `fields` on the op.
template <typename OpTy>
void setSemantics(RewriterBase &rewriter, OpTy op,
                  const SemanticsFields &fields) {
  rewriter.modifyOpInPlace(op, [&] {
    op.setSemanticsAttr(SemanticsAttr::get(op.getContext(), fields));
  });
}

} // namespace mlir::qdq

#endif // QDQ_LIB_TRANSFORMS_SIMPLIFY_SIMPLIFYPATTERNS_H
