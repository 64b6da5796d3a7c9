// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tosa.rescale to qdq.requantize.

#include "../ForeignOps/ForeignConstant.h"
#include "../ForeignOps/TensorOps.h"
#include "Translations.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/IR/ConstantElements.h"
#include "qdq/IR/TypeRewrite.h"

using namespace mlir;
using namespace mlir::qdq;

/// `type` with unsigned elements where `isUnsigned`.
static TensorType withSignedness(TensorType type, bool isUnsigned) {
  if (!isUnsigned)
    return type;
  return type.clone(IntegerType::get(
      type.getContext(), type.getElementTypeBitWidth(), IntegerType::Unsigned));
}

/// A parameter: an `arith.constant` for those of a `tosa.const`.
static Value createParameter(const ForeignOp &op, Value parameter,
                             bool isPerChannel, bool isUnsigned = false) {
  auto type = cast<TensorType>(parameter.getType());
  TensorType read = withSignedness(type, isUnsigned);
  auto dense =
      dyn_cast_or_null<DenseElementsAttr>(getConstant(parameter, type));
  ForeignTensor tensor =
      dense ? toForeign(dense.bitcast(read.getElementType()))
            : toForeign(castElementType(op.getRewriter(), op.getLoc(),
                                        parameter, read));
  return isPerChannel ? op.materialize(tensor) : op.materializeSingle(tensor);
}

/// True for a constant of zeros.
static bool isZero(Value value) {
  auto constant = ConstantElements::get(value);
  if (!constant)
    return false;
  for (int64_t i = 0; i < constant->getNumDistinct(); ++i)
    if (!std::get<llvm::APSInt>((*constant)[i]).isZero())
      return false;
  return true;
}

/// `input - zeroPoint`, as i32, or as i64 where 32 bits do not hold it.
static Value subtractZeroPoint(const ForeignOp &op, Value input,
                               Value zeroPoint, bool isUnsigned) {
  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  unsigned width = getElementTypeOrSelf(input).getIntOrFloatBitWidth();
  bool hasZero = isZero(zeroPoint);
  if (hasZero && width <= 32)
    return castElementType(
        b, b.getLoc(), input,
        withSignedness(cast<TensorType>(input.getType()), isUnsigned));
  Type type = b.getIntegerType(width < 32 ? 32 : 64);
  auto extend = [&](Scalar value) {
    return isUnsigned ? value.toUnsigned(type) : value.to(type);
  };
  Value zero;
  if (!hasZero) {
    Value single = createParameter(op, zeroPoint, /*isPerChannel=*/false);
    zero = extend({b, toScalar(b, single)});
  }
  return mapElements(b, {input}, type, [&](Scalar value) {
    return zero ? extend(value) - zero : extend(value);
  });
}

static Rescale getRescale(tosa::RescaleOp op) {
  if (!op.getScale32())
    return Rescale::Fixed15;
  switch (op.getRoundingMode()) {
  case tosa::RoundingMode::DOUBLE_ROUND:
    return Rescale::Fixed31Double;
  case tosa::RoundingMode::SINGLE_ROUND:
  // Either rounding is allowed.
  case tosa::RoundingMode::INEXACT_ROUND:
    return Rescale::Fixed31Single;
  }
  llvm_unreachable("unknown rounding mode");
}

LogicalResult qdq::translateRescale(const ForeignOp &op,
                                    tosa::RescaleOp rescale,
                                    const Stamp &stamp) {
  auto type = dyn_cast<RankedTensorType>(rescale.getInput().getType());
  auto result = dyn_cast<RankedTensorType>(rescale.getOutput().getType());
  // tosa-validate alone compares the shapes.
  if (!type || !result || failed(verifyCompatibleShape(type, result)))
    return op.refuse("has the input ", rescale.getInput().getType(),
                     " and the output ", rescale.getOutput().getType(),
                     ": expected ranked tensors of one shape");
  auto isInteger = [](RankedTensorType tensor) {
    return tensor.getElementType().isSignlessInteger();
  };
  if (!isInteger(type) || !isInteger(result) ||
      type.getElementTypeBitWidth() > 48 ||
      result.getElementTypeBitWidth() > 32)
    return op.refuse("has the input ", type, " and the output ", result,
                     ": expected signless integers of up to 48 and 32 bits");
  for (Value parameter : rescale->getOperands().drop_front())
    if (!isa<RankedTensorType>(parameter.getType()))
      return op.refuse("has a multiplier, shift or zero point of type ",
                       parameter.getType(), ": expected ranked tensors");
  bool isPerChannel = rescale.getPerChannel();

  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  IntegerAttr axis;
  if (isPerChannel)
    axis = b.getI64IntegerAttr(type.getRank() - 1);
  Value multiplier = createParameter(op, rescale.getMultiplier(), isPerChannel);
  Value shift = createParameter(op, rescale.getShift(), isPerChannel);
  Value zeroPoint;
  if (!isZero(rescale.getOutputZp()))
    zeroPoint =
        createParameter(op, rescale.getOutputZp(),
                        /*isPerChannel=*/false, rescale.getOutputUnsigned());
  Value input = subtractZeroPoint(op, rescale.getInput(), rescale.getInputZp(),
                                  rescale.getInputUnsigned());
  Type storage = IntegerType::get(
      op.getOperation()->getContext(), result.getElementTypeBitWidth(),
      rescale.getOutputUnsigned() ? IntegerType::Unsigned
                                  : IntegerType::Signless);
  FloatType f32 = b.getF32Type();
  Value codes = op.create<RequantizeOp>(
      type.clone(storage), input, getRescale(rescale), multiplier, shift,
      /*fraction=*/nullptr, zeroPoint, axis, /*block_shape=*/nullptr,
      /*limit=*/nullptr, /*clamp=*/nullptr,
      stamp({Direction::Quantize, f32, f32}));
  return op.replace(asSignless(b, b.getLoc(), codes));
}
