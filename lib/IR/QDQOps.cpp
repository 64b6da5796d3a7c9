// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verifiers, shape reification and the parameter view of the qdq operations.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/IR/QDQ.h"

using namespace mlir;
using namespace mlir::qdq;

#define GET_OP_CLASSES
#include "qdq/IR/QDQOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Parameter view
//===----------------------------------------------------------------------===//

static std::optional<int64_t> getRank(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped)
    return 0;
  return shaped.hasRank() ? std::optional(shaped.getRank()) : std::nullopt;
}

static std::optional<std::pair<int64_t, int64_t>>
toBounds(std::optional<ArrayRef<int64_t>> clamp) {
  if (!clamp)
    return std::nullopt;
  return std::pair((*clamp)[0], (*clamp)[1]);
}

template <typename OpTy>
static FailureOr<Granularity> parseGranularity(OpTy op) {
  std::optional<int64_t> axis;
  if (IntegerAttr attr = op.getAxisAttr())
    axis = attr.getInt();
  return Granularity::get(getRank(op.getInput().getType()), axis,
                          op.getBlockShape(), [&] { return op.emitOpError(); });
}

Type QuantizeOp::getStorageElementType() {
  return getElementTypeOrSelf(getResult());
}
Type DequantizeOp::getStorageElementType() {
  return getElementTypeOrSelf(getInput());
}

Storage QuantizeOp::getStorage() {
  return Storage::get(getStorageElementType(), toBounds(getClamp()));
}
Storage DequantizeOp::getStorage() {
  return Storage::get(getStorageElementType(), toBounds(getClamp()));
}
Type ChooseParamsOp::getStorageElementType() {
  return getZeroPoint() ? getElementTypeOrSelf(getZeroPoint())
                        : getStorageTypeAttr().getValue();
}
Storage ChooseParamsOp::getStorage() {
  return Storage::get(getStorageElementType(), toBounds(getClamp()));
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

Granularity QuantizeOp::getGranularity() { return *parseGranularity(*this); }
Granularity DequantizeOp::getGranularity() { return *parseGranularity(*this); }
Granularity ChooseParamsOp::getGranularity() {
  return *parseGranularity(*this);
}

void QuantizeOp::build(OpBuilder &b, OperationState &state, Type result,
                       Value input, Value scale, Value zeroPoint) {
  build(b, state, result, input, scale, zeroPoint, /*axis=*/nullptr,
        /*block_shape=*/nullptr, /*clamp=*/nullptr,
        /*zero_point_domain=*/nullptr, /*semantics=*/nullptr,
        /*seed=*/nullptr, /*runtime_seed=*/nullptr);
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

/// Scalars, vectors, ranked and unranked tensors.
static LogicalResult verifyContainer(Operation *op, StringRef name, Type type) {
  if (isa<ShapedType>(type) && !isa<TensorType, VectorType>(type))
    return op->emitOpError() << name << " has type " << type
                             << ": expected a scalar, vector or tensor";
  if (auto tensor = dyn_cast<RankedTensorType>(type);
      tensor && tensor.getEncoding())
    return op->emitOpError() << name << " has type " << type
                             << ": tensors with an encoding are not supported";
  return success();
}

static LogicalResult verifyStorageType(Operation *op, Type type) {
  if (isStorageType(type))
    return success();
  return op->emitOpError()
         << "storage type " << type
         << " is not supported: expected an integer of 1 to 32 bits, an f8, "
            "f6 or f4 type, f16 or bf16";
}

static LogicalResult verifyScaleType(Operation *op, Type type) {
  if (isScaleType(type))
    return success();
  return op->emitOpError() << "scale has element type " << type
                           << ": expected f16, bf16, f32, f64 or an 8-bit "
                              "float";
}

/// `clamp` is a non-empty range of codes.
template <typename OpTy>
static LogicalResult verifyClamp(OpTy op, Type storageType) {
  std::optional<ArrayRef<int64_t>> clamp = op.getClamp();
  if (!clamp)
    return success();
  if (!isa<IntegerType>(storageType))
    return op.emitOpError()
           << "'clamp' needs integer storage, not " << storageType;
  if (clamp->size() != 2)
    return op.emitOpError() << "clamp has " << clamp->size()
                            << " entries: expected [lowest, highest]";
  auto [lo, hi] = getIntegerBounds(storageType);
  if ((*clamp)[0] > (*clamp)[1] || (*clamp)[0] < lo || (*clamp)[1] > hi)
    return op.emitOpError() << "clamp [" << (*clamp)[0] << ", " << (*clamp)[1]
                            << "] is not a range within " << storageType
                            << ", which holds " << lo << " to " << hi;
  return success();
}

/// Types of a zero point: integers of up to 32 bits, or floats that may be a
/// scale; a bias is a float.
template <typename OpTy>
static LogicalResult verifyZeroPointType(OpTy op) {
  Type type = getElementTypeOrSelf(op.getZeroPoint());
  Type storageType = op.getStorageElementType();
  if (op.getDomain() == ZeroPointDomain::Expressed) {
    if (isExpressedType(type))
      return success();
    return op.emitOpError() << "zero point has element type " << type
                            << ": a zero point in the expressed domain is a "
                               "float (f16, bf16, f32, f64)";
  }
  if (isExpressedType(type) || isStorageType(type))
    return success();
  return op.emitOpError() << "zero point has element type " << type
                          << ": expected the storage type " << storageType
                          << ", another integer of 1 to 32 bits, or a float";
}

/// What quantize and dequantize check alike; `expressed` and `storage` are
/// element types.
template <typename OpTy>
static LogicalResult verifyConversion(OpTy op, Type expressed, bool isExpressed,
                                      StringRef expressedNames) {
  Type input = op.getInput().getType(), result = op.getResult().getType();
  if (failed(verifyContainer(op, "input", input)) ||
      failed(verifyContainer(op, "result", result)))
    return failure();
  bool sameKind = isa<TensorType>(input) == isa<TensorType>(result) &&
                  isa<VectorType>(input) == isa<VectorType>(result);
  bool sameRank =
      isa<UnrankedTensorType>(input) == isa<UnrankedTensorType>(result);
  auto scalableDims = [](Type type) {
    auto vector = dyn_cast<VectorType>(type);
    return vector ? vector.getScalableDims() : ArrayRef<bool>();
  };
  sameKind &= scalableDims(input) == scalableDims(result);
  if (!sameKind || !sameRank || failed(verifyCompatibleShape(input, result)))
    return op.emitOpError() << "input " << input << " and result " << result
                            << " differ in shape";
  Type storageType = op.getStorageElementType();
  if (!isExpressed)
    return op.emitOpError() << "expressed type " << expressed
                            << " is not supported: expected " << expressedNames;
  // Scales of scales: f8E8M0FNU has codes to read, but no zero to quantize to.
  bool isScaleCode =
      isa<Float8E8M0FNUType>(storageType) && std::is_same_v<OpTy, DequantizeOp>;
  if ((!isScaleCode && failed(verifyStorageType(op, storageType))) ||
      failed(verifyScaleType(op, getElementTypeOrSelf(op.getScale()))) ||
      failed(verifyClamp(op, storageType)))
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
  if (failed(verifyZeroPointType(op)))
    return failure();
  return granularity->verifyParameter("zero point", input,
                                      op.getZeroPoint().getType(),
                                      /*allowsTensor=*/true, emitError);
}

LogicalResult QuantizeOp::verify() {
  Type expressed = getElementTypeOrSelf(getInput());
  bool isInteger = isa<IntegerType>(expressed) && isStorageType(expressed);
  bool hasSeed = getSeedAttr() || getRuntimeSeed();
  if (hasSeed && getSemanticsFields().rounding &&
      *getSemanticsFields().rounding != Rounding::Stochastic)
    return emitOpError("has a 'seed', but its rounding is not stochastic");
  if (getSeedAttr() && getRuntimeSeed())
    return emitOpError("has a 'seed' as attribute and as operand; give one");
  return verifyConversion(*this, expressed,
                          isExpressedType(expressed) || isInteger,
                          "f16, bf16, f32, f64, or an integer of 1 to 32 "
                          "bits");
}

LogicalResult DequantizeOp::verify() {
  Type expressed = getElementTypeOrSelf(getResult());
  return verifyConversion(*this, expressed, isExpressedType(expressed),
                          "f16, bf16, f32 or f64");
}

/// Which zero points and scale types go with the storage type and the mode.
static LogicalResult verifyChoice(ChooseParamsOp op) {
  Type storageType = op.getStorageElementType();
  bool isSymmetric = op.getMode() == RangeMode::Symmetric;
  if (isa<FloatType>(storageType)) {
    if (!isSymmetric)
      return op.emitOpError() << "float storage " << storageType
                              << " has no zero point: expected 'mode "
                                 "<symmetric>'";
  } else if (!op.getZeroPoint() &&
             (!isSymmetric || !isSignedStorage(storageType))) {
    return op.emitOpError() << "needs a zero point: only signed storage with "
                               "'mode <symmetric>' goes without";
  }
  if (op.getPowerOfTwo() && !isSymmetric &&
      *op.getPowerOfTwo() != PowerOfTwo::RCeil)
    return op.emitOpError()
           << "power_of_two <" << stringifyEnum(*op.getPowerOfTwo())
           << "> needs 'mode <symmetric>'; an asymmetric range "
              "can be rounded by <rceil>";
  if (!op.getPowerOfTwo() &&
      isa<Float8E8M0FNUType>(getElementTypeOrSelf(op.getScale())))
    return op.emitOpError(
        "has a scale of type f8E8M0FNU, which holds powers of two only: "
        "expected 'power_of_two'");
  if (isa<FloatType>(storageType))
    return success();
  int64_t middle = isSignedStorage(storageType)
                       ? 0
                       : int64_t(1)
                             << (storageType.getIntOrFloatBitWidth() - 1);
  if (isSymmetric && op.getStorage().hi <= middle)
    return op.emitOpError() << "symmetric range: the zero point " << middle
                            << " must be below the highest code, which is "
                            << op.getStorage().hi;
  if (op.getStorage().lo == op.getStorage().hi)
    return op.emitOpError() << "clamp leaves the one code "
                            << op.getStorage().lo << ": expected two or more";
  return success();
}

LogicalResult ChooseParamsOp::verify() {
  Type input = getInput().getType();
  Type expressed = getElementTypeOrSelf(input);
  if (static_cast<bool>(getStorageTypeAttr()) ==
      static_cast<bool>(getZeroPoint()))
    return emitOpError(getZeroPoint()
                           ? "has both a zero point and 'storage'; the zero "
                             "point's element type is the storage type"
                           : "has neither a zero point nor 'storage': expected "
                             "one, for the storage type");
  Type storageType = getStorageElementType();
  Type scaleType = getElementTypeOrSelf(getScale());
  if (failed(verifyContainer(*this, "input", input)) ||
      failed(verifyContainer(*this, "scale", getScale().getType())))
    return failure();
  if (!isExpressedType(expressed))
    return emitOpError() << "input has element type " << expressed
                         << ": expected f16, bf16, f32 or f64";
  if (getZeroPoint() &&
      (!isa<IntegerType>(storageType) || !isStorageType(storageType)))
    return emitOpError() << "zero point has element type " << storageType
                         << ": expected an integer of 1 to 32 bits";
  if (failed(verifyStorageType(*this, storageType)) ||
      failed(verifyScaleType(*this, scaleType)) ||
      failed(verifyClamp(*this, storageType)) || failed(verifyChoice(*this)))
    return failure();
  FailureOr<Granularity> granularity = parseGranularity(*this);
  auto emitError = [&] { return emitOpError(); };
  if (failed(granularity) ||
      failed(granularity->verifyParameter("scale", input, getScale().getType(),
                                          /*allowsTensor=*/false, emitError)))
    return failure();
  if (!getZeroPoint())
    return success();
  if (failed(verifyContainer(*this, "zero point", getZeroPoint().getType())))
    return failure();
  return granularity->verifyParameter("zero point", input,
                                      getZeroPoint().getType(),
                                      /*allowsTensor=*/false, emitError);
}

//===----------------------------------------------------------------------===//
// Speculation and shapes
//===----------------------------------------------------------------------===//

/// Runtime shapes may disagree with each other, so only static ones may be
/// hoisted over a guard.
static Speculation::Speculatability getSpeculatabilityOf(Operation *op) {
  auto isStatic = [](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    return !shaped || shaped.hasStaticShape();
  };
  bool allStatic = llvm::all_of(op->getOperandTypes(), isStatic) &&
                   llvm::all_of(op->getResultTypes(), isStatic);
  return allStatic ? Speculation::Speculatable : Speculation::NotSpeculatable;
}

Speculation::Speculatability QuantizeOp::getSpeculatability() {
  return getSpeculatabilityOf(*this);
}
Speculation::Speculatability DequantizeOp::getSpeculatability() {
  return getSpeculatabilityOf(*this);
}
Speculation::Speculatability ChooseParamsOp::getSpeculatability() {
  return getSpeculatabilityOf(*this);
}

/// The sizes of the input; where the result's type knows one, that one.
static LogicalResult
reifyInputShape(OpBuilder &b, Value input, Type result,
                ReifiedRankedShapedTypeDims &reifiedReturnShapes) {
  auto resultType = dyn_cast<RankedTensorType>(result);
  if (!resultType)
    return failure();
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim = 0; dim < resultType.getRank(); ++dim)
    sizes.push_back(
        resultType.isDynamicDim(dim)
            ? tensor::getMixedSize(b, input.getLoc(), input, dim)
            : OpFoldResult(b.getIndexAttr(resultType.getDimSize(dim))));
  reifiedReturnShapes.push_back(sizes);
  return success();
}

LogicalResult QuantizeOp::reifyResultShapes(
    OpBuilder &b, ReifiedRankedShapedTypeDims &reifiedReturnShapes) {
  return reifyInputShape(b, getInput(), getResult().getType(),
                         reifiedReturnShapes);
}
LogicalResult DequantizeOp::reifyResultShapes(
    OpBuilder &b, ReifiedRankedShapedTypeDims &reifiedReturnShapes) {
  return reifyInputShape(b, getInput(), getResult().getType(),
                         reifiedReturnShapes);
}

LogicalResult ChooseParamsOp::reifyResultShapes(
    OpBuilder &b, ReifiedRankedShapedTypeDims &reifiedReturnShapes) {
  Granularity granularity = getGranularity();
  auto inputType = dyn_cast<RankedTensorType>(getInput().getType());
  if (!inputType)
    return failure();
  SmallVector<OpFoldResult> sizes;
  if (granularity.isAxis())
    sizes.push_back(
        tensor::getMixedSize(b, getLoc(), getInput(), granularity.getAxis()));
  for (auto [dim, length] : llvm::enumerate(granularity.getBlockShape())) {
    if (length == 0) {
      sizes.push_back(b.getIndexAttr(1));
    } else if (!inputType.isDynamicDim(dim)) {
      sizes.push_back(b.getIndexAttr(
          granularity.getParameterShape(inputType.getShape())[dim]));
    } else {
      Value size = tensor::DimOp::create(b, getLoc(), getInput(), dim);
      Value divisor = arith::ConstantIndexOp::create(b, getLoc(), length);
      sizes.push_back(
          arith::CeilDivUIOp::create(b, getLoc(), size, divisor).getResult());
    }
  }
  reifiedReturnShapes.assign(getNumResults(), sizes);
  return success();
}
