// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many bits the products of a qdq.requantize need, by its types and
// constants.

#include "EncodeElement.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "qdq/IR/ConstantElements.h"
#include "qdq/Numerics/Rescale.h"

using namespace mlir;
using namespace mlir::qdq;
using llvm::APInt;
using llvm::APSInt;

/// Holds every magnitude, and the product of two.
static constexpr unsigned kBits = 192;

/// The constant of which `value` is a part: a tile's parameter is a slice.
static std::optional<ConstantElements> getWholeConstant(Value value) {
  while (Operation *op = value ? value.getDefiningOp() : nullptr) {
    if (!isa<tensor::ExtractSliceOp, tensor::CastOp>(op))
      break;
    value = op->getOperand(0);
  }
  return ConstantElements::get(value);
}

/// The largest magnitude of a type.
static APInt getMagnitude(Type type) {
  unsigned bits = type.getIntOrFloatBitWidth();
  return isSignedStorage(type) ? APInt::getOneBitSet(kBits, bits - 1)
                               : APInt::getLowBitsSet(kBits, bits);
}

/// The largest magnitude of a multiplier.
static APInt getMagnitude(Value multiplier) {
  auto constant = getWholeConstant(multiplier);
  if (!constant)
    return getMagnitude(getElementTypeOrSelf(multiplier));
  APInt result(kBits, 0);
  for (int64_t i = 0; i < constant->getNumDistinct(); ++i)
    result = llvm::APIntOps::umax(
        result, std::get<APSInt>((*constant)[i]).sext(kBits).abs());
  return result;
}

/// True if all elements are known to lie in [0, high].
static bool isInRange(Value value, int64_t high) {
  auto constant = getWholeConstant(value);
  if (!constant)
    return false;
  for (int64_t i = 0; i < constant->getNumDistinct(); ++i) {
    int64_t number = std::get<APSInt>((*constant)[i]).getExtValue();
    if (number < 0 || number > high)
      return false;
  }
  return true;
}

/// True if no product is beyond 2^62, and no shift beyond 62.
static bool fitsInto64(RequantizeOp op) {
  APInt input = getMagnitude(getElementTypeOrSelf(op.getInput()));
  if (op.getLimit())
    input = llvm::APIntOps::umin(input, APInt(kBits, *op.getLimit()));
  APInt product = input * getMagnitude(op.getMultipliers().front());
  return product.ule(APInt::getOneBitSet(kBits, 62)) &&
         (getMaxShift(op.getRescale()) <= 62 || isInRange(op.getShift(), 62));
}

RescaleOperands mlir::qdq::getRescaleOperands(RequantizeOp op) {
  RescaleOperands operands;
  operands.rescale = op.getRescale();
  operands.limit = op.getLimit();
  if (!isFixedPoint(op.getRescale()))
    return operands;
  operands.shiftIsSigned = isSignedStorage(getElementTypeOrSelf(op.getShift()));
  // Fractions are rare: they are bounded to the shift at run time.
  operands.shiftsAreInRange =
      !op.getFraction() &&
      isInRange(op.getShift(), getMaxShift(op.getRescale()));
  if (op.getFraction())
    operands.fractionIsSigned =
        isSignedStorage(getElementTypeOrSelf(op.getFraction()));
  operands.productWidth = fitsInto64(op) ? 64 : 128;
  return operands;
}

RescaleOperands
mlir::qdq::getRescaleOperands(RequantizeOp op,
                              function_ref<Value(Value)> prepare) {
  RescaleOperands operands = getRescaleOperands(op);
  for (Value multiplier : op.getMultipliers())
    operands.multipliers.push_back(prepare(multiplier));
  if (op.getShift())
    operands.shift = prepare(op.getShift());
  if (op.getFraction())
    operands.fraction = prepare(op.getFraction());
  return operands;
}

LogicalResult mlir::qdq::checkRequantize(RequantizeOp op,
                                         const Semantics &semantics,
                                         RewriterBase &rewriter) {
  if (semantics.rounding == Rounding::Stochastic &&
      usesRounding(op.getRescale()))
    return rewriter.notifyMatchFailure(
        op, "rounds stochastically, by an option: requantize has no draws");
  return success();
}
