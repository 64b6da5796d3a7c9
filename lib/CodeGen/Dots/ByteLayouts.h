// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layouts in which the factors of products of bytes lie together.

#ifndef QDQ_LIB_CODEGEN_DOTS_BYTELAYOUTS_H
#define QDQ_LIB_CODEGEN_DOTS_BYTELAYOUTS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::qdq {

// LayOutByteContractions.cpp

/// Transposes the operands and the result of each contraction of bytes under
/// `root` in which four factors of a row, or the sums of neighboring columns,
/// do not lie side by side.
void layOutByteContractions(IRRewriter &rewriter, Operation *root);

// MergeWindows.cpp

/// Makes one depth of the channels and the line of a window in each convolution
/// of bytes under `root` with a constant weight, whose channels are no whole
/// fours: the pixels of a line follow each other. Zeros fill its last four.
void mergeWindows(IRRewriter &rewriter, Operation *root);

// WidenCodes.cpp

/// Extends codes of less than 8 bits to bytes before each sum of products under
/// `root`: strategies read whole bytes.
void widenCodes(IRRewriter &rewriter, Operation *root);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_DOTS_BYTELAYOUTS_H
