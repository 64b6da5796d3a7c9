// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TOSA's block formats as qdq ops: codes beside scales of f8E8M0FNU, in blocks
// of the last dimension.

#ifndef QDQ_LIB_CONVERSION_TOSATOQDQ_BLOCKS_H
#define QDQ_LIB_CONVERSION_TOSATOQDQ_BLOCKS_H

#include "../ForeignOps/QuantizationOps.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"

namespace mlir::qdq {

/// Fails where the codes and scales are not those of a block format.
LogicalResult checkBlocks(const ForeignOp &op, Type data, Type scale);

/// The reals of `expressed` that blocks stand for.
Value dequantizeBlocks(const ForeignOp &op, Value data, Value scale,
                       tosa::BlockSize size, FloatType expressed,
                       const Stamp &stamp);

/// The codes of type `data` and scales of type `scale` that the reals `x` have
/// by `tosa.cast_to_block_scaled`.
FailureOr<std::pair<Value, Value>> quantizeBlocks(const ForeignOp &op, Value x,
                                                  Type data, Type scale,
                                                  tosa::BlockSize size,
                                                  const Stamp &stamp);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_TOSATOQDQ_BLOCKS_H
