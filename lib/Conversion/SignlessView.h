// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Signless views of signed and unsigned values: arith works on signless integers only.

#ifndef QDQ_LIB_CONVERSION_SIGNLESSVIEW_H
#define QDQ_LIB_CONVERSION_SIGNLESSVIEW_H

#include "mlir/IR/Builders.h"

namespace mlir::qdq {

/// `value` as `type`, which differs at most in signedness: the value itself, a `tensor.bitcast`, or (for scalars and vectors, which have
/// no such op) a `builtin.unrealized_conversion_cast`. `qdq-strip-signedness` removes both.
Value castSignedness(OpBuilder &b, Location loc, Value value, Type type);

/// `value` with a signless element type.
Value asSignless(OpBuilder &b, Location loc, Value value);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_SIGNLESSVIEW_H
