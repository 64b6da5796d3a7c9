// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operands of binary operators.

#include "../ForeignOps/Broadcast.h"
#include "Elementwise.h"
#include "Rescaling.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::qdq;

FailureOr<Binary> mlir::qdq::readBinary(const ForeignOp &op,
                                        const Stamp &stamp) {
  FailureOr<CodeTensor> lhs = readCodes(op, 0, "lhs");
  FailureOr<CodeTensor> rhs = readCodes(op, 1, "rhs");
  FailureOr<CodeType> result = readResultCodes(op);
  if (failed(lhs) || failed(rhs) || failed(result))
    return failure();
  auto shape = broadcastShapes(lhs->type.getShape(), rhs->type.getShape());
  Type storage = lhs->getStorage();
  if (failed(shape) || rhs->getStorage() != storage ||
      result->getStorage() != storage ||
      failed(verifyCompatibleShape(*shape, result->type.getShape())))
    return op.refuse("has operands ", lhs->type, " and ", rhs->type,
                     " and the result ", result->type,
                     ": expected one storage type, and shapes that are "
                     "broadcast to each other");
  if (storage.getIntOrFloatBitWidth() > 16)
    return op.refuse("has the storage type ", storage,
                     ": expected 8 or 16 bits");
  auto bounds = readActivationBounds(op, stamp, *result);
  if (failed(bounds))
    return failure();
  return Binary{*lhs, *rhs, *result, *bounds};
}
