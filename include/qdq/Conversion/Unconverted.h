// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The treatment of quantized ops that no conversion accepts.

#ifndef QDQ_CONVERSION_UNCONVERTED_H
#define QDQ_CONVERSION_UNCONVERTED_H

#include "mlir/IR/Diagnostics.h"

namespace mlir::qdq {

/// Error: each is reported, and the pass fails. Keep: they stay, with a remark,
/// and all others are converted.
enum class Unconverted { Error, Keep };

inline DiagnosticSeverity getSeverity(Unconverted unconverted) {
  return unconverted == Unconverted::Error ? DiagnosticSeverity::Error
                                           : DiagnosticSeverity::Remark;
}

} // namespace mlir::qdq

#endif // QDQ_CONVERSION_UNCONVERTED_H
