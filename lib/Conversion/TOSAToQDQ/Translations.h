// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The translation of each op of TOSA. A refusal states its reason.

#ifndef QDQ_LIB_CONVERSION_TOSATOQDQ_TRANSLATIONS_H
#define QDQ_LIB_CONVERSION_TOSATOQDQ_TRANSLATIONS_H

#include "../ForeignOps/QuantizationOps.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"

namespace mlir::qdq {

LogicalResult translateRescale(const ForeignOp &op, tosa::RescaleOp rescale,
                               const Stamp &stamp);

LogicalResult translateCastFromBlocks(const ForeignOp &op,
                                      tosa::CastFromBlockScaledOp cast,
                                      const Stamp &stamp);

LogicalResult translateCastToBlocks(const ForeignOp &op,
                                    tosa::CastToBlockScaledOp cast,
                                    const Stamp &stamp);

LogicalResult translateProductOfBlocks(const ForeignOp &op,
                                       tosa::MatmulTBlockScaledOp product,
                                       const Stamp &stamp);

// Ops of MLIR 23, by name: MLIR 22 has no classes of them.

Translation translateConvolutionOfBlocks, translateReshapeOfBlocks,
    translateRowGatherOfBlocks;

/// True for `!tosa.block_scaled` and tensors of it.
bool isBlockScaled(Type type);

/// `tosa.cast` to or from a type that `isBlockScaled`.
LogicalResult translateBlockScaledCast(const ForeignOp &op, tosa::CastOp cast,
                                       const Stamp &stamp);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_TOSATOQDQ_TRANSLATIONS_H
