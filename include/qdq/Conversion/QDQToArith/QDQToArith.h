// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// qdq ops on scalars and vectors to arith and math.

#ifndef QDQ_CONVERSION_QDQTOARITH_QDQTOARITH_H
#define QDQ_CONVERSION_QDQTOARITH_QDQTOARITH_H

#include "mlir/IR/PatternMatch.h"
#include "qdq/IR/QDQ.h"
#include "qdq/Numerics/Emitter.h"

namespace mlir::qdq {

/// Patterns for qdq ops on scalars and vectors. With `elementOps`, quantize
/// becomes `qdq.encode`, which stays; else both become arithmetic.
void populateQDQToArithPatterns(RewritePatternSet &patterns,
                                const SemanticsOptions &options,
                                PatternBenefit benefit = 1,
                                bool elementOps = false);

/// Builds the code of a `qdq.encode`, in the type of its result: `options` need
/// no width.
Value expandEncode(ImplicitLocOpBuilder &b, EncodeOp op, bool contractionProof,
                   CodeOptions options = {});

} // namespace mlir::qdq

#endif // QDQ_CONVERSION_QDQTOARITH_QDQTOARITH_H
