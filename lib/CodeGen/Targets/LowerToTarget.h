// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rewrites of qdq-codegen-lower-to-target, a file each.

#ifndef QDQ_LIB_CODEGEN_TARGETS_LOWERTOTARGET_H
#define QDQ_LIB_CODEGEN_TARGETS_LOWERTOTARGET_H

#include "mlir/IR/Operation.h"

namespace mlir::qdq {

/// Rewrites all ops in `root` that it is for.
using TargetRewrite = LogicalResult(Operation *root);

TargetRewrite lowerIntegerCasts, lowerRoundedCasts, lowerFma, lowerF32Fma,
    emulateBF16, emulateF16, lowerArith, packSaturated, permuteLookups,
    shuffleByteTables, lowerLookups, fuseRoundings, lowerFunctions;

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_TARGETS_LOWERTOTARGET_H
