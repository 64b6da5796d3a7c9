// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of PyTorch's quantization operators, and the pass.

#include "qdq/Conversion/TorchToQDQ/TorchToQDQ.h"
#include "../ForeignOps/ForeignConstant.h"
#include "TorchScalars.h"
#include "Translations.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qdq/Conversion/Passes.h"
#include "qdq/IR/DependentDialects.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_CONVERTTORCHTOQDQPASS
#include "qdq/Conversion/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

namespace {
/// An operator, without the prefix `torch.`.
struct Source {
  StringLiteral name;
  Arity arity;
  Translation *translate;
};
} // namespace

// clang-format off
static constexpr Source kSources[] = {
    {"quantized_decomposed.quantize_per_tensor", {6}, translateQuantizePerTensor},
    {"quantized_decomposed.quantize_per_tensor.tensor", {6}, translateQuantizePerTensor},
    {"quantized_decomposed.quantize_per_tensor.tensor2", {6}, translateQuantizePerTensor},
    {"quantized_decomposed.dequantize_per_tensor", {6, 7}, translateDequantizePerTensor},
    {"quantized_decomposed.dequantize_per_tensor.tensor", {6, 7}, translateDequantizePerTensor},
    {"quantized_decomposed.dequantize_per_tensor.tensor2", {6, 7}, translateDequantizePerTensor},
    {"quantized_decomposed.quantize_per_channel", {7}, translateQuantizePerChannel},
    {"quantized_decomposed.dequantize_per_channel", {7, 8}, translateDequantizePerChannel},
    {"quantized_decomposed.quantize_per_token", {6}, translateQuantizePerToken},
    {"quantized_decomposed.dequantize_per_token", {7}, translateDequantizePerToken},
    {"quantized_decomposed.quantize_per_channel_group", {7}, translateQuantizePerChannelGroup},
    {"quantized_decomposed.dequantize_per_channel_group", {8}, translateDequantizePerChannelGroup},
    {"quantized_decomposed.choose_qparams.tensor", {5, 5, 2}, translateChooseQParams},
    {"quantized_decomposed.choose_qparams_symmetric.tensor", {5, 5, 2}, translateChooseQParamsSymmetric},
    {"quantized_decomposed.choose_qparams_per_token", {2, 2, 2}, translateChooseQParamsPerToken},
    {"quantized_decomposed.choose_qparams_per_token_asymmetric", {2, 2, 2}, translateChooseQParamsPerTokenAsymmetric},
    {"quantized_decomposed._choose_qparams_per_token_asymmetric_impl", {2, 2, 2}, translateChooseQParamsPerTokenAsymmetric},
    {"quantized_decomposed.convert_element_type.no_fuse", {2}, translateConvertElementType},
    {"aten._scaled_mm", {8}, translateScaledProduct},
    {"torchao.choose_qparams_affine", {4, 10, 2}, translateChooseQParamsAffine},
    {"torchao.quantize_affine", {5, 7}, translateQuantizeAffine},
    {"torchao.dequantize_affine", {5, 8}, translateDequantizeAffine},
};
// clang-format on

/// torch-mlir has ops of its own for some of them, and `torch.operator` for the
/// others.
static const Source *findSource(Operation *op) {
  StringRef name = getForeignName(op);
  if (!name.consume_front("torch."))
    return nullptr;
  const Source *source = llvm::find_if(
      kSources, [&](const Source &source) { return source.name == name; });
  return source == std::end(kSources) ? nullptr : source;
}

bool mlir::qdq::isTorchQuantizationOp(Operation *op) { return findSource(op); }

/// An operator to the qdq ops that it stands for.
static LogicalResult lower(const ForeignOp &node,
                           const SemanticsOptions &options) {
  const Source *source = findSource(node.getOperation());
  if (!source)
    return node.getRewriter().notifyMatchFailure(node.getOperation(),
                                                 "is no quantization operator");
  if (failed(node.checkArity(source->arity)))
    return failure();
  return node.attempt([&] {
    return source->translate(node, Stamp{options, Profile::TorchDecomposed});
  });
}

void mlir::qdq::populateTorchToQDQPatterns(RewritePatternSet &patterns,
                                           const SemanticsOptions &options,
                                           PatternBenefit benefit) {
  loadDependentDialects(patterns.getContext(), createConvertTorchToQDQPass());
  MLIRContext *ctx = patterns.getContext();
  patterns.add<SourceLowering>(kTorchOperator, ctx, lower, options, benefit);
  for (const Source &source : kSources)
    patterns.add<SourceLowering>(("torch." + source.name).str(), ctx, lower,
                                 options, benefit);
}

namespace {
struct ConvertTorchToQDQPass
    : SourcePass<qdq::impl::ConvertTorchToQDQPassBase<ConvertTorchToQDQPass>> {
  using SourcePass::SourcePass;

  void runOnOperation() override {
    auto populate = [&](RewritePatternSet &patterns) {
      populateTorchToQDQPatterns(patterns, SemanticsOptions::from(*this));
    };
    convert(isTorchQuantizationOp, populate,
            [](Operation *root) { eraseDeadForeignOps(root, isTorchScalar); });
  }
};
} // namespace
