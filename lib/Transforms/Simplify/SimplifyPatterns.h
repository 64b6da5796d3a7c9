// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of qdq-simplify.

#ifndef QDQ_LIB_TRANSFORMS_SIMPLIFY_SIMPLIFYPATTERNS_H
#define QDQ_LIB_TRANSFORMS_SIMPLIFY_SIMPLIFYPATTERNS_H

#include "qdq/IR/QDQ.h"
#include "qdq/Transforms/Simplify.h"

namespace mlir::qdq {

/// How far the codes of `op` may still move.
inline int64_t getBound(Operation *op, const SimplifyOptions &options) {
  return op->hasAttr(kCodesMovedAttr) ? 0 : options.maxCodeDiff;
}

/// Zero points that change nothing, and differences that an integer holds.
void populateSimplifyZeroPointPatterns(RewritePatternSet &patterns,
                                       PatternBenefit benefit);

/// Divisions that a multiplication gives as well.
void populateSimplifyDivisionPatterns(RewritePatternSet &patterns,
                                      const SimplifyOptions &options,
                                      PatternBenefit benefit);

/// A quantize of a dequantize that is the identity on codes.
void populateSimplifyRoundTripPatterns(RewritePatternSet &patterns,
                                       const SimplifyOptions &options,
                                       PatternBenefit benefit);

/// A quantize of a dequantize as one quantize of the codes.
void populateSimplifyRequantizePatterns(RewritePatternSet &patterns,
                                        const SimplifyOptions &options,
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
