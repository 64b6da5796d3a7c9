// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of a body with codes in blocks, for a vector.

#ifndef QDQ_LIB_CODEGEN_DOTS_BLOCKBODY_H
#define QDQ_LIB_CODEGEN_DOTS_BLOCKBODY_H

#include "../Plan/TileNest.h"
#include "BlockProduct.h"
#include "qdq/IR/QDQ.h"

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

/// Values of a body, computed where the loops of `nest` are: for the iterations
/// of a box or, with `constants`, for a vector of `columns`.
class BlockBody {
public:
  BlockBody(TileNest &nest, const BlockProduct &product, const LoopBox &box)
      : nest(nest), product(product), box(box), b(nest.b) {}
  BlockBody(TileNest &nest, const BlockProduct &product,
            const ColumnConstants &constants, int64_t columns)
      : nest(nest), product(product), box({*product.column, {columns}}),
        constants(&constants), b(nest.b) {}

  /// A vector with an element for each iteration or column, or a scalar for a
  /// single one.
  Value compute(Value value);
  /// The codes that the body computes, as bytes, zeros above them. Before
  /// anything else.
  Value computeCodes();

private:
  int64_t getNumParts() const { return box.getSize(); }
  Value widen(Value scalar);
  Value shuffle(Value source, ArrayRef<int64_t> order);
  int64_t getPlace(ArrayRef<unsigned> loops, int64_t part) const;
  Value readColumns(OpOperand *operand);
  Value readElements(OpOperand *operand, SmallVectorImpl<unsigned> &loops);
  Value readOperand(OpOperand *operand);
  Value createIndexOf(unsigned loop);
  Value computeBits(Value value);
  std::optional<SmallVector<int64_t>> getAmounts(ExtractFieldOp op);
  Value createBits(ExtractFieldOp op, ArrayRef<int64_t> amounts);
  bool isJoined(ExtractFieldOp op);
  Value createWords(ExtractFieldOp op);
  Value createFields(ExtractFieldOp op);

  TileNest &nest;
  const BlockProduct &product;
  LoopBox box;
  /// Of columns, else null.
  const ColumnConstants *constants = nullptr;
  /// Values below a byte are bytes.
  bool isOfCodes = false;
  ImplicitLocOpBuilder &b;
  IRMapping known, bits;
};

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_DOTS_BLOCKBODY_H
