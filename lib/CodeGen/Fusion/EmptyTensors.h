// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors without elements, which upstream does not bufferize.

#ifndef QDQ_LIB_CODEGEN_FUSION_EMPTYTENSORS_H
#define QDQ_LIB_CODEGEN_FUSION_EMPTYTENSORS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::qdq {

/// Paddings, reshapes and slices of tensors without elements become
/// `tensor.generate` or `tensor.empty`.
void populateEmptyTensorPatterns(RewritePatternSet &patterns,
                                 PatternBenefit benefit = 1);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_FUSION_EMPTYTENSORS_H
