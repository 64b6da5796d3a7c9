// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// qdq.requantize on tensors to one linalg.generic each.

#include "../EncodeElement.h"
#include "ElementGeneric.h"
#include "Lowerings.h"
#include "NeighborSplits.h"
#include "qdq/IR/TypeRewrite.h"
#include "qdq/IR/ZeroPoints.h"

using namespace mlir;
using namespace mlir::qdq;

/// A parameter type with the most groups that any parameter has, by which the
/// dimensions are split.
static Type getCommonParameterType(RequantizeOp op, RankedTensorType type) {
  Granularity granularity = op.getGranularity();
  if (!granularity.isBlock())
    return type;
  SmallVector<int64_t> shape(type.getRank(), 1);
  SmallVector<int64_t> groups = granularity.getParameterShape(type.getShape());
  for (Value parameter : op.getParameters()) {
    Granularity own = op.getGranularityOf(parameter);
    for (auto [dim, length] : llvm::enumerate(own.getBlockShape()))
      if (length)
        shape[dim] = groups[dim];
  }
  return type.clone(shape);
}

/// How one parameter lies in the value; shared dimensions have the length 0.
static SmallVector<ParameterDim>
getDims(RequantizeOp op, const IterationSpace &space, Value parameter) {
  SmallVector<ParameterDim> dims = space.getParameterDims();
  Granularity granularity = op.getGranularityOf(parameter);
  for (auto [dim, length] : llvm::zip(dims, granularity.getBlockShape()))
    if (length == 0)
      dim.length = 0;
  return dims;
}

static Value lower(ImplicitLocOpBuilder &b, RequantizeOp op,
                   const IterationSpace &space, const Semantics &semantics,
                   const QDQToLinalgOptions &options) {
  if (options.runtimeChecks)
    for (Value parameter : op.getParameters())
      emitShapeChecks(b, op.getGranularityOf(parameter), op.getInput(),
                      {parameter});
  ElementGeneric generic(b, op, space);
  // One value may serve as several parameters.
  DenseMap<Value, BodyParameter> parameters;
  bool hasZeroPoint = op.getZeroPoint() && !isNeutralZeroPoint(op, semantics);
  for (Value parameter :
       op.getParameters().drop_back(op.getZeroPoint() && !hasZeroPoint))
    if (!parameters.contains(parameter))
      parameters.try_emplace(parameter,
                             BodyParameter(b, space, parameter,
                                           getDims(op, space, parameter),
                                           generic.operands));
  return generic.create(b, [&](ImplicitLocOpBuilder &body, Value element,
                               ValueRange arguments) {
    auto get = [&](Value parameter) {
      return parameters.find(parameter)->second.get(body, arguments);
    };
    RescaleOperands operands = getRescaleOperands(op, get);
    ZeroPoint zeroPoint;
    if (hasZeroPoint)
      zeroPoint = {get(op.getZeroPoint()),
                   isSignedStorage(getElementTypeOrSelf(op.getZeroPoint()))};
    bool isSigned = isSignedStorage(getElementTypeOrSelf(op.getInput()));
    if (!options.elementOps || operands.rescale != Rescale::QDQ)
      return emitRequantize(body, semantics, op.getStorage(), operands, element,
                            isSigned, zeroPoint);
    Value term = emitRescaledTerm(body, operands, element, isSigned);
    ElementEncoder encoder{semantics, op.getStorageElementType(),
                           op.getClampAttr(), /*keepsOp=*/true};
    return encoder.emit(body, term, operands.multipliers[1], zeroPoint, {},
                        /*isSigned=*/true);
  });
}

LogicalResult mlir::qdq::lowerRequantize(RequantizeOp op,
                                         PatternRewriter &rewriter,
                                         const QDQToLinalgOptions &options) {
  auto type = dyn_cast<RankedTensorType>(op.getInput().getType());
  if (!type)
    return rewriter.notifyMatchFailure(op, "is not on a ranked tensor");
  Semantics semantics = op.resolveSemantics(options);
  if (failed(checkRequantize(op, semantics, rewriter)))
    return failure();
  std::string reason;
  FailureOr<IterationSpace> space = IterationSpace::get(
      type, op.getGranularity(), getCommonParameterType(op, type),
      options.blockForm, reason, getConsumerSplits(op.getResult()));
  if (failed(space))
    return rewriter.notifyMatchFailure(op, reason);
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  rewriter.replaceOp(op, lower(b, op, *space, semantics, options));
  return success();
}
