// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From sums of codes to codes: the multipliers of LiteRT's kernels.

#ifndef QDQ_LIB_CONVERSION_TFLTOQDQ_RESCALING_H
#define QDQ_LIB_CONVERSION_TFLTOQDQ_RESCALING_H

#include "../ForeignOps/CodeTensor.h"
#include "qdq/Numerics/Rescale.h"

namespace mlir::qdq {

/// The multiplier of a kernel's sums, and its arithmetic.
struct SumRescaling {
  Rescale rescale;
  /// M, exactly as the kernel has it: one, or one for each index along `axis`.
  SmallVector<double> multipliers;
  std::optional<int64_t> axis = {};
  /// In the place of M, for integer multipliers that are not made of it alone.
  SmallVector<FixedMultiplier> fixed = {};
  /// Both roundings of `fixed31-double` have ties up: LiteRT's kernels beside
  /// XNNPACK, and ruy's.
  bool hasTiesUp = false;
  /// Fields that the kernel itself fixes, under every profile.
  SemanticsFields fields = {};
};

/// The type in which a kernel multiplies the scales of two factors.
enum class ScaleProduct { F32, F64 };

/// M = a * b / y for each scale of `b`. Kinds that are no kernel of LiteRT's
/// (`profile=`) keep its multiplier.
SumRescaling getRescaling(Rescale rescale, const CodeType &a, const CodeType &b,
                          const CodeType &y, ScaleProduct product,
                          std::optional<int64_t> axis = {});

/// The kind of a profile for sums whose kernel has `own` under the profile
/// `tflite`.
Rescale getSumRescale(const Stamp &stamp, Rescale own);

/// The same where LiteRT's default delegate leaves the op to LiteRT.
Rescale getOwnRescale(const Stamp &stamp, Rescale own);

/// Refuses multipliers that the kind does not hold.
LogicalResult checkRescaling(const ForeignOp &op,
                             const SumRescaling &rescaling);

/// The codes of `sum`, with the bounds [lo, hi], for multipliers that
/// `checkRescaling` allows.
Value createRequantize(const ForeignOp &op, const Stamp &stamp, Value sum,
                       const CodeType &result, const SumRescaling &rescaling,
                       std::pair<int64_t, int64_t> bounds);

/// The same as integers of 32 bits, which saturate, for another sum.
Value createRescaled(const ForeignOp &op, const Stamp &stamp, Value sum,
                     const SumRescaling &rescaling);

/// `codes - zero point`, as integers of 32 bits.
Value subtractZeroPoint(const ForeignOp &op, const CodeTensor &tensor);

/// The codes of `fused_activation_function`: those of the result's type that
/// lie between the bounds of the function.
FailureOr<std::pair<int64_t, int64_t>>
readActivationBounds(const ForeignOp &op, const Stamp &stamp,
                     const CodeType &result);

/// The code of `bound`, not bounded to the storage.
int64_t quantizeBound(const Stamp &stamp, float bound, const CodeType &type);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_TFLTOQDQ_RESCALING_H
