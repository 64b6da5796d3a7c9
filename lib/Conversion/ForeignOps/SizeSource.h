// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where open sizes come from, so that equal ones are known to be equal.

#ifndef QDQ_LIB_CONVERSION_FOREIGNOPS_SIZESOURCE_H
#define QDQ_LIB_CONVERSION_FOREIGNOPS_SIZESOURCE_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::qdq {

/// The origin of an open size: a dimension of a tensor, or a number, which has
/// no dimension.
struct SizeSource {
  Value value;
  int64_t dim;

  bool operator==(const SizeSource &other) const {
    return value == other.value && dim == other.dim;
  }
  bool operator!=(const SizeSource &other) const { return !(*this == other); }
};

/// Follows the ops that keep a size, or that are told one. Dimensions of
/// arguments with one name, which `onnx.dim_params` says, have one source.
SizeSource findSizeSource(Value tensor, int64_t dim);

/// The same of a size that is a value.
SizeSource findSizeSource(Value size);

/// True for constants of one value, and for values of one source.
bool isSameSize(OpFoldResult lhs, OpFoldResult rhs);

/// True for sizes that broadcast together only where they are the same: `n`
/// beside `n`, or beside the smaller of `n` and a number above 1.
bool areSameIfBroadcast(const SizeSource &lhs, const SizeSource &rhs);

/// The size of a dimension, from the tensor or number that it comes from.
OpFoldResult getSourceSize(ImplicitLocOpBuilder &b, Value tensor, int64_t dim);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_FOREIGNOPS_SIZESOURCE_H
