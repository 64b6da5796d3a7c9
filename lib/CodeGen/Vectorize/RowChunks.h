// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packed codes of rows that begin inside a byte, unpacked a few rows at a time.

#ifndef QDQ_LIB_CODEGEN_VECTORIZE_ROWCHUNKS_H
#define QDQ_LIB_CODEGEN_VECTORIZE_ROWCHUNKS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::qdq {

/// Tiles elementwise generics under `root` whose rows are codes of a flat
/// tensor that another generic unpacks, and unpacks in each tile no more than
/// its rows: the buffer of the codes stays in the nearest cache. Where the
/// bufferization dialect is not loaded nothing is changed.
void unpackByRows(IRRewriter &rewriter, Operation *root);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_VECTORIZE_ROWCHUNKS_H
