// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// transform.apply_patterns.qdq.*: the patterns of this project in transform
// scripts.

#ifndef QDQ_TRANSFORMOPS_QDQTRANSFORMOPS_H
#define QDQ_TRANSFORMOPS_QDQTRANSFORMOPS_H

#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.h"
#include "qdq/IR/QDQ.h"

#define GET_OP_CLASSES
#include "qdq/TransformOps/QDQTransformOps.h.inc"

namespace mlir::qdq {

/// Adds the ops to the transform dialect, wherever that is loaded.
void registerTransformDialectExtension(DialectRegistry &registry);

} // namespace mlir::qdq

#endif // QDQ_TRANSFORMOPS_QDQTRANSFORMOPS_H
