// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ways to join two elements, of which reductions, pools and scatters are made.

#ifndef QDQ_LIB_CONVERSION_ONNXTOLINALG_JOINS_H
#define QDQ_LIB_CONVERSION_ONNXTOLINALG_JOINS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::qdq {

enum class Join { Sum, Product, Max, Min };

/// Two elements, signless. Max and Min of a NaN are NaN.
Value emitJoin(ImplicitLocOpBuilder &b, Join join, Value x, Value y,
               bool isUnsigned = false);

/// What joins to another element without a change.
TypedAttr getIdentity(Builder &b, Join join, Type type,
                      bool isUnsigned = false);

/// A tensor without the dimensions `axes`, whose elements are joined.
Value joinOver(ImplicitLocOpBuilder &b, Value tensor, ArrayRef<int64_t> axes,
               Join join, bool isUnsigned = false);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_ONNXTOLINALG_JOINS_H
