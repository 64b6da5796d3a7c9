// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of convolutions of floats, NCHW.

#ifndef QDQ_LIB_CONVERSION_ONNXTOLINALG_PRODUCTS_H
#define QDQ_LIB_CONVERSION_ONNXTOLINALG_PRODUCTS_H

#include "../ForeignOps/ForeignOp.h"
#include "../ForeignOps/Window.h"

namespace mlir::qdq {

/// W, and B, which may be absent and has one element for each filter.
LogicalResult readFilter(const ForeignOp &node, const ForeignTensor &input,
                         ForeignTensor &filter, ForeignTensor &bias);

/// The convolution of an input that is padded. `sizes` are those of the result.
Value convolve(ImplicitLocOpBuilder &b, Value input, Value filter,
               int64_t groups, Window window, ArrayRef<OpFoldResult> sizes);

/// The sum, and its bias if there is one.
Value addBiasOfChannels(const ForeignOp &node, Value sum,
                        const ForeignTensor &bias);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_ONNXTOLINALG_PRODUCTS_H
