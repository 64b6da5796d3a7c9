// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of products with short codes in blocks.

#ifndef QDQ_LIB_CODEGEN_DOTS_BLOCKPRODUCT_H
#define QDQ_LIB_CODEGEN_DOTS_BLOCKPRODUCT_H

#include "../Analysis/SumOfProducts.h"
#include "../Vectorize/SubByteCodes.h"
#include "BlockFloats.h"

namespace mlir::qdq {

/// sum += real * (scale * value of a code), in any order, over blocks, if there
/// are any, the bytes of a block, and the slots of a byte, innermost.
class BlockProduct {
public:
  /// Fails if `op` is another sum, or, unless it is part of one that was
  /// planned, one for which vectors of products of bytes do not pay.
  static FailureOr<BlockProduct> get(linalg::GenericOp op, int64_t vectorBits,
                                     bool isPlanned);

  bool hasBlocks() { return first < byte; }
  unsigned getWidth() { return codes.code.getType().getIntOrFloatBitWidth(); }
  int64_t getNumVectors() {
    return (hasBlocks() ? ranges[first] : 1) * ranges[byte] / cut.getSize();
  }
  bool isRow(unsigned loop) { return llvm::is_contained(rows, loop); }

  linalg::GenericOp op;
  arith::AddFOp sum;
  /// The summand: the product with the real.
  arith::MulFOp term;
  OpOperand *real = nullptr, *bytes = nullptr;
  SubByteCodes codes;
  /// The value of a code in units of 2^-exponent: its bits, some of which are
  /// flipped, or its entry in the table, if there is one, and this offset.
  int64_t flip = 0, offset = 0;
  SmallVector<int64_t> table;
  int exponent = 0;
  /// Factor of the codes, in the body; null for 1.
  Value scale;
  SmallVector<int64_t> ranges;
  /// The loop over the bytes of a block.
  unsigned byte;
  /// The first reduction: the loop over blocks, or `byte`.
  unsigned first = 0;
  /// The parallel loops that only the reals have.
  SmallVector<unsigned> rows;
  /// Vectors of bytes, of which a part lies in one block.
  BlockCut cut;

private:
  BlockProduct(linalg::GenericOp op, const SumOfProducts &sum);
  bool isReduction(unsigned loop);
  bool matchLoops();
  bool matchBody();
  bool matchCode(Value real);
  bool matchValues(Value real, Value code);
  bool matchScale();
  bool matchOperands();
  bool pays();
  bool cutVectors(int64_t size);
  bool isPerBlock(AffineMap map);
};

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_DOTS_BLOCKPRODUCT_H
