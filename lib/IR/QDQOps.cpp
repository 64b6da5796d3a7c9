// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verifiers and the parameter view of quantize, dequantize and choose_params.

#include "OpChecks.h"
#include "OpShapes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::qdq;

#define GET_OP_CLASSES
#include "qdq/IR/QDQOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Parameter view
//===----------------------------------------------------------------------===//

Type QuantizeOp::getStorageElementType() {
  return getElementTypeOrSelf(getResult());
}
Type DequantizeOp::getStorageElementType() {
  return getElementTypeOrSelf(getInput());
}

Type ChooseParamsOp::getStorageElementType() {
  return getZeroPoint() ? getElementTypeOrSelf(getZeroPoint())
                        : getStorageTypeAttr().getValue();
}

ElementTypes QuantizeOp::getElementTypes() {
  return {Direction::Quantize, getElementTypeOrSelf(getInput()),
          cast<FloatType>(getElementTypeOrSelf(getScale()))};
}
ElementTypes DequantizeOp::getElementTypes() {
  return {Direction::Dequantize, getElementTypeOrSelf(getResult()),
          cast<FloatType>(getElementTypeOrSelf(getScale()))};
}
// The scale is a result: its type does not bound the precision of the
// arithmetic.
ElementTypes ChooseParamsOp::getElementTypes() {
  return {Direction::Dequantize, getElementTypeOrSelf(getInput()),
          cast<FloatType>(getElementTypeOrSelf(getScale()))};
}

Semantics QuantizeOp::resolveSemantics(const SemanticsOptions &options) {
  return options.resolve(getSemanticsFields(), getElementTypes(), getSeed());
}
Semantics DequantizeOp::resolveSemantics(const SemanticsOptions &options) {
  return options.resolve(getSemanticsFields(), getElementTypes());
}

void QuantizeOp::build(OpBuilder &b, OperationState &state, Type result,
                       Value input, Value scale, Value zeroPoint,
                       IntegerAttr axis, DenseI64ArrayAttr blockShape,
                       DenseI64ArrayAttr clamp, ZeroPointDomainAttr domain,
                       SemanticsAttr semantics, IntegerAttr seed,
                       Value runtimeSeed) {
  build(b, state, result, input, scale, zeroPoint, axis, blockShape, clamp,
        domain, semantics, seed, runtimeSeed, /*offsets=*/ValueRange(),
        /*static_offsets=*/nullptr, /*whole_sizes=*/ValueRange(),
        /*static_whole_sizes=*/nullptr);
}
void DequantizeOp::build(OpBuilder &b, OperationState &state, Type result,
                         Value input, Value scale, Value zeroPoint) {
  build(b, state, result, input, scale, zeroPoint, /*axis=*/nullptr,
        /*block_shape=*/nullptr, /*clamp=*/nullptr,
        /*zero_point_domain=*/nullptr, /*semantics=*/nullptr);
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

LogicalResult mlir::qdq::verifySameShape(Operation *op, Type input,
                                         Type result) {
  bool sameKind = isa<TensorType>(input) == isa<TensorType>(result) &&
                  isa<VectorType>(input) == isa<VectorType>(result);
  bool sameRank =
      isa<UnrankedTensorType>(input) == isa<UnrankedTensorType>(result);
  auto scalableDims = [](Type type) {
    auto vector = dyn_cast<VectorType>(type);
    return vector ? vector.getScalableDims() : ArrayRef<bool>();
  };
  sameKind &= scalableDims(input) == scalableDims(result);
  if (sameKind && sameRank && succeeded(verifyCompatibleShape(input, result)))
    return success();
  return op->emitOpError() << "input " << input << " and result " << result
                           << " differ in shape";
}

/// Checks that quantize and dequantize share.
template <typename OpTy>
static LogicalResult verifyConversion(OpTy op) {
  Type input = op.getInput().getType();
  if (failed(verifySameShape(op, input, op.getResult().getType())) ||
      failed(verifyClamp(op, op.getStorageElementType())))
    return failure();

  FailureOr<Granularity> granularity = parseGranularity(op);
  auto emitError = [&] { return op.emitOpError(); };
  if (failed(granularity) || failed(granularity->verifyParameter(
                                 "scale", input, op.getScale().getType(),
                                 /*allowsTensor=*/false, emitError)))
    return failure();

  if (!op.getZeroPoint()) {
    if (op.getZeroPointDomain())
      return op.emitOpError("has 'zero_point_domain' but no zero point");
    return success();
  }
  Type zeroPointType = getElementTypeOrSelf(op.getZeroPoint());
  if (op.getDomain() == ZeroPointDomain::Expressed &&
      !isExpressedType(zeroPointType))
    return op.emitOpError() << "zero point has element type " << zeroPointType
                            << ": a zero point in the expressed domain is a "
                               "float (f16, bf16, f32, f64) (Q2.2)";
  return granularity->verifyParameter("zero point", input,
                                      op.getZeroPoint().getType(),
                                      /*allowsTensor=*/true, emitError);
}

LogicalResult QuantizeOp::verify() {
  bool hasSeed = getSeedAttr() || getRuntimeSeed();
  if (hasSeed && getSemanticsFields().rounding &&
      *getSemanticsFields().rounding != Rounding::Stochastic)
    return emitOpError(
        "has a 'seed', but its rounding is not stochastic (Q7.1)");
  if (getSeedAttr() && getRuntimeSeed())
    return emitOpError(
        "has a 'seed' as attribute and as operand; give one (Q7.1)");
  if (failed(verifyConversion(*this)))
    return failure();
  return verifyPosition();
}

LogicalResult DequantizeOp::verify() {
  // Nothing wider than 64 bits holds the difference.
  if (getZeroPoint() && getStorageElementType().getIntOrFloatBitWidth() > 32)
    return emitOpError()
           << "input of element type " << getStorageElementType()
           << " has a zero point: sums of 64 bits have none (Q5.1)";
  return verifyConversion(*this);
}

/// Which zero points and scale types go with the storage type and the mode.
static LogicalResult verifyChoice(ChooseParamsOp op) {
  Type storageType = op.getStorageElementType();
  bool isSymmetric = op.getMode() == RangeMode::Symmetric;
  if (isa<FloatType>(storageType)) {
    if (!isSymmetric)
      return op.emitOpError() << "float storage " << storageType
                              << " has no zero point: expected 'mode "
                                 "<symmetric>' (Q10.1)";
  } else if (!op.getZeroPoint() &&
             (!isSymmetric || !isSignedStorage(storageType))) {
    return op.emitOpError() << "needs a zero point: only signed storage with "
                               "'mode <symmetric>' goes without (Q10.1)";
  }
  if (op.getMode() == RangeMode::ORT &&
      (op.getPowerOfTwo() ||
       getElementTypeOrSelf(op.getScale()).getIntOrFloatBitWidth() < 16))
    return op.emitOpError(
        "has 'mode <ort>', whose scale is no power of two "
        "and no type of 8 bits: expected 'mode <asymmetric>' (Q10.1)");
  if (op.getPowerOfTwo() && !isSymmetric &&
      *op.getPowerOfTwo() != PowerOfTwo::RCeil)
    return op.emitOpError()
           << "power_of_two <" << stringifyEnum(*op.getPowerOfTwo())
           << "> needs 'mode <symmetric>'; an asymmetric range "
              "can be rounded by <rceil> (Q10.3)";
  if (!op.getPowerOfTwo() &&
      isa<Float8E8M0FNUType>(getElementTypeOrSelf(op.getScale())))
    return op.emitOpError(
        "has a scale of type f8E8M0FNU, which holds powers of two only: "
        "expected 'power_of_two' (Q10.2)");
  if (isa<FloatType>(storageType))
    return success();
  int64_t middle = isSignedStorage(storageType)
                       ? 0
                       : int64_t(1)
                             << (storageType.getIntOrFloatBitWidth() - 1);
  if (isSymmetric && op.getStorage().hi <= middle)
    return op.emitOpError() << "symmetric range: the zero point " << middle
                            << " must be below the highest code, which is "
                            << op.getStorage().hi << " (Q10.1)";
  if (op.getStorage().lo == op.getStorage().hi)
    return op.emitOpError()
           << "clamp leaves the one code " << op.getStorage().lo
           << ": expected two or more (Q10.1)";
  return success();
}

LogicalResult ChooseParamsOp::verify() {
  Type input = getInput().getType();
  if (static_cast<bool>(getStorageTypeAttr()) ==
      static_cast<bool>(getZeroPoint()))
    return emitOpError(getZeroPoint()
                           ? "has both a zero point and 'storage'; the zero "
                             "point's element type is the storage type"
                           : "has neither a zero point nor 'storage': expected "
                             "one, for the storage type");
  Type storageType = getStorageElementType();
  if (!isStorageType(storageType))
    return emitOpError() << "storage type " << storageType
                         << " is not supported: expected an integer of 1 to "
                            "32 bits, an f8, f6 or f4 type, f16 or bf16";
  if (failed(verifyClamp(*this, storageType)) || failed(verifyChoice(*this)))
    return failure();
  FailureOr<Granularity> granularity = parseGranularity(*this);
  auto emitError = [&] { return emitOpError(); };
  if (failed(granularity) ||
      failed(granularity->verifyParameter("scale", input, getScale().getType(),
                                          /*allowsTensor=*/false, emitError)))
    return failure();
  if (!getZeroPoint())
    return success();
  return granularity->verifyParameter("zero point", input,
                                      getZeroPoint().getType(),
                                      /*allowsTensor=*/false, emitError);
}
