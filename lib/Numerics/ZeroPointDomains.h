// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a zero point is subtracted: of values and of numbers.

#ifndef QDQ_LIB_NUMERICS_ZEROPOINTDOMAINS_H
#define QDQ_LIB_NUMERICS_ZEROPOINTDOMAINS_H

#include "qdq/Numerics/Semantics.h"

namespace mlir::qdq {

/// True if there is a zero point, a `ZeroPoint` or `ZeroPointNumber`, among the
/// codes.
template <typename T>
bool isStored(const T &zeroPoint) {
  return zeroPoint.value && zeroPoint.domain == ZeroPointDomain::Stored;
}

/// The same, among the reals.
template <typename T>
bool isExpressed(const T &zeroPoint) {
  return zeroPoint.value && zeroPoint.domain == ZeroPointDomain::Expressed;
}

} // namespace mlir::qdq

#endif // QDQ_LIB_NUMERICS_ZEROPOINTDOMAINS_H
