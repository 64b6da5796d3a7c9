// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bias of a product: codes in the units of its sums.

#ifndef QDQ_LIB_CONVERSION_TFLTOQDQ_BIAS_H
#define QDQ_LIB_CONVERSION_TFLTOQDQ_BIAS_H

#include "../ForeignOps/CodeTensor.h"

namespace mlir::qdq {

/// Refuses operand `index`, if the op has it, unless it has `count` integers,
/// whose scale, if they have one, is that of the sums.
LogicalResult checkBias(const ForeignOp &op, unsigned index,
                        const CodeType &input, const CodeType &filter,
                        int64_t count);

/// At most one of both: a bias of up to 32 bits, which is part of a product, or
/// one of 64 bits, which is added to its sum.
struct Bias {
  Value inProduct, wide;
};

/// The bias that `checkBias` allows.
Bias createBias(const ForeignOp &op, unsigned index, int64_t count);

/// `sum` with the bias of 64 bits, if there is one, along the last dimension.
Value addBias(const ForeignOp &op, Value sum, const Bias &bias);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_TFLTOQDQ_BIAS_H
