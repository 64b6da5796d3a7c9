// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// qdq-simplify: divisions by a constant that a multiplication gives as well.

#include "../Analysis/ElementFunctions.h"
#include "SimplifyPatterns.h"
#include "qdq/IR/FunctionPattern.h"
#include "qdq/Numerics/Evaluator.h"

using namespace mlir;
using namespace mlir::qdq;
using llvm::APFloat;

/// 1 / s in a compute type, and whether nothing was rounded on the way.
static std::pair<APFloat, bool> getReciprocal(APFloat scale,
                                              FloatType compute) {
  const llvm::fltSemantics &format = compute.getFloatSemantics();
  APFloat reciprocal = APFloat::getOne(format);
  bool isExact =
      reciprocal.divide(roundToFormat(scale, format),
                        APFloat::rmNearestTiesToEven) == APFloat::opOK;
  return {reciprocal, isExact && reciprocal.isFiniteNonZero()};
}

/// `x * (1 / s)` in the place of `x / s`. A multiplication must not fuse with
/// the sum, which division never does.
static SemanticsFields withReciprocal(SemanticsFields fields) {
  fields.division = Division::Reciprocal;
  fields.fusion = Fusion::None;
  return fields;
}

/// Both are the same real number, rounded once, if 1 / s is exact in the
/// compute type: s is a power of two.
static LogicalResult divideByPowerOfTwo(QuantizeOp op,
                                        PatternRewriter &rewriter) {
  SemanticsFields fields = op.getSemanticsFields();
  if (fields.division == Division::Reciprocal)
    return rewriter.notifyMatchFailure(op, "does not divide");
  auto scales = ConstantElements::get(op.getScale());
  if (!scales || scales->size() == 0)
    return rewriter.notifyMatchFailure(op, "scale is not constant");
  SmallVector<FloatType> types = getPossibleComputeTypes(op);
  int64_t count = scales->isUniform() ? 1 : scales->size();
  for (int64_t i = 0; i < count; ++i)
    for (FloatType compute : types)
      if (!getReciprocal(std::get<APFloat>((*scales)[i]), compute).second)
        return rewriter.notifyMatchFailure(
            op, "the reciprocal of the scale is not exact");
  setSemantics(rewriter, op, withReciprocal(fields));
  return success();
}

static std::optional<int64_t> measure(QuantizeOp op,
                                      const GroupParameters &parameters,
                                      int64_t bound, int64_t &evaluations) {
  ElementTypes types = op.getElementTypes();
  SemanticsFields fields = op.getSemanticsFields();
  QuantizeFunction divide{resolve(fields, types), op.getStorage(), parameters};
  QuantizeFunction multiply = divide;
  multiply.semantics = resolve(withReciprocal(fields), types);
  // Below, 0 * inf would be NaN.
  APFloat reciprocal =
      getReciprocal(parameters.scale, divide.semantics.compute).first;
  if (!reciprocal.isFiniteNonZero() || reciprocal.isNegative())
    return std::nullopt;
  if (auto floatType = dyn_cast<FloatType>(types.expressed)) {
    // Float storage keeps a NaN, of any sign and payload.
    Number nan = APFloat::getNaN(floatType.getFloatSemantics());
    std::optional<Number> divided = divide(nan), multiplied = multiply(nan);
    if (!divided || !multiplied ||
        getCodePosition(*divided) != getCodePosition(*multiplied))
      return std::nullopt;
  }
  // Each code has a first input, which bisection finds. Estimate the cost
  // first; skip searches that cannot finish.
  unsigned inputBits = types.expressed.getIntOrFloatBitWidth();
  unsigned codeBits = std::min(divide.storage.getWidth(), inputBits);
  int64_t cost = (int64_t(2) << codeBits) * (inputBits - codeBits + 1);
  if (cost > evaluations)
    return std::nullopt;
  return measureMonotoneDifference(divide, multiply, types.expressed, bound,
                                   evaluations);
}

/// Compares the codes for every input: both functions rise with the input, so
/// the inputs at which they step decide.
static LogicalResult divideByConstant(QuantizeOp op, PatternRewriter &rewriter,
                                      const SimplifyOptions &options) {
  SemanticsFields fields = op.getSemanticsFields();
  if (!fields.isComplete())
    return rewriter.notifyMatchFailure(op, "leaves semantics open");
  if (fields.division == Division::Reciprocal)
    return rewriter.notifyMatchFailure(op, "does not divide");
  Storage storage = op.getStorage();
  if (fields.rounding == Rounding::Stochastic ||
      (storage.isFloat() ? fields.floatOverflow != FloatOverflow::Saturate
                         : fields.overflow != Overflow::Saturate))
    return rewriter.notifyMatchFailure(op, "codes do not rise with inputs");
  std::optional<SmallVector<GroupParameters>> parameters =
      getConstantParameters(op);
  if (!parameters)
    return rewriter.notifyMatchFailure(op, "parameters are not constant");

  int64_t bound = getBound(op, options);
  int64_t worst = 0, evaluations = kMaxEvaluations;
  for (const GroupParameters &of : *parameters) {
    std::optional<int64_t> difference = measure(op, of, bound, evaluations);
    if (!difference || *difference > bound)
      return rewriter.notifyMatchFailure(op,
                                         "a multiplication gives other codes");
    worst = std::max(worst, *difference);
  }
  if (worst > 0) {
    rewriter.modifyOpInPlace(
        op, [&] { op->setAttr(kCodesMovedAttr, rewriter.getUnitAttr()); });
    op.emitRemark() << "multiplies by the reciprocal of the scale: codes "
                       "differ by at most "
                    << worst << ", over every input of type "
                    << op.getElementTypes().expressed
                    << " (measured at all inputs where a code steps)";
  }
  setSemantics(rewriter, op, withReciprocal(fields));
  return success();
}

void mlir::qdq::populateSimplifyDivisionPatterns(RewritePatternSet &patterns,
                                                 const SimplifyOptions &options,
                                                 PatternBenefit benefit) {
  patterns.add<FunctionPattern<divideByPowerOfTwo>>(patterns.getContext(),
                                                    benefit);
  patterns.add<FunctionPattern<divideByConstant>>(patterns.getContext(),
                                                  options, benefit);
}
