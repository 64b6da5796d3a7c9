// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The columns of a tile as vectors: four factors of each lane side by side.

#ifndef QDQ_LIB_TRANSFORMS_BYTEDOTS_BYTECOLUMNS_H
#define QDQ_LIB_TRANSFORMS_BYTEDOTS_BYTECOLUMNS_H

#include "ByteTile.h"

namespace mlir::qdq {

/// Four factors of each column, where the loops of the tile are: a vector of
/// bytes for each vector of lanes. With `isTail`, only the first of them need
/// exist; what stands for the others is of no account where the rows have
/// zeros. So is what stands for columns that do not exist.
SmallVector<Value> readColumns(ByteTile &tile, bool isTail);

/// The same for `4 * lanes` factors of transposed columns, all of which exist:
/// the vectors of each four, one four after another.
SmallVector<SmallVector<Value>> readTransposedColumns(ByteTile &tile);

} // namespace mlir::qdq

#endif // QDQ_LIB_TRANSFORMS_BYTEDOTS_BYTECOLUMNS_H
