// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scales of accumulators as rational numbers.

#ifndef QDQ_LIB_NUMERICS_RATIONALSCALE_H
#define QDQ_LIB_NUMERICS_RATIONALSCALE_H

#include "qdq/Numerics/Rescale.h"
#include "llvm/ADT/APInt.h"

namespace mlir::qdq {

/// A positive rational number, in integers with room for products with others
/// of 64 bits and for shifts of up to 126.
struct Ratio {
  llvm::APInt num, den;
};

/// True for a finite number above zero.
bool isPositive(const llvm::APFloat &value);

/// `2 * a * b / y`, of finite positive scales.
Ratio getDoubledScale(const RescaleScales &scales);

} // namespace mlir::qdq

#endif // QDQ_LIB_NUMERICS_RATIONALSCALE_H
