// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Casts of small floats without a backend's help.

#ifndef QDQ_TRANSFORMS_LEGALIZE_EXPANDFLOATS_H
#define QDQ_TRANSFORMS_LEGALIZE_EXPANDFLOATS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::qdq {

struct ExpandFloatsOptions {
  /// Casts from and to f16 as well.
  bool includeF16 = false;
  /// Floats of 8 bits that `hasHalfBits` as f16, and casts of that, which stay.
  bool throughF16 = false;
  /// `arith.trunci` to a code says by nuw that it fits.
  bool tellsRanges = false;
  /// `qdq.lookup` reads vectors of floats of at most 6 bits, of this many bits
  /// as f32 or a multiple; 0 for none.
  int64_t lookupBits = 0;
};

/// Patterns for `arith.extf` and `arith.truncf` from and to floats of fewer
/// than 16 bits, scalars and vectors, for any driver. What they leave between
/// f16, f32 and f64 is exact. A driver that folds gives casts of constants what
/// upstream's folders do, which is wrong for NaN and infinities in f4E2M1FN.
void populateExpandFloatsPatterns(RewritePatternSet &patterns,
                                  const ExpandFloatsOptions &options = {},
                                  PatternBenefit benefit = 1);

} // namespace mlir::qdq

#endif // QDQ_TRANSFORMS_LEGALIZE_EXPANDFLOATS_H
