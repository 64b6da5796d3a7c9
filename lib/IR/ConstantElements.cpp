// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants as numbers that the evaluator takes.

#include "qdq/IR/ConstantElements.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "qdq/IR/RawBytes.h"
#include "qdq/IR/StridedPosition.h"
#include "qdq/Support/MLIRVersion.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::qdq;

std::optional<ConstantElements> ConstantElements::get(Attribute attr) {
  ConstantElements result;
  if (auto elements = dyn_cast_or_null<DenseElementsAttr>(attr)) {
    result.elements = elements;
    result.elementType = elements.getElementType();
    // Single bits are packed.
    if (!elements.isSplat() && result.elementType.isIntOrFloat() &&
        !result.elementType.isInteger(1))
      result.bytes = elements.getRawData();
  } else if (auto resource =
                 dyn_cast_or_null<DenseResourceElementsAttr>(attr)) {
    // Elements of less than a byte may be packed.
    if (!(result.bytes = getBytes(resource)))
      return get(readResource(resource));
    result.elementType = resource.getElementType();
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

/// The value before reshapes, which keep the order of the elements.
static Value skipReshapes(Value value) {
  while (value &&
         isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
             value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

std::optional<ConstantElements> ConstantElements::get(Value value) {
  value = skipReshapes(value);
  // A cast from and to integers changes the signedness alone.
  if (auto cast = value ? value.getDefiningOp<tensor::BitcastOp>() : nullptr) {
    std::optional<ConstantElements> result = get(cast.getSource());
    Type type = getElementTypeOrSelf(value);
    if (!result || !isa<IntegerType>(type) ||
        !isa<IntegerType>(result->elementType))
      return std::nullopt;
    result->elementType = type;
    return result;
  }
  Attribute attr;
  if (!value || !matchPattern(value, m_Constant(&attr)))
    return std::nullopt;
  return get(attr);
}

/// How many bytes an element takes in the raw data of constants.
static int64_t getNumBytes(Type elementType) {
  return llvm::divideCeil(elementType.getIntOrFloatBitWidth(), 8);
}

bool ConstantElements::isUniform() const {
  if (!bytes)
    return !elements || elements.isSplat();
  int64_t width = getNumBytes(elementType);
  return size() <= 1 || bytes->drop_front(width) == bytes->drop_back(width);
}

int64_t ConstantElements::size() const {
  if (bytes)
    return bytes->size() / getNumBytes(elementType);
  return elements ? elements.getNumElements() : 1;
}

/// The lowest bits of the element at `index`, as many as the type has.
static APInt readBits(ArrayRef<char> bytes, Type elementType, int64_t index) {
  unsigned bits = elementType.getIntOrFloatBitWidth();
  int64_t width = getNumBytes(elementType);
  SmallVector<uint64_t, 2> words(llvm::divideCeil(width, 8), 0);
  const char *element = &bytes[index * width];
  for (int64_t byte = 0; byte < width; ++byte) {
    unsigned bit = getBitOfByte(byte, width);
    words[bit / 64] |= uint64_t(static_cast<uint8_t>(element[byte]))
                       << bit % 64;
  }
  if (bits <= 64)
    return APInt(bits, words.front() & llvm::maskTrailingOnes<uint64_t>(bits));
  return APInt(bits, words);
}

Number ConstantElements::operator[](int64_t index) const {
  if (auto type = dyn_cast<FloatType>(elementType)) {
    if (bytes)
      return APFloat(type.getFloatSemantics(),
                     readBits(*bytes, elementType, index));
    if (!elements)
      return cast<FloatAttr>(scalar).getValue();
    return elements.getValues<APFloat>()[index];
  }
  APInt bits = bytes      ? readBits(*bytes, elementType, index)
               : elements ? elements.getValues<APInt>()[index]
                          : cast<IntegerAttr>(scalar).getValue();
  return APSInt(bits, /*isUnsigned=*/!isSignedStorage(elementType));
}

void ConstantElements::forEachInteger(
    llvm::function_ref<void(int64_t)> use) const {
  unsigned width = elementType.getIntOrFloatBitWidth();
  if (bytes && width <= 8) {
    bool isSigned = isSignedStorage(elementType);
    uint64_t mask = llvm::maxUIntN(width);
    for (char byte : *bytes)
      use(isSigned ? llvm::SignExtend64(byte & mask, width) : byte & mask);
    return;
  }
  for (int64_t index = 0, count = size(); index < count; ++index)
    use(std::get<APSInt>((*this)[index]).getExtValue());
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

DenseElementsAttr mlir::qdq::readResource(DenseResourceElementsAttr resource) {
  ShapedType type = resource.getType();
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  std::optional<ArrayRef<char>> data = getBytes(resource);
  SmallVector<char> unpacked;
  if (!data && blob && type.getElementType().isIntOrFloat()) {
    unsigned width = type.getElementTypeBitWidth();
    int64_t count = type.getNumElements();
    if (width >= 8 ||
        blob->getData().size() != llvm::divideCeil(count * width, 8))
      return {};
    unpacked = unpackBytes(blob->getData(), count, width);
    data = unpacked;
  }
  // Fewer data would be taken for one element that stands for all.
  if (!data || !isValidRawBuffer(type, *data))
    return {};
  return DenseElementsAttr::getFromRawBuffer(type, *data);
}

/// The resource with this name, or one that was made unique from it, whose blob
/// has these bytes.
static std::optional<DenseResourceElementsHandle>
findResource(MLIRContext *context, StringRef name, ArrayRef<char> bytes) {
  auto &manager = DenseResourceElementsHandle::getManagerInterface(context);
  StringRef key;
  manager.getBlobManager().getBlobMap([&](const auto &blobs) {
    for (const auto &entry : blobs) {
      const AsmResourceBlob *blob = entry.second.getBlob();
      if (key.empty() && blob && entry.first().starts_with(name) &&
          blob->getDataAlignment() >= alignof(uint64_t) &&
          blob->getData() == bytes)
        key = entry.first();
    }
  });
  if (key.empty())
    return std::nullopt;
  return DenseResourceElementsHandle(
      manager.getBlobManager().lookup(key),
      context->getLoadedDialect<BuiltinDialect>());
}

TypedAttr mlir::qdq::createResource(ShapedType type, StringRef name,
                                    ArrayRef<char> bytes) {
  if (auto found = findResource(type.getContext(), name, bytes))
    return DenseResourceElementsAttr::get(type, *found);
  // Nothing of more than 64 bits is read whole.
  return DenseResourceElementsAttr::get(
      type, name,
      HeapAsmResourceBlob::allocateAndCopyWithAlign(bytes, alignof(uint64_t)));
}

TypedAttr mlir::qdq::reshapeElements(ElementsAttr elements,
                                     ArrayRef<int64_t> shape) {
  ShapedType type = elements.getShapedType().clone(shape);
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements))
    return DenseResourceElementsAttr::get(type, resource.getRawHandle());
  auto dense = dyn_cast<DenseElementsAttr>(elements);
  return dense ? TypedAttr(dense.reshape(type)) : TypedAttr();
}

TypedAttr mlir::qdq::getShapedConstant(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  ElementsAttr constant;
  if (!type || !type.hasStaticShape() ||
      !matchPattern(skipReshapes(value), m_Constant(&constant)))
    return {};
  return constant.getShapedType() == type
             ? cast<TypedAttr>(constant)
             : reshapeElements(constant, type.getShape());
}

/// The parts of `bytes`, each of `width` bytes, at these positions.
static SmallVector<char> gatherBytes(ArrayRef<char> bytes, int64_t width,
                                     ArrayRef<int64_t> shape,
                                     ArrayRef<int64_t> strides,
                                     int64_t first = 0) {
  int64_t count = computeProduct(shape);
  SmallVector<char> moved(count * width);
  StridedPosition from(shape, strides, first);
  for (int64_t to = 0; to < count; ++to, ++from)
    llvm::copy(bytes.slice(*from * width, width), moved.begin() + to * width);
  return moved;
}

SmallVector<char> mlir::qdq::transposeBytes(ArrayRef<char> bytes,
                                            ShapedType type,
                                            ArrayRef<int64_t> order) {
  // Inner dimensions that stay are copied as one.
  int64_t rank = order.size(), stay = 0;
  while (stay < rank && order[rank - 1 - stay] == rank - 1 - stay)
    ++stay;
  order = order.drop_back(stay);
  SmallVector<int64_t> shape =
      applyPermutation(type.getShape().drop_back(stay), order);
  SmallVector<int64_t> strides =
      applyPermutation(computeStrides(type.getShape().drop_back(stay)), order);
  return gatherBytes(bytes, bytes.size() / computeProduct(shape), shape,
                     strides);
}

/// A constant of this shape, whose bytes `move` takes from those of `elements`.
static TypedAttr
moveElements(ElementsAttr elements, ArrayRef<int64_t> shape, StringRef name,
             function_ref<SmallVector<char>(ArrayRef<char>)> move) {
  ShapedType type = elements.getShapedType();
  if (type.getNumElements() == 0)
    return {};
  ShapedType result = type.clone(shape);
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements)) {
    std::optional<ArrayRef<char>> bytes = getBytes(resource);
    return bytes ? createResource(result, name, move(*bytes)) : TypedAttr();
  }
  auto dense = dyn_cast<DenseElementsAttr>(elements);
  if (!dense)
    return {};
  if (dense.isSplat())
    return dense.resizeSplat(result);
  if (type.getElementType().isInteger(1))
    return {};
  return DenseElementsAttr::getFromRawBuffer(result, move(dense.getRawData()));
}

TypedAttr mlir::qdq::transposeElements(ElementsAttr elements,
                                       ArrayRef<int64_t> order) {
  ShapedType type = elements.getShapedType();
  return moveElements(
      elements, applyPermutation(type.getShape(), order), "transposed",
      [&](ArrayRef<char> bytes) { return transposeBytes(bytes, type, order); });
}

TypedAttr mlir::qdq::gatherElements(ElementsAttr elements,
                                    ArrayRef<int64_t> shape,
                                    ArrayRef<int64_t> strides, int64_t first) {
  int64_t count = elements.getNumElements();
  return moveElements(elements, shape, "gathered", [&](ArrayRef<char> bytes) {
    return gatherBytes(bytes, bytes.size() / count, shape, strides, first);
  });
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
