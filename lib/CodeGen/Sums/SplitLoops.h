// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of a generic as several, by reshapes of its operands.

#ifndef QDQ_LIB_CODEGEN_SUMS_SPLITLOOPS_H
#define QDQ_LIB_CODEGEN_SUMS_SPLITLOOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::qdq {

/// Replaces loops of `op` by loops of the sizes `parts`, the outermost first.
/// Operands have such a loop as a dimension of its own, or compute an index
/// with it, as the body does, of two parts at most. `lay` may change an operand
/// of `op`, by number, and its new map.
linalg::GenericOp
splitLoops(RewriterBase &rewriter, linalg::GenericOp op,
           const DenseMap<unsigned, SmallVector<int64_t>> &parts,
           function_ref<void(OpOperand &, Value &, AffineMap &)> lay = nullptr);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_SUMS_SPLITLOOPS_H
