// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of the operators of TFLite's dialect, and the pass.

#include "qdq/Conversion/TFLToQDQ/TFLToQDQ.h"
#include "DynamicCodes.h"
#include "Translations.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/Conversion/Frontends.h"
#include "qdq/Conversion/WalkConversion.h"
#include "qdq/IR/DependentDialects.h"
#include "qdq/IR/QDQ.h"
#include "qdq/IR/Walk.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_CONVERTTFLTOQDQPASS
#include "qdq/Conversion/Frontends.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

namespace {
struct Operator {
  StringLiteral name;
  LogicalResult (*translate)(const ForeignOp &op, const Stamp &stamp);
  /// Of floats by codes.
  LogicalResult (*translateDynamic)(const ForeignOp &op,
                                    const Stamp &stamp) = nullptr;
};
} // namespace

static constexpr Operator kOperators[] = {
    {"tfl.quantize", translateQuantize},
    {"tfl.dequantize", translateDequantize},
    {"tfl.pseudo_qconst", translateConstant},
    {"tfl.pseudo_const", translateConstant},
    {"tfl.conv_2d", translateConv2D, translateDynamicConv2D},
    {"tfl.depthwise_conv_2d", translateDepthwiseConv2D,
     translateDynamicDepthwiseConv2D},
    {"tfl.transpose_conv", translateTransposeConv},
    {"tfl.fully_connected", translateFullyConnected,
     translateDynamicFullyConnected},
    {"tfl.batch_matmul", translateBatchMatMul, translateDynamicBatchMatMul},
    {"tfl.add", translateAdd},
    {"tfl.sub", translateSub},
    {"tfl.mul", translateMul},
    {"tfl.squared_difference", translateSquaredDifference},
    {"tfl.maximum", translateMaximum},
    {"tfl.minimum", translateMinimum},
    {"tfl.relu", translateRelu},
    {"tfl.relu6", translateRelu6},
    {"tfl.relu_n1_to_1", translateReluN1To1},
    {"tfl.leaky_relu", translateLeakyRelu},
    {"tfl.logistic", translateLogistic},
    {"tfl.tanh", translateTanh},
    {"tfl.gelu", translateGelu},
    {"tfl.rsqrt", translateRsqrt},
    {"tfl.hard_swish", translateHardSwish},
    {"tfl.softmax", translateSoftmax},
    {"tfl.average_pool_2d", translateAveragePool2D},
    {"tfl.max_pool_2d", translateMaxPool2D},
    {"tfl.mean", translateMean},
    {"tfl.reshape", translateReshape},
    {"tfl.squeeze", translateReshape},
    {"tfl.expand_dims", translateReshape},
    {"tfl.transpose", translateTranspose},
    {"tfl.pad", translatePad},
    {"tfl.padv2", translatePadV2},
    {"tfl.concatenation", translateConcatenation},
    {"tfl.strided_slice", translateStridedSlice},
    {"tfl.slice", translateSlice},
    {"tfl.split", translateSplit},
    {"tfl.split_v", translateSplitV},
    {"tfl.broadcast_to", translateMove},
    {"tfl.depth_to_space", translateMove},
    {"tfl.gather", translateMove},
    {"tfl.mirror_pad", translateMove},
    {"tfl.pack", translateMove},
    {"tfl.resize_bilinear", translateMove},
    {"tfl.resize_nearest_neighbor", translateMove},
    {"tfl.select_v2", translateMove},
    {"tfl.space_to_depth", translateMove},
    {"tfl.tile", translateMove},
    {"tfl.unpack", translateMove},
};

bool mlir::qdq::isTFLQuantizationOp(Operation *op) {
  return op->getName().getDialectNamespace() == "tfl" &&
         (llvm::any_of(op->getOperandTypes(), isQuantized) ||
          llvm::any_of(op->getResultTypes(), isQuantized));
}

/// A quantized type of the op that expresses anything but f32; or null.
static Type findForeignExpressed(Operation *op) {
  for (TypeRange types :
       {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types)
      if (auto element =
              dyn_cast<quant::QuantizedType>(getElementTypeOrSelf(type));
          element && !element.getExpressedType().isF32())
        return type;
  return {};
}

namespace {
/// An op of the dialect to ops on codes.
struct TFLOpLowering : RewritePattern {
  TFLOpLowering(MLIRContext *ctx, const SemanticsOptions &options,
                PatternBenefit benefit)
      : RewritePattern(MatchAnyOpTypeTag(), benefit, ctx), options(options) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    StringRef name = op->getName().getStringRef();
    if (!name.starts_with("tfl."))
      return rewriter.notifyMatchFailure(op, "is no op of TFLite's dialect");
    const Operator *found = llvm::find_if(
        kOperators, [&](const Operator &entry) { return entry.name == name; });
    if (found == std::end(kOperators))
      return rewriter.notifyMatchFailure(
          op, "has quantized operands or results, and no translation");
    if (Type type = findForeignExpressed(op))
      return rewriter.notifyMatchFailure(op, [&](Diagnostic &reason) {
        reason << "has the type " << type << ": expected one that expresses "
               << "f32, as all of LiteRT do";
      });
    ForeignOp foreign(op, rewriter);
    bool isDynamic = found->translateDynamic && isDynamicProduct(foreign);
    return (isDynamic ? found->translateDynamic : found->translate)(
        foreign, Stamp{options, Profile::TFLite});
  }

  SemanticsOptions options;
};
} // namespace

void mlir::qdq::populateTFLToQDQPatterns(RewritePatternSet &patterns,
                                         const SemanticsOptions &options,
                                         PatternBenefit benefit) {
  loadDependentDialects(patterns.getContext(), createConvertTFLToQDQPass());
  patterns.add<TFLOpLowering>(patterns.getContext(), options, benefit);
}

namespace {
struct ConvertTFLToQDQPass
    : qdq::impl::ConvertTFLToQDQPassBase<ConvertTFLToQDQPass> {
  using ConvertTFLToQDQPassBase::ConvertTFLToQDQPassBase;

  void runOnOperation() override {
    if (!hasAny(getOperation(), isTFLQuantizationOp))
      return markAllAnalysesPreserved();
    RewritePatternSet patterns(&getContext());
    populateTFLToQDQPatterns(patterns, SemanticsOptions::from(*this));
    if (failed(convertByWalk(getOperation(), std::move(patterns),
                             isTFLQuantizationOp, unconverted)))
      return signalPassFailure();
    eraseDeadStorage(getOperation());
  }
};
} // namespace
