// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The columns of a tile as vectors: four factors of each lane side by side.

#ifndef QDQ_LIB_CODEGEN_DOTS_BYTECOLUMNS_H
#define QDQ_LIB_CODEGEN_DOTS_BYTECOLUMNS_H

#include "ByteTile.h"

namespace mlir::qdq {

/// Four factors of each column, where the loops of the tile are: a vector of
/// bytes for each vector of lanes. With `isTail`, only the first of them need
/// exist; what stands for the others is of no account where the rows have
/// zeros. So is what stands for columns that do not exist.
SmallVector<Value> readColumns(ByteTile &tile, bool isTail);

/// The same for `4 * lanes` factors of one vector of transposed columns: a
/// vector of bytes for each four. With `isTail`, fewer of them exist, and fours
/// without any are left out where that is known.
SmallVector<Value> readTransposedColumns(ByteTile &tile, bool isTail);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_DOTS_BYTECOLUMNS_H
