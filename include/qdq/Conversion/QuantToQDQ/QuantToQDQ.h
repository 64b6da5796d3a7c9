// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The quant dialect to qdq.

#ifndef QDQ_CONVERSION_QUANTTOQDQ_QUANTTOQDQ_H
#define QDQ_CONVERSION_QUANTTOQDQ_QUANTTOQDQ_H

#include "mlir/IR/Operation.h"
#include "qdq/Numerics/Semantics.h"

namespace mlir::qdq {

/// Converts every `quant.qcast`, `quant.dcast` and `quant.scast` under `root`
/// and gives every quantized value its storage type, with the profile `quant`
/// and `options` on top. All or nothing: on failure there is an error at each
/// op that stands in the way, and the IR is unchanged. No patterns, since casts
/// and types change together and a driver that folds would remove
/// quantize/dequantize pairs.
LogicalResult convertQuantToQDQ(Operation *root,
                                const SemanticsOptions &options);

} // namespace mlir::qdq

#endif // QDQ_CONVERSION_QUANTTOQDQ_QUANTTOQDQ_H
