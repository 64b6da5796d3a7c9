// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors of elements below a byte as tensors of bytes.

#include "PackedBits.h"

using namespace mlir;
using namespace mlir::qdq;

bool mlir::qdq::isSubByte(Type elementType) {
  return elementType.isIntOrFloat() &&
         elementType.getIntOrFloatBitWidth() < 8 && !elementType.isInteger(1);
}

RankedTensorType mlir::qdq::getPackedType(RankedTensorType type) {
  BitLayout layout = BitLayout::getFlatBytes(type.getElementTypeBitWidth());
  int64_t count =
      type.hasStaticShape() ? type.getNumElements() : ShapedType::kDynamic;
  return RankedTensorType::get({layout.getNumContainers(count)},
                               IntegerType::get(type.getContext(), 8));
}

Value mlir::qdq::packBits(ImplicitLocOpBuilder &b, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return PackOp::create(b, getPackedType(type), value,
                        PackingAttr::get(b.getContext(), PackingPreset::ONNX));
}

Value mlir::qdq::unpackBits(ImplicitLocOpBuilder &b, Value bytes,
                            RankedTensorType type, ValueRange dynamicSizes) {
  return UnpackOp::create(
      b, type, bytes, dynamicSizes,
      PackingAttr::get(b.getContext(), PackingPreset::ONNX));
}

/// Not with `packCodes`, which takes eight bytes an element: weights are large.
SmallVector<char> mlir::qdq::packCodeBytes(ArrayRef<char> codes,
                                           unsigned bits) {
  BitLayout layout = BitLayout::getFlatBytes(bits);
  SmallVector<char> bytes(layout.getNumContainers(codes.size()), 0);
  for (auto [index, code] : llvm::enumerate(codes)) {
    int64_t position = layout.getBitPosition(index);
    unsigned value = static_cast<unsigned>(code) & ((1u << bits) - 1);
    value <<= position % 8;
    bytes[position / 8] |= static_cast<char>(value);
    if (value >> 8)
      bytes[position / 8 + 1] |= static_cast<char>(value >> 8);
  }
  return bytes;
}
