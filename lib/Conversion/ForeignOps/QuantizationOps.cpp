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
  TypedAttr constant = getConstant(zeroPoint.value, zeroPoint.type);
  std::string foreign =
      describeForeignZeroPoint(ConstantElements::get(constant), storage);
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

/// One zero point may stand beside many scales.
static Value materializeZeroPoint(const ForeignOp &op,
                                  const QuantizationParameters &parameters) {
  const ForeignTensor &zeroPoint = parameters.zeroPoint;
  if (!zeroPoint)
    return nullptr;
  return isSingle(zeroPoint.type) ? op.materializeSingle(zeroPoint)
                                  : op.materialize(zeroPoint);
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
  Value zeroPoint = materializeZeroPoint(op, parameters);
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
  Value zeroPoint = materializeZeroPoint(op, parameters);
  return op.create<DequantizeOp>(
      input.type.clone(expressed), op.materialize(input), scale, zeroPoint,
      placement.axis, placement.blockShape, /*clamp=*/nullptr,
      getDomainAttr(op, parameters), semantics);
}
