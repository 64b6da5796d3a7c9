// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements along axes, joined or selected.

#ifndef QDQ_LIB_CONVERSION_ONNXTOLINALG_JOINS_H
#define QDQ_LIB_CONVERSION_ONNXTOLINALG_JOINS_H

#include "../ForeignOps/ForeignOp.h"
#include "../ForeignOps/Scalar.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::qdq {

// Joins.cpp

enum class Join { Sum, Product, Max, Min };

/// Two elements, signless. Max and Min of a NaN are NaN.
Value emitJoin(ImplicitLocOpBuilder &b, Join join, Value x, Value y,
               bool isUnsigned = false);

/// The element that changes no other one when they are joined.
TypedAttr getIdentity(Builder &b, Join join, Type type,
                      bool isUnsigned = false);

/// A tensor without the dimensions `axes`, whose elements are joined.
Value joinOver(ImplicitLocOpBuilder &b, Value tensor, ArrayRef<int64_t> axes,
               Join join, bool isUnsigned = false);

// Reductions.cpp

/// Replaces a node by `x`, joined over `axes`, or with `isNoop` as it is; its
/// unit dimensions go unless `keepsDims`. The name of the node tells what is
/// done before and behind that. `p` is that of a norm, or 0.
LogicalResult replaceByJoined(const ForeignOp &node, Join join,
                              const ForeignTensor &x, ArrayRef<int64_t> axes,
                              bool keepsDims, bool isNoop = false,
                              int64_t p = 0);

// Selections.cpp

/// The index along `axis`, of the integer type `index`, of the last element
/// that is better than the best one before it, starting from the first one: a
/// NaN there stays. 0 where there are no elements. The result lacks the axis.
Value findBest(ImplicitLocOpBuilder &b, Value tensor, int64_t axis, Type index,
               function_ref<Value(Scalar element, Scalar best)> isBetter);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_ONNXTOLINALG_JOINS_H
