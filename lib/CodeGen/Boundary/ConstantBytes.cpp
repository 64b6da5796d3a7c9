// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The elements of constants, as bytes.

#include "ConstantBytes.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "qdq/IR/ConstantElements.h"
#include "qdq/IR/RawBytes.h"

using namespace mlir;
using namespace mlir::qdq;

/// A larger constant of one repeated number stays as it is.
static constexpr int64_t kMostSplatBytes = 1 << 24;

static unsigned getByteWidth(Type element) {
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

ConstantBytes ConstantBytes::zeros(RankedTensorType type) {
  unsigned width = getByteWidth(type.getElementType());
  auto owner =
      std::make_shared<SmallVector<char>>(type.getNumElements() * width);
  return {type, width, *owner, owner};
}

static uint64_t load(const char *at, unsigned width) {
  uint64_t bits = 0;
  for (unsigned byte = 0; byte < width; ++byte)
    bits |= uint64_t(static_cast<uint8_t>(at[byte]))
            << getBitOfByte(byte, width);
  return bits;
}

uint64_t ConstantBytes::get(int64_t index) const {
  return load(&bytes[index * width], width);
}

void ConstantBytes::set(int64_t index, uint64_t bits) {
  for (unsigned byte = 0; byte < width; ++byte)
    (*owner)[index * width + byte] =
        static_cast<char>(bits >> getBitOfByte(byte, width));
}

std::optional<ConstantBytes> ConstantBytes::get(Attribute constant,
                                                RankedTensorType type) {
  ArrayRef<char> bytes;
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(constant)) {
    std::optional<ArrayRef<char>> data = getBytes(resource);
    if (!data)
      return std::nullopt;
    bytes = *data;
  } else if (auto dense = dyn_cast<DenseElementsAttr>(constant);
             dense && !type.getElementType().isInteger(1)) {
    bytes = dense.getRawData();
  } else {
    return std::nullopt;
  }
  unsigned bits = type.getElementTypeBitWidth();
  unsigned width = getByteWidth(type.getElementType());
  bool isSplat = bytes.size() == width && type.getNumElements() != 1;
  if (!isSplat && bits % 8 == 0)
    return ConstantBytes{type, width, bytes, nullptr};
  if (isSplat && type.getNumElements() * width > kMostSplatBytes)
    return std::nullopt;
  ConstantBytes result = zeros(type);
  uint64_t mask = llvm::maxUIntN(bits);
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    result.set(i, load(&bytes[isSplat ? 0 : i * width], width) & mask);
  return result;
}

ConstantBytes mlir::qdq::transposeBytes(const ConstantBytes &elements,
                                        ArrayRef<int64_t> order) {
  auto owner = std::make_shared<SmallVector<char>>(
      transposeBytes(elements.bytes, elements.type, order));
  RankedTensorType type =
      elements.type.clone(applyPermutation(elements.type.getShape(), order));
  return {type, elements.width, *owner, owner};
}
