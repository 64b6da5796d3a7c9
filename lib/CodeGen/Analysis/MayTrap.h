// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that may stop the program.

#ifndef QDQ_LIB_CODEGEN_ANALYSIS_MAYTRAP_H
#define QDQ_LIB_CODEGEN_ANALYSIS_MAYTRAP_H

#include "mlir/IR/Dominance.h"

namespace mlir::qdq {

/// An op may be computed earlier, or for more elements, than its author wrote
/// only if this says that it cannot trap. True for an op with effects, a
/// division or remainder by anything but constants that are safe, an access to
/// elements of a tensor that its type does not vouch for, and an op with one of
/// these in a region.
///
/// Upstream's `isPure` does not tell: it accepts `arith.remui` by any divisor,
/// and `tensor.extract` at any index.
bool mayTrap(Operation *op);

/// True if `op` runs whenever `first` does, before it in the same block: no op
/// between them has effects, of which the end of the program is one.
bool isReachedFrom(Operation *first, Operation *op);

/// True if `values` dominate `op`, or may be computed there: what they are made
/// of cannot trap, or runs anyway. Upstream's `moveValueDefinitions` moves what
/// is pure.
bool mayComputeBefore(ValueRange values, Operation *op,
                      const DominanceInfo &dominance);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_ANALYSIS_MAYTRAP_H
