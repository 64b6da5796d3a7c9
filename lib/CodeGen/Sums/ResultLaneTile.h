// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One tile of sums in vectors, a lane for each of their results.

#ifndef QDQ_LIB_CODEGEN_SUMS_RESULTLANETILE_H
#define QDQ_LIB_CODEGEN_SUMS_RESULTLANETILE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::qdq {

/// A sum whose neighboring results come from neighbors in the operands.
struct ResultLanes {
  linalg::GenericOp op;
  /// The loop over the lanes: innermost in the result.
  unsigned lane;
  /// The loop around it in the result, if there is one.
  std::optional<unsigned> row;
  /// How far the elements of two neighboring lanes are apart, for each input: 0
  /// where all lanes read one element, else 1 or 2.
  SmallVector<int64_t> strides;

  static std::optional<ResultLanes> get(linalg::GenericOp op);
};

/// Builds the sums of a tile, whose parallel loops have static sizes, in
/// registers of `vectorBits`. Returns the result of the tile.
Value createResultLaneTile(ImplicitLocOpBuilder &b, const ResultLanes &sum,
                           int64_t vectorBits);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_SUMS_RESULTLANETILE_H
