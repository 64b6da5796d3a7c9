// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The windows of ONNX's convolutions and pools.

#ifndef QDQ_LIB_CONVERSION_ONNXTOQDQ_WINDOW_H
#define QDQ_LIB_CONVERSION_ONNXTOQDQ_WINDOW_H

#include "../ForeignOps/ForeignOp.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::qdq {

/// How a window moves, one number for each spatial dimension. The size of the
/// kernel may be open, and so may be a padding, which depends on the size of
/// the input then: `auto_pad`.
struct Window {
  SmallVector<int64_t> kernel, strides, dilations, padLow, padHigh;
  /// With `auto_pad`, the number of places is the size by the stride, rounded
  /// up, and the odd padding lies behind the input, or before it.
  bool isSame = false, isLower = false;
  /// A last window that is not full counts.
  bool hasCeilMode = false;

  int64_t getRank() const { return strides.size(); }
  /// The elements from the first to the last one of a window.
  int64_t getExtent(int64_t dim) const;
  /// The number of places, for an input of this size.
  int64_t getOutputSize(int64_t dim, int64_t size) const;
  OpFoldResult emitOutputSize(ImplicitLocOpBuilder &b, int64_t dim,
                              OpFoldResult size) const;
};

/// Reads `kernel_shape`, `strides`, `dilations`, `pads`, `auto_pad` and
/// `ceil_mode`. `sizes` are those of the input, `kernel` those of the filter,
/// or nothing where only the attribute tells them. Refuses windows that do not
/// fit into the input.
FailureOr<Window> readWindow(const ForeignOp &node, ArrayRef<int64_t> sizes,
                             ArrayRef<int64_t> kernel);

/// The paddings of a dimension of this size, by the end of the last window.
std::pair<OpFoldResult, OpFoldResult> getPads(ImplicitLocOpBuilder &b,
                                              const Window &window, int64_t dim,
                                              OpFoldResult size);

/// Pads the dimensions from `first` on with a zero point, which may be null.
Value padCodes(const ForeignOp &node, Value codes, ForeignTensor zeroPoint,
               int64_t first, ArrayRef<OpFoldResult> low,
               ArrayRef<OpFoldResult> high);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_ONNXTOQDQ_WINDOW_H
