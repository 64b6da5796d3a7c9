// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// oneDNN Graph quantization ops, matched by name, to qdq.

#ifndef QDQ_CONVERSION_ONEDNNTOQDQ_ONEDNNTOQDQ_H
#define QDQ_CONVERSION_ONEDNNTOQDQ_ONEDNNTOQDQ_H

#include "mlir/IR/PatternMatch.h"
#include "qdq/Numerics/Semantics.h"

namespace mlir::qdq {

/// Patterns for `onednn_graph.quantize`, `dequantize`, `dynamic_quantize` and
/// `dynamic_dequantize`: one qdq op each, stamped with the profile `onednn` and
/// `options` on top. `qtype`, `axis` and `group_shape` become the granularity;
/// parameters of one element lose their dimensions; `scales` and `zps` of the
/// static forms become constants. A pattern that does not apply reports the
/// reason as a match failure, in oneDNN's names of types (s8, u4).
void populateOneDNNToQDQPatterns(RewritePatternSet &patterns,
                                 const SemanticsOptions &options,
                                 PatternBenefit benefit = 1);

/// True for what these patterns match.
bool isOneDNNQuantizationOp(Operation *op);

} // namespace mlir::qdq

#endif // QDQ_CONVERSION_ONEDNNTOQDQ_ONEDNNTOQDQ_H
