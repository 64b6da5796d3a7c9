// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One tile of sums in vectors, a lane for each of their results.

#ifndef QDQ_LIB_CODEGEN_SUMS_RESULTLANETILE_H
#define QDQ_LIB_CODEGEN_SUMS_RESULTLANETILE_H

#include "ResultLanes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::qdq {

/// Builds the sums of a tile, whose parallel loops have static sizes, in
/// registers of `vectorBits`. Returns the result of the tile.
Value createResultLaneTile(ImplicitLocOpBuilder &b, const ResultLanes &sum,
                           int64_t vectorBits);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_SUMS_RESULTLANETILE_H
