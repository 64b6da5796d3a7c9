// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A float contraction of dequantized operands, as integers.

#ifndef QDQ_LIB_TRANSFORMS_CONTRACTIONS_INTEGERCONTRACTION_H
#define QDQ_LIB_TRANSFORMS_CONTRACTIONS_INTEGERCONTRACTION_H

#include "ContractionOperand.h"
#include "ScaleProduct.h"

namespace mlir::qdq {

/// Builds the part of a parameter in one of its blocks.
LoopParameter takeBlock(ImplicitLocOpBuilder &b, LoopParameter parameter,
                        OpFoldResult block);

/// A block of the sums.
struct BlockTerm {
  /// Integers.
  Value sums;
  /// The scales of the operands there.
  LoopParameter lhsScale, rhsScale;
  /// Its number.
  OpFoldResult block;
};

/// The contraction of codes that replaces a contraction.
class IntegerContraction {
public:
  /// Fails, with a reason, where it stays one of floats.
  static FailureOr<IntegerContraction> get(FloatContraction contraction,
                                           std::string &reason);

  FloatContraction contraction;
  ContractionOperand lhs, rhs;
  /// The reduced loop that is divided in blocks, and its extent; the last block
  /// may be short. The length is the greatest common divisor of those of the
  /// operands.
  BlockedLoop blocks;
  int64_t extent = 0;

  int64_t getNumBlocks() const {
    return llvm::divideCeilSigned(extent, blocks.length);
  }
  /// How many blocks of the sums lie in one of the operand's.
  int64_t getBlocksIn(const ContractionOperand &operand) const {
    return operand.blocks.loop ? operand.blocks.length / blocks.length : 1;
  }

  /// Adds up the blocks in their order: `add` makes the sums of those before
  /// it, at first `sums`, and of a block.
  Value addBlocks(
      ImplicitLocOpBuilder &b, Value sums,
      function_ref<Value(ImplicitLocOpBuilder &, Value sums, const BlockTerm &)>
          add);

  /// Builds the sums as reals: those of the integers, dequantized, and what
  /// the sums began with. Blocks are added up in their order.
  Value emitReal(ImplicitLocOpBuilder &b);

  /// Fails, with a reason, where the sums with `bias` do not fit 64 bits; else
  /// the largest magnitude of one. Not for blocks, as the next.
  FailureOr<uint64_t> getLargestSum(Value bias, AffineMap biasMap,
                                    std::string &reason);

  /// Builds the sums as integers, i32 or i64; `bias` (null: none) is added.
  Value emitAccumulator(ImplicitLocOpBuilder &b, Value bias, AffineMap biasMap);
};

} // namespace mlir::qdq

#endif // QDQ_LIB_TRANSFORMS_CONTRACTIONS_INTEGERCONTRACTION_H
