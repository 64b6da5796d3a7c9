// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The multipliers of requantize: which kind takes which, and how each is made
// from scales. docs/Semantics.md is the definition.

#ifndef QDQ_NUMERICS_RESCALE_H
#define QDQ_NUMERICS_RESCALE_H

#include "qdq/Numerics/Semantics.h"
#include "llvm/ADT/APFloat.h"

namespace mlir::qdq {

/// The kind that a profile's system uses.
Rescale getProfileRescale(Profile profile);

/// True for the kinds whose multiplier is an integer with a shift.
bool isFixedPoint(Rescale rescale);

/// True for the kinds that have no rounding of their own.
bool usesRounding(Rescale rescale);

/// The largest shift of an integer kind.
int64_t getMaxShift(Rescale rescale);

/// M of `f32` and `f64`, `(a * b) / y`: each step rounded once to `format`.
llvm::APFloat getFloatMultiplier(const llvm::APFloat &a, const llvm::APFloat &b,
                                 const llvm::APFloat &y,
                                 const llvm::fltSemantics &format);

/// M as TFLite has it: `f64(a) * f64(b) / f64(y)`, in f64.
double getRealMultiplier(const llvm::APFloat &a, const llvm::APFloat &b,
                         const llvm::APFloat &y);

/// An integer multiplier: M is about `multiplier / 2^shift`.
struct FixedMultiplier {
  int64_t multiplier, shift;
};

/// `multiplier` (31 bits, or 15 with `fixed15`) and shift of a fixed kind, as
/// TFLite's QuantizeMultiplier makes them: rounded half away, 0 for M below
/// 2^-32. Nothing for an M that is negative, not finite, or too large for a
/// shift of 0.
std::optional<FixedMultiplier> getFixedMultiplier(Rescale rescale,
                                                  double multiplier);

/// The scales of one channel: those of the two factors, and of the result.
struct RescaleScales {
  llvm::APFloat a, b, y;
};

/// The product without a rounding, of floats of up to 64 bits.
llvm::APFloat multiplyExactly(llvm::APFloat a, llvm::APFloat b);

/// Numbers as multiples of a power of two, the largest that has them all.
struct CommonUnit {
  SmallVector<int64_t> multiples;
  llvm::APFloat unit;
};

/// Nothing where a number is not finite and positive, or its multiple needs
/// more than 63 bits.
std::optional<CommonUnit> getCommonUnit(ArrayRef<llvm::APFloat> numbers);

/// The operands of `rescale = exact`, with one entry for each channel.
struct ExactMultipliers {
  SmallVector<int64_t> multipliers, shifts;
  /// Empty where no channel needs one.
  SmallVector<int64_t> fractions;
  /// Inputs of a larger magnitude do not occur, or saturate.
  int64_t limit;
};

/// Chooses multipliers with which `exact` gives the code of the real number
/// `acc * a * b / y` for every integer `acc` of at most this magnitude, and
/// proves it (see the file). `reach` is the largest magnitude, before the zero
/// point, whose code does not saturate; nothing where codes wrap. Fails, with a
/// `reason`, where a scale is not finite and positive, or no 64-bit multiplier
/// exists.
FailureOr<ExactMultipliers>
chooseExactMultipliers(ArrayRef<RescaleScales> channels, uint64_t magnitude,
                       std::optional<int64_t> reach, Rounding rounding,
                       Order order, std::string &reason);

} // namespace mlir::qdq

#endif // QDQ_NUMERICS_RESCALE_H
