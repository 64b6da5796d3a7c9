// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bodies that are computed lane by lane, along one loop of their op.

#ifndef QDQ_LIB_CODEGEN_VECTORIZE_ELEMENTWISEBODY_H
#define QDQ_LIB_CODEGEN_VECTORIZE_ELEMENTWISEBODY_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::qdq {

/// True if all ops of the body are elementwise, and may run for more elements
/// than there are; of the loop `lane` they use no index.
bool isElementwiseBody(linalg::GenericOp op, unsigned lane);

/// How far apart the elements of two lanes are in an operand of this map: 0 if
/// they share one, else 1 or 2. Nothing for others.
std::optional<int64_t> getLaneStride(AffineMap map, unsigned lane);

/// Clones a body for all lanes. `mapping` has vectors, or what all lanes share,
/// for the arguments that are used; `getIndex` gives the index of a loop.
/// Returns the vectors that it yields.
SmallVector<Value> cloneForLanes(ImplicitLocOpBuilder &b, Block *body,
                                 IRMapping &mapping, int64_t lanes,
                                 function_ref<Value(unsigned)> getIndex);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_VECTORIZE_ELEMENTWISEBODY_H
