// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of products with codes in blocks.

#ifndef QDQ_LIB_CODEGEN_DOTS_BLOCKPRODUCT_H
#define QDQ_LIB_CODEGEN_DOTS_BLOCKPRODUCT_H

#include "../Analysis/SumOfProducts.h"
#include "BlockFloats.h"
#include "mlir/IR/TypeUtilities.h"

namespace mlir::qdq {

/// sum += real * (scale * (value of a code - zero point) + bias), in any order,
/// over blocks, in any number of loops, the bytes of a block, and, innermost,
/// the fields of a byte, if it has several. The real is a float, or a signed
/// code of 8 bits by a scale that is equal within each block.
class BlockProduct {
public:
  /// Magnitudes that a lane adds up for floats: with 23 bits of another factor
  /// each, their sums have room in i32.
  static constexpr int64_t kMostMagnitudes = 255;

  /// Fails if `op` is another sum, or, unless it is part of one that was
  /// planned, one for which vectors of products of bytes do not pay.
  static FailureOr<BlockProduct> get(linalg::GenericOp op, int64_t vectorBits,
                                     bool isPlanned);

  int64_t getNumFields() const { return amounts.size(); }
  /// The loops over the bytes of a block and their fields.
  unsigned getNumInner() const { return ranges.size() - byte; }
  int64_t getNumVectors() {
    return llvm::product_of(ArrayRef(ranges).slice(first, byte + 1 - first)) /
           cut.getSize();
  }
  int64_t getNumLanes() const {
    return cut.getSize() / BlockFloats::kLaneBytes;
  }
  bool isRow(unsigned loop) const { return llvm::is_contained(rows, loop); }
  bool isBlock(unsigned loop) const { return first <= loop && loop < byte; }
  /// How many iterations of a loop the parts of a vector take, and which one
  /// of them a part.
  int64_t getPartCount(unsigned loop) const {
    return isBlock(loop) ? partCounts[loop - first] : 1;
  }
  int64_t getPartIndex(unsigned loop, int64_t part) const;
  /// The reals, in vectors of `by`.
  BlockFloats createFloats(ImplicitLocOpBuilder &b, BlockCut by) const;
  /// The reals are codes.
  bool multipliesCodes() const {
    return getElementTypeOrSelf(real->get()).isInteger(8);
  }

  linalg::GenericOp op;
  arith::AddFOp sum;
  /// The summand: the product with the real.
  arith::MulFOp term;
  /// The reals, or their codes.
  OpOperand *real = nullptr, *bytes = nullptr;
  /// The scale of the reals' codes, in the body, or null.
  Value realScale;
  /// The bits of a code.
  unsigned width = 0;
  /// The lowest bit of each field in its byte.
  SmallVector<int64_t> amounts;
  /// The value of a code in units of 2^-exponent: its bits, some of which are
  /// flipped, or its entry in the table, if there is one, and this offset.
  int64_t flip = 0, offset = 0;
  /// From the least value to the largest.
  int64_t range = 0;
  SmallVector<int64_t> table;
  int exponent = 0;
  /// Parameters of a block, in the body, or null: the factor of the values, the
  /// integer that is subtracted from them before, and the float that is added
  /// behind.
  Value scale, zeroPoint, bias;
  SmallVector<int64_t> ranges;
  /// The loop over the bytes of a block, outside of that over the fields, if
  /// there is one.
  unsigned byte = 0;
  /// The first reduction: the outermost loop over blocks, or `byte`.
  unsigned first = 0;
  /// The parallel loops that only the reals have.
  SmallVector<unsigned> rows;
  /// The innermost parallel loop that only the codes have.
  std::optional<unsigned> column;
  /// Vectors of bytes, of which a part lies in one block.
  BlockCut cut;
  /// See `getPartCount`: for each loop over blocks.
  SmallVector<int64_t> partCounts;

private:
  BlockProduct(linalg::GenericOp op, const SumOfProducts &sum);
  bool isReduction(unsigned loop);
  bool matchLoops();
  bool matchReal(Value v);
  bool matchBody();
  bool matchWeight(Value v);
  bool matchScaled(Value v);
  bool matchDifference(Value v);
  Value matchFields(BlockArgument byte);
  bool matchCode(Value v);
  bool matchValues(Value v, Value code);
  bool fitsLanes() const;
  bool matchParameters();
  bool matchOperands();
  bool pays();
  bool cutVectors(int64_t size);
  bool isPerBlock(AffineMap map, bool hasRows) const;
  bool isPerBlock(Value parameter, bool hasRows) const;
};

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_DOTS_BLOCKPRODUCT_H
