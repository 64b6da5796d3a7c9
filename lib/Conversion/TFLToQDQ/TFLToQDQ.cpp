// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of the operators of TFLite's dialect, and the pass.

#include "qdq/Conversion/TFLToQDQ/TFLToQDQ.h"
#include "DynamicCodes.h"
#include "Translations.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/Conversion/Frontends.h"
#include "qdq/IR/DependentDialects.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_CONVERTTFLTOQDQPASS
#include "qdq/Conversion/Frontends.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

namespace {
struct TFLOperator {
  StringLiteral name;
  Arity arity;
  Translation *translate;
  /// Of floats by codes.
  Translation *translateDynamic = nullptr;
};
} // namespace

// clang-format off
static constexpr TFLOperator kOperators[] = {
    {"tfl.quantize", {1}, translateQuantize},
    {"tfl.dequantize", {1}, translateDequantize},
    {"tfl.pseudo_qconst", {0}, translateConstant},
    {"tfl.pseudo_const", {0}, translateConstant},
    {"tfl.conv_2d", {2, 3}, translateConv2D, translateDynamicConv2D},
    {"tfl.depthwise_conv_2d", {2, 3}, translateConv2D, translateDynamicConv2D},
    {"tfl.transpose_conv", {3, 4}, translateTransposeConv, translateDynamicTransposeConv},
    {"tfl.fully_connected", {2, 3}, translateFullyConnected, translateDynamicFullyConnected},
    {"tfl.batch_matmul", {2}, translateBatchMatMul, translateDynamicBatchMatMul},
    {"tfl.add", {2}, readAndTranslate<readBinary, translateAdd>},
    {"tfl.sub", {2}, readAndTranslate<readBinary, translateAdd>},
    {"tfl.mul", {2}, readAndTranslate<readBinary, translateMul>},
    {"tfl.div", {2}, readAndTranslate<readBinary, translateDiv>},
    {"tfl.squared_difference", {2}, readAndTranslate<readBinary, translateSquaredDifference>},
    {"tfl.maximum", {2}, readAndTranslate<readBinary, translateExtremum>},
    {"tfl.minimum", {2}, readAndTranslate<readBinary, translateExtremum>},
    {"tfl.relu", {1}, readAndTranslate<readUnary, translateRelu>},
    {"tfl.relu6", {1}, readAndTranslate<readUnary, translateRelu>},
    {"tfl.relu_0_to_1", {1}, readAndTranslate<readUnary, translateRelu>},
    {"tfl.relu_n1_to_1", {1}, readAndTranslate<readUnary, translateRelu>},
    {"tfl.leaky_relu", {1}, translateLeakyRelu},
    {"tfl.logistic", {1}, readAndTranslate<readFunction, translateSigmoid>},
    {"tfl.tanh", {1}, readAndTranslate<readFunction, translateSigmoid>},
    {"tfl.gelu", {1}, readAndTranslate<readFunction, translateGelu>},
    {"tfl.rsqrt", {1}, readAndTranslate<readSigned, translateRsqrt>},
    {"tfl.exp", {1}, readAndTranslate<readSigned, translateExp>},
    {"tfl.log", {1}, readAndTranslate<readSigned, translateLog>},
    {"tfl.elu", {1}, readAndTranslate<readSigned, translateElu>},
    {"tfl.sqrt", {1}, readAndTranslate<readSigned, translateSqrt>},
    {"tfl.abs", {1}, readAndTranslate<readSigned, translateAbs>},
    {"tfl.neg", {1}, readAndTranslate<readAllSigned, translateNeg>},
    {"tfl.hard_swish", {1}, readAndTranslate<readUnary, translateHardSwish>},
    {"tfl.softmax", {1}, translateSoftmax},
    {"tfl.average_pool_2d", {1}, translateAveragePool2D},
    {"tfl.max_pool_2d", {1}, translateMaxPool2D},
    {"tfl.mean", {2}, translateMean},
    {"tfl.sum", {2}, translateSum},
    {"tfl.reshape", {1, 2}, translateReshape},
    {"tfl.squeeze", {1, 2}, translateReshape},
    {"tfl.expand_dims", {1, 2}, translateReshape},
    {"tfl.transpose", {2}, translateTranspose},
    {"tfl.pad", {2}, translatePad},
    {"tfl.padv2", {3}, translatePadV2},
    {"tfl.concatenation", {1, kMany}, translateConcatenation},
    {"tfl.strided_slice", {4}, translateStridedSlice},
    {"tfl.slice", {3}, translateSlice},
    {"tfl.split", {2, 2, kMany}, translateSplit},
    {"tfl.split_v", {3, 3, kMany}, translateSplitV},
    {"tfl.broadcast_to", {0, kMany, kMany}, translateMove},
    {"tfl.depth_to_space", {0, kMany, kMany}, translateMove},
    {"tfl.embedding_lookup", {2}, translateMove, translateDynamicEmbeddingLookup},
    {"tfl.gather", {0, kMany, kMany}, translateMove},
    {"tfl.mirror_pad", {0, kMany, kMany}, translateMove},
    {"tfl.pack", {0, kMany, kMany}, translateMove},
    {"tfl.resize_bilinear", {0, kMany, kMany}, translateMove},
    {"tfl.resize_nearest_neighbor", {0, kMany, kMany}, translateMove},
    {"tfl.select_v2", {0, kMany, kMany}, translateMove},
    {"tfl.space_to_depth", {0, kMany, kMany}, translateMove},
    {"tfl.tile", {0, kMany, kMany}, translateMove},
    {"tfl.unpack", {0, kMany, kMany}, translateMove},
};
// clang-format on

bool mlir::qdq::isTFLQuantizationOp(Operation *op) {
  return isQuantizedOp(op, "tfl");
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

/// An op of the dialect to ops on codes.
static LogicalResult lower(const ForeignOp &op,
                           const SemanticsOptions &options) {
  if (!op.getName().starts_with("tfl."))
    return op.getRewriter().notifyMatchFailure(op.getOperation(),
                                               "is no op of TFLite's dialect");
  const TFLOperator *found =
      llvm::find_if(kOperators, [&](const TFLOperator &entry) {
        return entry.name == op.getName();
      });
  if (found == std::end(kOperators))
    return op.refuse("has quantized operands or results, and no translation");
  if (Type type = findForeignExpressed(op.getOperation()))
    return op.refuse("has the type ", type,
                     ": expected one that expresses f32, as all of LiteRT do");
  if (failed(op.checkArity(found->arity)))
    return failure();
  bool isDynamic = found->translateDynamic && isDynamicProduct(op);
  return (isDynamic ? found->translateDynamic
                    : found->translate)(op, Stamp{options, Profile::TFLite});
}

void mlir::qdq::populateTFLToQDQPatterns(RewritePatternSet &patterns,
                                         const SemanticsOptions &options,
                                         bool runtimeChecks,
                                         PatternBenefit benefit) {
  loadDependentDialects(patterns.getContext(), createConvertTFLToQDQPass());
  patterns.add<SourceLowering>(patterns.getContext(), lower, options, benefit,
                               runtimeChecks);
}

namespace {
struct ConvertTFLToQDQPass
    : SourcePass<qdq::impl::ConvertTFLToQDQPassBase<ConvertTFLToQDQPass>> {
  using SourcePass::SourcePass;

  void runOnOperation() override {
    auto populate = [&](RewritePatternSet &patterns) {
      populateTFLToQDQPatterns(patterns, SemanticsOptions::from(*this),
                               runtimeChecks);
    };
    convert(isTFLQuantizationOp, populate, eraseDeadStorage);
  }
};
} // namespace
