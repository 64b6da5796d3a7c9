// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Codes of elements: as one op, or as the ops that compute them.

#ifndef QDQ_LIB_CONVERSION_ENCODEELEMENT_H
#define QDQ_LIB_CONVERSION_ENCODEELEMENT_H

#include "qdq/IR/QDQ.h"
#include "qdq/Numerics/Emitter.h"

namespace mlir::qdq {

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

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_ENCODEELEMENT_H
