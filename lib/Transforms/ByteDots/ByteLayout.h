// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layouts in which the factors of products of bytes lie together.

#ifndef QDQ_LIB_TRANSFORMS_BYTEDOTS_BYTELAYOUT_H
#define QDQ_LIB_TRANSFORMS_BYTEDOTS_BYTELAYOUT_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::qdq {

/// Transposes the operands of sums of products of bytes that are no
/// `ByteProduct`, such as convolutions whose channels are not innermost, until
/// they are one, and the result back. An elementwise op that alone uses the
/// sums is computed before its result is transposed.
void layOutByteProducts(IRRewriter &rewriter, Operation *root);

} // namespace mlir::qdq

#endif // QDQ_LIB_TRANSFORMS_BYTEDOTS_BYTELAYOUT_H
