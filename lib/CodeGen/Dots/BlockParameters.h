// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters of blocks, for the lanes of a vector.

#ifndef QDQ_LIB_CODEGEN_DOTS_BLOCKPARAMETERS_H
#define QDQ_LIB_CODEGEN_DOTS_BLOCKPARAMETERS_H

#include "../Plan/TileNest.h"
#include "BlockProduct.h"

namespace mlir::qdq {

/// The constant operands of a product that have columns, with these innermost.
class ColumnConstants {
public:
  ColumnConstants(TileNest &nest, const BlockProduct &product);

  /// A vector of columns from where the loops are on; null for no constant.
  Value read(OpOperand *operand, int64_t columns) const;

private:
  struct Constant {
    Value elements;
    /// Of `elements`, counted within the slice.
    AffineMap map;
    /// The first column of the slice.
    OpFoldResult offset;
  };

  TileNest &nest;
  DenseMap<OpOperand *, Constant> constants;
};

/// Values of a body that are equal within a block, computed for the blocks of
/// the vector at which the loops of `nest` are, or, with `constants`, for a
/// vector of `columns`.
class BlockParameters {
public:
  BlockParameters(TileNest &nest, const BlockProduct &product,
                  const ColumnConstants *constants = nullptr,
                  int64_t columns = 0)
      : nest(nest), product(product), constants(constants), columns(columns),
        b(nest.b) {}

  /// The value of each lane's block or column.
  Value createLanes(Value value);

private:
  int64_t getNumParts() const { return columns ? columns : product.cut.parts; }
  Value widen(Value scalar);
  Value shuffle(Value source, ArrayRef<int64_t> order);
  Value readColumns(OpOperand *operand);
  Value readOperand(OpOperand *operand);
  Value createIndexOf(unsigned loop);
  Value computeBits(Value value);
  /// A vector with an element for each part, or a scalar for a single part.
  Value computeParts(Value value);

  TileNest &nest;
  const BlockProduct &product;
  const ColumnConstants *constants;
  int64_t columns;
  ImplicitLocOpBuilder &b;
  IRMapping known, bits;
};

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_DOTS_BLOCKPARAMETERS_H
