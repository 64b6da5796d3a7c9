// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies between buffers with gaps, as structured ops.

#ifndef QDQ_LIB_CODEGEN_MEMORY_STRIDEDCOPIES_H
#define QDQ_LIB_CODEGEN_MEMORY_STRIDEDCOPIES_H

#include "mlir/IR/Operation.h"

namespace mlir::qdq {

/// Replaces each `memref.copy` under `root` between buffers of which one is not
/// contiguous by a `linalg.generic`: upstream would call a library, which
/// copies element by element.
void lowerStridedCopies(Operation *root);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_MEMORY_STRIDEDCOPIES_H
