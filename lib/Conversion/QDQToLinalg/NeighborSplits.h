// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the neighbors of a value split its dimensions, so that both sides get
// the same loops and upstream's patterns can fuse them.

#ifndef QDQ_LIB_CONVERSION_QDQTOLINALG_NEIGHBORSPLITS_H
#define QDQ_LIB_CONVERSION_QDQTOLINALG_NEIGHBORSPLITS_H

#include "IterationSpace.h"

namespace mlir::qdq {

/// The lengths at which the op that makes `value` splits each dimension: the
/// blocks of a `qdq.quantize`, the slots of a `qdq.unpack`, or the
/// `tensor.collapse_shape` that a lowered one ends with. Empty lists where it
/// splits nothing. Nothing is changed.
IterationSpace::Splits getProducerSplits(Value value);

/// The slots of the `qdq.unpack` that makes `value`, else no lists.
IterationSpace::Splits getUnpackSplits(Value value);

/// The same for the ops that read `value`: the blocks of a `qdq.dequantize`,
/// the slots of a `qdq.pack`, or the `tensor.expand_shape` of a lowered one.
IterationSpace::Splits getConsumerSplits(Value value);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_QDQTOLINALG_NEIGHBORSPLITS_H
