// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tile of a sum of products of bytes: its sizes and loops.

#ifndef QDQ_LIB_CODEGEN_DOTS_BYTETILE_H
#define QDQ_LIB_CODEGEN_DOTS_BYTETILE_H

#include "../Plan/TileNest.h"
#include "ByteProduct.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "qdq/CodeGen/Vectorize.h"

namespace mlir::qdq {

// ByteTile.cpp

/// A tile and its loops while it is built.
struct ByteTile : TileNest {
  ByteTile(ImplicitLocOpBuilder &b, const ByteProduct &product, int64_t lanes,
           ByteDots dots);

  /// Vectors of `lanes` columns, of which the last need not be full.
  int64_t getNumVectors() const;
  /// True if all vectors are full.
  bool hasFullVectors() const;
  /// The loops of reductions around that over the factors.
  SmallVector<unsigned> getOuterReductions() const;
  bool movesRows() const { return product.movesRows(dots); }
  int64_t getNumRows() const {
    return product.row ? *getStaticSize(*product.row) : 1;
  }
  /// Vectors of the i32 sums, and of the bytes that are added to them.
  VectorType getWords() const { return VectorType::get(lanes, b.getI32Type()); }
  VectorType getBytes() const {
    return VectorType::get(4 * lanes, b.getI8Type());
  }

  /// Sums of nothing, of `type` or else of words.
  SmallVector<Value> createZeros(int64_t count, VectorType type = {}) const;

  /// Adds the products of a row, moved if rows are, and of a column to each of
  /// `sums`: see `addByteProducts`.
  Value addProducts(Value sums, Value row, Value column,
                    bool fitsI16 = false) const;
  /// Adds the columns to their sums.
  SmallVector<Value> addColumns(ValueRange sums, ArrayRef<Value> columns) const;

  /// Builds `body` in a loop over every `step` factors, and once more, as the
  /// tail, for what are fewer.
  SmallVector<Value>
  forEachDepth(int64_t step, ValueRange values,
               function_ref<SmallVector<Value>(ValueRange, bool isTail)> body);

  ByteProduct product;
  int64_t lanes;
  ByteDots dots;
};

// ByteColumns.cpp

/// Four factors of each column, where the loops of the tile are: a vector of
/// bytes for each vector of lanes. With `isTail`, only the first of them need
/// exist; what stands for the others is of no account where the rows have
/// zeros. So is what stands for columns that do not exist.
SmallVector<Value> readColumns(ByteTile &tile, bool isTail);

/// The same for `4 * lanes` factors of one vector of transposed columns: a
/// vector of bytes for each four. With `isTail`, fewer of them exist, and fours
/// without any are left out where that is known.
SmallVector<Value> readTransposedColumns(ByteTile &tile, bool isTail);

// ByteKernel.cpp

/// Replaces tiles that read the same columns, with static rows, by vectors of
/// sums. `width`: the columns of tiles that are not the last ones, in whole
/// vectors.
void vectorizeByteProducts(IRRewriter &rewriter,
                           ArrayRef<linalg::GenericOp> tiles, int64_t width,
                           const VectorizationOptions &options);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_DOTS_BYTETILE_H
