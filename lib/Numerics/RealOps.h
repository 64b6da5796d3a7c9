// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Building blocks of the emitter: exact casts, integral rounding, bounds,
// residues. Scalars and vectors alike.

#ifndef QDQ_LIB_NUMERICS_REALOPS_H
#define QDQ_LIB_NUMERICS_REALOPS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/Numerics/Scalar.h"
#include "qdq/Numerics/Semantics.h"

namespace mlir::qdq {

/// Converts between float types with one rounding to nearest even. Never relies
/// on a backend's f64 to f16/bf16 conversion.
Value castFloat(ImplicitLocOpBuilder &b, Value v, FloatType type);

/// Converts an integer to a float type with one rounding to nearest even.
Value castInt(ImplicitLocOpBuilder &b, Value v, bool isSigned, FloatType type);

/// Widens or truncates an integer to `width` bits.
Value resizeInt(ImplicitLocOpBuilder &b, Value v, bool isSigned,
                unsigned width);

/// Truncates an integer to `width` bits, which hold it as signed or not, and
/// says so.
Value cutInt(ImplicitLocOpBuilder &b, Value v, bool isSigned, unsigned width);

/// f16 and bf16 become f32, exactly; f32 and f64 stay. Integral values up to
/// 2^33 then have room.
Value widenToF32(ImplicitLocOpBuilder &b, Value v);

/// `product`, by a comparison that is true of infinity only. A compiler that
/// may round a product and the sum beside it once (LLVM's `contract`) no longer
/// finds them side by side.
Value hideProduct(ImplicitLocOpBuilder &b, Value product);

/// `a * x + c` with one rounding in the type of the operands.
Value emitFMA(ImplicitLocOpBuilder &b, Value a, Value x, Value c);

/// Rounds to an integral value of the same float type. NaN and infinities pass
/// through. `random` is the draw of stochastic rounding, in [0, 1) and of the
/// type of `v`.
Value roundToIntegral(ImplicitLocOpBuilder &b, Rounding rounding, Value v,
                      Value random = Value());

/// The draws of the elements with these indices (i64): 24 random bits as a
/// fraction in [0, 1), of the float type `type`. The seed as for `emitPhilox`.
Value emitUniform(ImplicitLocOpBuilder &b, Value index, uint64_t seed,
                  Value runtimeSeed, Type type);

/// Bounds `v` to [lo, hi]; NaN becomes `hi` if `nanIsHigh`, else `lo`. The
/// order of the comparisons makes this one instruction each.
Value clampFloat(ImplicitLocOpBuilder &b, Value v, double lo, double hi,
                 bool nanIsHigh);
Value clampFloat(ImplicitLocOpBuilder &b, Value v, Value low, Value high,
                 bool nanIsHigh);

Value clampInt(ImplicitLocOpBuilder &b, Value v, int64_t lo, int64_t hi,
               bool isSigned);

/// `v` modulo 2^bits with the sign of `v`, exactly, for integral `v`. NaN for
/// NaN and infinities.
Value residue(ImplicitLocOpBuilder &b, Value v, unsigned bits);

} // namespace mlir::qdq

#endif // QDQ_LIB_NUMERICS_REALOPS_H
