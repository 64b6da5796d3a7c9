// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of convert-qdq-to-arith.

#ifndef QDQ_LIB_CONVERSION_QDQTOARITH_LOWERINGS_H
#define QDQ_LIB_CONVERSION_QDQTOARITH_LOWERINGS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "qdq/IR/QDQ.h"

namespace mlir::qdq {

/// Spreads a parameter over the shape of the value: every parameter stands for
/// a block of elements.
Value spreadParameter(ImplicitLocOpBuilder &b, Value parameter,
                      const Granularity &granularity, Type valueType);

/// The pattern of `qdq.requantize` on scalars and vectors.
LogicalResult lowerRequantize(RequantizeOp op, PatternRewriter &rewriter,
                              const SemanticsOptions &options);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_QDQTOARITH_LOWERINGS_H
