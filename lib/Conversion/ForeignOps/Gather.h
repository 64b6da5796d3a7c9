// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of a tensor by their indices, as ONNX Runtime gathers them.

#ifndef QDQ_LIB_CONVERSION_FOREIGNOPS_GATHER_H
#define QDQ_LIB_CONVERSION_FOREIGNOPS_GATHER_H

#include "ForeignOp.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::qdq {

/// The shape of a gather: the sizes of `indices` stand in the place of `axis`.
SmallVector<int64_t> getGatheredShape(ArrayRef<int64_t> shape,
                                      ArrayRef<int64_t> indices, int64_t axis);

/// An index, of any integer type, into `size` elements. From -count on it
/// counts from the back; out of range, it is another index of an element.
Value wrapIndex(ImplicitLocOpBuilder &b, Value index, OpFoldResult count,
                OpFoldResult size);

/// True where one of the sizes is 0; null where none is open.
Value isAnyEmpty(ImplicitLocOpBuilder &b, ArrayRef<OpFoldResult> sizes);

/// The element of a signless tensor at a place, or 0 where `isEmpty`, unless it
/// is null, says that there is none.
Value readElement(ImplicitLocOpBuilder &b, Value tensor, ValueRange place,
                  Value isEmpty);

/// The elements of `tensor` along `axis` at `indices`, which are i32 or i64
/// and, from -count on, count from the back. A tensor of size 1 along `axis`,
/// whose size is static where count is not its size, has one element for all
/// indices. An index out of range gives an element of the tensor, whichever; 0
/// where an open size is 0.
Value gather(ImplicitLocOpBuilder &b, Value tensor, Value indices, int64_t axis,
             OpFoldResult count);

/// Asserts that indices which are not constant are in [-count, count).
void assertInRange(const ForeignOp &node, Value indices, OpFoldResult count);

/// `values`, which a gather along `axis` made, with zeros where the index is
/// not in [-count, count).
Value clearOutOfRange(ImplicitLocOpBuilder &b, Value values, Value indices,
                      int64_t axis, int64_t count);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_FOREIGNOPS_GATHER_H
