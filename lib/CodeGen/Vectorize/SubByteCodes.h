// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sub-byte codes that a body cuts from a byte.

#ifndef QDQ_LIB_CODEGEN_VECTORIZE_SUBBYTECODES_H
#define QDQ_LIB_CODEGEN_VECTORIZE_SUBBYTECODES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "qdq/IR/QDQ.h"

namespace mlir::qdq {

/// The codes of a body, one for each iteration of the innermost loop.
struct SubByteCodes {
  ExtractFieldOp code;
  /// The lowest bit in the byte in each iteration.
  SmallVector<int64_t> amounts;

  /// Nothing if the body uses `bytes` in another way, the amounts depend on
  /// more than the iteration, or a code reaches into another byte. The
  /// innermost loop is static.
  static std::optional<SubByteCodes> get(linalg::GenericOp op,
                                         BlockArgument bytes);
};

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_VECTORIZE_SUBBYTECODES_H
