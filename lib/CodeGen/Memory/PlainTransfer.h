// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors of neighbors in buffers.

#ifndef QDQ_LIB_CODEGEN_MEMORY_PLAINTRANSFER_H
#define QDQ_LIB_CODEGEN_MEMORY_PLAINTRANSFER_H

#include "mlir/Interfaces/VectorInterfaces.h"

namespace mlir::qdq {

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

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_MEMORY_PLAINTRANSFER_H
