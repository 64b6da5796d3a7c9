// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of products of bytes, as linalg.generic ops have them.

#ifndef QDQ_LIB_CODEGEN_DOTS_BYTEPRODUCT_H
#define QDQ_LIB_CODEGEN_DOTS_BYTEPRODUCT_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "qdq/CodeGen/ByteDots.h"

namespace mlir::qdq {

/// A `linalg.generic` that adds `ext(rows) * ext(columns)` to an i32, both of
/// them i8: a matrix product or a convolution, in any layout in which four
/// factors of a row lie together.
struct ByteProduct {
  /// Each row is read by all lanes at once; each lane is a column.
  OpOperand *rows, *columns;
  bool isRowsSigned, isColumnsSigned;
  /// The loop over the factors of a product: innermost in `rows`, alone or
  /// added to others.
  unsigned depth;
  /// The loop over the columns: innermost in the result.
  unsigned column;
  /// The innermost loop that counts rows, if there is one; of several, one of
  /// more than a row, if there is one.
  std::optional<unsigned> row;
  /// The factors of a column lie together, not those of a depth.
  bool isTransposed;

  /// True for such a sum in any layout.
  static bool multipliesBytes(linalg::GenericOp op);
  /// Whether the first and the second operand of such a sum, which may be on
  /// buffers, are signed.
  static std::optional<std::pair<bool, bool>> getSigns(linalg::GenericOp op);
  /// The loops of a sum whose layout fits. Windows of fours may overlap in a
  /// line of the rows if `acceptsWindows`.
  static std::optional<ByteProduct> get(linalg::GenericOp op,
                                        bool acceptsWindows = true);

  /// True if both read the same columns in the same way, so that what is laid
  /// out for one of them is for the other.
  bool sharesColumns(const ByteProduct &other) const;

  /// True if the instructions multiply no such bytes: the rows are moved by
  /// 128, and have the other signedness.
  bool movesRows(ByteDots dots) const {
    return isRowsSigned == isColumnsSigned ? !multipliesSameSigns(dots)
                                           : !multipliesMixedSigns(dots);
  }

  linalg::GenericOp getOp() const {
    return cast<linalg::GenericOp>(rows->getOwner());
  }
  AffineMap getRowsMap() const { return getOp().getMatchingIndexingMap(rows); }
  AffineMap getColumnsMap() const {
    return getOp().getMatchingIndexingMap(columns);
  }
  AffineMap getResultMap() const {
    linalg::GenericOp op = getOp();
    return op.getMatchingIndexingMap(&op.getDpsInitsMutable()[0]);
  }
};

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_DOTS_BYTEPRODUCT_H
