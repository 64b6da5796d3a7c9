// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of qdq-lint. Each check adds its remarks to the report. What
// semantics leave open counts as its default.

#ifndef QDQ_LIB_TRANSFORMS_LINT_LINTCHECKS_H
#define QDQ_LIB_TRANSFORMS_LINT_LINTCHECKS_H

#include "LintReport.h"
#include "qdq/IR/ConstantElements.h"
#include "qdq/IR/QDQ.h"

namespace mlir::qdq {

/// A number as it is reported.
std::string toText(const std::optional<Number> &number);

/// Reports the first element of a constant (null: none) of which `describe`
/// says something, behind its value.
void lintElements(Operation *op, Hazard kind, StringRef name, Value constant,
                  function_ref<std::string(const Number &)> describe,
                  LintReport &report);

/// Codes that are undefined, or wrap.
void lintOverflow(Operation *op, Overflow overflow, LintReport &report);

/// Hazards that types and semantics alone decide: what the compute type does
/// not hold, undefined codes, unseeded draws.
void lintTypes(QuantizeOp op, LintReport &report);
void lintTypes(DequantizeOp op, LintReport &report);

/// Hazards of constant scales and inputs: scales that vanish, saturation, NaN,
/// infinite results, codes that a round trip changes.
void lintConstants(QuantizeOp op, LintReport &report);
void lintConstants(DequantizeOp op, LintReport &report);

/// Systems that give other results with these parameters.
void lintProfiles(QuantizeOp op, LintReport &report);
void lintProfiles(DequantizeOp op, LintReport &report);

/// Multipliers that are no scales, shifts and zero points out of range, codes
/// that wrap.
void lintRequantize(RequantizeOp op, LintReport &report);

/// If `op` is a contraction of codes or of dequantized codes: sums that may
/// wrap, pairs of products that saturate in ONNX Runtime, and why
/// `qdq-integer-contractions` leaves it in floats.
void lintContraction(Operation *op, LintReport &report);

} // namespace mlir::qdq

#endif // QDQ_LIB_TRANSFORMS_LINT_LINTCHECKS_H
