// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over rows of codes, which softmax normalizes.

#ifndef QDQ_LIB_CONVERSION_TFLTOQDQ_ROWS_H
#define QDQ_LIB_CONVERSION_TFLTOQDQ_ROWS_H

#include "../ForeignOps/CodeTensor.h"

namespace mlir::qdq {

/// The codes [..., N], without signedness, and the largest one of each row.
struct Rows {
  Value codes, largest;
  bool isSigned;
  SmallVector<OpFoldResult> sizes;

  int64_t getRank() const { return sizes.size(); }
};

Rows createRows(const ForeignOp &op, const CodeTensor &input);

using RowBody = function_ref<Value(ImplicitLocOpBuilder &, ValueRange)>;

/// Folds rows of [..., N] into [...], by `body` of the elements and the result.
Value foldRows(ImplicitLocOpBuilder &b, ValueRange inputs,
               ArrayRef<OpFoldResult> sizes, TypedAttr first, RowBody body);

/// Applies `body` to the elements of tensors [..., N] and [...].
Value mapRows(ImplicitLocOpBuilder &b, ValueRange inputs,
              ArrayRef<OpFoldResult> sizes, Type element, RowBody body);

/// tfl.softmax of signed 16 bits (Softmax16.cpp).
LogicalResult translateSoftmax16(const ForeignOp &op, const Stamp &stamp,
                                 const CodeTensor &input,
                                 const CodeType &result, float beta);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_TFLTOQDQ_ROWS_H
