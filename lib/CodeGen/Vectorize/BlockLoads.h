// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters of blocks, read in front of a tile that lies in one block.

#ifndef QDQ_LIB_CODEGEN_VECTORIZE_BLOCKLOADS_H
#define QDQ_LIB_CODEGEN_VECTORIZE_BLOCKLOADS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::qdq {

/// Moves the loads of parameters out of the body of `tile`, in which every
/// block index is constant: a load of one element becomes `tensor.extract` in
/// front of it, others become an operand with a projected permutation.
void hoistBlockLoads(IRRewriter &rewriter, linalg::GenericOp tile);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_VECTORIZE_BLOCKLOADS_H
