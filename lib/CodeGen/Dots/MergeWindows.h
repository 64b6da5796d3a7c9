// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pixels of few channels, multiplied as one line.

#ifndef QDQ_LIB_CODEGEN_DOTS_MERGEWINDOWS_H
#define QDQ_LIB_CODEGEN_DOTS_MERGEWINDOWS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::qdq {

/// Makes one depth of the channels and the line of a window in each convolution
/// of bytes under `root` with a constant weight, whose channels are no whole
/// fours: the pixels of a line follow each other. Zeros fill its last four.
void mergeWindows(IRRewriter &rewriter, Operation *root);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_DOTS_MERGEWINDOWS_H
