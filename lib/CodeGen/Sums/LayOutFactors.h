// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Factors of float sums, laid out for lanes that are results.

#ifndef QDQ_LIB_CODEGEN_SUMS_LAYOUTFACTORS_H
#define QDQ_LIB_CODEGEN_SUMS_LAYOUTFACTORS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::qdq {

/// Transposes factors of each sum of floats under `root`, so that neighbors of
/// a factor belong to neighbors of the result: constants, and others that many
/// rows or iterations read. If the order of the sum is free, constants alone;
/// of those that few rows read, neighbors belong to terms.
void layOutFactors(IRRewriter &rewriter, Operation *root);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_SUMS_LAYOUTFACTORS_H
