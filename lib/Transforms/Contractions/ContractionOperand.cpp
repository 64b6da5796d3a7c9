// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Codes, zero points and scales of a contraction's operand, by its loops.

#include "ContractionOperand.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "qdq/IR/ConstantElements.h"
#include "qdq/IR/TypeRewrite.h"
#include "llvm/ADT/APFloat.h"

using namespace mlir;
using namespace mlir::qdq;

unsigned mlir::qdq::getDifferenceBits(DequantizeOp op) {
  unsigned bits = op.getStorage().getWidth();
  if (op.getZeroPoint())
    bits =
        std::max(
            bits,
            getElementTypeOrSelf(op.getZeroPoint()).getIntOrFloatBitWidth()) +
        1;
  return bits;
}

uint64_t mlir::qdq::getLargestDifference(const Storage &storage,
                                         Value zeroPoint) {
  std::pair<int64_t, int64_t> zeros = {0, 0};
  if (zeroPoint) {
    zeros = getIntegerBounds(getElementTypeOrSelf(zeroPoint));
    if (auto constant = ConstantElements::get(zeroPoint);
        constant && constant->size() > 0) {
      zeros = {INT64_MAX, INT64_MIN};
      for (int64_t i = 0; i < constant->getNumDistinct(); ++i) {
        int64_t zero = std::get<APSInt>((*constant)[i]).getExtValue();
        zeros = {std::min(zeros.first, zero), std::max(zeros.second, zero)};
      }
    }
  }
  return std::max(std::abs(storage.hi - zeros.first),
                  std::abs(zeros.second - storage.lo));
}

/// Fails, with a reason, where `op` does not make the exact integer (q - z)
/// before it multiplies.
static LogicalResult checkDifference(DequantizeOp op, std::string &reason) {
  if (op.getStorage().isFloat())
    return refuse(reason, "its codes are floats");
  Value zero = op.getZeroPoint();
  if (!zero)
    return success();
  if (op.getDomain() == ZeroPointDomain::Expressed ||
      !isa<IntegerType>(getElementTypeOrSelf(zero)))
    return refuse(reason, "its zero point is no integer");
  Semantics semantics = op.resolveSemantics(SemanticsOptions());
  unsigned exactBits = 64;
  switch (semantics.subtract) {
  case Subtract::Wide:
    break;
  case Subtract::Wrap32:
    exactBits = 31;
    break;
  case Subtract::Float:
    exactBits = llvm::APFloat::semanticsPrecision(
        semantics.compute.getFloatSemantics());
    break;
  case Subtract::Output:
    exactBits = llvm::APFloat::semanticsPrecision(
        cast<FloatType>(getElementTypeOrSelf(op.getType()))
            .getFloatSemantics());
    break;
  }
  if (getDifferenceBits(op) > exactBits)
    return refuse(reason, "it does not subtract its zero point exactly");
  return success();
}

FailureOr<ContractionOperand>
ContractionOperand::get(FloatContraction contraction, unsigned index,
                        std::string &reason) {
  ContractionOperand operand;
  operand.source = DequantizedOperand::find(contraction.getOperand(index));
  operand.map = contraction.getMap(index);
  DequantizeOp op = operand.source.op;
  if (!op)
    return refuse(reason, "is not dequantized");
  auto type = dyn_cast<RankedTensorType>(op.getInput().getType());
  if (!type)
    return refuse(reason, "is no ranked tensor");
  if (failed(checkDifference(op, reason)))
    return failure();
  SmallVector<utils::IteratorType> iterators =
      contraction.op.getIteratorTypesArray();
  ParameterOwner owner = {op.getGranularity(), type.getShape(), operand.map,
                          operand.source.pad, iterators};
  if (failed(placeByLoops(op.getScale(), owner, operand.blocks, operand.scale,
                          reason)))
    return failure();
  if (!op.getZeroPoint())
    return operand;
  if (failed(placeByLoops(op.getZeroPoint(), owner, operand.blocks,
                          operand.zeroPoint, reason)))
    return failure();
  if (operand.source.pad &&
      failed(checkCodePadding({op.getInput(), op.getZeroPoint()}, reason)))
    return failure();
  return operand;
}

Value ContractionOperand::emitCodes(ImplicitLocOpBuilder &b) const {
  DequantizeOp op = source.op;
  tensor::PadOp pad = source.pad;
  // The sizes that the contraction sees.
  auto shape = cast<RankedTensorType>(op.getType()).getShape();
  auto codesType = cast<RankedTensorType>(op.getInput().getType());
  Value codes = op.getInput();
  if (codesType.getShape() != shape)
    codes = tensor::CastOp::create(
        b, RankedTensorType::get(shape, codesType.getElementType()), codes);
  if (!pad)
    return codes;
  Type element = getElementTypeOrSelf(op.getInput());
  Value padding = createCodePadding(b, {op.getInput(), op.getZeroPoint()});
  auto type = pad.getResultType().clone(padding.getType());
  Value padded = tensor::PadOp::create(
      b, type, asSignless(b, b.getLoc(), codes), pad.getMixedLowPad(),
      pad.getMixedHighPad(), padding, pad.getNofold());
  return castElementType(b, b.getLoc(), padded, type.clone(element));
}
