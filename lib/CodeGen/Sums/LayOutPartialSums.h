// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Factors of sums in partial sums, laid out for these.

#ifndef QDQ_LIB_CODEGEN_SUMS_LAYOUTPARTIALSUMS_H
#define QDQ_LIB_CODEGEN_SUMS_LAYOUTPARTIALSUMS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::qdq {

/// Splits the loop over the terms of a sum where that is even, and transposes a
/// factor that enough results share: the terms of one partial sum follow each
/// other where lanes are results, and elements of one place in a storage word
/// where lanes are terms. The sum that takes the place of `op`.
linalg::GenericOp layOutPartialSums(IRRewriter &rewriter, linalg::GenericOp op);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_SUMS_LAYOUTPARTIALSUMS_H
