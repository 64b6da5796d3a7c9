// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of the passes that prepare for upstream's, a file each.

#ifndef QDQ_LIB_CODEGEN_WORKAROUNDS_PREPARATIONS_H
#define QDQ_LIB_CODEGEN_WORKAROUNDS_PREPARATIONS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Operation.h"

namespace mlir::qdq {

// PrepareBufferization.cpp

LogicalResult eliminateEmptyTensors(Operation *root);
LogicalResult declareGlobals(Operation *root);
void markPartialWrites(Operation *root);

// PrepareTranslation.cpp

void extendBF16ByShifts(ModuleOp module);
void convertBF16ToIntegers(ModuleOp module);
void flattenGlobals(ModuleOp module);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_WORKAROUNDS_PREPARATIONS_H
