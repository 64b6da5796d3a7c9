// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The qdq dialect: attributes and operations.

#ifndef QDQ_IR_QDQ_H
#define QDQ_IR_QDQ_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/TilingInterface.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "qdq/IR/BitLayout.h"
#include "qdq/IR/Granularity.h"
#include "qdq/Numerics/Semantics.h"
#include "qdq/Numerics/Storage.h"

#include "qdq/IR/QDQDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "qdq/IR/QDQAttributes.h.inc"

#define GET_OP_CLASSES
#include "qdq/IR/QDQOps.h.inc"

namespace mlir::qdq {
/// True for ops that bodies hold until the target expands them.
inline bool isElementOp(Operation *op) {
  return isa<EncodeOp, ExtractFieldOp, DepositFieldOp, LookupOp>(op);
}
} // namespace mlir::qdq

#endif // QDQ_IR_QDQ_H
