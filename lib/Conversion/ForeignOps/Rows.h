// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over rows of codes, which softmax normalizes.

#ifndef QDQ_LIB_CONVERSION_FOREIGNOPS_ROWS_H
#define QDQ_LIB_CONVERSION_FOREIGNOPS_ROWS_H

#include "Scalar.h"

namespace mlir::qdq {

/// Codes, without signedness, in rows along an axis.
struct Rows {
  Rows(ImplicitLocOpBuilder &b, Value codes, bool isSigned, int64_t axis);

  /// Folds tensors of all dimensions, or of all but the axis, to one of all but
  /// the axis, by `body` of the elements and the result.
  Value fold(ImplicitLocOpBuilder &b, ValueRange inputs, TypedAttr first,
             const ElementBody &body) const;

  /// Applies `body` to the elements of such tensors.
  Value map(ImplicitLocOpBuilder &b, ValueRange inputs, Type element,
            const ElementBody &body) const;

  /// Builds `largest`.
  void findLargest(ImplicitLocOpBuilder &b);

  Value codes;
  /// The largest code of each row; null before `findLargest`.
  Value largest;
  bool isSigned;
  int64_t axis;
  SmallVector<OpFoldResult> sizes;

private:
  Value createLoops(ImplicitLocOpBuilder &b, ValueRange inputs, Value init,
                    const ElementBody &body) const;
};

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_FOREIGNOPS_ROWS_H
