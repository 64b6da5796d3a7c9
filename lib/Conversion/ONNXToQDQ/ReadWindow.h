// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The attributes of ONNX's convolutions and pools.

#ifndef QDQ_LIB_CONVERSION_ONNXTOQDQ_READWINDOW_H
#define QDQ_LIB_CONVERSION_ONNXTOQDQ_READWINDOW_H

#include "../ForeignOps/Window.h"

namespace mlir::qdq {

/// An attribute of `count` integers from `lowest` to 2^31; `fallback` where it
/// is absent or empty.
FailureOr<SmallVector<int64_t>> readSteps(const ForeignOp &node, StringRef name,
                                          size_t count, int64_t lowest,
                                          int64_t fallback);

/// Reads `kernel_shape`, `strides`, `dilations`, `pads`, `auto_pad` and
/// `ceil_mode`. `sizes` are those of the input, `kernel` those of the filter,
/// or nothing where only the attribute tells them. Refuses windows that do not
/// fit into the input.
FailureOr<Window> readWindow(const ForeignOp &node, ArrayRef<int64_t> sizes,
                             ArrayRef<int64_t> kernel);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_ONNXTOQDQ_READWINDOW_H
