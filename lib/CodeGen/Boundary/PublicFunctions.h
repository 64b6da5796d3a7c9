// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions whose signatures callers outside of the module see.

#ifndef QDQ_LIB_CODEGEN_BOUNDARY_PUBLICFUNCTIONS_H
#define QDQ_LIB_CODEGEN_BOUNDARY_PUBLICFUNCTIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::qdq {

/// The public functions of the module that `filter` accepts, in their order.
/// One that the module itself refers to becomes private, under a new name, and
/// a new public function that calls it takes its place: the signatures of the
/// functions returned are free to change. Fails, with an error, if a reference
/// cannot be renamed.
FailureOr<SmallVector<func::FuncOp>>
takePublicFunctions(ModuleOp module, function_ref<bool(func::FuncOp)> filter);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_BOUNDARY_PUBLICFUNCTIONS_H
