// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tfl.embedding_lookup of floats from a table of codes.

#include "../ForeignOps/TensorOps.h"
#include "Translations.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::qdq;

/// The same op on the rows of `table`, which convert-tfl-to-linalg lowers.
static ForeignTensor lookUp(const ForeignOp &op, const ForeignTensor &table,
                            ArrayRef<int64_t> shape) {
  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  Operation *self = op.getOperation();
  Value rows = onSignless(b, op.materialize(table), [&](Value source) {
    OperationState state(
        op.getLoc(), self->getName(), {self->getOperand(0), source},
        RankedTensorType::get(shape, getElementTypeOrSelf(source)),
        self->getAttrs());
    return b.create(state)->getResult(0);
  });
  return toForeign(rows);
}

/// Looks up codes and the parameters of their rows, and dequantizes.
LogicalResult mlir::qdq::translateDynamicEmbeddingLookup(const ForeignOp &op,
                                                         const Stamp &stamp) {
  Operation *self = op.getOperation();
  FailureOr<CodeTensor> table = readCodes(op, 1, "value", /*allowsAxis=*/true);
  if (failed(table))
    return failure();
  auto result = dyn_cast<RankedTensorType>(self->getResult(0).getType());
  auto lookup = dyn_cast<RankedTensorType>(self->getOperand(0).getType());
  if (!result || !lookup || lookup.getRank() != 1 || table->axis.value_or(0))
    return op.refuse("lookup has type ", self->getOperand(0).getType(),
                     " and value ", self->getOperand(1).getType(),
                     ": expected rank 1, and one scale or those of axis 0");
  QuantizationParameters parameters = table->parameters;
  if (table->axis)
    for (ForeignTensor *each : {&parameters.scale, &parameters.zeroPoint})
      if (*each)
        *each = lookUp(op, *each, lookup.getShape());
  return op.replace(dequantizeF32(
      op, stamp, lookUp(op, table->getTensor(op), result.getShape()),
      parameters));
}
