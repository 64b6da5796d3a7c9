// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fields of constant records as constants of their own.

#ifndef QDQ_LIB_CODEGEN_BOUNDARY_RECORDFIELDS_H
#define QDQ_LIB_CODEGEN_BOUNDARY_RECORDFIELDS_H

#include "mlir/IR/Operation.h"

namespace mlir::qdq {

/// Computes the fields of constant records that operands of contractions in
/// `root` are made of.
void splitConstantRecords(Operation *root);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_BOUNDARY_RECORDFIELDS_H
