// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// qdq-lint: what types and semantics decide by themselves.

#include "../Analysis/ElementFunctions.h"
#include "LintChecks.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::qdq;
using llvm::APFloat;
using llvm::APSInt;

/// True if the float type holds this integer.
static bool isExact(const APSInt &value, FloatType type) {
  APFloat converted(type.getFloatSemantics());
  return converted.convertFromAPInt(value, value.isSigned(),
                                    APFloat::rmNearestTiesToEven) ==
         APFloat::opOK;
}

/// True if the float type holds every integer of the type.
static bool holds(FloatType real, Type integer) {
  unsigned digits = integer.getIntOrFloatBitWidth() - isSignedStorage(integer);
  return digits <= real.getFPMantissaWidth();
}

/// An integer zero point that becomes a float: of the compute type, or of what
/// `role` names.
template <typename OpTy>
static void lintConvertedZeroPoint(OpTy op, LintReport &report,
                                   FloatType compute,
                                   StringRef role = "compute") {
  Type type = getElementTypeOrSelf(op.getZeroPoint());
  if (!isa<IntegerType>(type) || holds(compute, type))
    return;
  auto describe = [&](const Number &number) -> std::string {
    if (isExact(std::get<APSInt>(number), compute))
      return "";
    return llvm::formatv(", which is not a value of the {0} type '{1}'", role,
                         compute);
  };
  lintElements(op, Hazard::ConvertedZeroPoint, "zero point", op.getZeroPoint(),
               describe, report);
  if (!ConstantElements::get(op.getZeroPoint()))
    report(op, Hazard::ConvertedZeroPoint)
        << "zero point of type " << type << " is converted to the " << role
        << " type " << compute << ", which holds integers up to "
        << (int64_t(1) << compute.getFPMantissaWidth());
}

void mlir::qdq::lintTypes(QuantizeOp op, LintReport &report) {
  ElementTypes types = op.getElementTypes();
  SemanticsFields fields = op.getSemanticsFields();
  Semantics semantics = resolve(fields, types);
  bool isFloatStorage = op.getStorage().isFloat();
  if (op.getZeroPoint() &&
      (semantics.order == Order::AddThenRound || isFloatStorage ||
       op.getDomain() == ZeroPointDomain::Expressed))
    lintConvertedZeroPoint(op, report, semantics.compute);

  if (auto real = dyn_cast<FloatType>(types.expressed);
      real &&
      (real.getFPMantissaWidth() > semantics.compute.getFPMantissaWidth() ||
       real.getWidth() > semantics.compute.getWidth()))
    report(op, Hazard::RoundedInput)
        << "input of type " << real << " is rounded to the compute type "
        << semantics.compute << " before it is divided";
  if (isa<IntegerType>(types.expressed) &&
      !holds(semantics.compute, types.expressed))
    report(op, Hazard::RoundedInput)
        << "input of type " << types.expressed
        << " is rounded to the compute type " << semantics.compute
        << ", which holds integers up to "
        << (int64_t(1) << semantics.compute.getFPMantissaWidth());
  if (!isFloatStorage)
    lintOverflow(op, semantics.overflow, report);
  if (semantics.rounding == Rounding::Stochastic && !op.getSeed() &&
      !op.getRuntimeSeed())
    report(op, Hazard::Unseeded)
        << "rounds stochastically without a seed: every such op draws "
           "the same numbers";
  if (semantics.rounding == Rounding::Stochastic && !op.hasPosition() &&
      !isa<TensorType>(op.getInput().getType()) &&
      op->getParentOfType<LoopLikeOpInterface>())
    report(op, Hazard::Unplaced)
        << "rounds stochastically in a loop without a position: every "
           "iteration draws the same numbers; say 'at [...] of [...]'";
}

void mlir::qdq::lintTypes(DequantizeOp op, LintReport &report) {
  ElementTypes types = op.getElementTypes();
  Semantics semantics = resolve(op.getSemanticsFields(), types);
  Type storage = op.getStorageElementType();
  Value z = op.getZeroPoint();
  bool isBias = op.getDomain() == ZeroPointDomain::Expressed;
  // The type in which codes become reals.
  bool isOutput = semantics.subtract == Subtract::Output;
  FloatType real =
      isOutput ? cast<FloatType>(types.expressed) : semantics.compute;
  StringRef role = isOutput ? "result" : "compute";
  bool subtractsIntegers = z && !isBias && isa<IntegerType>(storage) &&
                           isa<IntegerType>(getElementTypeOrSelf(z)) &&
                           semantics.subtract != Subtract::Float && !isOutput;
  if (z && isBias)
    lintConvertedZeroPoint(op, report, semantics.compute);
  else if (z && !subtractsIntegers)
    lintConvertedZeroPoint(op, report, real, role);
  if (!isa<IntegerType>(storage))
    return;
  bool wraps = subtractsIntegers && semantics.subtract == Subtract::Wrap32 &&
               (storage.getIntOrFloatBitWidth() == 32 ||
                getElementTypeOrSelf(z).getIntOrFloatBitWidth() == 32);
  if (wraps)
    report(op, Hazard::WrappedDifference)
        << "the difference of code and zero point wraps modulo 2^32";
  if (!holds(real, storage))
    report(op, Hazard::RoundedCode)
        << "codes of type " << storage << " are rounded to the " << role
        << " type " << real << ", which holds integers up to "
        << (int64_t(1) << real.getFPMantissaWidth());
}
