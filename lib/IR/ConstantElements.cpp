// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants as numbers that the evaluator takes.

#include "qdq/IR/ConstantElements.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::qdq;

std::optional<ConstantElements> ConstantElements::get(Attribute attr) {
  ConstantElements result;
  if (auto elements = dyn_cast_or_null<DenseElementsAttr>(attr)) {
    result.elements = elements;
    result.elementType = elements.getElementType();
  } else if (auto scalar = dyn_cast_or_null<TypedAttr>(attr);
             scalar && isa<IntegerAttr, FloatAttr>(attr)) {
    result.scalar = scalar;
    result.elementType = scalar.getType();
  } else {
    return std::nullopt;
  }
  if (!result.elementType.isIntOrFloat())
    return std::nullopt;
  return result;
}

std::optional<ConstantElements> ConstantElements::get(Value value) {
  Attribute attr;
  if (!value || !matchPattern(value, m_Constant(&attr)))
    return std::nullopt;
  return get(attr);
}

Number ConstantElements::operator[](int64_t index) const {
  if (isa<FloatType>(elementType)) {
    if (!elements)
      return cast<FloatAttr>(scalar).getValue();
    return elements.getValues<APFloat>()[index];
  }
  APInt bits = elements ? elements.getValues<APInt>()[index]
                        : cast<IntegerAttr>(scalar).getValue();
  return APSInt(bits, /*isUnsigned=*/!isSignedStorage(elementType));
}

/// A byte for each element of packed ones, the first in the lowest bits.
static SmallVector<char> unpackBytes(ArrayRef<char> packed, int64_t count,
                                     unsigned width) {
  SmallVector<char> bytes;
  for (int64_t i = 0; i < count; ++i) {
    int64_t position = i * width;
    unsigned value = static_cast<unsigned char>(packed[position / 8]);
    if (position % 8 + width > 8)
      value |= static_cast<unsigned char>(packed[position / 8 + 1]) << 8;
    bytes.push_back((value >> position % 8) & ((1u << width) - 1));
  }
  return bytes;
}

DenseElementsAttr mlir::qdq::readResource(DenseResourceElementsAttr resource) {
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  ShapedType type = resource.getType();
  if (!blob || !type.getElementType().isIntOrFloat())
    return {};
  ArrayRef<char> data = blob->getData();
  auto size = static_cast<int64_t>(data.size());
  int64_t count = type.getNumElements();
  unsigned width = type.getElementTypeBitWidth();
  SmallVector<char> unpacked;
  if (width < 8 && size != count &&
      size == static_cast<int64_t>(llvm::divideCeil(count * width, 8))) {
    unpacked = unpackBytes(data, count, width);
    data = unpacked;
    size = count;
  }
  // Fewer data would be taken for one element that stands for all.
  bool isSplat = false;
  if (size != count * static_cast<int64_t>(llvm::divideCeil(width, 8)) ||
      !DenseElementsAttr::isValidRawBuffer(type, data, isSplat))
    return {};
  return DenseElementsAttr::getFromRawBuffer(type, data);
}

std::string mlir::qdq::describeForeignZeroPoint(
    const std::optional<ConstantElements> &zeroPoint, Type storage) {
  if (!zeroPoint || !isa<IntegerType>(zeroPoint->getElementType()) ||
      !isa<IntegerType>(storage))
    return "";
  auto [lo, hi] = getIntegerBounds(storage);
  // Most zero points have the storage type. Long ones are worth the shortcut.
  auto [zLow, zHigh] = getIntegerBounds(zeroPoint->getElementType());
  if (zLow >= lo && zHigh <= hi)
    return "";
  for (int64_t i = 0; i < zeroPoint->getNumDistinct(); ++i) {
    int64_t z = std::get<llvm::APSInt>((*zeroPoint)[i]).getExtValue();
    if (z < lo || z > hi)
      return llvm::formatv("zero point element {0} is {1}, outside of the "
                           "storage type '{2}', which holds {3} to {4}",
                           i, z, storage, lo, hi);
  }
  return "";
}
