// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// qdq-simplify: zero points that change nothing, and differences that an
// integer holds.

#include "../Analysis/ElementFunctions.h"
#include "SimplifyPatterns.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/IR/FunctionPattern.h"

using namespace mlir;
using namespace mlir::qdq;

namespace {
/// The kinds of zeros in a constant zero point.
enum class Zeros { None, Integers, Positive, Negative };
} // namespace

static Zeros getZeros(Value zeroPoint) {
  std::optional<ConstantElements> elements = ConstantElements::get(zeroPoint);
  if (!elements || elements->size() == 0)
    return Zeros::None;
  Zeros result = Zeros::None;
  int64_t count = elements->isUniform() ? 1 : elements->size();
  for (int64_t i = 0; i < count; ++i) {
    Number number = (*elements)[i];
    Zeros zeros = Zeros::Integers;
    if (auto *real = std::get_if<APFloat>(&number)) {
      if (!real->isZero())
        return Zeros::None;
      zeros = real->isNegative() ? Zeros::Negative : Zeros::Positive;
    } else if (!std::get<APSInt>(number).isZero()) {
      return Zeros::None;
    }
    if (i > 0 && zeros != result)
      return Zeros::None;
    result = zeros;
  }
  return result;
}

/// `x - 0` and `x + -0` are `x` for every float, -0 included; `x + 0` and `x -
/// -0` turn -0 into +0, which integer codes do not see.
static bool isNeutral(QuantizeOp op, Zeros zeros) {
  if (!op.getStorage().isFloat())
    return true;
  bool isSubtracted = op.getDomain() == ZeroPointDomain::Expressed;
  return zeros == (isSubtracted ? Zeros::Positive : Zeros::Negative);
}

static bool isNeutral(DequantizeOp op, Zeros zeros) {
  if (op.getDomain() == ZeroPointDomain::Expressed)
    return zeros == Zeros::Negative;
  Storage storage = op.getStorage();
  if (storage.isFloat() || zeros != Zeros::Integers)
    return zeros != Zeros::Negative;
  // The difference modulo 2^32 reads large codes as negative.
  SemanticsFields fields = op.getSemanticsFields();
  bool mayWrap = !fields.subtract || *fields.subtract == Subtract::Wrap32;
  return storage.isSigned || storage.getWidth() < 32 || !mayWrap;
}

/// Takes a constant zero point of zeros away.
template <typename OpTy>
static LogicalResult dropZeroPoint(OpTy op, PatternRewriter &rewriter) {
  if (!op.getZeroPoint())
    return rewriter.notifyMatchFailure(op, "has no zero point");
  Zeros zeros = getZeros(op.getZeroPoint());
  if (zeros == Zeros::None)
    return rewriter.notifyMatchFailure(op, "zero point is not all zeros");
  if (!isNeutral(op, zeros))
    return rewriter.notifyMatchFailure(op,
                                       "a zero point of zero changes results");
  rewriter.modifyOpInPlace(op, [&] {
    op.getZeroPointMutable().clear();
    op.removeZeroPointDomainAttr();
  });
  return success();
}

/// `q - z` of a dequantize as integers in the place of floats: `subtract =
/// float` to `wide`.
static LogicalResult subtractIntegers(DequantizeOp op,
                                      PatternRewriter &rewriter) {
  SemanticsFields fields = op.getSemanticsFields();
  if (fields.subtract != Subtract::Float || !op.getZeroPoint() ||
      op.getDomain() == ZeroPointDomain::Expressed)
    return rewriter.notifyMatchFailure(op, "does not subtract floats");
  Type q = op.getStorageElementType(),
       z = getElementTypeOrSelf(op.getZeroPoint());
  if (!isa<IntegerType>(q) || !isa<IntegerType>(z))
    return rewriter.notifyMatchFailure(op, "subtracts no integers");
  auto [qLow, qHigh] = getIntegerBounds(q);
  auto [zLow, zHigh] = getIntegerBounds(z);
  // Both operands and the difference are integers of at most p bits, so that
  // no step rounds. Equal operands give +0 either way.
  int64_t largest = std::max({std::abs(qLow), qHigh, std::abs(zLow), zHigh,
                              qHigh - zLow, zHigh - qLow});
  for (FloatType compute : getPossibleComputeTypes(op))
    if (largest > int64_t(1) << compute.getFPMantissaWidth())
      return rewriter.notifyMatchFailure(
          op, "the difference may round in the compute type");
  fields.subtract = Subtract::Wide;
  setSemantics(rewriter, op, fields);
  return success();
}

void mlir::qdq::populateSimplifyZeroPointPatterns(RewritePatternSet &patterns,
                                                  PatternBenefit benefit) {
  patterns.add<FunctionPattern<dropZeroPoint<QuantizeOp>>,
               FunctionPattern<dropZeroPoint<DequantizeOp>>,
               FunctionPattern<subtractIntegers>>(patterns.getContext(),
                                                  benefit);
}
