// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OpenPPL pmx DequantizeLinear to qdq.

#include "Translations.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::qdq;

static constexpr int64_t kDefaultQuantAxis = 1, kDefaultGroupSize = 128;
/// int4x4: rows of codes in a row of i16.
static constexpr int64_t kCodesPerContainer = 4;

/// True for int4 codes, which `quant_data_type` and the input's type say alike.
static FailureOr<bool> isInt4(const ForeignOp &node, TensorType input) {
  Type type = input.getElementType();
  bool isPacked = isSameElementType(type, node.getRewriter().getI16Type());
  if (!isPacked && !isSameElementType(type, node.getRewriter().getI8Type()))
    return node.refuse("input has element type ", type,
                       ": expected i8 (int8), or i16 (int4x4)");
  StringRef expected = isPacked ? "int4" : "int8";
  FailureOr<StringRef> declared = node.getString("quant_data_type", expected);
  if (failed(declared))
    return failure();
  if (*declared != expected)
    return node.refuse("quant_data_type is '", *declared,
                       "' and the input has element type ", type,
                       ": expected 'int8' with i8, or 'int4' with i16");
  return isPacked;
}

static FailureOr<Placement> getPMXPlacement(const ForeignOp &node,
                                            TensorType input,
                                            RankedTensorType scale) {
  FailureOr<int64_t> axis = node.getInteger("quant_axis", kDefaultQuantAxis);
  FailureOr<int64_t> groupSize = node.getInteger("group_size", 0);
  if (failed(axis) || failed(groupSize))
    return failure();
  if (*axis != 0 && *axis != 1)
    return node.refuse("quant_axis is ", *axis, ": expected 0 or 1");
  if (*groupSize < 0)
    return node.refuse("group_size is ", *groupSize,
                       ": expected a length, or 0 for no groups");
  if (isONNXScalar(scale))
    return Placement();
  if (!input.hasRank())
    return node.refuse("input has type ", input,
                       ": expected a rank, since the scale ", scale,
                       " is not one for all");
  // A vector, which the document does not show: channels are output features,
  // and these are dimension 0.
  if (scale.getRank() == 1 && *groupSize == 0)
    return getPlacement(node, input, scale, /*axis=*/0, /*blockSize=*/0);

  int64_t rank = input.getRank();
  if (scale.getRank() != rank || *axis >= rank)
    return node.refuse("scale has type ", scale, " with quant_axis = ", *axis,
                       ": expected one element, rank 1 without groups (per "
                       "channel), or the rank of the input ",
                       input);
  int64_t size = input.getDimSize(*axis), count = scale.getDimSize(*axis);
  if (!node.has("group_size") && count != 1)
    *groupSize = kDefaultGroupSize;
  if (*groupSize != 0 && ShapedType::isStatic(size) && size % *groupSize != 0)
    return node.refuse("input ", input, " has size ", size, " in dimension ",
                       *axis, ": expected a multiple of group_size, ",
                       *groupSize, " (where it is absent it is 128)");
  return getBlocks(node, input, scale, *axis, *groupSize);
}

/// The zero point and what it means.
static LogicalResult readZeroPoint(const ForeignOp &node,
                                   QuantizationParameters &parameters) {
  Reader read;
  int64_t isBias = read(node.getInteger("float_zeropoint", 0));
  int64_t isThere = read(node.getInteger("has_zeropoint", 0));
  ForeignTensor &zeroPoint = parameters.zeroPoint;
  zeroPoint =
      read(getZeroPoint(node, parameters.scale.type, parameters.placement));
  if (failed(read))
    return failure();
  if (zeroPoint && node.has("has_zeropoint") && !isThere)
    return node.refuse("has a zero point, and has_zeropoint = 0");
  if (!zeroPoint && (isThere || isBias))
    return node.refuse("has no zero point, which is operand 2, and ",
                       isThere ? "has_zeropoint" : "float_zeropoint", " = 1");
  if (!zeroPoint)
    return success();
  Type type = zeroPoint.type.getElementType();
  bool isFloat = type.isF16() || type.isF32();
  if (isBias && !isFloat)
    return node.refuse("zero point has element type ", type,
                       " with float_zeropoint = 1: expected f16 or f32");
  if (!isFloat && !isSameElementType(type, node.getRewriter().getI8Type()))
    return node.refuse("zero point has element type ", type,
                       ": expected i8, f16 or f32");
  if (isBias)
    parameters.domain = ZeroPointDomain::Expressed;
  return success();
}

/// The shape of the codes that `input` holds.
static FailureOr<TensorType> getCodesType(const ForeignOp &node,
                                          TensorType input, bool isPacked) {
  if (!isPacked)
    return input;
  auto type = dyn_cast<RankedTensorType>(input);
  if (!type || type.getRank() == 0)
    return node.refuse("input has type ", input,
                       ": expected i16 with a dimension 0, along which int4x4 "
                       "is packed");
  SmallVector<int64_t> shape(type.getShape());
  if (ShapedType::isStatic(shape[0]) &&
      llvm::MulOverflow(shape[0], kCodesPerContainer, shape[0]))
    return node.refuse("input ", type, " holds too many codes");
  return type.clone(shape);
}

/// The codes in the i16 of `input`. Those around a zero point of their own
/// domain are 0 to 15, others -8 to 7.
static ForeignTensor unpack(const ForeignOp &node, ForeignTensor input,
                            TensorType codes, bool isUnsigned) {
  PatternRewriter &rewriter = node.getRewriter();
  auto signedness = isUnsigned ? IntegerType::Unsigned : IntegerType::Signless;
  auto code = IntegerType::get(rewriter.getContext(), 4, signedness);
  auto packing =
      PackingAttr::get(rewriter.getContext(), PackingPreset::PMXInt4x4);
  TensorType type = codes.clone(code);
  Value unpacked = node.create<UnpackOp>(type, node.materialize(input),
                                         ValueRange(), packing);
  return {unpacked, type, nullptr};
}

LogicalResult mlir::qdq::translatePMXDequantize(const ForeignOp &node,
                                                const Stamp &stamp) {
  Reader read;
  ForeignTensor input = read(node.getTensor(0, "input"));
  TensorType result = read(node.getResultType(0));
  QuantizationParameters parameters;
  parameters.scale = read(getScale(node));
  if (failed(read))
    return failure();
  auto scale = cast<RankedTensorType>(parameters.scale.type);
  Type scaleType = scale.getElementType();
  if (!scaleType.isF16() && !scaleType.isF32())
    return node.refuse("scale has element type ", scaleType,
                       ": expected f16 or f32");
  if (result.getElementType() != scaleType)
    return node.refuse("result has element type ", result.getElementType(),
                       ": expected ", scaleType, ", the type of the scale");
  FailureOr<bool> isPacked = isInt4(node, input.type);
  if (failed(isPacked))
    return failure();
  FailureOr<TensorType> codes = getCodesType(node, input.type, *isPacked);
  if (failed(codes) ||
      failed(checkSameShape(node, "input", *codes, "result", result)))
    return failure();
  parameters.placement = read(getPMXPlacement(node, *codes, scale));
  if (failed(read) || failed(readZeroPoint(node, parameters)))
    return failure();

  if (*isPacked) {
    bool isUnsigned =
        parameters.zeroPoint && parameters.domain == ZeroPointDomain::Stored;
    Type code = node.getRewriter().getIntegerType(4, /*isSigned=*/false);
    if (isUnsigned &&
        failed(checkZeroPointRange(node, parameters.zeroPoint, code)))
      return failure();
    input = unpack(node, input, *codes, isUnsigned);
  }
  ElementTypes types{Direction::Dequantize, scaleType,
                     cast<FloatType>(scaleType)};
  return node.replace(
      createDequantize(node, input, scaleType, parameters, stamp(types)));
}
