// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LiteRT's functions of 16 bits: a table of 513 entries, and lines between.

#ifndef QDQ_LIB_CONVERSION_TFLTOQDQ_INTERPOLATIONTABLE_H
#define QDQ_LIB_CONVERSION_TFLTOQDQ_INTERPOLATIONTABLE_H

#include "../ForeignOps/Scalar.h"

namespace mlir::qdq {

/// A scale and a zero point.
template <typename Real>
struct TableScale {
  Real scale;
  int64_t zeroPoint = 0;
};

/// The table of `function` as a constant, by a kernel that computes it in f32
/// or in f64. Each entry is moved by half of the error in the middle of the
/// line that follows it.
template <typename Real>
Value createInterpolationTable(ImplicitLocOpBuilder &b, TableScale<Real> input,
                               TableScale<Real> result,
                               function_ref<Real(Real)> function);

/// The i32 at a code of 16 bits, which is an i32.
Scalar interpolate(Value table, Scalar code);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_TFLTOQDQ_INTERPOLATIONTABLE_H
