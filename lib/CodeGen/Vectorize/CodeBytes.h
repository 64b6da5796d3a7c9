// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Codes between two generics, a byte each.

#ifndef QDQ_LIB_CODEGEN_VECTORIZE_CODEBYTES_H
#define QDQ_LIB_CODEGEN_VECTORIZE_CODEBYTES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::qdq {

/// Makes tensors of less than a byte an element tensors of bytes, where
/// generics under `root` write and read all of them: memory holds such an
/// element in a byte anyway, but only bytes are moved by vectors.
void storeCodesInBytes(IRRewriter &rewriter, Operation *root);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_VECTORIZE_CODEBYTES_H
