// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quantized ops of other systems, known by their names alone.

#ifndef QDQ_LIB_TRANSFORMS_VERIFY_FOREIGNQUANTIZEDOPS_H
#define QDQ_LIB_TRANSFORMS_VERIFY_FOREIGNQUANTIZEDOPS_H

#include "mlir/IR/Operation.h"

namespace mlir::qdq {

/// The operator of another system that an op stands for, in every spelling:
/// `onnx.X`, `onnx.Custom` with a domain, a `torch.operator`, or an op of the
/// torch dialect.
struct ForeignOperator {
  /// Null strings where the op is none.
  static ForeignOperator get(Operation *op);

  explicit operator bool() const { return !name.empty(); }

  /// `onnx.QLinearConv`, `com.microsoft.MatMulNBits`.
  std::string str() const { return (domain + "." + name).str(); }

  /// True where the name says that it quantizes, or computes with codes.
  bool isQuantized() const;

  /// True for the domains of which `convert-onnx-to-qdq` takes operators, and
  /// PyTorch's.
  bool isOfKnownDomain() const;

  StringRef domain, name;
};

} // namespace mlir::qdq

#endif // QDQ_LIB_TRANSFORMS_VERIFY_FOREIGNQUANTIZEDOPS_H
