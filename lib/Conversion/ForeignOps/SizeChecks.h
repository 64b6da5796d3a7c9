// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// runtime-checks: assertions that open sizes fit together. Without the option
// they emit nothing. Sizes that are known to agree need no assertion.

#ifndef QDQ_LIB_CONVERSION_FOREIGNOPS_SIZECHECKS_H
#define QDQ_LIB_CONVERSION_FOREIGNOPS_SIZECHECKS_H

#include "ForeignOp.h"
#include "Window.h"

namespace mlir::qdq {

/// A dimension of a tensor, and the name of the tensor in the message.
struct NamedDim {
  Value tensor;
  int64_t dim;
  StringRef name;
};

/// Asserts that a dimension has `size` elements.
void assertSize(const ForeignOp &node, const NamedDim &own, int64_t size);

/// Asserts that a dimension has `size` elements or more.
void assertAtLeast(const ForeignOp &node, const NamedDim &own, int64_t size);

/// Asserts that a value of the op's has the static sizes of a result type.
void assertShape(const ForeignOp &node, Value value, TensorType type);

/// Asserts that the size of `lhs` is `factor` times that of `rhs`.
void assertSameSize(const ForeignOp &node, const NamedDim &lhs,
                    const NamedDim &rhs, int64_t factor = 1);

/// Asserts that tensors of one rank have one shape but for dimension `axis`.
void assertSameShapes(const ForeignOp &node, ValueRange tensors, int64_t axis);

/// Asserts that tensors broadcast together as NumPy's, up to their last
/// `numOwn` dimensions.
void assertBroadcast(const ForeignOp &node, ValueRange tensors,
                     int64_t numOwn = 0);

/// Asserts that each dimension of `tensor` is 1 or that of `target`.
void assertBroadcastTo(const ForeignOp &node, Value tensor, StringRef name,
                       Value target);

/// Asserts that two shapes have one number of elements.
void assertSameCount(const ForeignOp &node, ArrayRef<OpFoldResult> from,
                     ArrayRef<OpFoldResult> to);

/// Asserts that a window fits into each spatial dimension of its input, of
/// which `first` is the first one.
void assertWindowFits(const ForeignOp &node, const Window &window, Value input,
                      int64_t first);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_FOREIGNOPS_SIZECHECKS_H
