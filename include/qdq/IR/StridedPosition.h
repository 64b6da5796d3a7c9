// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Positions of elements, in the order of a shape.

#ifndef QDQ_IR_STRIDEDPOSITION_H
#define QDQ_IR_STRIDEDPOSITION_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"

namespace mlir::qdq {

/// A position that follows the indices of a shape, the last dimension first:
/// `first`, and the stride of each dimension times its index.
class StridedPosition {
public:
  StridedPosition(ArrayRef<int64_t> shape, ArrayRef<int64_t> strides,
                  int64_t first = 0)
      : shape(shape), strides(strides), index(shape.size(), 0),
        position(first) {}

  int64_t operator*() const { return position; }

  /// That of the next index; of the first one behind the last.
  StridedPosition &operator++() {
    for (size_t dim = shape.size(); dim-- > 0;) {
      position += strides[dim];
      if (++index[dim] < shape[dim])
        break;
      position -= index[dim] * strides[dim];
      index[dim] = 0;
    }
    return *this;
  }

private:
  SmallVector<int64_t> shape, strides, index;
  int64_t position;
};

} // namespace mlir::qdq

#endif // QDQ_IR_STRIDEDPOSITION_H
