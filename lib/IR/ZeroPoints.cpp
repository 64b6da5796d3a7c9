// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Zero points that change nothing.

#include "qdq/IR/ZeroPoints.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::qdq;

/// Integers only: adding a float zero turns -0 into +0.
static bool isIntegerZeros(Value zeroPoint) {
  return isa<IntegerType>(getElementTypeOrSelf(zeroPoint)) &&
         matchPattern(zeroPoint, m_Zero());
}

bool mlir::qdq::isNeutralZeroPoint(QuantizeOp op, const Semantics &) {
  // Float storage keeps the sign of zero, which the sum with zero loses.
  return isIntegerZeros(op.getZeroPoint()) && !op.getStorage().isFloat();
}

bool mlir::qdq::isNeutralZeroPoint(DequantizeOp op,
                                   const Semantics &semantics) {
  // A difference modulo 2^32 reads large unsigned codes as negative.
  Storage storage = op.getStorage();
  bool wraps = semantics.subtract == Subtract::Wrap32 && !storage.isFloat() &&
               !storage.isSigned && storage.getWidth() == 32;
  return isIntegerZeros(op.getZeroPoint()) && !wraps;
}

bool mlir::qdq::isNeutralZeroPoint(RequantizeOp op, const Semantics &) {
  return isIntegerZeros(op.getZeroPoint());
}
