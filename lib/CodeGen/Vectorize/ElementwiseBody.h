// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bodies that are computed lane by lane, along one loop of their op.

#ifndef QDQ_LIB_CODEGEN_VECTORIZE_ELEMENTWISEBODY_H
#define QDQ_LIB_CODEGEN_VECTORIZE_ELEMENTWISEBODY_H

#include "../Plan/TileNest.h"

namespace mlir::qdq {

/// True if all ops of the body are elementwise, and may run for more elements
/// than there are; of the loop `lane` they use no index.
bool isElementwiseBody(linalg::GenericOp op, unsigned lane);

/// How far apart the elements of two lanes are in an operand of this map: 0 if
/// they share one, else 1 or 2. Nothing for others.
std::optional<int64_t> getLaneStride(AffineMap map, unsigned lane);

/// The body of the op of `nest` for as many lanes, from where the loops are on.
/// `read` gives the vector of an input, or null for what all lanes share;
/// `inits` are those of the results. Returns the vectors that it yields.
SmallVector<Value> computeLanes(TileNest &nest, int64_t lanes, ValueRange inits,
                                function_ref<Value(OpOperand &)> read);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_VECTORIZE_ELEMENTWISEBODY_H
