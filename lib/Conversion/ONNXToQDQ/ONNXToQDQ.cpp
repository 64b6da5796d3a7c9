// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear to qdq, and
// the table of all that is spelled as an ONNX node.

#include "qdq/Conversion/ONNXToQDQ/ONNXToQDQ.h"
#include "../ForeignOps/ForeignConstant.h"
#include "Translations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/Conversion/Passes.h"
#include "qdq/Conversion/TorchTypes/TorchTypes.h"
#include "qdq/Conversion/WalkConversion.h"
#include "qdq/IR/QDQ.h"
#include "llvm/ADT/STLExtras.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_CONVERTONNXTOQDQPASS
#include "qdq/Conversion/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

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

static bool isExpressedOrInt32(Type type) {
  return isExpressedType(type) || isInt32(type);
}

static bool isScale(Type type) {
  return isExpressedType(type) || isa<Float8E8M0FNUType>(type);
}

static bool isScaleOrInt32(Type type) { return isScale(type) || isInt32(type); }

/// `TensorProto.DataType` in MLIR, or null for a number that is no element type
/// of a quantization.
static Type getElementTypeOf(int64_t dataType, Builder &b) {
  auto getUnsigned = [&](unsigned width) {
    return b.getIntegerType(width, /*isSigned=*/false);
  };
  switch (dataType) {
  case 1:
    return b.getF32Type();
  case 2:
    return getUnsigned(8);
  case 3:
    return b.getI8Type();
  case 4:
    return getUnsigned(16);
  case 5:
    return b.getI16Type();
  case 6:
    return b.getI32Type();
  case 10:
    return b.getF16Type();
  case 11:
    return b.getF64Type();
  case 12:
    return getUnsigned(32);
  case 16:
    return b.getBF16Type();
  case 17:
    return b.getType<Float8E4M3FNType>();
  case 18:
    return b.getType<Float8E4M3FNUZType>();
  case 19:
    return b.getType<Float8E5M2Type>();
  case 20:
    return b.getType<Float8E5M2FNUZType>();
  case 21:
    return getUnsigned(4);
  case 22:
    return b.getIntegerType(4);
  case 23:
    return b.getType<Float4E2M1FNType>();
  case 24:
    return b.getType<Float8E8M0FNUType>();
  case 25:
    return getUnsigned(2);
  case 26:
    return b.getIntegerType(2);
  case 27:
    return b.getType<Float6E2M3FNType>();
  case 28:
    return b.getType<Float6E3M2FNType>();
  default:
    return nullptr;
  }
}

/// An attribute that holds a `TensorProto.DataType`, as the MLIR type; null
/// where it is absent or 0.
static FailureOr<Type> getElementType(const ForeignOp &node, StringRef name) {
  FailureOr<int64_t> dataType = node.getInteger(name, 0);
  if (failed(dataType))
    return failure();
  if (*dataType == 0)
    return Type();
  Type type = getElementTypeOf(*dataType, node.getRewriter());
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

//===----------------------------------------------------------------------===//
// Translations
//===----------------------------------------------------------------------===//

/// Where the node leaves `axis` out it is 1.
static FailureOr<int64_t> getAxis(const ForeignOp &node, TensorType,
                                  RankedTensorType) {
  return node.getInteger("axis", 1);
}

static constexpr LinearRules kQuantizeRules = {
    Direction::Quantize,
    {isExpressedOrInt32, "f16, bf16, f32, f64 or i32"},
    {isCode, "i2, i4, i8, i16, ui2, ui4, ui8, ui16, f8E4M3FN, f8E4M3FNUZ, "
             "f8E5M2, f8E5M2FNUZ, f6E2M3FN, f6E3M2FN or f4E2M1FN"},
    {isScaleOrInt32, "f16, bf16, f32, f64, f8E8M0FNU or i32"},
    getAxis};

static constexpr LinearRules kDequantizeRules = {
    Direction::Dequantize,
    {isExpressedType, "f16, bf16, f32 or f64"},
    {isCodeOrInt32,
     "i2, i4, i8, i16, i32, ui2, ui4, ui8, ui16, f8E4M3FN, f8E4M3FNUZ, f8E5M2, "
     "f8E5M2FNUZ, f6E2M3FN, f6E3M2FN or f4E2M1FN"},
    {isScale, "f16, bf16, f32, f64 or f8E8M0FNU"},
    getAxis};

/// The fields that the attributes `precision` and `saturate` fix.
static FailureOr<SemanticsFields> getSpelledFields(const ForeignOp &node,
                                                   Type storage) {
  FailureOr<Type> precision = getElementType(node, "precision");
  FailureOr<int64_t> saturate = node.getInteger("saturate", 1);
  if (failed(precision) || failed(saturate))
    return failure();
  SemanticsFields fields;
  if (*precision) {
    if (!isExpressedType(*precision))
      return node.refuse("precision says ", *precision,
                         ": expected 1 (f32), 10 (f16), 11 (f64) or 16 (bf16)");
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
static LogicalResult translateQuantizeLinear(const ForeignOp &node,
                                             const Stamp &stamp) {
  FailureOr<LinearNode> linear = readLinearNode(node, kQuantizeRules);
  if (failed(linear) || failed(checkOutputType(node, linear->storage)))
    return failure();
  FailureOr<SemanticsFields> spelled = getSpelledFields(node, linear->storage);
  if (failed(spelled))
    return failure();
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
  node.replace(createQuantize(node, linear->input, linear->storage,
                              linear->parameters, stamp(types, *spelled),
                              scale));
  return success();
}

/// `DequantizeLinear` to `qdq.dequantize`.
static LogicalResult translateDequantizeLinear(const ForeignOp &node,
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
  if (!*outputType && expressed != scaleType && isExpressedType(scaleType))
    return node.refuse("result has element type ", expressed,
                       ", but the scale has ", scaleType,
                       " and 'output_dtype' is absent: expected ", scaleType);
  node.replace(createDequantize(node, linear->input, expressed,
                                linear->parameters,
                                stamp(linear->getElementTypes())));
  return success();
}

/// `DynamicQuantizeLinear` to `qdq.choose_params` and `qdq.quantize`.
static LogicalResult translateDynamicQuantizeLinear(const ForeignOp &node,
                                                    const Stamp &stamp) {
  PatternRewriter &rewriter = node.getRewriter();
  if (failed(node.checkArity(1, 1, 3)))
    return failure();
  FailureOr<ForeignTensor> input = node.getTensor(0, "input");
  if (failed(input))
    return failure();
  TensorType inputType = input->type;
  Type f32 = rewriter.getF32Type();
  Type ui8 = rewriter.getIntegerType(8, /*isSigned=*/false);
  if (!inputType.hasRank() || inputType.getElementType() != f32)
    return node.refuse("input has type ", inputType,
                       ": expected a ranked tensor of f32");
  auto scaleType = RankedTensorType::get({}, f32);
  auto zeroPointType = RankedTensorType::get({}, ui8);
  Type expectedTypes[] = {inputType.clone(ui8), scaleType, zeroPointType};
  for (auto [index, expected] : llvm::enumerate(expectedTypes)) {
    FailureOr<TensorType> result = node.getResultType(index);
    if (failed(result))
      return failure();
    if (getElementTypeOrSelf(expected) != result->getElementType() ||
        failed(verifyCompatibleShape(expected, *result)))
      return node.refuse("result ", index, " has type ", *result, ": expected ",
                         expected);
  }

  Value x = node.materialize(*input);
  auto chosen = node.create<ChooseParamsOp>(
      scaleType, zeroPointType, x, RangeMode::Asymmetric, /*axis=*/nullptr,
      /*block_shape=*/nullptr, /*clamp=*/nullptr,
      stamp({Direction::Dequantize, f32, rewriter.getF32Type()}),
      /*storage_type=*/nullptr, /*power_of_two=*/nullptr);
  Value quantized = node.create<QuantizeOp>(
      expectedTypes[0], x, chosen.getScale(), chosen.getZeroPoint(),
      /*axis=*/nullptr, /*block_shape=*/nullptr, /*clamp=*/nullptr,
      /*zero_point_domain=*/nullptr,
      stamp({Direction::Quantize, f32, rewriter.getF32Type()}),
      /*seed=*/nullptr, /*runtime_seed=*/nullptr);
  node.replace({quantized, chosen.getScale(), chosen.getZeroPoint()});
  return success();
}

//===----------------------------------------------------------------------===//
// Pattern and pass
//===----------------------------------------------------------------------===//

namespace {
/// One kind of op: its name, and where that is `onnx.Custom` the operator that
/// it stands for.
struct Source {
  StringLiteral name;
  Translation translate;
  Profile profile;
  StringLiteral domain = "", function = "";

  bool matches(Operation *op) const {
    if (op->getName().getStringRef() == kTorchOperator)
      return matchesTorch(op);
    return op->getName().getStringRef() == name &&
           (domain.empty() || (has(op, "domain_name", domain) &&
                               has(op, "function_name", function)));
  }

private:
  /// torch-mlir's importer drops the domain, so that a name of ONNX's own
  /// stands for that of any domain; but no other DequantizeLinear than pmx's
  /// has `quant_data_type`. A spelling with the domain is that domain's.
  bool matchesTorch(Operation *op) const {
    StringRef given = getForeignName(op);
    bool isPMX = given == "onnx.DequantizeLinear" &&
                 op->hasAttr("torch.onnx.quant_data_type");
    if (domain.empty())
      return given == name && !isPMX;
    if (!given.consume_front("onnx."))
      return false;
    if (given == function && function != "QuantizeLinear")
      return function == "DequantizeLinear" ? isPMX && domain == "pmx" : true;
    return given.consume_front(domain) && given.consume_front(".") &&
           given == function;
  }

  static bool has(Operation *op, StringRef attribute, StringRef value) {
    auto attr = op->getAttrOfType<StringAttr>(attribute);
    return attr && attr.getValue() == value;
  }
};
} // namespace

static constexpr StringLiteral kCustom = "onnx.Custom";

// clang-format off
static constexpr Source kSources[] = {
    {"onnx.QuantizeLinear", translateQuantizeLinear, Profile::ONNX},
    {"onnx.DequantizeLinear", translateDequantizeLinear, Profile::ONNX},
    {"onnx.DynamicQuantizeLinear", translateDynamicQuantizeLinear, Profile::ONNX},
    {kCustom, translateQuantizeLinear, Profile::ORT, "com.microsoft", "QuantizeLinear"},
    {kCustom, translateDequantizeLinear, Profile::ORT, "com.microsoft", "DequantizeLinear"},
    {kCustom, translateQuarkQuantize, Profile::Quark, "com.amd.quark", "ExtendedQuantizeLinear"},
    {kCustom, translateQuarkDequantize, Profile::Quark, "com.amd.quark", "ExtendedDequantizeLinear"},
    {kCustom, translateQuarkQuantize, Profile::Quark, "com.vai.quantize", "VitisQuantizeLinear"},
    {kCustom, translateQuarkDequantize, Profile::Quark, "com.vai.quantize", "VitisDequantizeLinear"},
    {kCustom, translatePMXDequantize, Profile::PMX, "pmx", "DequantizeLinear"},
    {kCustom, translatePMXDequantize, Profile::PMX, "opmx", "DequantizeLinear"},
};
// clang-format on

static const Source *findSource(Operation *op) {
  const Source *source = llvm::find_if(
      kSources, [&](const Source &source) { return source.matches(op); });
  return source == std::end(kSources) ? nullptr : source;
}

bool mlir::qdq::isONNXQuantizationOp(Operation *op) { return findSource(op); }

namespace {
/// A node of one of the sources to the qdq ops that it stands for.
struct ONNXNodeLowering : RewritePattern {
  ONNXNodeLowering(StringRef opName, PatternBenefit benefit, MLIRContext *ctx,
                   const SemanticsOptions &options)
      : RewritePattern(opName, benefit, ctx), options(options) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    const Source *source = findSource(op);
    if (!source)
      return rewriter.notifyMatchFailure(op, "is no quantization node");
    return source->translate(ForeignOp(op, rewriter),
                             Stamp{options, source->profile});
  }

  SemanticsOptions options;
};
} // namespace

void mlir::qdq::populateONNXToQDQPatterns(RewritePatternSet &patterns,
                                          const SemanticsOptions &options,
                                          PatternBenefit benefit) {
  llvm::SmallSetVector<StringRef, 8> names;
  for (const Source &source : kSources)
    names.insert(source.name);
  names.insert(kTorchOperator);
  for (StringRef name : names)
    patterns.add<ONNXNodeLowering>(name, benefit, patterns.getContext(),
                                   options);
}

/// What held the parameters, and casts between converted nodes: nobody else
/// knows that the unregistered ops have no effects.
static void eraseDeadForeignOps(Operation *root) {
  root->walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (!op->use_empty() || op->getNumRegions() || op->getNumSuccessors())
      return;
    StringRef name = op->getName().getStringRef();
    if (isForeignConstant(op) || name == kFromBuiltinTensor ||
        isa<tensor::BitcastOp>(op))
      op->erase();
  });
}

namespace {
struct ConvertONNXToQDQPass
    : qdq::impl::ConvertONNXToQDQPassBase<ConvertONNXToQDQPass> {
  using ConvertONNXToQDQPassBase::ConvertONNXToQDQPassBase;

  /// The casts of torch-mlir's spelling are ops of this dialect, which nobody
  /// may have loaded where it is registered.
  LogicalResult initialize(MLIRContext *ctx) override {
    ctx->getOrLoadDialect("torch_c");
    return success();
  }

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateONNXToQDQPatterns(patterns, SemanticsOptions::from(*this));
    if (failed(convertByWalk(getOperation(), std::move(patterns),
                             isONNXQuantizationOp)))
      return signalPassFailure();
    eraseDeadForeignOps(getOperation());
  }
};
} // namespace
