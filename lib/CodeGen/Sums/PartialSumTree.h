// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tree that joins partial sums.

#ifndef QDQ_LIB_CODEGEN_SUMS_PARTIALSUMTREE_H
#define QDQ_LIB_CODEGEN_SUMS_PARTIALSUMTREE_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::qdq {

/// Adds to each element of `init` the partial sums of that element. They are
/// joined in halves, l with l + n / 2, until one is left. `isLane` tells which
/// dimensions of `sums` count them, as one number with the outermost first; the
/// others are the dimensions of `init`. With `sharesWords`, the innermost of
/// these is whole, and short.
Value joinPartialSums(ImplicitLocOpBuilder &b, Value sums, Value init,
                      ArrayRef<bool> isLane, bool sharesWords);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_SUMS_PARTIALSUMTREE_H
