// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares the fields that an op fixes with the choices of a profile.

#include "IdleProfile.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/IR/QDQ.h"
#include "qdq/Numerics/Rescale.h"

using namespace mlir;
using namespace mlir::qdq;

template <typename OpTy>
static bool hasIntegerZeroPoint(OpTy op) {
  return op.getZeroPoint() && op.getDomain() == ZeroPointDomain::Stored &&
         isa<IntegerType>(getElementTypeOrSelf(op.getZeroPoint().getType()));
}

/// True where a field that matters for the op, and that no source's op spells,
/// is another one.
static bool differs(QuantizeOp op, const SemanticsFields &own,
                    const SemanticsFields &wanted) {
  if (own.rounding != wanted.rounding || own.division != wanted.division)
    return true;
  if (op.getStorage().isFloat())
    return false;
  return own.overflow != wanted.overflow || own.nan != wanted.nan ||
         (hasIntegerZeroPoint(op) && own.order != wanted.order);
}

static bool differs(DequantizeOp op, const SemanticsFields &own,
                    const SemanticsFields &wanted) {
  return hasIntegerZeroPoint(op) && own.subtract != wanted.subtract;
}

static bool differs(RequantizeOp op, const SemanticsFields &own,
                    const SemanticsFields &wanted) {
  if (isFixedPoint(op.getRescale()))
    return false;
  // Kernels of one runtime have either order: ONNX Runtime's QLinearMul adds
  // the zero point first, its QLinearConv last.
  return own.rounding != wanted.rounding || own.overflow != wanted.overflow ||
         own.nan != wanted.nan;
}

void mlir::qdq::warnOfIdleProfile(Operation *root,
                                  const SemanticsOptions &options,
                                  function_ref<bool(Operation *)> isLowered) {
  if (!options.profile || options.overrideSemantics)
    return;
  Operation *first = nullptr;
  unsigned others = 0;
  auto visit = [&](auto op) {
    SemanticsFields own = op.getSemanticsFields();
    SemanticsFields wanted = options.fields.withDefaults(
        getProfileFields(*options.profile, op.getElementTypes()));
    if (!own.isComplete() || !differs(op, own, wanted))
      return;
    if (first)
      ++others;
    else
      first = op;
  };
  root->walk([&](Operation *op) {
    if (!isLowered(op))
      return;
    if (auto quantize = dyn_cast<QuantizeOp>(op))
      visit(quantize);
    else if (auto dequantize = dyn_cast<DequantizeOp>(op))
      visit(dequantize);
    else if (auto requantize = dyn_cast<RequantizeOp>(op))
      visit(requantize);
  });
  if (!first)
    return;
  InFlightDiagnostic warning = first->emitWarning()
                               << "profile=" << stringifyEnum(*options.profile)
                               << " has no effect on this op";
  if (others)
    warning << " and " << others << " more";
  warning << ", whose semantics are complete; override-semantics replaces them";
}
