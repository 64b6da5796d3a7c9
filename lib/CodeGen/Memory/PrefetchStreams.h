// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prefetches of what loops read from memory once.

#ifndef QDQ_LIB_CODEGEN_MEMORY_PREFETCHSTREAMS_H
#define QDQ_LIB_CODEGEN_MEMORY_PREFETCHSTREAMS_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::qdq {

/// Prefetches 4 KiB ahead of each vector of whole cache lines that `nest`
/// reads from a buffer, if no two iterations read the same.
void prefetchStreams(scf::ForOp nest);

/// True if `read` reads from another place in each iteration of `loop`.
bool readsElsewhere(vector::TransferReadOp read, scf::ForOp loop);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_MEMORY_PREFETCHSTREAMS_H
