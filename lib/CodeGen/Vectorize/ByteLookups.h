// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Look-ups of bytes in tables of bytes, as vectors.

#ifndef QDQ_LIB_CODEGEN_VECTORIZE_BYTELOOKUPS_H
#define QDQ_LIB_CODEGEN_VECTORIZE_BYTELOOKUPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::qdq {

/// The bytes of one register that look up at once.
inline constexpr int64_t kLookupLanes = 32;

/// True for an elementwise op that does no more than read an entry of a tensor
/// of 256 bytes, at a byte that has neighbors in the innermost loop.
bool looksBytesUp(linalg::GenericOp op);

/// A `qdq.lookup` in place of a tile of one vector.
void vectorizeByteLookup(RewriterBase &rewriter, linalg::GenericOp tile);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_VECTORIZE_BYTELOOKUPS_H
