// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Codes, zero points and scales of a contraction's operand, by its loops.

#include "ContractionOperand.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "qdq/IR/ConstantElements.h"
#include "qdq/IR/TypeRewrite.h"
#include "llvm/ADT/APFloat.h"

using namespace mlir;
using namespace mlir::qdq;

static bool isPadded(tensor::PadOp pad, int64_t dim) {
  return pad && !(isConstantIntValue(pad.getMixedLowPad()[dim], 0) &&
                  isConstantIntValue(pad.getMixedHighPad()[dim], 0));
}

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

/// Fails, with a reason, where `op` does not make the exact integer (q - z)
/// before it multiplies.
static LogicalResult checkDifference(DequantizeOp op, std::string &reason) {
  if (op.getStorage().isFloat()) {
    reason = "its codes are floats";
    return failure();
  }
  Value zero = op.getZeroPoint();
  if (!zero)
    return success();
  if (op.getDomain() == ZeroPointDomain::Expressed ||
      !isa<IntegerType>(getElementTypeOrSelf(zero))) {
    reason = "its zero point is no integer";
    return failure();
  }
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
  if (getDifferenceBits(op) > exactBits) {
    reason = "it does not subtract its zero point exactly";
    return failure();
  }
  return success();
}

namespace {
/// Finds how parameters follow the loops.
class ParameterPlacement {
public:
  ParameterPlacement(ContractionOperand &operand, ArrayRef<int64_t> shape,
                     ArrayRef<utils::IteratorType> iterators,
                     std::string &reason)
      : operand(operand), shape(shape), iterators(iterators), reason(reason) {}

  FailureOr<LoopParameter> place(Value parameter) {
    MLIRContext *ctx = parameter.getContext();
    unsigned loops = iterators.size();
    if (isSingleElement(parameter.getType()))
      return LoopParameter{parameter, AffineMap::get(loops, 0, ctx)};
    Granularity granularity = operand.source.op.getGranularity();
    auto type = cast<RankedTensorType>(parameter.getType());
    SmallVector<AffineExpr> indices;
    if (granularity.isAxis())
      indices.push_back(getIndex(granularity.getAxis(), 1, type.getDimSize(0)));
    else
      for (auto [dim, block] : llvm::enumerate(granularity.getBlockShape()))
        indices.push_back(getIndex(dim, block, type.getDimSize(dim)));
    if (llvm::is_contained(indices, AffineExpr()))
      return failure();
    return LoopParameter{parameter, AffineMap::get(loops, 0, indices, ctx)};
  }

private:
  ContractionOperand &operand;
  ArrayRef<int64_t> shape;
  ArrayRef<utils::IteratorType> iterators;
  std::string &reason;

  AffineExpr refuse(const char *why) {
    reason = why;
    return {};
  }

  /// The index of a parameter that changes every `block` elements of dimension
  /// `dim`.
  AffineExpr getIndex(int64_t dim, int64_t block, int64_t parameterSize) {
    MLIRContext *ctx = operand.map.getContext();
    bool isWhole = block == 0 || (shape[dim] > 0 && block >= shape[dim]);
    if (isWhole && parameterSize != 1)
      return refuse("the sizes of its parameters are not static");
    if (isWhole)
      return getAffineConstantExpr(0, ctx);
    if (isPadded(operand.source.pad, dim))
      return refuse("a dimension that its parameters follow is padded");
    auto loop = dyn_cast<AffineDimExpr>(operand.map.getResult(dim));
    if (!loop)
      return refuse("its parameters follow a dimension that a window moves "
                    "along");
    bool isReduced =
        iterators[loop.getPosition()] == utils::IteratorType::reduction;
    if (!isReduced)
      return block == 1 ? loop
                        : refuse("its blocks lie along a dimension that is not "
                                 "summed");
    if (block == 1)
      return refuse("each element of a sum has parameters of its own");
    if (ShapedType::isDynamic(shape[dim]))
      return refuse("the number of its blocks is dynamic");
    if (operand.blockLoop && *operand.blockLoop != loop.getPosition())
      return refuse("its blocks lie along two dimensions that are summed");
    operand.blockLoop = loop.getPosition();
    operand.blockLength = block;
    return getAffineConstantExpr(0, ctx);
  }
};
} // namespace

FailureOr<ContractionOperand>
ContractionOperand::get(FloatContraction contraction, unsigned index,
                        std::string &reason) {
  ContractionOperand operand;
  operand.source = DequantizedOperand::find(contraction.getOperand(index));
  operand.map = contraction.getMap(index);
  DequantizeOp op = operand.source.op;
  if (!op) {
    reason = "is not dequantized";
    return failure();
  }
  auto type = dyn_cast<RankedTensorType>(op.getInput().getType());
  if (!type) {
    reason = "is no ranked tensor";
    return failure();
  }
  if (failed(checkDifference(op, reason)))
    return failure();
  SmallVector<utils::IteratorType> iterators =
      contraction.op.getIteratorTypesArray();
  ParameterPlacement placement(operand, type.getShape(), iterators, reason);
  FailureOr<LoopParameter> scale = placement.place(op.getScale());
  if (failed(scale))
    return failure();
  operand.scale = *scale;
  if (!op.getZeroPoint())
    return operand;
  FailureOr<LoopParameter> zeroPoint = placement.place(op.getZeroPoint());
  if (failed(zeroPoint))
    return failure();
  operand.zeroPoint = *zeroPoint;
  if (operand.source.pad &&
      failed(checkCodePadding({op.getInput(), op.getZeroPoint()}, reason)))
    return failure();
  return operand;
}

Value ContractionOperand::emitCodes(ImplicitLocOpBuilder &b) const {
  DequantizeOp op = source.op;
  tensor::PadOp pad = source.pad;
  if (!pad)
    return op.getInput();
  Type element = getElementTypeOrSelf(op.getInput());
  Value padding = createCodePadding(b, {op.getInput(), op.getZeroPoint()});
  auto type = pad.getResultType().clone(padding.getType());
  Value padded = tensor::PadOp::create(
      b, type, asSignless(b, b.getLoc(), op.getInput()), pad.getMixedLowPad(),
      pad.getMixedHighPad(), padding, pad.getNofold());
  return castElementType(b, b.getLoc(), padded, type.clone(element));
}
