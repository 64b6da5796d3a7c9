// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contractions and convolutions of floats, by their maps and their body.

#ifndef QDQ_LIB_TRANSFORMS_CONTRACTIONS_FLOATCONTRACTION_H
#define QDQ_LIB_TRANSFORMS_CONTRACTIONS_FLOATCONTRACTION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "qdq/IR/QDQ.h"

namespace mlir::qdq {

/// A structured op on tensors that adds up products of two floats, named or
/// generic: `out += a * b`, `a` and `b` widened or not.
struct FloatContraction {
  linalg::LinalgOp op;

  static FailureOr<FloatContraction> match(Operation *op);

  Value getOperand(unsigned index) {
    return op.getDpsInputOperand(index)->get();
  }
  AffineMap getMap(unsigned index) { return op.getIndexingMapsArray()[index]; }
  AffineMap getResultMap() { return getMap(2); }
  Value getInit() { return op.getDpsInitOperand(0)->get(); }
  RankedTensorType getResultType() {
    return cast<RankedTensorType>(op->getResult(0).getType());
  }
  /// True if the sums begin at 0.
  bool startsAtZero();
  /// True if products may be added in any order.
  bool isReassociable();
};

/// The dequantize that makes an operand of a contraction, padded with 0.0
/// afterwards (`pad`) or not. Null where there is none.
struct DequantizedOperand {
  DequantizeOp op;
  tensor::PadOp pad;

  static DequantizedOperand find(Value operand);
  explicit operator bool() { return bool(op); }
};

} // namespace mlir::qdq

#endif // QDQ_LIB_TRANSFORMS_CONTRACTIONS_FLOATCONTRACTION_H
