// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How far the codes of one kind of rescaling are from exact ones.

#ifndef QDQ_NUMERICS_CODEDIFFERENCE_H
#define QDQ_NUMERICS_CODEDIFFERENCE_H

#include "qdq/Numerics/Evaluator.h"
#include "qdq/Numerics/Rescale.h"

namespace mlir::qdq {

struct CodeDifference {
  /// The largest difference of two codes, and an accumulator that has it.
  int64_t difference = 0, accumulator = 0;
};

/// The largest difference between the code that `numbers` give and that of the
/// real number `acc * a * b / y`, over all integers `acc` of at most this
/// magnitude. Nothing where the codes do not saturate, a scale or multiplier is
/// not finite and positive, the zero point is no integer, or there are more
/// than 2^20 codes.
std::optional<CodeDifference>
measureCodeDifference(const Semantics &semantics, const Storage &storage,
                      const RescaleNumbers &numbers,
                      const RescaleScales &scales,
                      const ZeroPointNumber &zeroPoint, uint64_t magnitude);

} // namespace mlir::qdq

#endif // QDQ_NUMERICS_CODEDIFFERENCE_H
