// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rounding of casts.

#ifndef QDQ_LIB_TRANSFORMS_LEGALIZE_ROUNDINGMODE_H
#define QDQ_LIB_TRANSFORMS_LEGALIZE_ROUNDINGMODE_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "qdq/Numerics/Semantics.h"

namespace mlir::qdq {

inline Rounding toRounding(arith::RoundingMode mode) {
  switch (mode) {
  case arith::RoundingMode::to_nearest_even:
    return Rounding::NearestEven;
  case arith::RoundingMode::downward:
    return Rounding::Floor;
  case arith::RoundingMode::upward:
    return Rounding::Ceil;
  case arith::RoundingMode::toward_zero:
    return Rounding::TowardZero;
  case arith::RoundingMode::to_nearest_away:
    return Rounding::NearestAway;
  }
  llvm_unreachable("unknown rounding mode");
}

} // namespace mlir::qdq

#endif // QDQ_LIB_TRANSFORMS_LEGALIZE_ROUNDINGMODE_H
