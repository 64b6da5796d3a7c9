// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// qdq-lint: what the constants and fields of a requantize say.

#include "LintChecks.h"
#include "qdq/Numerics/Rescale.h"

using namespace mlir;
using namespace mlir::qdq;
using llvm::APFloat;
using llvm::APSInt;

/// Says why a multiplier is no scale.
static std::string describeMultiplier(const Number &number) {
  if (auto *real = std::get_if<APFloat>(&number))
    return real->isFiniteNonZero() && !real->isNegative()
               ? ""
               : ": expected a finite positive number";
  return std::get<APSInt>(number).getExtValue() >= 0
             ? ""
             : ": expected a number that is not negative";
}

void mlir::qdq::lintRequantize(RequantizeOp op, LintReport &report) {
  for (Value multiplier : op.getMultipliers())
    lintElements(op, Hazard::Scale, "multiplier", multiplier,
                 describeMultiplier, report);
  int64_t highest = getMaxShift(op.getRescale());
  auto describeShift = [&](const Number &number) -> std::string {
    int64_t shift = std::get<APSInt>(number).getExtValue();
    if (shift >= 0 && shift <= highest)
      return "";
    return ", and is bounded to 0 to " + std::to_string(highest);
  };
  lintElements(op, Hazard::Shift, "shift", op.getShift(), describeShift,
               report);
  std::string foreign = describeForeignZeroPoint(
      ConstantElements::get(op.getZeroPoint()), op.getStorageElementType());
  if (!foreign.empty())
    report(op, Hazard::ZeroPoint) << foreign;
  Semantics semantics = resolve(op.getSemanticsFields(), op.getElementTypes());
  lintOverflow(op, semantics.overflow, report);
}
