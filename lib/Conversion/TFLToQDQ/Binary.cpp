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
  Reader read;
  Binary n{read(readCodes(op, 0, "lhs")),
           read(readCodes(op, 1, "rhs")),
           read(readResultCodes(op)),
           {}};
  if (failed(read))
    return failure();
  RankedTensorType lhs = n.lhs.type, rhs = n.rhs.type, result = n.result.type;
  auto shape = broadcastShapes(lhs.getShape(), rhs.getShape());
  Type storage = n.lhs.getStorage();
  if (failed(shape) || n.rhs.getStorage() != storage ||
      n.result.getStorage() != storage ||
      failed(verifyCompatibleShape(*shape, result.getShape())))
    return op.refuse("has operands ", lhs, " and ", rhs, " and the result ",
                     result,
                     ": expected one storage type, and shapes that are "
                     "broadcast to each other");
  if (storage.getIntOrFloatBitWidth() > 16)
    return op.refuse("has the storage type ", storage,
                     ": expected 8 or 16 bits");
  n.bounds = read(readActivationBounds(op, stamp, n.result));
  if (failed(read))
    return failure();
  return n;
}
