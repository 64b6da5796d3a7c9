// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// exp(-d s) for the 256 differences of two codes, as LiteRT's softmax has it.

#ifndef QDQ_LIB_CONVERSION_TFLTOQDQ_EXPTABLE_H
#define QDQ_LIB_CONVERSION_TFLTOQDQ_EXPTABLE_H

#include "mlir/Support/LLVM.h"

namespace mlir::qdq {

/// The number of differences of two codes of 8 bits.
inline constexpr int64_t kDifferences = 256;

/// In units of 2^-31, by gemmlowp's `exp_on_negative_values` of a number with 5
/// integer bits; 0 from the difference on that the kernel leaves out. `step`
/// is the scale of the codes times beta.
SmallVector<int32_t> getFixedExpTable(double step);

/// In f32, by the C library.
SmallVector<float> getFloatExpTable(float step);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_TFLTOQDQ_EXPTABLE_H
