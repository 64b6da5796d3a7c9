// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bounds that stand before a cast, as the emitter writes them.

#ifndef QDQ_LIB_CODEGEN_TARGETS_GENERIC_FLOATCLAMP_H
#define QDQ_LIB_CODEGEN_TARGETS_GENERIC_FLOATCLAMP_H

#include "mlir/IR/Value.h"
#include <optional>

namespace mlir::qdq {

/// A value that is `source` within [low, high].
struct FloatClamp {
  enum class NaN { Kept, Low, High };
  Value source;
  double low, high;
  /// The result for a NaN in `source`.
  NaN nan;

  /// True if both bounds have the magnitude `bound`.
  bool isSymmetric(double bound) const {
    return low == -bound && high == bound;
  }
};

/// The clamp that computes `v` by two comparisons with constants and two
/// selections, in either order. Nullopt for other values.
std::optional<FloatClamp> matchFloatClamp(Value v);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_TARGETS_GENERIC_FLOATCLAMP_H
