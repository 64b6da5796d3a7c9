// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The registration of the component core: what lowers quantized IR to linalg
// and arith.

#ifndef QDQ_INITCORE_H
#define QDQ_INITCORE_H

#include "mlir/IR/DialectRegistry.h"

namespace mlir::qdq {

/// Adds the qdq dialect, `quant`, the dialects that the lowering to linalg and
/// arith creates, and the interface models that it needs. Every `populate…`
/// function loads the dialects that its patterns create.
void registerCoreDialects(DialectRegistry &registry);

/// Adds `lower-quant` and the passes behind it, but for those of TFLite, of
/// vectors and of native casts, to the global registry.
void registerCorePasses();

} // namespace mlir::qdq

#endif // QDQ_INITCORE_H
