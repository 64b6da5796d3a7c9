// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tile of a sum of products of bytes: its sizes, loops and instruction.

#ifndef QDQ_LIB_CODEGEN_DOTS_BYTETILE_H
#define QDQ_LIB_CODEGEN_DOTS_BYTETILE_H

#include "../Plan/TileNest.h"
#include "ByteProduct.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::qdq {

// ByteTile.cpp

/// On a contraction of four bytes, or several vectors of four: the sum of the
/// products with the first two bytes fits in i16, and that with the others.
inline constexpr llvm::StringLiteral kFitsI16Attr = "qdq.fits_i16";

/// Adds the products of four unsigned and four signed bytes to each of `sums`,
/// i32: the `vector.contract` that `qdq-codegen-lower-byte-dots` knows. With
/// `fitsI16`, the sum of the first two products fits in i16, and that of the
/// others.
Value addByteProducts(ImplicitLocOpBuilder &b, Value sums, Value unsignedBytes,
                      Value signedBytes, bool fitsI16 = false);

/// Adds the products of two unsigned and two signed bytes to each of `sums`,
/// i16, modulo 2^16: the sum of the two products fits in i16.
Value addPairProducts(ImplicitLocOpBuilder &b, Value sums, Value unsignedBytes,
                      Value signedBytes);

/// Adds two of `halves`, i16, to each of `sums`, i32.
Value addHalves(ImplicitLocOpBuilder &b, Value sums, Value halves);

/// The same for several vectors of unsigned bytes up to `most`, and of signed
/// ones: as few sums in i32 as fit in i16 on the way.
Value addByteProducts(ImplicitLocOpBuilder &b, Value sums,
                      ArrayRef<Value> unsignedBytes,
                      ArrayRef<Value> signedBytes, int64_t most);

/// A tile and its loops while it is built.
struct ByteTile : TileNest {
  ByteTile(ImplicitLocOpBuilder &b, const ByteProduct &product, int64_t lanes);

  /// Vectors of `lanes` columns, of which the last need not be full.
  int64_t getNumVectors() const;
  /// True if all vectors are full.
  bool hasFullVectors() const;
  /// The loops of reductions around that over the factors.
  SmallVector<unsigned> getOuterReductions() const;
  /// Both operands have the same signedness: the rows are moved by 128.
  bool movesRows() const {
    return product.isRowsSigned == product.isColumnsSigned;
  }
  int64_t getNumRows() const {
    return product.row ? *getStaticSize(*product.row) : 1;
  }
  /// Vectors of the i32 sums, and of the bytes that are added to them.
  VectorType getWords() const { return VectorType::get(lanes, b.getI32Type()); }
  VectorType getBytes() const {
    return VectorType::get(4 * lanes, b.getI8Type());
  }

  /// Vectors of the sums of pairs.
  VectorType getHalves() const {
    return VectorType::get(2 * lanes, b.getI16Type());
  }

  SmallVector<Value> createZeros(int64_t count) const {
    return createZeros(count, getWords());
  }
  SmallVector<Value> createZeros(int64_t count, VectorType type) const;

  /// Adds four products to each lane of `sums`, modulo 2^32: of a row and a
  /// column, of which one has unsigned and the other signed bytes. It is a
  /// `vector.contract` that `qdq-codegen-lower-byte-dots` knows. `fitsI16`: see
  /// `addByteProducts`.
  Value addProducts(Value sums, Value row, Value column,
                    bool fitsI16 = false) const;
  /// The same for two products of each of `halves`, see `addPairProducts`.
  Value addPairs(Value halves, Value row, Value column) const;
  /// Adds the columns to their sums.
  SmallVector<Value> addColumns(ValueRange sums, ArrayRef<Value> columns) const;

  /// Builds `body` in a loop over every `count` vectors of columns.
  SmallVector<Value> forEachVectors(int64_t count, ValueRange values,
                                    Body body);
  /// Builds `body` in a loop over every `step` factors, and once more, as the
  /// tail, for what are fewer.
  SmallVector<Value>
  forEachDepth(int64_t step, ValueRange values,
               function_ref<SmallVector<Value>(ValueRange, bool isTail)> body);

  ByteProduct product;
  int64_t lanes;
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
/// `lanes` sums. `width` is a multiple of `lanes`: the columns of tiles that
/// are not the last ones. `inPairs`: see `vectorizeByteTiles`.
void vectorizeByteProducts(IRRewriter &rewriter,
                           ArrayRef<linalg::GenericOp> tiles, int64_t lanes,
                           int64_t width, bool inPairs);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_DOTS_BYTETILE_H
