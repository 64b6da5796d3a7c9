// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The storage side of a conversion: which codes exist, and where zero is among
// them.

#ifndef QDQ_NUMERICS_STORAGE_H
#define QDQ_NUMERICS_STORAGE_H

#include "mlir/IR/BuiltinTypes.h"
#include "qdq/Numerics/Semantics.h"
#include <optional>
#include <utility>

namespace mlir::qdq {

/// True for the element types that a code may have: integers of 1 to 32 bits,
/// the small floats, f16 and bf16.
bool isStorageType(Type type);

/// True for the element types that a real value may have: f16, bf16, f32, f64.
bool isExpressedType(Type type);

/// True for the element types of a scale: any expressed type, f8E8M0FNU, any
/// 8-bit float.
bool isScaleType(Type type);

/// True for the formats without NaN and infinities: f6E2M3FN, f6E3M2FN,
/// f4E2M1FN.
bool hasOnlyFiniteValues(FloatType type);

/// `i8` and `si8` are signed, `ui8` is not.
inline bool isSignedStorage(Type type) { return !type.isUnsignedInteger(); }

/// The type without its signedness (`ui8` becomes `i8`); others unchanged.
/// Keeps the shape of shaped types.
Type toSignless(Type type);

/// The codes of a storage type.
struct Storage {
  /// Signless integer, or float.
  Type type;
  bool isSigned = true;
  /// Inclusive bounds, narrowed by `clamp`; 0 for float storage.
  int64_t lo = 0, hi = 0;
  /// True if `clamp` leaves out codes of the type.
  bool isNarrowed = false;

  static Storage
  get(Type elementType,
      std::optional<std::pair<int64_t, int64_t>> clamp = std::nullopt);

  bool isFloat() const { return isa<FloatType>(type); }
  unsigned getWidth() const { return type.getIntOrFloatBitWidth(); }
  /// The highest code less the lowest one, which no int64_t holds of 64 bits.
  uint64_t getSpan() const {
    return static_cast<uint64_t>(hi) - static_cast<uint64_t>(lo);
  }
};

/// The bounds of an integer type, by its signedness.
std::pair<int64_t, int64_t> getIntegerBounds(Type type);

} // namespace mlir::qdq

#endif // QDQ_NUMERICS_STORAGE_H
