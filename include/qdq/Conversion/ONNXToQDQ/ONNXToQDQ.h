// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX quantization ops, matched by name, to qdq.

#ifndef QDQ_CONVERSION_ONNXTOQDQ_ONNXTOQDQ_H
#define QDQ_CONVERSION_ONNXTOQDQ_ONNXTOQDQ_H

#include "mlir/IR/PatternMatch.h"
#include "qdq/Numerics/Semantics.h"

namespace mlir::qdq {

/// Patterns for `onnx.QuantizeLinear`, `onnx.DequantizeLinear` (one qdq op
/// each) and `onnx.DynamicQuantizeLinear` (two), of every opset from 10 to 28.
/// Each op is stamped with the profile `onnx`, or with that of `options`; what
/// its `precision` and `saturate` say stays, but `precision` under `ort`, which
/// ignores it, and the fields of `options` win.
/// Discardable attributes of other dialects are carried over. `onnx.Custom` ops
/// of the domains that the pass lists are converted too, each with its system's
/// profile. Granularity follows from the shape of the scale; parameters of one
/// element lose their dimension, and what an `onnx.Constant` holds is also made
/// an `arith.constant`. The `onnx.Constant` and `onnx.NoValue` ops stay for
/// whoever removes dead code. A pattern that does not apply reports the reason
/// as a match failure. With `runtimeChecks`, windows are asserted to fit into
/// inputs of open sizes.
///
/// For any driver: they change their own op only, and hold no state.
void populateONNXToQDQPatterns(RewritePatternSet &patterns,
                               const SemanticsOptions &options,
                               bool runtimeChecks = false,
                               PatternBenefit benefit = 1);

/// True for what these patterns match, in every spelling: `onnx.…`,
/// `onnx.Custom` of a known domain and function, or such a `torch.operator`.
bool isONNXQuantizationOp(Operation *op);

} // namespace mlir::qdq

#endif // QDQ_CONVERSION_ONNXTOQDQ_ONNXTOQDQ_H
