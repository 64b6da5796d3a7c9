// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contractions of operands in another order of dimensions.

#ifndef QDQ_LIB_CODEGEN_DOTS_TRANSPOSECONTRACTION_H
#define QDQ_LIB_CODEGEN_DOTS_TRANSPOSECONTRACTION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::qdq {

/// Where in `map` a loop is, if it is a dimension of its own.
std::optional<unsigned> findOwnDim(AffineMap map, unsigned loop);

/// The dimensions of an operand in an order that ends with these loops, each a
/// dimension of its own.
SmallVector<int64_t> moveLast(AffineMap map, ArrayRef<unsigned> loops);

/// Replaces `op` by the same sums of operands whose last dimensions are those
/// of the loops `last`, for the inputs and the result. The elementwise ops that
/// alone use the result one after the other are computed in its order.
void transposeContraction(IRRewriter &rewriter, linalg::GenericOp op,
                          ArrayRef<SmallVector<unsigned>> last);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_DOTS_TRANSPOSECONTRACTION_H
