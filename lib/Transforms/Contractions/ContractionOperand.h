// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Codes, zero points and scales of a contraction's operand, by its loops.

#ifndef QDQ_LIB_TRANSFORMS_CONTRACTIONS_CONTRACTIONOPERAND_H
#define QDQ_LIB_TRANSFORMS_CONTRACTIONS_CONTRACTIONOPERAND_H

#include "FloatContraction.h"
#include "LoopParameter.h"
#include "qdq/Conversion/IntegerProducts.h"
#include "qdq/Support/Reason.h"

namespace mlir::qdq {

/// How many bits a difference of a code and a zero point takes at most, beside
/// its sign.
unsigned getDifferenceBits(DequantizeOp op);

/// The largest magnitude of a code less its integer zero point (null: none).
uint64_t getLargestDifference(const Storage &storage, Value zeroPoint);

/// One operand of a contraction.
struct ContractionOperand {
  DequantizedOperand source;
  AffineMap map;
  LoopParameter scale, zeroPoint;
  BlockedLoop blocks;

  /// Fails, with a reason, where the operand is no exact product of integers
  /// with a scale that can be taken out of the sum.
  static FailureOr<ContractionOperand> get(FloatContraction contraction,
                                           unsigned index, std::string &reason);

  /// The dimension of the codes that `loop` counts.
  std::optional<unsigned> getDim(unsigned loop) const {
    return map.getResultPosition(getAffineDimExpr(loop, map.getContext()));
  }

  /// Builds the codes, padded with the zero point where the reals are padded
  /// with 0.
  Value emitCodes(ImplicitLocOpBuilder &b) const;
};

} // namespace mlir::qdq

#endif // QDQ_LIB_TRANSFORMS_CONTRACTIONS_CONTRACTIONOPERAND_H
