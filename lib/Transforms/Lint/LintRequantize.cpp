// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// qdq-lint: what the constants and fields of a requantize say.

#include "LintChecks.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/IR/ConstantElements.h"
#include "qdq/Numerics/Rescale.h"

using namespace mlir;
using namespace mlir::qdq;
using llvm::APFloat;
using llvm::APSInt;

/// The first constant multiplier that is no scale.
static void lintMultiplier(RequantizeOp op, Value multiplier,
                           LintReport &report) {
  auto constant = ConstantElements::get(multiplier);
  if (!constant)
    return;
  for (int64_t i = 0; i < constant->getNumDistinct(); ++i) {
    Number number = (*constant)[i];
    if (auto *real = std::get_if<APFloat>(&number)) {
      if (real->isFiniteNonZero() && !real->isNegative())
        continue;
      SmallString<16> text;
      real->toString(text);
      report(op, Hazard::Scale) << "multiplier element " << i << " is " << text
                                << ": expected a finite positive number";
      return;
    }
    int64_t integer = std::get<APSInt>(number).getExtValue();
    if (integer >= 0)
      continue;
    report(op, Hazard::Scale) << "multiplier element " << i << " is " << integer
                              << ": expected a number that is not negative";
    return;
  }
}

/// The first constant shift that is bounded.
static void lintShift(RequantizeOp op, LintReport &report) {
  auto constant = ConstantElements::get(op.getShift());
  if (!constant)
    return;
  int64_t highest = getMaxShift(op.getRescale());
  for (int64_t i = 0; i < constant->getNumDistinct(); ++i) {
    int64_t shift = std::get<APSInt>((*constant)[i]).getExtValue();
    if (shift >= 0 && shift <= highest)
      continue;
    report(op, Hazard::Shift)
        << "shift element " << i << " is " << shift << ", and is bounded to 0 "
        << "to " << highest;
    return;
  }
}

void mlir::qdq::lintRequantize(RequantizeOp op, LintReport &report) {
  for (Value multiplier : op.getMultipliers())
    lintMultiplier(op, multiplier, report);
  lintShift(op, report);
  std::string foreign = describeForeignZeroPoint(
      ConstantElements::get(op.getZeroPoint()), op.getStorageElementType());
  if (!foreign.empty())
    report(op, Hazard::ZeroPoint) << foreign;
  Semantics semantics = resolve(op.getSemanticsFields(), op.getElementTypes());
  if (semantics.overflow == Overflow::Undefined)
    report(op, Hazard::UndefinedCode)
        << "codes outside of the storage type are undefined, and may be "
           "poison";
  else if (semantics.overflow == Overflow::Wrap)
    report(op, Hazard::WrappedCode)
        << "values outside of the storage type wrap around";
}
