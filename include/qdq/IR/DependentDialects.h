// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dialects of what patterns create.

#ifndef QDQ_IR_DEPENDENTDIALECTS_H
#define QDQ_IR_DEPENDENTDIALECTS_H

#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/Pass.h"
#include "qdq/Support/MLIRVersion.h"

namespace mlir::qdq {

/// Loads the dependent dialects of the pass that runs the same patterns: the
/// process ends where an op of a dialect is created that is not loaded. Does
/// nothing inside of that pass. Another pass that populates patterns while it
/// runs declares these dialects as its own, since threads may share a context.
inline void loadDependentDialects(MLIRContext *ctx,
                                  const std::unique_ptr<Pass> &pass) {
  DialectRegistry registry;
  pass->getDependentDialects(registry);
  ctx->appendDialectRegistry(registry);
  for (StringRef name : getDialectNames(registry))
    ctx->getOrLoadDialect(name);
}

} // namespace mlir::qdq

#endif // QDQ_IR_DEPENDENTDIALECTS_H
