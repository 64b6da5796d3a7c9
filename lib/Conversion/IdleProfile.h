// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A profile that is given to a pass, and that changes nothing there.

#ifndef QDQ_LIB_CONVERSION_IDLEPROFILE_H
#define QDQ_LIB_CONVERSION_IDLEPROFILE_H

#include "mlir/IR/Operation.h"
#include "qdq/Numerics/Semantics.h"

namespace mlir::qdq {

/// Warns, at the first of them, of the ops among those of `isLowered` that fix
/// every field of their semantics, and one otherwise than `options.profile`
/// would. What sources stamped with this very profile agrees with it.
void warnOfIdleProfile(Operation *root, const SemanticsOptions &options,
                       function_ref<bool(Operation *)> isLowered);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_IDLEPROFILE_H
