// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over containers that put codes together.

#ifndef QDQ_LIB_CONVERSION_QDQTOLINALG_PACKINGLOOPS_H
#define QDQ_LIB_CONVERSION_QDQTOLINALG_PACKINGLOOPS_H

#include "SlotDigits.h"

namespace mlir::qdq {

/// Builds the body's code of one element from the operands at its place.
using EmitCode = function_ref<Value(ImplicitLocOpBuilder &, ValueRange)>;

/// One elementwise generic over the containers of a value of these sizes, whose
/// loops are `space`. An operand that differs between the slots of a container
/// is passed once for each slot, as a strided slice; maps must be projected
/// permutations. The value fills whole units of the layout.
Value emitPackingLoops(ImplicitLocOpBuilder &b, const SlotDigits &digits,
                       const IterationSpace &space,
                       ArrayRef<MappedParameter> operands,
                       ArrayRef<OpFoldResult> sizes, EmitCode emitCode);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_QDQTOLINALG_PACKINGLOOPS_H
