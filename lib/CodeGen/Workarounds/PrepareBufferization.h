// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of qdq-codegen-prepare-bufferization, a file each.

#ifndef QDQ_LIB_CODEGEN_WORKAROUNDS_PREPAREBUFFERIZATION_H
#define QDQ_LIB_CODEGEN_WORKAROUNDS_PREPAREBUFFERIZATION_H

#include "mlir/IR/Operation.h"

namespace mlir::qdq {

LogicalResult eliminateEmptyTensors(Operation *root);
LogicalResult declareGlobals(Operation *root);
void markPartialWrites(Operation *root);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_WORKAROUNDS_PREPAREBUFFERIZATION_H
