// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scale of a sum of products: the product of two scales.

#ifndef QDQ_LIB_TRANSFORMS_CONTRACTIONS_SCALEPRODUCT_H
#define QDQ_LIB_TRANSFORMS_CONTRACTIONS_SCALEPRODUCT_H

#include "LoopParameter.h"

namespace mlir::qdq {

/// f32, or f64 where one of the scales is f64.
FloatType getProductType(const LoopParameter &lhs, const LoopParameter &rhs);

/// Builds `lhs * rhs`, rounded once to `getProductType`, as a tensor over all
/// the loops of `space`, which both follow, or as a scalar. Constants are
/// folded.
LoopParameter emitScaleProduct(ImplicitLocOpBuilder &b,
                               const LoopParameter &lhs,
                               const LoopParameter &rhs,
                               const ParameterSpace &space);

} // namespace mlir::qdq

#endif // QDQ_LIB_TRANSFORMS_CONTRACTIONS_SCALEPRODUCT_H
