// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The windows of TFLite's convolutions and pools: [batch, height, width,
// channels].

#ifndef QDQ_LIB_CONVERSION_TFLTOQDQ_WINDOWS_H
#define QDQ_LIB_CONVERSION_TFLTOQDQ_WINDOWS_H

#include "../ForeignOps/CodeTensor.h"
#include "../ForeignOps/Window.h"

namespace mlir::qdq {

// Windows.cpp

/// Reads `stride_h`, `stride_w`, `padding` and, where the op has them,
/// `dilation_h_factor` and `dilation_w_factor`, for a window of `kernel`
/// [height, width].
FailureOr<Window> readWindow2D(const ForeignOp &op, RankedTensorType input,
                               ArrayRef<int64_t> kernel);

/// The window of a pool: `filter_height` and `filter_width`.
FailureOr<Window> readPoolWindow(const ForeignOp &op, RankedTensorType input);

/// The windows of an input: padded codes, and the sizes of the result's two
/// spatial dimensions.
struct Windowed {
  Value codes;
  SmallVector<OpFoldResult> outputs;
};

/// Pads the spatial dimensions by `padding`, a constant, null for 0.
Windowed padWindows(const ForeignOp &op, Value codes, const Window &window,
                    const ForeignTensor &padding);

/// Refuses a result that is not [batch, ..., channels] of the window.
LogicalResult checkWindowResult(const ForeignOp &op, const CodeType &input,
                                const Window &window, int64_t channels,
                                const CodeType &result);

/// How many elements of the input the windows along a spatial dimension have,
/// one number where all have the same; nothing where that depends on an open
/// size.
std::optional<SmallVector<int64_t>> countInside(const Window &window,
                                                int64_t dim, int64_t size);

// Convolution.cpp

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

/// The integers of a tfl.conv_2d, in groups of the filter's channels, or of a
/// tfl.depthwise_conv_2d.
FailureOr<Value> buildConv2D(const ForeignOp &op, const Factors &factors,
                             bool isDepthwise = false);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_TFLTOQDQ_WINDOWS_H
