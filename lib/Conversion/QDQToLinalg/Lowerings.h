// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of convert-qdq-to-linalg.

#ifndef QDQ_LIB_CONVERSION_QDQTOLINALG_LOWERINGS_H
#define QDQ_LIB_CONVERSION_QDQTOLINALG_LOWERINGS_H

#include "Folding.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "qdq/Conversion/QDQToLinalg/QDQToLinalg.h"
#include "qdq/IR/QDQ.h"

namespace mlir::qdq {

/// Builds the generic of a quantize or dequantize on a ranked tensor, whose
/// semantics are supported, and returns what replaces the op's result. Fails,
/// before anything is built, only where `block-form=expand` cannot be met;
/// `reason` then says why.
template <typename OpTy>
FailureOr<Value> lowerToGeneric(ImplicitLocOpBuilder &b, OpTy op,
                                const QDQToLinalgOptions &options,
                                std::string &reason);

/// The same for an unranked tensor: flattened, and shaped back.
template <typename OpTy>
Value lowerUnranked(ImplicitLocOpBuilder &b, OpTy op,
                    const QDQToLinalgOptions &options);

/// A value of known rank, and where its parameters are.
struct FlatValue {
  Value value;
  Granularity granularity;
  /// The sizes before, as `tensor<?xindex>`; null if the value had a rank.
  Value shape;
};

/// Gives an unranked tensor one dimension, or three around the axis: (before,
/// axis, behind). A ranked one stays.
FlatValue flattenUnranked(ImplicitLocOpBuilder &b, Value value,
                          const Granularity &granularity);

/// Asserts that the dynamic sizes of `parameters` (null ones are left out) are
/// those that the value's sizes ask for.
void emitShapeChecks(ImplicitLocOpBuilder &b, const Granularity &granularity,
                     Value value, ArrayRef<Value> parameters);

void populateChooseParamsToLinalgPatterns(RewritePatternSet &patterns,
                                          const QDQToLinalgOptions &options,
                                          PatternBenefit benefit);

/// Builds the generic of a pack and the quantize that it reads, over the loops
/// that `getSpace` gives, and returns the containers in the shape that the
/// layout of `conversion` has.
Value lowerPackedQuantize(ImplicitLocOpBuilder &b, PackOp op,
                          const ConversionSpace &conversion,
                          const QDQToLinalgOptions &options);

/// `qdq.unpack` and `qdq.pack`, for readers and writers that do not fold them.
void populatePackingToLinalgPatterns(RewritePatternSet &patterns,
                                     const QDQToLinalgOptions &options,
                                     PatternBenefit benefit);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_QDQTOLINALG_LOWERINGS_H
