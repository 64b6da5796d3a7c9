// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles of sums of products of bytes, in vectors.

#ifndef QDQ_LIB_CODEGEN_DOTS_BYTEKERNEL_H
#define QDQ_LIB_CODEGEN_DOTS_BYTEKERNEL_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::qdq {

/// Replaces tiles that read the same columns, with static rows, by vectors of
/// `lanes` sums. `width` is a multiple of `lanes`: the columns of tiles that
/// are not the last ones. `inPairs`: see `vectorizeByteTiles`.
void vectorizeByteProducts(IRRewriter &rewriter,
                           ArrayRef<linalg::GenericOp> tiles, int64_t lanes,
                           int64_t width, bool inPairs);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_DOTS_BYTEKERNEL_H
