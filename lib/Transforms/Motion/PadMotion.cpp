// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tensor.pad past quantize and dequantize: the padding is converted too.

#include "MotionConstants.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "qdq/IR/FunctionPattern.h"

using namespace mlir;
using namespace mlir::qdq;

/// Fails, with a reason, where the padding would get parameters of its own.
static LogicalResult checkPaddedDims(Operation *op, tensor::PadOp pad,
                                     const Granularity &granularity,
                                     PatternRewriter &rewriter) {
  for (auto [dim, low, high] :
       llvm::enumerate(pad.getMixedLowPad(), pad.getMixedHighPad())) {
    bool isPadded = !isConstantIntValue(low, 0) || !isConstantIntValue(high, 0);
    if (isPadded && granularity.getGroupLength(dim) != 0)
      return rewriter.notifyMatchFailure(
          op, "the dimension that its parameters follow is padded");
  }
  return success();
}

/// The constant that `pad` pads with, if it and `op` may change places. Fails
/// with a reason.
template <typename ConvertOp>
static FailureOr<Number> getMovablePadding(ConvertOp op, tensor::PadOp pad,
                                           PatternRewriter &rewriter) {
  if (failed(checkMotion(op, pad, PositionChange::Any, rewriter)) ||
      failed(checkPaddedDims(op, pad, op.getGranularity(), rewriter)))
    return failure();
  std::optional<ConstantElements> constant =
      ConstantElements::get(pad.getConstantPaddingValue());
  if (!constant)
    return rewriter.notifyMatchFailure(pad, "padding is not constant");
  return (*constant)[0];
}

Value mlir::qdq::createPad(RewriterBase &rewriter, tensor::PadOp pad,
                           Value value, const Number &padding) {
  Type elementType = getElementTypeOrSelf(value);
  Value source = toSignless(rewriter, value);
  Value constant = createConstant(rewriter, pad.getLoc(), padding, elementType);
  Value padded = tensor::PadOp::create(
      rewriter, pad.getLoc(),
      withElementType(pad.getType(), constant.getType()), source,
      pad.getMixedLowPad(), pad.getMixedHighPad(), constant, pad.getNofold(),
      getPrunedAttributeList(pad, tensor::PadOp::getAttributeNames()));
  return fromSignless(rewriter, padded, elementType);
}

/// `pad(convert(x), v)` to `convert(pad(x, w))`, where w converts to v.
template <typename ConvertOp>
static LogicalResult sinkBelowPad(tensor::PadOp pad,
                                  PatternRewriter &rewriter) {
  auto op = pad.getSource().getDefiningOp<ConvertOp>();
  if (!op)
    return rewriter.notifyMatchFailure(pad, "does not pad the result of a " +
                                                ConvertOp::getOperationName());
  if (isa<QuantizeOp>(op) && !op->hasOneUse())
    return rewriter.notifyMatchFailure(op, "has other uses");
  FailureOr<Number> padding = getMovablePadding(op, pad, rewriter);
  if (failed(padding))
    return failure();
  std::optional<Number> moved = getCommonPreimage(op, *padding, rewriter);
  if (!moved)
    return rewriter.notifyMatchFailure(
        op, "is not known to make the padding of one value in all groups");
  Value input = createPad(rewriter, pad, op.getInput(), *moved);
  rewriter.replaceOp(pad, convert(rewriter, op, input, op.getScale(),
                                  op.getZeroPoint(), op.getGranularity()));
  return success();
}

/// `convert(pad(x, v))` to `pad(convert(x), w)`, where v converts to w.
template <typename ConvertOp>
static LogicalResult hoistAbovePad(ConvertOp op, PatternRewriter &rewriter) {
  auto pad = op.getInput().template getDefiningOp<tensor::PadOp>();
  if (!pad)
    return rewriter.notifyMatchFailure(op, "does not convert a tensor.pad");
  if (!pad->hasOneUse())
    return rewriter.notifyMatchFailure(pad, "has other uses");
  FailureOr<Number> padding = getMovablePadding(op, pad, rewriter);
  if (failed(padding))
    return failure();
  FailureOr<SmallVector<ElementFunction>> functions =
      getElementFunctions(op, rewriter);
  if (failed(functions))
    return failure();
  std::optional<Number> moved = getCommonImage(*functions, *padding);
  if (!moved)
    return rewriter.notifyMatchFailure(
        op, "does not make one value of the padding in all groups");
  Value converted = convert(rewriter, op, pad.getSource(), op.getScale(),
                            op.getZeroPoint(), op.getGranularity());
  rewriter.replaceOp(op, createPad(rewriter, pad, converted, *moved));
  return success();
}

void mlir::qdq::populatePadMotionPatterns(RewritePatternSet &patterns,
                                          MovedValues moved,
                                          PatternBenefit benefit) {
  MLIRContext *ctx = patterns.getContext();
  if (moved == MovedValues::Codes)
    patterns.add<FunctionPattern<sinkBelowPad<DequantizeOp>>,
                 FunctionPattern<hoistAbovePad<QuantizeOp>>>(ctx, benefit);
  else
    patterns.add<FunctionPattern<sinkBelowPad<QuantizeOp>>,
                 FunctionPattern<hoistAbovePad<DequantizeOp>>>(ctx, benefit);
}
