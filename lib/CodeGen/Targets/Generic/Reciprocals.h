// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Division by a scale as a product with its reciprocal, and a correction.
//
// Guard: vectors of f32; FMA; one scale for many divisions.
// Equal to division by enumeration (`tools/verify --group quotients`) and by
// the bounds in docs/Rationale.md.

#ifndef QDQ_LIB_CODEGEN_TARGETS_GENERIC_RECIPROCALS_H
#define QDQ_LIB_CODEGEN_TARGETS_GENERIC_RECIPROCALS_H

#include "qdq/IR/QDQ.h"
#include "qdq/Numerics/Emitter.h"

namespace mlir::qdq {

/// Tensors and loops, and the reciprocals of all elements before those.
using ReciprocalTensors = DenseMap<std::pair<Value, Operation *>, Value>;

/// The divisions of one `qdq.encode`.
class Reciprocals : public Quotients {
public:
  Reciprocals(EncodeOp op, ReciprocalTensors &tensors)
      : op(op), scale(op.getScale()), tensors(tensors) {}

  Value divide(ImplicitLocOpBuilder &b, Value x, Value s) override;
  Value divideBounded(ImplicitLocOpBuilder &b, Value x, Value s, double lo,
                      double hi, Clamp clamp) override;

private:
  bool isShared() const;
  Value create(ImplicitLocOpBuilder &b, Value s);

  EncodeOp op;
  /// In its own type.
  Value scale;
  ReciprocalTensors &tensors;
};

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_TARGETS_GENERIC_RECIPROCALS_H
