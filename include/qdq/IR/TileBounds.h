// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Known facts about the offset and the size of a tile.

#ifndef QDQ_IR_TILEBOUNDS_H
#define QDQ_IR_TILEBOUNDS_H

#include "mlir/Interfaces/ValueBoundsOpInterface.h"

namespace mlir::qdq {

using Bound = ValueBoundsConstraintSet::Variable;

/// The largest number known to divide `offset`; 0 for the offset 0, which
/// everything divides.
int64_t getKnownDivisor(OpFoldResult offset);

/// True if the two are known to be equal.
bool areEqual(const Bound &lhs, const Bound &rhs);

/// True if a tile of this size is known to have at most `bound` elements.
bool isAtMost(OpFoldResult size, int64_t bound);

/// True if the tile [offset, offset + size) of a dimension of the size `whole`
/// is known to hold whole groups of `length`: its size is a multiple, or it
/// ends with the dimension.
bool holdsWholeGroups(OpFoldResult offset, OpFoldResult size,
                      const Bound &whole, int64_t length);

} // namespace mlir::qdq

#endif // QDQ_IR_TILEBOUNDS_H
