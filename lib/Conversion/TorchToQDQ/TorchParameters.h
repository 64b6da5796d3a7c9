// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PyTorch's scales and zero points from the range of values, as it rounds them
// in f32.

#ifndef QDQ_LIB_CONVERSION_TORCHTOQDQ_TORCHPARAMETERS_H
#define QDQ_LIB_CONVERSION_TORCHTOQDQ_TORCHPARAMETERS_H

#include "../ForeignOps/Scalar.h"

namespace mlir::qdq {

/// How the range [lo, hi], which holds zero, becomes parameters for the codes
/// [low, high].
enum class TorchRange {
  /// `s = max((hi - lo) / (high - low), eps)`, `z = low - round(lo / s)`.
  Affine,
  /// The same scale; z from the end of the range that has the smaller error.
  AffinePerToken,
  /// `s = max(max(-lo, hi) / ((high - low) / 2), eps)`, z given.
  Symmetric,
  /// `s = max(lo / low, hi / high, eps)`, z given.
  SymmetricNoClipping,
  /// `s = max(max(-lo, hi), eps) / high`, z given.
  SymmetricPerToken
};

struct TorchParameterRule {
  TorchRange range;
  int64_t low, high; // of at most 16 bits
  double eps;        // is rounded to f32
  int64_t zeroPoint = 0;
};

/// The scale of f32 scalars; NaN where one of them is.
Scalar emitTorchScale(const TorchParameterRule &rule, Scalar lo, Scalar hi);

/// The zero point, an integer in f32 in [low, high]; low where there is none,
/// because the range is not finite.
Scalar emitTorchZeroPoint(const TorchParameterRule &rule, Scalar lo, Scalar hi);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_TORCHTOQDQ_TORCHPARAMETERS_H
