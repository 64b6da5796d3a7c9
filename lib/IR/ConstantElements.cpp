// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants as numbers that the evaluator takes.

#include "qdq/IR/ConstantElements.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
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

std::optional<ArrayRef<char>>
mlir::qdq::getBytes(DenseResourceElementsAttr resource) {
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  ShapedType type = resource.getType();
  if (!blob || !type.getElementType().isIntOrFloat())
    return std::nullopt;
  int64_t width = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  ArrayRef<char> data = blob->getData();
  if (static_cast<int64_t>(data.size()) != type.getNumElements() * width)
    return std::nullopt;
  return data;
}

/// The same, a byte each, for elements of less than a byte that are packed.
static std::optional<SmallVector<char>>
unpackBytes(DenseResourceElementsAttr resource) {
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  ShapedType type = resource.getType();
  if (!blob || !type.getElementType().isIntOrFloat())
    return std::nullopt;
  unsigned width = type.getElementTypeBitWidth();
  int64_t count = type.getNumElements();
  if (width >= 8 ||
      blob->getData().size() != llvm::divideCeil(count * width, 8))
    return std::nullopt;
  return unpackBytes(blob->getData(), count, width);
}

DenseElementsAttr mlir::qdq::readResource(DenseResourceElementsAttr resource) {
  std::optional<ArrayRef<char>> data = getBytes(resource);
  std::optional<SmallVector<char>> unpacked;
  if (!data && (unpacked = unpackBytes(resource)))
    data = *unpacked;
  // Fewer data would be taken for one element that stands for all.
  bool isSplat = false;
  if (!data ||
      !DenseElementsAttr::isValidRawBuffer(resource.getType(), *data, isSplat))
    return {};
  return DenseElementsAttr::getFromRawBuffer(resource.getType(), *data);
}

DenseElementsAttr mlir::qdq::transposeElements(DenseElementsAttr elements,
                                               ArrayRef<int64_t> order) {
  ShapedType type = elements.getType();
  if (elements.empty())
    return {};
  SmallVector<int64_t> shape = applyPermutation(type.getShape(), order);
  ShapedType result = type.clone(shape);
  if (elements.isSplat())
    return elements.resizeSplat(result);
  if (type.getElementType().isInteger(1))
    return {};
  ArrayRef<char> bytes = elements.getRawData();
  int64_t count = type.getNumElements();
  int64_t width = bytes.size() / count;
  SmallVector<int64_t> strides =
      applyPermutation(computeStrides(type.getShape()), order);
  SmallVector<char> moved(bytes.size());
  SmallVector<int64_t> index(shape.size(), 0);
  int64_t from = 0;
  for (int64_t to = 0; to < count; ++to) {
    llvm::copy(bytes.slice(from * width, width), moved.begin() + to * width);
    for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
      from += strides[dim];
      if (++index[dim] < shape[dim])
        break;
      from -= index[dim] * strides[dim];
      index[dim] = 0;
    }
  }
  return DenseElementsAttr::getFromRawBuffer(result, moved);
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
