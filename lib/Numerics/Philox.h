// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Philox4x32-10 (Salmon et al., SC 2011), a counter-based generator: the draw
// of an element depends on its index and the seed alone.

#ifndef QDQ_LIB_NUMERICS_PHILOX_H
#define QDQ_LIB_NUMERICS_PHILOX_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include <cstdint>

namespace mlir::qdq {

/// The first word for the counter (index, 0) and the key `seed`.
uint32_t evaluatePhilox(uint64_t index, uint64_t seed);

/// The same as i32, for an i64 scalar or vector of indices. A `runtimeSeed`
/// (i64, in the shape of `index`) takes the place of `seed`.
Value emitPhilox(ImplicitLocOpBuilder &b, Value index, uint64_t seed,
                 Value runtimeSeed = Value());

} // namespace mlir::qdq

#endif // QDQ_LIB_NUMERICS_PHILOX_H
