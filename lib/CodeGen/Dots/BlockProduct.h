// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of products with codes in blocks.

#ifndef QDQ_LIB_CODEGEN_DOTS_BLOCKPRODUCT_H
#define QDQ_LIB_CODEGEN_DOTS_BLOCKPRODUCT_H

#include "../Analysis/SumOfProducts.h"
#include "BlockFloats.h"
#include "mlir/IR/TypeUtilities.h"

namespace mlir::qdq {

/// Iterations of neighboring loops.
struct LoopBox {
  /// The first loop, and how many iterations of it and the next ones there are.
  unsigned first = 0;
  SmallVector<int64_t> counts;

  int64_t getSize() const { return llvm::product_of(counts); }
  int64_t getCount(unsigned loop) const {
    return first <= loop && loop < first + counts.size() ? counts[loop - first]
                                                         : 1;
  }
  /// The iteration of a loop in iteration `number` of the box.
  int64_t getIteration(unsigned loop, int64_t number) const {
    for (unsigned inner = first + counts.size() - 1; inner > loop; --inner)
      number /= getCount(inner);
    return number % getCount(loop);
  }
};

/// sum += real * (scale * (value of a code - zero point) + bias), in any order,
/// over blocks and the codes of a block, each in any number of loops. Codes are
/// the bytes of an operand, or, innermost, the fields of a byte, or what the
/// body computes of several operands. The real is a float, or a signed code of
/// 8 bits by a scale that is equal within each block.
class BlockProduct {
public:
  /// Magnitudes that a lane adds up for floats: with 23 bits of another factor
  /// each, their sums have room in i32.
  static constexpr int64_t kMostMagnitudes = 255;
  /// As many rows of floats, at most, share codes: with more, sums of floats
  /// are faster.
  static constexpr int64_t kMostRows = 2;

  /// Fails if `op` is another sum, or, unless it is part of one that was
  /// planned, one for which vectors of products of bytes do not pay.
  static FailureOr<BlockProduct> get(linalg::GenericOp op, int64_t vectorBits,
                                     bool isPlanned);

  int64_t getNumFields() const { return amounts.size(); }
  /// The loops within a block.
  unsigned getNumInner() const { return ranges.size() - byte; }
  /// Behind the loops over the bytes of blocks: that over fields, or none.
  unsigned getEnd() const { return ranges.size() - hasFields; }
  int64_t getNumVectors() const {
    return llvm::product_of(ArrayRef(ranges).slice(first, getEnd() - first)) /
           cut.getSize();
  }
  /// The vectors of a group.
  int64_t getGroupSize() const { return group.getSize() / cut.parts; }
  int64_t getNumLanes() const {
    return cut.getSize() / BlockFloats::kLaneBytes;
  }
  bool isRow(unsigned loop) const { return llvm::is_contained(rows, loop); }
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
  OpOperand *real = nullptr;
  /// The bytes of the codes; null where `code`, of the body, computes them.
  OpOperand *bytes = nullptr;
  Value code;
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
  /// The first loop within a block.
  unsigned byte = 0;
  /// The innermost loop counts fields of bytes.
  bool hasFields = false;
  /// The first reduction: the outermost loop over blocks, or `byte`.
  unsigned first = 0;
  /// The parallel loops that only the reals have.
  SmallVector<unsigned> rows;
  /// The innermost of them that has more iterations than one.
  std::optional<unsigned> row;
  /// The innermost parallel loop that only the codes have.
  std::optional<unsigned> column;
  /// Vectors of bytes, of which a part lies in one block.
  BlockCut cut;
  /// The iterations of a vector, of the loops before `getEnd`.
  LoopBox vector;
  /// The blocks of a group of vectors, of the loops over blocks.
  LoopBox group;

private:
  BlockProduct(linalg::GenericOp op, const SumOfProducts &sum,
               bool computesCodes);
  bool match();
  bool matchLoops();
  bool matchReal(Value v);
  bool matchBody();
  bool matchWeight(Value v);
  bool matchScaled(Value v);
  bool matchDifference(Value v);
  Value matchFields(BlockArgument byte);
  bool matchBytes(Value v);
  bool matchComputed(Value code);
  bool matchCode(Value v);
  bool matchValues(Value v, Value code);
  bool fitsLanes() const;
  bool matchParameters();
  bool matchOperands();
  bool pays();
  bool cutVectors(int64_t size);
  bool sharesParameters(unsigned loop) const;
  void groupVectors();
  bool isWithin(AffineMap map, unsigned end, bool hasRows) const;
  bool isWithin(Value v, unsigned end, bool hasRows) const;

  bool computesCodes = false;
  /// The operands that have the codes.
  SmallVector<OpOperand *> codeOperands;
};

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_DOTS_BLOCKPRODUCT_H
