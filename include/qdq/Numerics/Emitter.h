// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one place that builds the arith/math ops of quantize, dequantize and choose_params. docs/Semantics.md is the definition.

#ifndef QDQ_NUMERICS_EMITTER_H
#define QDQ_NUMERICS_EMITTER_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "qdq/Numerics/Semantics.h"
#include "qdq/Numerics/Storage.h"

namespace mlir::qdq {

/// A zero point as the emitter takes it; a null `value` means that there is none.
struct ZeroPoint {
  Value value;
  bool isSigned = true;
  ZeroPointDomain domain = ZeroPointDomain::Stored;
};

/// Why these semantics cannot be emitted for this storage yet, or nothing.
std::optional<StringRef> findUnsupported(const Semantics &semantics,
                                         const Storage &storage);

/// Builds the code of `x`: `storage.type`, with the shape of `x`. `index` is the row-major position of each element as i64, in the shape of `x`;
/// only stochastic rounding calls for it.
///
/// `x`, `scale` and the zero point are scalars, or vectors of one shape, with signless element types. The ops are poison-free and
/// free of undefined behaviour for all bit patterns unless `semantics` says `undefined`.
Value emitQuantize(ImplicitLocOpBuilder &b, const Semantics &semantics,
                   const Storage &storage, Value x, Value scale,
                   ZeroPoint zeroPoint, function_ref<Value()> index);

/// Builds the real value of the code `q` in the float type `expressed`, with the shape of `q`. Operands as for quantize.
Value emitDequantize(ImplicitLocOpBuilder &b, const Semantics &semantics,
                     const Storage &storage, FloatType expressed, Value q,
                     Value scale, ZeroPoint zeroPoint);

/// Builds `(scale, zeroPoint)` from the extremes of a group, as docs/Semantics.md defines choose_params: `lo <= 0 <= hi`, of one
/// float type, no NaN. `scaleType` is the type of the scale, `zeroPoint` the type of the code, signless.
std::pair<Value, Value> emitChooseParams(ImplicitLocOpBuilder &b,
                                         const Semantics &semantics,
                                         const Storage &storage, RangeMode mode,
                                         FloatType scaleType, Value lo,
                                         Value hi);

} // namespace mlir::qdq

#endif // QDQ_NUMERICS_EMITTER_H
