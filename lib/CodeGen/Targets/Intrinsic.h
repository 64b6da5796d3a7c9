// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of LLVM's intrinsics.

#ifndef QDQ_LIB_CODEGEN_TARGETS_INTRINSIC_H
#define QDQ_LIB_CODEGEN_TARGETS_INTRINSIC_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::qdq {

/// The result of the intrinsic `llvm.` `name`.
inline Value callIntrinsic(ImplicitLocOpBuilder &b, const Twine &name,
                           Type type, ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(b, type, b.getStringAttr("llvm." + name),
                                       operands)
      .getResult(0);
}

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_TARGETS_INTRINSIC_H
