// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Making qdq.quantize and qdq.dequantize for a foreign op.

#include "QuantizationOps.h"
#include "ForeignConstant.h"
#include "qdq/IR/ConstantElements.h"

using namespace mlir;
using namespace mlir::qdq;

LogicalResult mlir::qdq::checkZeroPointRange(const ForeignOp &op,
                                             ForeignTensor zeroPoint,
                                             Type storage) {
  if (!zeroPoint)
    return success();
  std::string foreign = describeForeignZeroPoint(
      ConstantElements::get(getConstant(zeroPoint)), storage);
  if (!foreign.empty())
    return op.refuse(foreign);
  return success();
}

Value mlir::qdq::materializeScale(const ForeignOp &op,
                                  const QuantizationParameters &parameters) {
  return parameters.placement.isTensor()
             ? op.materializeSingle(parameters.scale)
             : op.materialize(parameters.scale);
}

static ZeroPointDomainAttr
getDomainAttr(const ForeignOp &op, const QuantizationParameters &parameters) {
  if (parameters.domain == ZeroPointDomain::Stored)
    return nullptr;
  return ZeroPointDomainAttr::get(op.getRewriter().getContext(),
                                  parameters.domain);
}

Value mlir::qdq::createQuantize(const ForeignOp &op, ForeignTensor input,
                                Type storage,
                                const QuantizationParameters &parameters,
                                SemanticsAttr semantics, Value scale,
                                DenseI64ArrayAttr clamp) {
  const Placement &placement = parameters.placement;
  if (!scale)
    scale = materializeScale(op, parameters);
  Value zeroPoint = op.materializeParameter(parameters.zeroPoint);
  return op.create<QuantizeOp>(
      input.type.clone(storage), op.materialize(input), scale, zeroPoint,
      placement.axis, placement.blockShape, clamp,
      getDomainAttr(op, parameters), semantics, /*seed=*/nullptr,
      /*runtime_seed=*/nullptr);
}

Value mlir::qdq::createDequantize(const ForeignOp &op, ForeignTensor input,
                                  Type expressed,
                                  const QuantizationParameters &parameters,
                                  SemanticsAttr semantics) {
  const Placement &placement = parameters.placement;
  Value scale = materializeScale(op, parameters);
  Value zeroPoint = op.materializeParameter(parameters.zeroPoint);
  return op.create<DequantizeOp>(
      input.type.clone(expressed), op.materialize(input), scale, zeroPoint,
      placement.axis, placement.blockShape, /*clamp=*/nullptr,
      getDomainAttr(op, parameters), semantics);
}

Value mlir::qdq::quantizeF32(const ForeignOp &op, const Stamp &stamp,
                             ForeignTensor input, Type storage,
                             const QuantizationParameters &parameters,
                             const SemanticsFields &spelled,
                             DenseI64ArrayAttr clamp) {
  FloatType f32 = op.getRewriter().getF32Type();
  return createQuantize(op, input, storage, parameters,
                        stamp({Direction::Quantize, f32, f32}, spelled),
                        /*scale=*/nullptr, clamp);
}

Value mlir::qdq::dequantizeF32(const ForeignOp &op, const Stamp &stamp,
                               ForeignTensor input,
                               const QuantizationParameters &parameters,
                               const SemanticsFields &spelled) {
  FloatType f32 = op.getRewriter().getF32Type();
  return createDequantize(op, input, f32, parameters,
                          stamp({Direction::Dequantize, f32, f32}, spelled));
}
