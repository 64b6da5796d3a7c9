// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The body of a tile, computed for all its lanes at once.

#ifndef QDQ_LIB_TRANSFORMS_VECTORIZE_LANEBODY_H
#define QDQ_LIB_TRANSFORMS_VECTORIZE_LANEBODY_H

#include "LaneLoops.h"

namespace mlir::qdq {

/// True if `vectorizeLanes` can compute the body of `op`: elementwise ops of
/// arith and math, of which those on integers below a byte wrap or widen.
bool isLaneBody(linalg::GenericOp op);

/// Replaces a tile, whose loops outside `loops` have one iteration, by vector
/// ops. The slots of a reduction are or-ed into `start`, if given, else into
/// what its destination holds. What depends on a code of at most 4 bits alone
/// is looked up in a table, where one vector holds that.
void vectorizeLanes(RewriterBase &rewriter, linalg::GenericOp tile,
                    const LaneLoops &loops, TypedAttr start,
                    int64_t vectorBits);

} // namespace mlir::qdq

#endif // QDQ_LIB_TRANSFORMS_VECTORIZE_LANEBODY_H
