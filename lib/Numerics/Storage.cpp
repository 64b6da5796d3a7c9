// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element types and their ranges.

#include "qdq/Numerics/Storage.h"

using namespace mlir;
using namespace mlir::qdq;

bool mlir::qdq::isStorageType(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.getWidth() >= 1 && integer.getWidth() <= 32;
  return isa<Float8E4M3FNType, Float8E4M3FNUZType, Float8E5M2Type,
             Float8E5M2FNUZType, Float8E4M3Type, Float8E3M4Type,
             Float6E2M3FNType, Float6E3M2FNType, Float4E2M1FNType, Float16Type,
             BFloat16Type>(type);
}

bool mlir::qdq::isExpressedType(Type type) {
  return isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type);
}

bool mlir::qdq::isScaleType(Type type) {
  auto floatType = dyn_cast<FloatType>(type);
  return isExpressedType(type) || (floatType && floatType.getWidth() == 8);
}

bool mlir::qdq::hasOnlyFiniteValues(FloatType type) {
  return isa<Float6E2M3FNType, Float6E3M2FNType, Float4E2M1FNType>(type);
}

Type mlir::qdq::toSignless(Type type) {
  if (auto shaped = dyn_cast<ShapedType>(type))
    return shaped.clone(toSignless(shaped.getElementType()));
  if (auto integer = dyn_cast<IntegerType>(type))
    return IntegerType::get(type.getContext(), integer.getWidth());
  return type;
}

std::pair<int64_t, int64_t> mlir::qdq::getIntegerBounds(Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  if (!isSignedStorage(type))
    return {0, static_cast<int64_t>(llvm::maxUIntN(width))};
  return {llvm::minIntN(width), llvm::maxIntN(width)};
}

Storage Storage::get(Type elementType,
                     std::optional<std::pair<int64_t, int64_t>> clamp) {
  Storage storage;
  storage.type = toSignless(elementType);
  storage.isSigned = isSignedStorage(elementType);
  if (storage.isFloat())
    return storage;
  std::pair<int64_t, int64_t> bounds = getIntegerBounds(elementType);
  storage.isNarrowed = clamp && *clamp != bounds;
  std::tie(storage.lo, storage.hi) = clamp.value_or(bounds);
  return storage;
}
