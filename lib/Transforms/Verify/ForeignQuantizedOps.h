// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quantized ops of other systems, known by their names alone.

#ifndef QDQ_LIB_TRANSFORMS_VERIFY_FOREIGNQUANTIZEDOPS_H
#define QDQ_LIB_TRANSFORMS_VERIFY_FOREIGNQUANTIZEDOPS_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/MapVector.h"

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

/// Ops by name: the first one, and how many there are.
struct Tally {
  struct Kind {
    Operation *first;
    unsigned count = 0;
  };

  void add(const Twine &name, Operation *op) {
    ++kinds.try_emplace(StringAttr::get(op->getContext(), name), Kind{op})
          .first->second.count;
  }

  /// Begins a diagnostic at the first of all, which counts them.
  InFlightDiagnostic report(DiagnosticSeverity severity, StringRef text) const;

  llvm::MapVector<StringAttr, Kind> kinds;
};

} // namespace mlir::qdq

#endif // QDQ_LIB_TRANSFORMS_VERIFY_FOREIGNQUANTIZEDOPS_H
