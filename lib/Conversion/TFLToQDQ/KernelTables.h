// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tables and fixed-point numbers of LiteRT's kernels.

#ifndef QDQ_LIB_CONVERSION_TFLTOQDQ_KERNELTABLES_H
#define QDQ_LIB_CONVERSION_TFLTOQDQ_KERNELTABLES_H

#include "../ForeignOps/Scalar.h"
#include "mlir/Support/LLVM.h"

namespace mlir::qdq {

/// x / 2^places, to nearest, ties away from zero.
inline int64_t shiftRight(int64_t x, int places) {
  int64_t half = places ? int64_t(1) << (places - 1) : 0;
  return x < 0 ? -((-x + half) >> places) : (x + half) >> places;
}

// ExpTable.cpp

/// The number of differences of two codes of 8 bits.
inline constexpr int64_t kDifferences = 256;

/// In units of 2^-31, by gemmlowp's `exp_on_negative_values` of a number with 5
/// integer bits; 0 from the difference on that the kernel leaves out. `step`
/// is the scale of the codes times beta.
SmallVector<int32_t> getFixedExpTable(double step);

/// In f32, by the C library.
SmallVector<float> getFloatExpTable(float step);

// FixedReciprocal.cpp

/// lhs rhs / 2^31, to nearest, ties up, in i64.
Scalar emitMultiplyHigh(Scalar lhs, Scalar rhs);

/// How far to the left an unsigned i32 can be shifted in 32 bits, as an i64.
Scalar getHeadroom(Scalar value);

/// 2^31 / m in units of 2^-31, where m in [1, 2) are the bits of an unsigned
/// i32: gemmlowp's `one_over_one_plus_x_for_x_in_0_1`, three steps of Newton's
/// method in units of 2^-29 for half of m.
Scalar getReciprocal(Scalar value);

// InterpolationTable.cpp

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

#endif // QDQ_LIB_CONVERSION_TFLTOQDQ_KERNELTABLES_H
