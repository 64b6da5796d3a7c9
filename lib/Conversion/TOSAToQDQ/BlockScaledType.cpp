// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tosa.cast to and from !tosa.block_scaled, a type of MLIR 23 for codes with
// their scales.

#include "Blocks.h"
#include "Translations.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/Support/MLIRVersion.h"

using namespace mlir;
using namespace mlir::qdq;

#if QDQ_HAS_BLOCK_SCALED_TYPE
bool qdq::isBlockScaled(Type type) {
  return isa<tosa::BlockScaledType>(getElementTypeOrSelf(type));
}

LogicalResult qdq::translateBlockScaledCast(const ForeignOp &op,
                                            tosa::CastOp cast,
                                            const Stamp &stamp) {
  auto element = dyn_cast<tosa::BlockScaledType>(
      getElementTypeOrSelf(cast.getInput().getType()));
  if (!element)
    return op.refuse("makes ", cast.getType(),
                     ", which is read by something else than a 'tosa.cast'");
  auto source = cast.getInput().getDefiningOp<tosa::CastOp>();
  auto expressed = dyn_cast<FloatType>(getElementTypeOrSelf(cast.getType()));
  auto type = source ? dyn_cast<RankedTensorType>(source.getInput().getType())
                     : RankedTensorType();
  if (!type || !expressed || type.getRank() == 0)
    return op.refuse("reads ", cast.getInput().getType(),
                     ": expected floats, of what a 'tosa.cast' made of ranked "
                     "floats");
  static_assert(tosa::getMaxEnumValForBlockShape() ==
                static_cast<int>(tosa::BlockShape::BLOCK_SHAPE_32));
  auto size = tosa::BlockSize::BLOCK_SIZE_32;
  SmallVector<int64_t> shape(type.getShape());
  if (!type.isDynamicDim(type.getRank() - 1))
    shape.back() /= tosa::BlockSizeAttr::getBlockSizeValue(size);
  auto blocks = quantizeBlocks(
      op, source.getInput(), type.clone(element.getValueType()),
      RankedTensorType::get(shape, element.getScaleType()), size, stamp);
  if (failed(blocks))
    return failure();
  return op.replace(dequantizeBlocks(op, blocks->first, blocks->second, size,
                                     expressed, stamp));
}
#else
bool qdq::isBlockScaled(Type) { return false; }

LogicalResult qdq::translateBlockScaledCast(const ForeignOp &op, tosa::CastOp,
                                            const Stamp &) {
  return op.refuse("is of no block-scaled type");
}
#endif
