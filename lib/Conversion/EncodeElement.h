// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements of codes, encoded and rescaled.

#ifndef QDQ_LIB_CONVERSION_ENCODEELEMENT_H
#define QDQ_LIB_CONVERSION_ENCODEELEMENT_H

#include "qdq/IR/QDQ.h"
#include "qdq/Numerics/Emitter.h"

namespace mlir::qdq {

// EncodeElement.cpp

/// The parts of an op that say which code an element has.
struct ElementEncoder {
  Semantics semantics;
  /// With its signedness.
  Type storage;
  DenseI64ArrayAttr clamp;
  /// One `qdq.encode` in place of arithmetic.
  bool keepsOp;

  /// As `emitQuantize`.
  Value emit(ImplicitLocOpBuilder &b, Value x, Value scale, ZeroPoint zeroPoint,
             RandomSource random, bool isSigned) const;
};

// RescaleOperands.cpp

/// The types and constants of the op, without the values themselves.
RescaleOperands getRescaleOperands(RequantizeOp op);

/// The same with the values that `prepare` gives for those of the op.
RescaleOperands getRescaleOperands(RequantizeOp op,
                                   function_ref<Value(Value)> prepare);

/// Fails, with a reason, where the op cannot be emitted under `semantics`.
LogicalResult checkRequantize(RequantizeOp op, const Semantics &semantics,
                              RewriterBase &rewriter);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_ENCODEELEMENT_H
