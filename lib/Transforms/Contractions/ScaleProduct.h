// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scale of a sum of products: the product of two scales.

#ifndef QDQ_LIB_TRANSFORMS_CONTRACTIONS_SCALEPRODUCT_H
#define QDQ_LIB_TRANSFORMS_CONTRACTIONS_SCALEPRODUCT_H

#include "ContractionOperand.h"

namespace mlir::qdq {

/// A scale as `qdq.dequantize` takes it.
struct PlacedScale {
  Value value;
  /// One of them, or none: a single element.
  IntegerAttr axis;
  DenseI64ArrayAttr blockShape;
};

/// Builds `a * b`, rounded once, in f32, or in f64 where one of them is f64,
/// placed for a tensor of `sizes`. The dimensions of the tensor are the loops
/// that `resultMap` gives. Constants are folded.
PlacedScale emitScaleProduct(ImplicitLocOpBuilder &b, LoopParameter lhs,
                             LoopParameter rhs, AffineMap resultMap,
                             ArrayRef<OpFoldResult> sizes);

} // namespace mlir::qdq

#endif // QDQ_LIB_TRANSFORMS_CONTRACTIONS_SCALEPRODUCT_H
