// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tosa.conv2d_block_scaled of MLIR 23.

#include "../ForeignOps/TensorOps.h"
#include "../ForeignOps/Window.h"
#include "Blocks.h"
#include "Translations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/Utils/ConversionUtils.h"

using namespace mlir;
using namespace mlir::qdq;

LogicalResult qdq::translateConvolutionOfBlocks(const ForeignOp &op,
                                                const Stamp &stamp) {
  Operation *conv = op.getOperation();
  Value data = conv->getOperand(0), scale = conv->getOperand(1);
  Value weight = conv->getOperand(2), weightScale = conv->getOperand(3);
  if (failed(checkBlocks(op, data.getType(), scale.getType())) ||
      failed(checkBlocks(op, weight.getType(), weightScale.getType())))
    return failure();
  auto type = cast<RankedTensorType>(data.getType());
  auto weightType = cast<RankedTensorType>(weight.getType());
  auto result = dyn_cast<RankedTensorType>(conv->getResult(0).getType());
  auto isStatic = [](RankedTensorType tensor) {
    return ShapedType::isStaticShape(tensor.getShape().drop_front());
  };
  if (!result || !result.getElementType().isF32() || !isStatic(type) ||
      !weightType.hasStaticShape() || !isStatic(result))
    return op.refuse("has the input ", data.getType(), ", the weight ",
                     weight.getType(), " and the output ",
                     conv->getResult(0).getType(),
                     ": expected an output of f32, and static sizes except "
                     "that of the batch");
  SmallVector<int64_t> pad, stride, dilation;
  if (!tosa::getConstShapeValues(conv->getOperand(5).getDefiningOp(), pad) ||
      !tosa::getConstShapeValues(conv->getOperand(6).getDefiningOp(), stride) ||
      !tosa::getConstShapeValues(conv->getOperand(7).getDefiningOp(), dilation))
    return op.refuse("has a pad, stride or dilation that is no constant");

  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  FloatType f32 = b.getF32Type();
  auto size = conv->getAttrOfType<tosa::BlockSizeAttr>("block_size").getValue();
  // Top, bottom, left, right.
  auto pads = getAsIndexOpFoldResult(b.getContext(), pad);
  Value x = padCodes(op, dequantizeBlocks(op, data, scale, size, f32, stamp),
                     /*zeroPoint=*/{}, /*first=*/1, {pads[0], pads[2]},
                     {pads[1], pads[3]});
  Value w = dequantizeBlocks(op, weight, weightScale, size, f32, stamp);
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, b.getLoc(), x);
  for (int64_t dim : {1, 2, 3})
    sizes[dim] = b.getIndexAttr(result.getDimSize(dim));
  Value zero = arith::ConstantOp::create(b, b.getFloatAttr(f32, 0.0));
  Value init = tensor::EmptyOp::create(b, sizes, f32);
  init = linalg::FillOp::create(b, zero, init).getResult(0);
  Value sum = linalg::Conv2DNhwcFhwcOp::create(
                  b, init.getType(), ValueRange{x, w}, init,
                  b.getI64TensorAttr(stride), b.getI64TensorAttr(dilation))
                  .getResult(0);
  return op.replace(addBias(b, sum, conv->getOperand(4), f32));
}
