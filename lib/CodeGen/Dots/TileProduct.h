// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A sum of products of bytes in tiles of 16 columns, for AMX.

#ifndef QDQ_LIB_CODEGEN_DOTS_TILEPRODUCT_H
#define QDQ_LIB_CODEGEN_DOTS_TILEPRODUCT_H

#include "BytePanel.h"
#include "ByteTile.h"

namespace mlir::qdq {

/// A `linalg.generic` on buffers that adds `ext(rows) * ext(columns)` to an
/// i32, where the columns are a panel `[..., fours, vectors, 16, 4]`.
struct TileProduct {
  /// Two by two tiles of sums, and two of each factor, have registers.
  static constexpr int64_t kMostRows = 32, kMostVectors = 2;

  /// The most of `rows`, 16 or more, for each of which but the last 16 or more
  /// are left. 0 if there are none.
  static int64_t getRows(int64_t rows);

  linalg::GenericOp op;
  bool isRowsSigned, isColumnsSigned;
  /// The loop over rows, and those of the panel.
  unsigned row, four, vector, column, byte;

  static std::optional<TileProduct> get(linalg::GenericOp op);

  OpOperand &getRows() { return *op.getDpsInputOperand(0); }
  OpOperand &getPanel() { return *op.getDpsInputOperand(1); }
  OpOperand &getSums() { return op.getDpsInitsMutable()[0]; }
};

/// The instructions for a product: tiles only of 16 rows or more, whole vectors
/// of 16 columns, and factors by 64.
ByteDots chooseDots(const ByteProduct &product,
                    const VectorizationOptions &options);

/// Replaces the op of `tile`, which fits tiles, by a `TileProduct`.
Value buildTileProduct(ByteTile &tile, const BytePanel &panel);

/// Replaces it, on buffers, by loops of instructions.
void lowerTileProduct(RewriterBase &rewriter, TileProduct product);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_DOTS_TILEPRODUCT_H
