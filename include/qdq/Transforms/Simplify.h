// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rewrites of qdq-simplify, for other passes.

#ifndef QDQ_TRANSFORMS_SIMPLIFY_H
#define QDQ_TRANSFORMS_SIMPLIFY_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::qdq {

struct SimplifyOptions {
  /// Rewrites of which some input's code changes by up to this are made too,
  /// each with a remark. 0: none.
  int64_t maxCodeDiff = 0;
};

/// The patterns that the description of `qdq-simplify` lists. Each leaves every
/// code as it was, unless `maxCodeDiff` allows more. Apply them without
/// folding: a folder of another dialect may remove a quantize/dequantize pair.
void populateSimplifyPatterns(RewritePatternSet &patterns,
                              const SimplifyOptions &options,
                              PatternBenefit benefit = 1);

} // namespace mlir::qdq

#endif // QDQ_TRANSFORMS_SIMPLIFY_H
