// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of convert-qdq-to-linalg.

#ifndef QDQ_LIB_CONVERSION_QDQTOLINALG_LOWERINGS_H
#define QDQ_LIB_CONVERSION_QDQTOLINALG_LOWERINGS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "qdq/Conversion/QDQToLinalg/QDQToLinalg.h"
#include "qdq/IR/QDQ.h"

namespace mlir::qdq {

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

/// `qdq.quantize`, `qdq.dequantize` and `qdq.requantize` on unranked tensors to
/// the same op on a flat one between reshapes.
void populateUnrankedPatterns(RewritePatternSet &patterns,
                              PatternBenefit benefit);

/// Patterns of ops on tensors; requantize has to have a rank.
LogicalResult lowerRequantize(RequantizeOp op, PatternRewriter &rewriter,
                              const QDQToLinalgOptions &options);
LogicalResult lowerChooseParams(ChooseParamsOp op, PatternRewriter &rewriter,
                                const QDQToLinalgOptions &options);

/// `qdq.unpack` and `qdq.pack`: containers are operands where the slots of the
/// layout can be loops, and are loaded by the body elsewhere.
void populatePackingToLinalgPatterns(RewritePatternSet &patterns,
                                     const QDQToLinalgOptions &options,
                                     PatternBenefit benefit);

/// Asserts that `containers` are enough for an unpack that is given `sizes`.
void emitContainerCheck(ImplicitLocOpBuilder &b, const BitLayout &layout,
                        Value containers, ArrayRef<OpFoldResult> sizes);

/// Elements along the axis of the layout, of these sizes; each is cut out of
/// the containers that it may lie in.
Value unpackLoads(ImplicitLocOpBuilder &b, const BitLayout &layout,
                  Value containers, Type element, ArrayRef<OpFoldResult> sizes);

/// Containers along the axis of the layout, of these sizes; each is put
/// together from all elements that reach into it.
Value packLoads(ImplicitLocOpBuilder &b, const BitLayout &layout,
                Value elements, ArrayRef<OpFoldResult> sizes);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_QDQTOLINALG_LOWERINGS_H
