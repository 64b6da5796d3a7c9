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
