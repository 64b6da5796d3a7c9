// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of products of codes in blocks, one of signed codes of 8 bits.

#ifndef QDQ_LIB_CODEGEN_DOTS_CODEPRODUCTS_H
#define QDQ_LIB_CODEGEN_DOTS_CODEPRODUCTS_H

#include "qdq/CodeGen/Vectorize.h"

namespace mlir::qdq {

/// Replaces sums in any order of products of dequantized numbers, one of signed
/// codes of 8 bits and one of codes of at most 8, whose scales are equal within
/// blocks, where dot products of bytes pay. A lane adds products of codes in
/// i32, exact, and multiplies their sum by both scales.
void lowerCodeProducts(IRRewriter &rewriter, Operation *root,
                       const VectorizationOptions &options);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_DOTS_CODEPRODUCTS_H
