// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Casts to and from float formats of up to 16 bits: every rounding, and the
// encodings as integer ops. Scalars and vectors alike.

#ifndef QDQ_NUMERICS_FLOATFORMATS_H
#define QDQ_NUMERICS_FLOATFORMATS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "qdq/Numerics/Semantics.h"

namespace mlir::qdq {

/// How `emitCastToFormat` rounds.
struct FormatRounding {
  Rounding rounding = Rounding::NearestEven;
  FloatOverflow overflow = FloatOverflow::IEEE;
  /// The draw of stochastic rounding, in [0, 1) and of the type of the value.
  Value random;
};

/// Builds the f32 of which a cast to `format` is the value of `v`, a float of
/// any type, as docs/Semantics.md has it for float storage, with one rounding
/// in all. `format` has at most 16 bits. Where the rounding is not to nearest
/// even, the f32 is a value of the format, or one beyond its range.
Value emitRoundToFormat(ImplicitLocOpBuilder &b, Value v, FloatType format,
                        const FormatRounding &how);

/// The same with the cast, an `arith.truncf` without a rounding mode.
Value emitCastToFormat(ImplicitLocOpBuilder &b, Value v, FloatType format,
                       const FormatRounding &how);

/// Builds the value of `v` in `type`, f32 from f64 or f16 from f32, rounded to
/// odd: a rounding to nearest even of at least two bits less, subnormals
/// included, is then the only one. What overflows is the largest value;
/// infinity and NaN stay.
Value emitTruncateToOdd(ImplicitLocOpBuilder &b, Value v, FloatType type);

/// `a * x + c` of floats of up to 32 bits, in f64, rounded to odd: a cast to
/// their type is the only rounding then.
Value emitFMAInF64(ImplicitLocOpBuilder &b, Value a, Value x, Value c);

/// An integer of at most `precision` significant bits: `v`, or the odd one of
/// the two multiples of a power of two beside it. A float of two bits fewer is
/// then rounded from it as from `v`.
Value emitShortenToOdd(ImplicitLocOpBuilder &b, Value v, bool isSigned,
                       unsigned precision);

/// Builds the value of `v`, a float of at most 16 bits other than bf16, in
/// `type`, f32 or bf16, from integer ops and one f32 subtraction. No op has a
/// subnormal f32, but for 2^-127 from f8E8M0FNU.
Value emitDecode(ImplicitLocOpBuilder &b, Value v, FloatType type);

/// True of floats of 8 bits whose values are those of f16, times a power of
/// two: whose exponent is shorter than that of f16, or f8E5M2.
bool hasHalfBits(FloatType format);

/// Builds the f16 of which `v`, a float that `hasHalfBits`, is the value times
/// 2^`getHalfScale`, from integer ops. Infinity and NaN stay.
Value emitDecodeAsHalf(ImplicitLocOpBuilder &b, Value v);
int getHalfScale(FloatType format);

/// Builds the value of `format`, a float of at most 16 bits other than bf16,
/// that is nearest to `v` (f32), ties to even, from integer ops and one f32
/// addition. Overflow gives infinity, NaN where there is none, the largest
/// value where there is neither. A NaN stays NaN, or becomes the largest value.
/// f8E8M0FNU has neither zero nor sign: zero and what rounds to it become
/// 2^-127, negative values and -0 NaN. With `tellsRange`, `arith.trunci` to the
/// code says by nuw that it fits.
Value emitEncode(ImplicitLocOpBuilder &b, Value v, FloatType format,
                 bool tellsRange = false);

} // namespace mlir::qdq

#endif // QDQ_NUMERICS_FLOATFORMATS_H
