// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The quant dialect to qdq.

#ifndef QDQ_CONVERSION_QUANTTOQDQ_QUANTTOQDQ_H
#define QDQ_CONVERSION_QUANTTOQDQ_QUANTTOQDQ_H

#include "mlir/Transforms/DialectConversion.h"
#include "qdq/Numerics/Semantics.h"

namespace mlir::qdq {

/// Quantized types, inside builtin types, to their storage types: `ui8` for
/// `u8`. All other types are left to other conversions of the converter.
void populateQuantToQDQConversions(TypeConverter &converter);

/// Patterns for `quant.qcast`, `quant.dcast` and `quant.scast`, and for ops
/// that carry quantized values without reading them (`isTypeAgnostic`). Casts
/// get the profile `quant` with `options` on top, and the parameters of the
/// type as constants beside them. Run them with
/// `DialectConversionFoldingMode::Never`: the folder of `quant.dcast` removes
/// the rounding of a `quant.qcast` before it.
void populateQuantToQDQPatterns(const TypeConverter &converter,
                                RewritePatternSet &patterns,
                                const SemanticsOptions &options,
                                PatternBenefit benefit = 1);

/// Makes the quant dialect illegal, and all other ops with types that
/// `converter` changes.
void populateQuantToQDQLegality(ConversionTarget &target,
                                const TypeConverter &converter);

/// Converts everything under `root`. All or nothing: on failure there is an
/// error at each op that stands in the way, and the IR is unchanged. Constants
/// of one value are one constant of the function.
LogicalResult convertQuantToQDQ(Operation *root,
                                const SemanticsOptions &options);

} // namespace mlir::qdq

#endif // QDQ_CONVERSION_QUANTTOQDQ_QUANTTOQDQ_H
