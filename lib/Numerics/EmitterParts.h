// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared parts of the emitters of quantize, dequantize and choose_params.

#ifndef QDQ_LIB_NUMERICS_EMITTERPARTS_H
#define QDQ_LIB_NUMERICS_EMITTERPARTS_H

#include "qdq/Numerics/Emitter.h"

namespace mlir::qdq {

/// An input, scale or zero point in the compute type.
Value toCompute(ImplicitLocOpBuilder &b, const Semantics &semantics, Value v,
                bool isSigned = true);

/// The code of `v` (f32 or f64), rounded (to nearest even where `semantics`
/// would draw) and saturated; NaN becomes the lowest.
Value emitSaturatedCode(ImplicitLocOpBuilder &b, const Semantics &semantics,
                        const Storage &storage, Value v);

/// The code of `x * factor` and the zero point: steps 3 to 6 of quantize. `x`
/// and `factor` are of the compute type, f32 or f64; the storage is an integer.
Value emitCodeOfProduct(ImplicitLocOpBuilder &b, const Semantics &semantics,
                        const Storage &storage, Value x, Value factor,
                        ZeroPoint zeroPoint);

} // namespace mlir::qdq

#endif // QDQ_LIB_NUMERICS_EMITTERPARTS_H
