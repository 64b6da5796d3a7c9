// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of all that is spelled as an ONNX node, and the pass.

#include "qdq/Conversion/ONNXToQDQ/ONNXToQDQ.h"
#include "../ForeignOps/ForeignConstant.h"
#include "../ForeignOps/NodeSizes.h"
#include "Translations.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qdq/Conversion/Passes.h"
#include "qdq/IR/DependentDialects.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_CONVERTONNXTOQDQPASS
#include "qdq/Conversion/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

namespace {
/// One kind of op: its name, and where that is `onnx.Custom` the operator that
/// it stands for.
struct Source {
  StringLiteral name;
  Arity arity;
  Translation *translate;
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
  /// has `quant_data_type`, and no other QLinearConv than ONNX Runtime's
  /// `channels_last`. A spelling with the domain is that domain's.
  bool matchesTorch(Operation *op) const {
    StringRef given = getForeignName(op);
    bool isPMX = given == "onnx.DequantizeLinear" &&
                 op->hasAttr("torch.onnx.quant_data_type");
    bool isMicrosoft =
        given == "onnx.QLinearConv" && op->hasAttr("torch.onnx.channels_last");
    if (domain.empty())
      return given == name && !isPMX && !isMicrosoft;
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

// clang-format off
static constexpr Source kSources[] = {
    {"onnx.QuantizeLinear", {2, 3}, translateQuantizeLinear, Profile::ONNX},
    {"onnx.DequantizeLinear", {2, 3}, translateDequantizeLinear, Profile::ONNX},
    {"onnx.DynamicQuantizeLinear", {1, 1, 3}, translateDynamicQuantizeLinear, Profile::ONNX},
    {"onnx.MatMulInteger", {2, 4}, translateMatMulInteger, Profile::ONNX},
    {"onnx.ConvInteger", {2, 4}, translateConvInteger, Profile::ONNX},
    {"onnx.QLinearMatMul", {8}, translateQLinearMatMul, Profile::ONNX},
    {"onnx.QLinearConv", {8, 9}, translateQLinearConv, Profile::ONNX},
    {kCustomOp, {2, 3}, translateQuantizeLinear, Profile::ORT, "com.microsoft", "QuantizeLinear"},
    {kCustomOp, {2, 3}, translateDequantizeLinear, Profile::ORT, "com.microsoft", "DequantizeLinear"},
    {kCustomOp, {3}, translateMatMulBnb4, Profile::ORT, "com.microsoft", "MatMulBnb4"},
    {kCustomOp, {3, 6}, translateMatMulNBits, Profile::ORT, "com.microsoft", "MatMulNBits"},
    {kCustomOp, {3, 4}, translateGatherBlockQuantized, Profile::ORT, "com.microsoft", "GatherBlockQuantized"},
    {kCustomOp, {4, 7}, translateMatMulIntegerToFloat, Profile::ORT, "com.microsoft", "MatMulIntegerToFloat"},
    {kCustomOp, {3, 5}, translateDynamicQuantizeMatMul, Profile::ORT, "com.microsoft", "DynamicQuantizeMatMul"},
    {kCustomOp, {6, 9}, translateQGemm, Profile::ORT, "com.microsoft", "QGemm"},
    {kCustomOp, {8, 9}, translateQLinearConv, Profile::ORT, "com.microsoft", "QLinearConv"},
    {kCustomOp, {7, 8}, translateQLinearAdd, Profile::ORT, "com.microsoft", "QLinearAdd"},
    {kCustomOp, {7, 8}, translateQLinearMul, Profile::ORT, "com.microsoft", "QLinearMul"},
    {kCustomOp, {8, 9}, translateQLinearWhere, Profile::ORT, "com.microsoft", "QLinearWhere"},
    {kCustomOp, {5, kMany}, translateQLinearConcat, Profile::ORT, "com.microsoft", "QLinearConcat"},
    {kCustomOp, {4, 5}, translateQLinearSoftmax, Profile::ORT, "com.microsoft", "QLinearSoftmax"},
    {kCustomOp, {4, 5}, translateQLinearLeakyRelu, Profile::ORT, "com.microsoft", "QLinearLeakyRelu"},
    {kCustomOp, {4, 5}, translateQLinearSigmoid, Profile::ORT, "com.microsoft", "QLinearSigmoid"},
    {kCustomOp, {4, 5}, translateQLinearAveragePool, Profile::ORT, "com.microsoft", "QLinearAveragePool"},
    {kCustomOp, {4, 5}, translateQLinearGlobalAveragePool, Profile::ORT, "com.microsoft", "QLinearGlobalAveragePool"},
    {kCustomOp, {2, 3}, translateQuarkQuantize, Profile::Quark, "com.amd.quark", "ExtendedQuantizeLinear"},
    {kCustomOp, {2, 3}, translateQuarkDequantize, Profile::Quark, "com.amd.quark", "ExtendedDequantizeLinear"},
    {kCustomOp, {1}, translateQuarkBFP, Profile::Quark, "com.amd.quark", "BFPQuantizeDequantize"},
    {kCustomOp, {1}, translateQuarkMX, Profile::Quark, "com.amd.quark", "MXQuantizeDequantize"},
    {kCustomOp, {2, 3}, translateQuarkQuantize, Profile::Quark, "com.vai.quantize", "VitisQuantizeLinear"},
    {kCustomOp, {2, 3}, translateQuarkDequantize, Profile::Quark, "com.vai.quantize", "VitisDequantizeLinear"},
    {kCustomOp, {1}, translateQuarkBFP, Profile::Quark, "com.vai.quantize", "BFPFixNeuron"},
    {kCustomOp, {1}, translateQuarkMX, Profile::Quark, "com.vai.quantize", "MXFixNeuron"},
    {kCustomOp, {1}, translateQuarkBFP, Profile::Quark, "com.vai.quantize", "BFPQuantizeDequantize"},
    {kCustomOp, {1}, translateQuarkMX, Profile::Quark, "com.vai.quantize", "MXQuantizeDequantize"},
    {kCustomOp, {2, 3}, translatePMXDequantize, Profile::PMX, "pmx", "DequantizeLinear"},
    {kCustomOp, {2, 3}, translatePMXDequantize, Profile::PMX, "opmx", "DequantizeLinear"},
    {kCustomOp, {4}, translateQONNXQuant, Profile::Quant, "qonnx.custom_op.general", "Quant"},
    {kCustomOp, {4}, translateQONNXQuant, Profile::Quant, "qonnx.custom_op.general", "IntQuant"},
    {kCustomOp, {2}, translateQONNXBipolarQuant, Profile::Quant, "qonnx.custom_op.general", "BipolarQuant"},
    {kCustomOp, {5, 6}, translateQONNXTrunc, Profile::Quant, "qonnx.custom_op.general", "Trunc"},
    {kCustomOp, {4}, translateQONNXQuant, Profile::Quant, "onnx.brevitas", "Quant"},
    {kCustomOp, {4}, translateQONNXQuant, Profile::Quant, "onnx.brevitas", "IntQuant"},
    {kCustomOp, {2}, translateQONNXBipolarQuant, Profile::Quant, "onnx.brevitas", "BipolarQuant"},
    {kCustomOp, {5, 6}, translateQONNXTrunc, Profile::Quant, "onnx.brevitas", "Trunc"},
    {kCustomOp, {4}, translateQONNXQuant, Profile::Quant, "finn.custom_op.general", "Quant"},
    {kCustomOp, {4}, translateQONNXQuant, Profile::Quant, "finn.custom_op.general", "IntQuant"},
    {kCustomOp, {2}, translateQONNXBipolarQuant, Profile::Quant, "finn.custom_op.general", "BipolarQuant"},
    {kCustomOp, {5, 6}, translateQONNXTrunc, Profile::Quant, "finn.custom_op.general", "Trunc"},
};
// clang-format on

static const Source *findSource(Operation *op) {
  StringRef dialect = op->getName().getDialectNamespace();
  if (dialect != "onnx" && dialect != "torch")
    return nullptr;
  const Source *source = llvm::find_if(
      kSources, [&](const Source &source) { return source.matches(op); });
  return source == std::end(kSources) ? nullptr : source;
}

bool mlir::qdq::isONNXQuantizationOp(Operation *op) { return findSource(op); }

/// A node of one of the sources to the qdq ops that it stands for.
static LogicalResult lower(const ForeignOp &node,
                           const SemanticsOptions &options) {
  const Source *source = findSource(node.getOperation());
  if (!source)
    return node.getRewriter().notifyMatchFailure(node.getOperation(),
                                                 "is no quantization node");
  if (failed(node.checkArity(source->arity)))
    return failure();
  return source->translate(node, Stamp{options, source->profile});
}

void mlir::qdq::populateONNXToQDQPatterns(RewritePatternSet &patterns,
                                          const SemanticsOptions &options,
                                          bool runtimeChecks,
                                          PatternBenefit benefit) {
  loadDependentDialects(patterns.getContext(), createConvertONNXToQDQPass());
  llvm::SmallSetVector<StringRef, 8> names;
  for (const Source &source : kSources)
    names.insert(source.name);
  names.insert(kTorchOperator);
  for (StringRef name : names)
    patterns.add<SourceLowering>(name, patterns.getContext(), lower, options,
                                 benefit, runtimeChecks);
}

namespace {
struct ConvertONNXToQDQPass
    : SourcePass<qdq::impl::ConvertONNXToQDQPassBase<ConvertONNXToQDQPass>> {
  using SourcePass::SourcePass;

  void runOnOperation() override {
    auto populate = [&](RewritePatternSet &patterns) {
      populateONNXToQDQPatterns(patterns, SemanticsOptions::from(*this),
                                runtimeChecks);
    };
    convert(isONNXQuantizationOp, populate,
            [](Operation *root) { eraseDeadForeignOps(root); });
  }
};
} // namespace
