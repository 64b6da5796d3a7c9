// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators of two tensors of codes, which are broadcast.

#ifndef QDQ_LIB_CONVERSION_TFLTOQDQ_BINARY_H
#define QDQ_LIB_CONVERSION_TFLTOQDQ_BINARY_H

#include "../ForeignOps/CodeTensor.h"

namespace mlir::qdq {

struct Binary {
  CodeTensor lhs, rhs;
  CodeType result;
  /// The codes of `fused_activation_function`.
  std::pair<int64_t, int64_t> bounds;

  bool is16Bits() const { return lhs.getStorage().isInteger(16); }
};

/// Refuses other than one storage type of 8 or 16 bits, with one scale each.
FailureOr<Binary> readBinary(const ForeignOp &op, const Stamp &stamp);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_TFLTOQDQ_BINARY_H
