// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The formulas of ONNX Runtime's element-wise operators on codes, as its
// kernels for x86 round them.

#ifndef QDQ_LIB_CONVERSION_ONNXTOQDQ_ORTKERNELS_H
#define QDQ_LIB_CONVERSION_ONNXTOQDQ_ORTKERNELS_H

#include "../ForeignOps/Scalar.h"

namespace mlir::qdq {

/// One operand of a sum, or its result: f32 scalars, the zero point as well.
struct ORTScale {
  Value scale, zeroPoint;
};

/// Values that QLinearAdd computes once for all elements: the codes'
/// factors in units of the result, and all that does not depend on codes.
struct ORTSum {
  Value aFactor, bFactor, constant;
};

/// `ra = sa / sy`, `rb = sb / sy`, and `zy - fma(ra, za, rb * zb)`.
ORTSum emitORTSum(ImplicitLocOpBuilder &b, ORTScale a, ORTScale bScale,
                  ORTScale y);

/// `fma(a, ra, fma(b, rb, constant))`, which rounded is the code.
Value emitORTSumOf(ImplicitLocOpBuilder &b, const ORTSum &sum, Value aCode,
                   Value bCode);

/// The logistic function of an f32: MLAS's quotient of two polynomials, bit for
/// bit. NaN stays NaN.
Scalar emitORTLogistic(Scalar x);

/// `sx / (sy * count)`, the multiplier of QLinearGlobalAveragePool's sum.
Value emitORTMean(ImplicitLocOpBuilder &b, Value xScale, Value yScale,
                  Value count);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_ONNXTOQDQ_ORTKERNELS_H
