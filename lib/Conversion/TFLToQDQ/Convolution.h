// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sum of products of a convolution.

#ifndef QDQ_LIB_CONVERSION_TFLTOQDQ_CONVOLUTION_H
#define QDQ_LIB_CONVERSION_TFLTOQDQ_CONVOLUTION_H

#include "Windows.h"

namespace mlir::qdq {

/// The operands of a sum of products: padded codes, which may have a zero
/// point, and the filter.
struct Factors {
  Windowed windowed;
  ForeignTensor zeroPoint;
  const CodeTensor &filter;
  Value filterCodes;
  const Window &window;
  Value bias;
};

/// The integers of a tfl.conv_2d, in groups of the filter's channels.
FailureOr<Value> buildConv2D(const ForeignOp &op, const Factors &factors);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_TFLTOQDQ_CONVOLUTION_H
