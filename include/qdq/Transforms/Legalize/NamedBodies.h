// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bodies of named linalg ops, which are what the name says.

#ifndef QDQ_TRANSFORMS_LEGALIZE_NAMEDBODIES_H
#define QDQ_TRANSFORMS_LEGALIZE_NAMEDBODIES_H

#include "mlir/IR/Operation.h"

namespace mlir::qdq {

/// True in the body of a named linalg op such as `linalg.matmul`, whose
/// verifier refuses other ops.
bool isInNamedBody(Operation *op);

/// Makes a `linalg.generic` of each named linalg op under `root` whose body has
/// an op that `isChanged` holds for.
void generalizeNamedBodies(Operation *root,
                           llvm::function_ref<bool(Operation *)> isChanged);

} // namespace mlir::qdq

#endif // QDQ_TRANSFORMS_LEGALIZE_NAMEDBODIES_H
