// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A sum of products of bytes in tiles of 16 columns, for AMX.

#ifndef QDQ_LIB_CODEGEN_DOTS_TILEPRODUCT_H
#define QDQ_LIB_CODEGEN_DOTS_TILEPRODUCT_H

#include "BytePanel.h"
#include "ByteTile.h"

namespace mlir::qdq {

/// A `linalg.generic` that adds `ext(rows) * ext(columns)` to an i32, where the
/// columns are a panel `[..., fours, vectors, 16, 4]`.
struct TileProduct {
  linalg::GenericOp op;
  bool isRowsSigned, isColumnsSigned;
  /// The loop over rows, and those of the panel.
  unsigned row, four, vector, column, byte;

  static std::optional<TileProduct> get(linalg::GenericOp op);

  OpOperand &getRows() { return *op.getDpsInputOperand(0); }
  OpOperand &getPanel() { return *op.getDpsInputOperand(1); }
  OpOperand &getSums() { return op.getDpsInitsMutable()[0]; }
};

/// True if `product` has whole tiles: 16 rows or more, 16 columns, 64 factors.
bool fitsTiles(const ByteProduct &product);

/// Replaces the op of `tile`, which fits tiles, by a `TileProduct`.
Value buildTileProduct(ByteTile &tile, const BytePanel &panel);

/// Replaces it, on buffers, by loops of instructions.
void lowerTileProduct(RewriterBase &rewriter, TileProduct product);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_DOTS_TILEPRODUCT_H
