// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums whose neighbors come from neighbors in their operands.

#ifndef QDQ_LIB_CODEGEN_SUMS_RESULTLANES_H
#define QDQ_LIB_CODEGEN_SUMS_RESULTLANES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::qdq {

// ResultLanes.cpp

/// A sum whose neighboring results come from neighbors in the operands.
struct ResultLanes {
  linalg::GenericOp op;
  /// The loop over the lanes: innermost in the result.
  unsigned lane;
  /// The loop whose results share what they read, if there is another one.
  std::optional<unsigned> row;
  /// How far the elements of two neighboring lanes are apart, for each input: 0
  /// where all lanes read one element, else 1 or 2.
  SmallVector<int64_t> strides;

  static std::optional<ResultLanes> get(linalg::GenericOp op);
};

// ResultLaneTile.cpp

/// Builds the sums of a tile, whose parallel loops have static sizes, in
/// registers of `vectorBits`. Returns the result of the tile.
Value createResultLaneTile(ImplicitLocOpBuilder &b, const ResultLanes &sum,
                           int64_t vectorBits);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_SUMS_RESULTLANES_H
