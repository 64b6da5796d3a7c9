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

/// On an op of which a rewrite has moved codes: its bound is spent, since a
/// second difference on top of the first could exceed it. `qdq-simplify` takes
/// the attribute away when it is done.
inline constexpr llvm::StringLiteral kCodesMovedAttr = "qdq.codes_moved";

/// The patterns that the description of `qdq-simplify` lists. Each leaves every
/// code as it was, unless `maxCodeDiff` allows more, which leaves
/// `kCodesMovedAttr`. For any driver. Apply them without folding: a folder of
/// another dialect may remove a quantize/dequantize pair.
void populateSimplifyPatterns(RewritePatternSet &patterns,
                              const SimplifyOptions &options,
                              PatternBenefit benefit = 1);

} // namespace mlir::qdq

#endif // QDQ_TRANSFORMS_SIMPLIFY_H
