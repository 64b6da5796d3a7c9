// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The places of elements in memory.

#ifndef QDQ_CODEGEN_ADDRESS_H
#define QDQ_CODEGEN_ADDRESS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::qdq {

/// The address of an element of `memref`, in whole bytes, as an index.
Value createAddress(ImplicitLocOpBuilder &b, Value memref, ValueRange indices);

} // namespace mlir::qdq

#endif // QDQ_CODEGEN_ADDRESS_H
