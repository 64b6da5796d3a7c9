// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quotients in gemmlowp's fixed point, as ops on integers of 64 bits.

#ifndef QDQ_LIB_CONVERSION_TFLTOQDQ_FIXEDRECIPROCAL_H
#define QDQ_LIB_CONVERSION_TFLTOQDQ_FIXEDRECIPROCAL_H

#include "../ForeignOps/Scalar.h"

namespace mlir::qdq {

/// lhs rhs / 2^31, to nearest, ties up, in i64.
Scalar emitMultiplyHigh(Scalar lhs, Scalar rhs);

/// How far to the left an unsigned i32 can be shifted in 32 bits, as an i64.
Scalar getHeadroom(Scalar value);

/// 2^31 / m in units of 2^-31, where m in [1, 2) are the bits of an unsigned
/// i32: gemmlowp's `one_over_one_plus_x_for_x_in_0_1`, three steps of Newton's
/// method in units of 2^-29 for half of m.
Scalar getReciprocal(Scalar value);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_TFLTOQDQ_FIXEDRECIPROCAL_H
