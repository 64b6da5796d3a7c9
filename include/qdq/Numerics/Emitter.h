// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one place that builds the arith/math ops of quantize, dequantize and
// choose_params. docs/Semantics.md is the definition.

#ifndef QDQ_NUMERICS_EMITTER_H
#define QDQ_NUMERICS_EMITTER_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "qdq/Numerics/Semantics.h"
#include "qdq/Numerics/Storage.h"

namespace mlir::qdq {

/// A zero point as the emitter takes it; a null `value` means that there is
/// none.
struct ZeroPoint {
  Value value;
  bool isSigned = true;
  ZeroPointDomain domain = ZeroPointDomain::Stored;
};

/// Where the draws of stochastic rounding come from; nothing is asked of it
/// under other modes.
struct RandomSource {
  /// Builds the row-major position of each element as i64, in the shape of the
  /// value.
  function_ref<Value()> index;
  /// An i64 in the shape of the value, or null: the seed of the semantics.
  Value seed;
};

/// How a target divides by scales. Both give null where they have nothing
/// better than a division.
struct Quotients {
  virtual ~Quotients() = default;
  /// `x / s`, but a quotient whose magnitude is below 2^-40 may be another such
  /// quotient, or zero, of its sign.
  virtual Value divide(ImplicitLocOpBuilder &b, Value x, Value s) = 0;
  /// Builds `v` bounded to [low, high], and NaN as one of these.
  using Clamp = function_ref<Value(ImplicitLocOpBuilder &b, Value v, Value low,
                                   Value high)>;
  /// `x / s` bounded by `clamp` to [lo, hi], where both are integers of at most
  /// 2^20; or another value that is the same once rounded to the nearest
  /// integer.
  virtual Value divideBounded(ImplicitLocOpBuilder &b, Value x, Value s,
                              double lo, double hi, Clamp clamp) = 0;
};

/// Choices of a target that change no code.
struct CodeOptions {
  Quotients *quotients = nullptr;
  /// The bits of an integer that holds the code: of an integer code the same
  /// number. 0 stands for the bits of the storage.
  unsigned width = 0;
  /// The ops on integers say by nsw or nuw what the bounds of the code tell.
  bool tellsRange = false;
};

/// Builds the code of `x`: `storage.type`, with the shape of `x`. An integer
/// `x` stands for its value, read as `isSigned` says.
///
/// `x`, `scale` and the zero point are scalars, or vectors of one shape, with
/// signless element types. The ops are poison-free and free of undefined
/// behaviour for all bit patterns unless `semantics` says `undefined`.
Value emitQuantize(ImplicitLocOpBuilder &b, const Semantics &semantics,
                   const Storage &storage, Value x, Value scale,
                   ZeroPoint zeroPoint, RandomSource random,
                   bool isSigned = true, const CodeOptions &options = {});

/// Builds the real value of the code `q` in the float type `expressed`, with
/// the shape of `q`. Operands as for quantize.
Value emitDequantize(ImplicitLocOpBuilder &b, const Semantics &semantics,
                     const Storage &storage, FloatType expressed, Value q,
                     Value scale, ZeroPoint zeroPoint);

/// The multipliers of requantize, each value in the shape of the input and
/// signless.
struct RescaleOperands {
  Rescale rescale;
  SmallVector<Value, 3> multipliers;
  /// Null but for the integer kinds.
  Value shift, fraction;
  /// False where `shift` is read as unsigned, and where `fraction` is.
  bool shiftIsSigned = true, fractionIsSigned = true;
  /// True if `0 <= fraction <= shift <= getMaxShift(rescale)` is known.
  bool shiftsAreInRange = false;
  std::optional<int64_t> limit;
  /// Of the integers in which no product wraps: 64 or 128. With 64, no product
  /// is beyond 2^62, and no shift.
  unsigned productWidth = 128;
};

/// Builds the code of the integer `input` times its scales, as
/// docs/Semantics.md defines requantize: `storage.type`, an integer, in the
/// shape of `input`.
Value emitRequantize(ImplicitLocOpBuilder &b, const Semantics &semantics,
                     const Storage &storage, const RescaleOperands &operands,
                     Value input, bool isSigned, ZeroPoint zeroPoint);

/// Builds the real number of the integer `input` that a float kind has before
/// its scale of the result, in the type in which it computes: what blocks of a
/// sum are added up as. With `f32` and `f64` this is the whole product; with
/// `separate` that with the first two multipliers, or as many as there are.
Value emitRescaledTerm(ImplicitLocOpBuilder &b, const RescaleOperands &operands,
                       Value input, bool isSigned);

/// How choose_params makes parameters of a range.
struct ParameterChoice {
  RangeMode mode;
  /// How the scale becomes a power of two, or nothing: rounded to nearest even
  /// in its type.
  std::optional<PowerOfTwo> powerOfTwo;
  FloatType scaleType;
};

/// Builds `(scale, zeroPoint)` from the extremes of a group, as
/// docs/Semantics.md defines choose_params: `lo <= 0 <= hi`, of one float type,
/// no NaN. `zeroPoint` has the type of the code, signless; it is null for float
/// storage.
std::pair<Value, Value> emitChooseParams(ImplicitLocOpBuilder &b,
                                         const Semantics &semantics,
                                         const Storage &storage,
                                         const ParameterChoice &choice,
                                         Value lo, Value hi);

} // namespace mlir::qdq

#endif // QDQ_NUMERICS_EMITTER_H
