// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of qdq-lint. Each check emits its remarks at the op. What semantics
// leave open counts as its default.

#ifndef QDQ_LIB_TRANSFORMS_LINT_LINTCHECKS_H
#define QDQ_LIB_TRANSFORMS_LINT_LINTCHECKS_H

#include "qdq/IR/QDQ.h"

namespace mlir::qdq {

/// Hazards that types and semantics alone decide: what the compute type does
/// not hold, undefined codes, unseeded draws.
void lintTypes(QuantizeOp op);
void lintTypes(DequantizeOp op);

/// Hazards of constant scales and inputs: scales that vanish, saturation, NaN,
/// infinite results, codes that a round trip changes.
void lintConstants(QuantizeOp op);
void lintConstants(DequantizeOp op);

/// Systems that give other results with these parameters.
void lintProfiles(QuantizeOp op);
void lintProfiles(DequantizeOp op);

} // namespace mlir::qdq

#endif // QDQ_LIB_TRANSFORMS_LINT_LINTCHECKS_H
