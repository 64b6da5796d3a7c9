// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one registration of the project: tool, plugin and Python package call it.

#ifndef QDQ_INITALL_H
#define QDQ_INITALL_H

#include "mlir/IR/DialectRegistry.h"

namespace mlir::qdq {

/// Adds the qdq dialect, `quant`, the dialects that the lowering to linalg and
/// arith creates, and the interface models that it needs. Every `populate…`
/// function loads the dialects that its patterns create.
void registerAllDialects(DialectRegistry &registry);

/// Adds all passes and pipelines of the project to the global registry.
void registerAllPasses();

} // namespace mlir::qdq

#endif // QDQ_INITALL_H
