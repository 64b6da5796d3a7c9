// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one registration of the project: tool, plugin and Python package call it.

#ifndef QDQ_INITALL_H
#define QDQ_INITALL_H

#include "mlir/IR/DialectRegistry.h"

namespace mlir::qdq {

/// Adds what `registerCoreDialects` does, and our ops of the transform dialect.
void registerAllDialects(DialectRegistry &registry);

/// Adds all passes and pipelines of the project to the global registry.
void registerAllPasses();

} // namespace mlir::qdq

#endif // QDQ_INITALL_H
