// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Answers of unpack and pack to ShardingInterface.

#ifndef QDQ_LIB_IR_PACKINGSHARDING_H
#define QDQ_LIB_IR_PACKINGSHARDING_H

#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "mlir/Dialect/Shard/Interfaces/ShardingInterface.h"
#include "qdq/IR/QDQ.h"

namespace mlir::qdq {

/// The loops that the dimensions of an operand or result follow. There are two
/// for each dimension of the elements, of which the first ones are used.
AffineMap getMap(UnpackOp op, Value value);
AffineMap getMap(PackOp op, Value value);

/// Fails, with an error, where a split of the dimensions of the elements along
/// these axes of the grid does not split the containers into whole ones.
LogicalResult checkSplit(UnpackOp op, shard::GridOp grid,
                         ArrayRef<SmallVector<shard::GridAxis>> axes);
LogicalResult checkSplit(PackOp op, shard::GridOp grid,
                         ArrayRef<SmallVector<shard::GridAxis>> axes);

} // namespace mlir::qdq

#endif // QDQ_LIB_IR_PACKINGSHARDING_H
