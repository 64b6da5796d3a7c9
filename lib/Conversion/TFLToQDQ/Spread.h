// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The input of a transposed convolution as that of a convolution: elements with
// others between and around them, and a filter back to front.

#ifndef QDQ_LIB_CONVERSION_TFLTOQDQ_SPREAD_H
#define QDQ_LIB_CONVERSION_TFLTOQDQ_SPREAD_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::qdq {

/// Where the elements of a spatial dimension are: from `before` on, each
/// `stride`, in `length` places.
struct SpreadDim {
  int64_t before, stride, length;
};

/// For `output` places of the result; nothing where a convolution of those has
/// no `size` places.
std::optional<SpreadDim> getSpread(int64_t size, int64_t kernel, int64_t output,
                                   int64_t stride, bool isSame);

/// A tensor [batch, height, width, channels] of a static shape, with `fill`, an
/// integer or a float, in all other places.
Value spread(ImplicitLocOpBuilder &b, Value tensor, ArrayRef<SpreadDim> dims,
             double fill);

/// A tensor of a static shape with the order of these dimensions reversed.
Value reverse(ImplicitLocOpBuilder &b, Value tensor, ArrayRef<int64_t> dims);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_TFLTOQDQ_SPREAD_H
