// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators of one or two tensors of codes.

#ifndef QDQ_LIB_CONVERSION_TFLTOQDQ_ELEMENTWISE_H
#define QDQ_LIB_CONVERSION_TFLTOQDQ_ELEMENTWISE_H

#include "../ForeignOps/CodeTensor.h"

namespace mlir::qdq {

// Binary.cpp

struct Binary {
  CodeTensor lhs, rhs;
  CodeType result;
  /// The codes of `fused_activation_function`.
  std::pair<int64_t, int64_t> bounds;

  bool is16Bits() const { return lhs.getStorage().isInteger(16); }
};

/// Refuses other than one storage type of 8 or 16 bits, with one scale each.
FailureOr<Binary> readBinary(const ForeignOp &op, const Stamp &stamp);

// Unary.cpp

struct Unary {
  CodeTensor input;
  CodeType result;

  bool is16Bits() const { return input.getStorage().isInteger(16); }
};

/// Refuses other than one operand and one result, of one storage type and with
/// one scale each.
FailureOr<Unary> readUnary(const ForeignOp &op);

/// Refuses other than all signed codes of 8 or 16 bits.
FailureOr<Unary> readAllSigned(const ForeignOp &op);

/// The same, and zero points of 16 bits, which most of LiteRT's kernels lack.
FailureOr<Unary> readSigned(const ForeignOp &op);

/// Functions.cpp: refuses other storage than that of LiteRT's kernels of 8 and
/// 16 bits.
FailureOr<Unary> readFunction(const ForeignOp &op);

/// Replaces the op by a lookup table of all its codes. `function` is from a
/// code to a code, which is bounded to those of the result.
LogicalResult replaceByTable(const ForeignOp &op, const Unary &n,
                             function_ref<int64_t(int64_t)> function);

/// The same of signed 16 bits by a function of reals, in f32, as LiteRT's
/// kernels interpolate it.
LogicalResult replaceByLines(const ForeignOp &op, const Unary &n,
                             function_ref<float(float)> function);

/// SigmoidTable.cpp: tfl.logistic and tfl.tanh of signed 16 bits.
LogicalResult translateSigmoid16(const ForeignOp &op, const Stamp &stamp,
                                 const Unary &n, bool isTanh);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_TFLTOQDQ_ELEMENTWISE_H
