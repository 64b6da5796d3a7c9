// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layouts in which the factors of products of bytes lie together.

#ifndef QDQ_LIB_CODEGEN_DOTS_LAYOUTBYTECONTRACTIONS_H
#define QDQ_LIB_CODEGEN_DOTS_LAYOUTBYTECONTRACTIONS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::qdq {

/// Transposes the operands and the result of each contraction of bytes under
/// `root` in which four factors of a row, or the sums of neighboring columns,
/// do not lie side by side.
void layOutByteContractions(IRRewriter &rewriter, Operation *root);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_DOTS_LAYOUTBYTECONTRACTIONS_H
