// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX QuantizeLinear and DequantizeLinear to qdq.

#include "Translations.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::qdq;

static bool isInt32(Type type) {
  return type.isInteger(32) && !type.isUnsignedInteger();
}

/// The codes of all opsets of QuantizeLinear.
static bool isCode(Type type) {
  return type.isInteger(2) || type.isInteger(4) || type.isInteger(8) ||
         type.isInteger(16) ||
         isa<Float8E4M3FNType, Float8E4M3FNUZType, Float8E5M2Type,
             Float8E5M2FNUZType, Float6E2M3FNType, Float6E3M2FNType,
             Float4E2M1FNType>(type);
}

static bool isCodeOrInt32(Type type) { return isCode(type) || isInt32(type); }

/// No opset has f64.
static bool isRealOrInt32(Type type) { return isReal(type) || isInt32(type); }

static bool isScale(Type type) {
  return isReal(type) || isa<Float8E8M0FNUType>(type);
}

static bool isScaleOrInt32(Type type) { return isScale(type) || isInt32(type); }

/// `TensorProto.DataType` in MLIR, or null for a number that is no element type
/// of a quantization.
static Type getElementTypeOf(int64_t dataType, MLIRContext *ctx) {
  constexpr StringLiteral kNames[] = {
      "",           "f32",    "ui8",        "i8",       "ui16",    "i16",
      "i32",        "",       "",           "",         "f16",     "f64",
      "ui32",       "",       "",           "",         "bf16",    "f8E4M3FN",
      "f8E4M3FNUZ", "f8E5M2", "f8E5M2FNUZ", "ui4",      "i4",      "f4E2M1FN",
      "f8E8M0FNU",  "ui2",    "i2",         "f6E2M3FN", "f6E3M2FN"};
  bool isKnown = dataType >= 0 && dataType < int64_t(std::size(kNames)) &&
                 !kNames[dataType].empty();
  return isKnown ? parseType(kNames[dataType], ctx) : nullptr;
}

/// An attribute that holds a `TensorProto.DataType`, as the MLIR type; null
/// where it is absent or 0.
static FailureOr<Type> getElementType(const ForeignOp &node, StringRef name) {
  FailureOr<int64_t> dataType = node.getInteger(name, 0);
  if (failed(dataType))
    return failure();
  if (*dataType == 0)
    return Type();
  Type type = getElementTypeOf(*dataType, node.getRewriter().getContext());
  if (!type)
    return node.refuse("attribute '", name, "' is ", *dataType,
                       ": expected the TensorProto.DataType of a real or "
                       "quantized type, such as 1 (f32), 2 (ui8) or 3 (i8)");
  return type;
}

/// `output_dtype` says what the result type says, or nothing. Gives what it
/// says.
static FailureOr<Type> checkOutputType(const ForeignOp &node,
                                       Type elementType) {
  FailureOr<Type> declared = getElementType(node, "output_dtype");
  if (succeeded(declared) && *declared &&
      !isSameElementType(*declared, elementType))
    return node.refuse("output_dtype says ", *declared,
                       ", but the result has element type ", elementType);
  return declared;
}

/// Where the node leaves `axis` out it is 1.
static FailureOr<int64_t> getLinearAxis(const ForeignOp &node, TensorType,
                                        RankedTensorType) {
  return node.getInteger("axis", 1);
}

static constexpr LinearRules kQuantizeRules = {
    Direction::Quantize,
    {isRealOrInt32, "f16, bf16, f32 or i32"},
    {isCode, "i2, i4, i8, i16, ui2, ui4, ui8, ui16, f8E4M3FN, f8E4M3FNUZ, "
             "f8E5M2, f8E5M2FNUZ, f6E2M3FN, f6E3M2FN or f4E2M1FN"},
    {isScaleOrInt32, "f16, bf16, f32, f8E8M0FNU or i32"},
    getLinearAxis};

static constexpr LinearRules kDequantizeRules = {
    Direction::Dequantize,
    {isReal, "f16, bf16 or f32"},
    {isCodeOrInt32,
     "i2, i4, i8, i16, i32, ui2, ui4, ui8, ui16, f8E4M3FN, f8E4M3FNUZ, f8E5M2, "
     "f8E5M2FNUZ, f6E2M3FN, f6E3M2FN or f4E2M1FN"},
    {isScale, "f16, bf16, f32 or f8E8M0FNU"},
    getLinearAxis};

/// The fields that the attributes `precision` and `saturate` fix under a
/// profile.
static FailureOr<SemanticsFields>
getSpelledFields(const ForeignOp &node, Type storage, Profile profile) {
  FailureOr<Type> precision = getElementType(node, "precision");
  FailureOr<int64_t> saturate = node.getInteger("saturate", 1);
  if (failed(precision) || failed(saturate))
    return failure();
  SemanticsFields fields;
  if (*precision) {
    if (!isExpressedType(*precision))
      return node.refuse("precision says ", *precision,
                         ": expected 1 (f32), 10 (f16), 11 (f64) or 16 (bf16)");
    // ONNX Runtime up to 1.31 takes any, and divides in f32.
    if (profile != Profile::ORT)
      fields.compute = precision->isF16()    ? Compute::F16
                       : precision->isBF16() ? Compute::BF16
                       : precision->isF32()  ? Compute::F32
                                             : Compute::F64;
  }
  // The formats below 8 bits have nothing but saturation.
  auto format = dyn_cast<FloatType>(storage);
  if (*saturate == 0 && format && format.getWidth() == 8)
    fields.floatOverflow = FloatOverflow::IEEE;
  return fields;
}

/// Integers as reals, exactly: codes of scale 1 are the integers themselves.
static Value toF64(const ForeignOp &node, Value integers) {
  PatternRewriter &rewriter = node.getRewriter();
  FloatType f64 = rewriter.getF64Type();
  Type type = f64;
  if (auto shaped = dyn_cast<ShapedType>(integers.getType()))
    type = shaped.clone(f64);
  Value one = arith::ConstantOp::create(rewriter, node.getLoc(),
                                        rewriter.getF64FloatAttr(1.0));
  ElementTypes types{Direction::Dequantize, f64, f64};
  return DequantizeOp::create(
      rewriter, node.getLoc(), type, integers, one, /*zero_point=*/nullptr,
      /*axis=*/nullptr, /*block_shape=*/nullptr, /*clamp=*/nullptr,
      /*zero_point_domain=*/nullptr,
      SemanticsAttr::get(rewriter.getContext(),
                         getProfileFields(Profile::ONNX, types)));
}

/// `QuantizeLinear` to `qdq.quantize`.
LogicalResult mlir::qdq::translateQuantizeLinear(const ForeignOp &node,
                                                 const Stamp &stamp) {
  FailureOr<LinearNode> linear = readLinearNode(node, kQuantizeRules);
  if (failed(linear) || failed(checkOutputType(node, linear->storage)))
    return failure();
  FailureOr<SemanticsFields> spelled =
      getSpelledFields(node, linear->storage, stamp.getProfile());
  if (failed(spelled))
    return failure();
  // ONNX Runtime reads nothing but the type of such a zero point. The sum would
  // make -0 of +0.
  if (stamp.getProfile() == Profile::ORT && isa<FloatType>(linear->storage))
    linear->parameters.zeroPoint = {};
  // An integer scale is divided by as a real: f64 holds it, and rounds the
  // quotient of two i32 harmlessly.
  bool isIntegerScale = isInt32(linear->getScaleType());
  Value scale;
  if (isIntegerScale)
    scale = toF64(node, materializeScale(node, linear->parameters));
  ElementTypes types =
      isIntegerScale ? ElementTypes{Direction::Quantize, linear->expressed,
                                    node.getRewriter().getF64Type()}
                     : linear->getElementTypes();
  return node.replace(createQuantize(node, linear->input, linear->storage,
                                     linear->parameters, stamp(types, *spelled),
                                     scale));
}

/// `DequantizeLinear` to `qdq.dequantize`.
LogicalResult mlir::qdq::translateDequantizeLinear(const ForeignOp &node,
                                                   const Stamp &stamp) {
  FailureOr<LinearNode> linear = readLinearNode(node, kDequantizeRules);
  if (failed(linear))
    return failure();
  Type expressed = linear->expressed, scaleType = linear->getScaleType();
  FailureOr<Type> outputType = checkOutputType(node, expressed);
  if (failed(outputType))
    return failure();
  // A power-of-two scale is no type of results, so that there the result type
  // stands for a missing `output_dtype`.
  if (!*outputType && expressed != scaleType && isReal(scaleType))
    return node.refuse("result has element type ", expressed,
                       ", but the scale has ", scaleType,
                       " and 'output_dtype' is absent: expected ", scaleType);
  return node.replace(createDequantize(node, linear->input, expressed,
                                       linear->parameters,
                                       stamp(linear->getElementTypes())));
}
