// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear to qdq, and
// the table of all that is spelled as an ONNX node.

#include "qdq/Conversion/ONNXToQDQ/ONNXToQDQ.h"
#include "ONNXConstant.h"
#include "QuantizationParameters.h"
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

/// Where the node leaves `axis` out.
static constexpr int64_t kDefaultAxis = 1;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static bool isInt32(Type type) {
  return type.isInteger(32) && !type.isUnsignedInteger();
}

/// The codes of QuantizeLinear and DequantizeLinear; f16 and bf16 are storage
/// in other systems only.
static LogicalResult checkStorage(const ONNXNode &node, StringRef name,
                                  Type type) {
  if (isStorageType(type) && !isExpressedType(type) && !type.isInteger(1))
    return success();
  return node.refuse(name, " has element type ", type,
                     ": expected an integer of 2 to 32 bits or an f8, f6 or f4 "
                     "type");
}

static LogicalResult checkScale(const ONNXNode &node, Type type,
                                bool allowsInt32) {
  if (isExpressedType(type) || isa<Float8E8M0FNUType>(type) ||
      (allowsInt32 && isInt32(type)))
    return success();
  return node.refuse("scale has element type ", type, ": expected ",
                     allowsInt32 ? "f16, bf16, f32, f64, f8E8M0FNU or i32"
                                 : "f16, bf16, f32, f64 or f8E8M0FNU");
}

/// `output_dtype` says what the result type says, or nothing. Gives what it
/// says.
static FailureOr<Type> checkOutputType(const ONNXNode &node, Type elementType) {
  FailureOr<Type> declared = node.getElementType("output_dtype");
  if (succeeded(declared) && *declared &&
      !isSameElementType(*declared, elementType))
    return node.refuse("output_dtype says ", *declared,
                       ", but the result has element type ", elementType);
  return declared;
}

//===----------------------------------------------------------------------===//
// Translations
//===----------------------------------------------------------------------===//

/// The profile's fields with what the attributes of a QuantizeLinear change.
static FailureOr<SemanticsFields> getQuantizeFields(const ONNXNode &node,
                                                    Profile profile,
                                                    Type storage,
                                                    ElementTypes types) {
  FailureOr<Type> precision = node.getElementType("precision");
  FailureOr<int64_t> saturate = node.getInteger("saturate", 1);
  if (failed(precision) || failed(saturate))
    return failure();
  SemanticsFields fields = getProfileFields(profile, types);
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

SemanticsAttr mlir::qdq::stamp(const ONNXNode &node,
                               const SemanticsOptions &options,
                               const SemanticsFields &own, ElementTypes types) {
  return SemanticsAttr::get(node.getRewriter().getContext(),
                            options.stamp(own, types));
}

/// Integers as reals, exactly: codes of scale 1 are the integers themselves.
static Value toF64(const ONNXNode &node, Value integers) {
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
template <Profile profile>
static LogicalResult translateQuantizeLinear(const ONNXNode &node,
                                             const SemanticsOptions &options) {
  PatternRewriter &rewriter = node.getRewriter();
  if (failed(node.checkArity(2, 3, 1)))
    return failure();
  FailureOr<ONNXTensor> input = node.getTensor(0, "input");
  FailureOr<TensorType> result = node.getResultType(0);
  if (failed(input) || failed(result))
    return failure();
  TensorType inputType = input->getType();
  Type expressed = inputType.getElementType();
  Type storage = result->getElementType();
  if (!isExpressedType(expressed) && !isInt32(expressed))
    return node.refuse("input has element type ", expressed,
                       ": expected f16, bf16, f32, f64 or i32");
  if (failed(checkShape(node, inputType, *result)) ||
      failed(checkStorage(node, "result", storage)) ||
      failed(checkOutputType(node, storage)))
    return failure();

  FailureOr<QuantizationParameters> parameters =
      getParameters(node, inputType, storage, kDefaultAxis);
  if (failed(parameters))
    return failure();
  Type scaleType = parameters->scale.getType().getElementType();
  if (failed(checkScale(node, scaleType, /*allowsInt32=*/true)))
    return failure();
  // An integer scale is divided by as a real: f64 holds it, and rounds the
  // quotient of two i32 harmlessly.
  bool isIntegerScale = isInt32(scaleType);
  if (isIntegerScale)
    scaleType = rewriter.getF64Type();
  ElementTypes types{Direction::Quantize, expressed,
                     cast<FloatType>(scaleType)};
  FailureOr<SemanticsFields> fields =
      getQuantizeFields(node, profile, storage, types);
  if (failed(fields))
    return failure();

  Value scale;
  if (isIntegerScale)
    scale = toF64(node, materializeScale(node, *parameters));
  Value quantized = createQuantize(node, *input, storage, *parameters,
                                   stamp(node, options, *fields, types), scale);
  node.replace(quantized);
  return success();
}

/// `DequantizeLinear` to `qdq.dequantize`.
template <Profile profile>
static LogicalResult
translateDequantizeLinear(const ONNXNode &node,
                          const SemanticsOptions &options) {
  if (failed(node.checkArity(2, 3, 1)))
    return failure();
  FailureOr<ONNXTensor> input = node.getTensor(0, "input");
  FailureOr<TensorType> result = node.getResultType(0);
  if (failed(input) || failed(result))
    return failure();
  TensorType inputType = input->getType();
  Type storage = inputType.getElementType();
  Type expressed = result->getElementType();
  if (failed(checkShape(node, inputType, *result)) ||
      failed(checkStorage(node, "input", storage)))
    return failure();
  if (!isExpressedType(expressed))
    return node.refuse("result has element type ", expressed,
                       ": expected f16, bf16, f32 or f64");
  FailureOr<QuantizationParameters> parameters =
      getParameters(node, inputType, storage, kDefaultAxis);
  FailureOr<Type> outputType = checkOutputType(node, expressed);
  if (failed(parameters) || failed(outputType))
    return failure();
  Type scaleType = parameters->scale.getType().getElementType();
  if (failed(checkScale(node, scaleType, /*allowsInt32=*/false)))
    return failure();
  // A power-of-two scale is no type of results, so that there the result type
  // stands for a missing `output_dtype`.
  if (!*outputType && expressed != scaleType && isExpressedType(scaleType))
    return node.refuse("result has element type ", expressed,
                       ", but the scale has ", scaleType,
                       " and 'output_dtype' is absent: expected ", scaleType);

  ElementTypes types{Direction::Dequantize, expressed,
                     cast<FloatType>(scaleType)};
  Value dequantized = createDequantize(
      node, *input, expressed, *parameters,
      stamp(node, options, getProfileFields(profile, types), types));
  node.replace(dequantized);
  return success();
}

/// `DynamicQuantizeLinear` to `qdq.choose_params` and `qdq.quantize`.
static LogicalResult
translateDynamicQuantizeLinear(const ONNXNode &node,
                               const SemanticsOptions &options) {
  PatternRewriter &rewriter = node.getRewriter();
  if (failed(node.checkArity(1, 1, 3)))
    return failure();
  FailureOr<ONNXTensor> input = node.getTensor(0, "input");
  if (failed(input))
    return failure();
  TensorType inputType = input->getType();
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

  Location loc = node.getLoc();
  auto stampFor = [&](Direction direction) {
    ElementTypes types{direction, f32, rewriter.getF32Type()};
    return stamp(node, options, getProfileFields(Profile::ONNX, types), types);
  };
  Value x = node.materialize(*input);
  auto chosen = ChooseParamsOp::create(
      rewriter, loc, scaleType, zeroPointType, x, RangeMode::Asymmetric,
      /*axis=*/nullptr, /*block_shape=*/nullptr, /*clamp=*/nullptr,
      stampFor(Direction::Dequantize), /*storage_type=*/nullptr,
      /*power_of_two=*/nullptr);
  Value quantized = QuantizeOp::create(
      rewriter, loc, expectedTypes[0], x, chosen.getScale(),
      chosen.getZeroPoint(), /*axis=*/nullptr, /*block_shape=*/nullptr,
      /*clamp=*/nullptr, /*zero_point_domain=*/nullptr,
      stampFor(Direction::Quantize), /*seed=*/nullptr,
      /*runtime_seed=*/nullptr);
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
    StringRef given = getONNXName(op);
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

struct SourceLowering : RewritePattern {
  SourceLowering(MLIRContext *ctx, StringRef opName, const Source &source,
                 const SemanticsOptions &options, PatternBenefit benefit)
      : RewritePattern(opName, benefit, ctx), source(source), options(options) {
  }

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!source.matches(op))
      return failure();
    return source.translate(ONNXNode(op, rewriter), options);
  }

  Source source;
  SemanticsOptions options;
};
} // namespace

static constexpr StringLiteral kCustom = "onnx.Custom";

// clang-format off
static constexpr Source kSources[] = {
    {"onnx.QuantizeLinear", translateQuantizeLinear<Profile::ONNX>},
    {"onnx.DequantizeLinear", translateDequantizeLinear<Profile::ONNX>},
    {"onnx.DynamicQuantizeLinear", translateDynamicQuantizeLinear},
    {kCustom, translateQuantizeLinear<Profile::ORT>, "com.microsoft", "QuantizeLinear"},
    {kCustom, translateDequantizeLinear<Profile::ORT>, "com.microsoft", "DequantizeLinear"},
    {kCustom, translateQuarkQuantize, "com.amd.quark", "ExtendedQuantizeLinear"},
    {kCustom, translateQuarkDequantize, "com.amd.quark", "ExtendedDequantizeLinear"},
    {kCustom, translateQuarkQuantize, "com.vai.quantize", "VitisQuantizeLinear"},
    {kCustom, translateQuarkDequantize, "com.vai.quantize", "VitisDequantizeLinear"},
    {kCustom, translatePMXDequantize, "pmx", "DequantizeLinear"},
    {kCustom, translatePMXDequantize, "opmx", "DequantizeLinear"},
};
// clang-format on

void mlir::qdq::populateONNXToQDQPatterns(RewritePatternSet &patterns,
                                          const SemanticsOptions &options,
                                          PatternBenefit benefit) {
  // A `torch.operator` may be any of them.
  for (const Source &source : kSources)
    for (StringRef opName : {StringRef(source.name), kTorchOperator})
      patterns.add<SourceLowering>(patterns.getContext(), opName, source,
                                   options, benefit);
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
    auto isQuantization = [](Operation *op) {
      return llvm::any_of(
          kSources, [&](const Source &source) { return source.matches(op); });
    };
    RewritePatternSet patterns(&getContext());
    populateONNXToQDQPatterns(patterns, SemanticsOptions::from(*this));
    if (failed(
            convertByWalk(getOperation(), std::move(patterns), isQuantization)))
      return signalPassFailure();
    eraseDeadForeignOps(getOperation());
  }
};
} // namespace
