// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the emitters of quantize, dequantize and choose_params share.

#ifndef QDQ_LIB_NUMERICS_EMITTERPARTS_H
#define QDQ_LIB_NUMERICS_EMITTERPARTS_H

#include "qdq/Numerics/Emitter.h"

namespace mlir::qdq {

/// An input, scale or zero point in the compute type.
Value toCompute(ImplicitLocOpBuilder &b, const Semantics &semantics, Value v,
                bool isSigned = true);

/// The code of an integral `v` (f32 or f64), saturated; NaN becomes the lowest.
Value emitSaturatedCode(ImplicitLocOpBuilder &b, const Semantics &semantics,
                        const Storage &storage, Value v);

} // namespace mlir::qdq

#endif // QDQ_LIB_NUMERICS_EMITTERPARTS_H
