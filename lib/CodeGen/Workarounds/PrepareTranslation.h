// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of qdq-codegen-prepare-translation, a file each.

#ifndef QDQ_LIB_CODEGEN_WORKAROUNDS_PREPARETRANSLATION_H
#define QDQ_LIB_CODEGEN_WORKAROUNDS_PREPARETRANSLATION_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::qdq {

void extendBF16ByShifts(ModuleOp module);
void convertBF16ToIntegers(ModuleOp module);
void flattenGlobals(ModuleOp module);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_WORKAROUNDS_PREPARETRANSLATION_H
