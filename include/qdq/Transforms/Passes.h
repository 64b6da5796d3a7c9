// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes that stay within one level.

#ifndef QDQ_TRANSFORMS_PASSES_H
#define QDQ_TRANSFORMS_PASSES_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::qdq {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "qdq/Transforms/Passes.h.inc"
} // namespace mlir::qdq

#endif // QDQ_TRANSFORMS_PASSES_H
