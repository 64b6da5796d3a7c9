// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// qdq.unpack and qdq.pack to one linalg.generic each.

#ifndef QDQ_LIB_CONVERSION_QDQTOLINALG_PACKINGTOLINALG_H
#define QDQ_LIB_CONVERSION_QDQTOLINALG_PACKINGTOLINALG_H

#include "Lowerings.h"

namespace mlir::qdq {

/// The replacement of an op's result, without sign, with all static sizes that
/// are known.
Value lowerUnpack(ImplicitLocOpBuilder &b, UnpackOp op,
                  const QDQToLinalgOptions &options);
Value lowerPack(ImplicitLocOpBuilder &b, PackOp op,
                const QDQToLinalgOptions &options);

/// True for a tensor of nothing. No slice is one of it: each begins at its end,
/// which MLIR takes for out of bounds.
inline bool hasNoElement(ArrayRef<OpFoldResult> sizes) {
  return llvm::any_of(sizes, isZeroInteger);
}

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_QDQTOLINALG_PACKINGTOLINALG_H
