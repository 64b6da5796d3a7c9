// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors of neighbors in buffers, and prefetches of what loops read once.

#ifndef QDQ_LIB_CODEGEN_MEMORY_PREFETCHSTREAMS_H
#define QDQ_LIB_CODEGEN_MEMORY_PREFETCHSTREAMS_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/VectorInterfaces.h"

namespace mlir::qdq {

/// Bytes of a cache line.
inline constexpr int64_t kLineBytes = 64;

/// True if `op` moves a vector of numbers from or to neighboring elements of a
/// buffer, without a mask. Whether all of them exist is not asked.
inline bool movesNeighbors(VectorTransferOpInterface op) {
  auto memref = dyn_cast<MemRefType>(op.getShapedType());
  VectorType type = op.getVectorType();
  auto maskable = cast<vector::MaskableOpInterface>(op.getOperation());
  return memref && !op.getMask() && !maskable.isMasked() &&
         !type.isScalable() && type.getRank() == 1 &&
         op.getPermutationMap().isMinorIdentity() &&
         memref.isLastDimUnitStride() && type.getElementType().isIntOrFloat() &&
         memref.getElementType() == type.getElementType();
}

// PrefetchStreams.cpp

/// Prefetches 4 KiB ahead of each vector of whole cache lines that `nest`
/// reads from a buffer, if no two iterations read the same.
void prefetchStreams(scf::ForOp nest);

/// True if `read` reads from another place in each iteration of `loop`.
bool readsElsewhere(vector::TransferReadOp read, scf::ForOp loop);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_MEMORY_PREFETCHSTREAMS_H
