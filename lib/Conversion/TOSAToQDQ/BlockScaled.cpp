// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tosa.cast_from_block_scaled, cast_to_block_scaled and matmul_t_block_scaled.

#include "../ForeignOps/TensorOps.h"
#include "Blocks.h"
#include "Translations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::qdq;

/// Blocks of the last of `rank` dimensions.
static DenseI64ArrayAttr getBlockShape(MLIRContext *ctx, int64_t rank,
                                       tosa::BlockSize size) {
  SmallVector<int64_t> shape(rank, 1);
  shape.back() = tosa::BlockSizeAttr::getBlockSizeValue(size);
  return DenseI64ArrayAttr::get(ctx, shape);
}

LogicalResult qdq::checkBlocks(const ForeignOp &op, Type data, Type scale) {
  auto dataType = dyn_cast<RankedTensorType>(data);
  auto scaleType = dyn_cast<RankedTensorType>(scale);
  if (!dataType || !scaleType)
    return op.refuse("has a tensor that is not ranked");
  if (!isa<FloatType>(dataType.getElementType()) ||
      !isa<Float8E8M0FNUType>(scaleType.getElementType()))
    return op.refuse("has data of type ", dataType, " and scales of type ",
                     scaleType, ": expected floats, and scales of f8E8M0FNU");
  return success();
}

Value qdq::dequantizeBlocks(const ForeignOp &op, Value data, Value scale,
                            tosa::BlockSize size, FloatType expressed,
                            const Stamp &stamp) {
  int64_t rank = cast<RankedTensorType>(data.getType()).getRank();
  auto scaleType = cast<FloatType>(getElementTypeOrSelf(scale));
  return createDequantize(
      op, toForeign(data), expressed,
      {{nullptr, getBlockShape(op.getRewriter().getContext(), rank, size)},
       toForeign(scale),
       {}},
      stamp({Direction::Dequantize, expressed, scaleType}));
}

LogicalResult qdq::translateCastFromBlocks(const ForeignOp &op,
                                           tosa::CastFromBlockScaledOp cast,
                                           const Stamp &stamp) {
  if (failed(checkBlocks(op, cast.getInputData().getType(),
                         cast.getInputScale().getType())))
    return failure();
  auto expressed = llvm::cast<FloatType>(
      getElementTypeOrSelf(cast.getOutputData().getType()));
  return op.replace(dequantizeBlocks(op, cast.getInputData(),
                                     cast.getInputScale(), cast.getBlockSize(),
                                     expressed, stamp));
}

//===----------------------------------------------------------------------===//
// tosa.cast_to_block_scaled
//===----------------------------------------------------------------------===//

/// `x` with an infinity in the place of each NaN.
static Value markNonFinite(ImplicitLocOpBuilder &b, Value x) {
  Type type = getElementTypeOrSelf(x);
  return mapElements(b, {x}, type, [](Scalar x) {
    Scalar infinity = x.constant(std::numeric_limits<double>::infinity());
    return select(isNaN(x), infinity, x);
  });
}

/// NaN in the place of 2^127. A block of finite values has a smaller scale:
/// they are below 2^128, and codes reach beyond 2.
static Value markScales(ImplicitLocOpBuilder &b, Value scale) {
  Type type = getElementTypeOrSelf(scale);
  return mapElements(b, {scale}, type, [&](Scalar x) {
    Scalar bits = x.bitcast(b.getI8Type()), isLargest = equal(bits, -2);
    return select(isLargest, bits.constant(-1), bits).bitcast(type);
  });
}

FailureOr<std::pair<Value, Value>>
qdq::quantizeBlocks(const ForeignOp &op, Value x, Type data, Type scaleType,
                    tosa::BlockSize size, const Stamp &stamp) {
  auto type = dyn_cast<RankedTensorType>(x.getType());
  if (failed(checkBlocks(op, data, scaleType)))
    return failure();
  auto expressed =
      type ? dyn_cast<FloatType>(type.getElementType()) : FloatType();
  if (!expressed || expressed.getWidth() > 32)
    return op.refuse("has the input ", x.getType(),
                     ": expected a ranked tensor of f16, bf16 or f32");
  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  DenseI64ArrayAttr blockShape =
      getBlockShape(b.getContext(), type.getRank(), size);
  Type storage = getElementTypeOrSelf(data);
  FloatType e8m0 = b.getType<Float8E8M0FNUType>();
  SemanticsFields f32;
  f32.compute = Compute::F32;
  Value scale = op.create<ChooseParamsOp>(
                      llvm::cast<RankedTensorType>(scaleType),
                      /*zero_point=*/nullptr, markNonFinite(b, x),
                      RangeMode::Symmetric, /*axis=*/nullptr, blockShape,
                      /*clamp=*/nullptr,
                      stamp({Direction::Dequantize, expressed, e8m0}, f32),
                      TypeAttr::get(storage),
                      PowerOfTwoAttr::get(b.getContext(), PowerOfTwo::Fit))
                    .getScale();
  scale = markScales(b, scale);
  Value codes = createQuantize(
      op, toForeign(x), storage, {{nullptr, blockShape}, toForeign(scale), {}},
      stamp({Direction::Quantize, expressed, e8m0}, f32));
  return std::pair(codes, scale);
}

LogicalResult qdq::translateCastToBlocks(const ForeignOp &op,
                                         tosa::CastToBlockScaledOp cast,
                                         const Stamp &stamp) {
  auto blocks = quantizeBlocks(
      op, cast.getInputData(), cast.getOutputData().getType(),
      cast.getOutputScale().getType(), cast.getBlockSize(), stamp);
  if (failed(blocks))
    return failure();
  return op.replace({blocks->first, blocks->second});
}

//===----------------------------------------------------------------------===//
// tosa.matmul_t_block_scaled
//===----------------------------------------------------------------------===//

LogicalResult qdq::translateProductOfBlocks(const ForeignOp &op,
                                            tosa::MatmulTBlockScaledOp product,
                                            const Stamp &stamp) {
  if (failed(checkBlocks(op, product.getAData().getType(),
                         product.getAScale().getType())) ||
      failed(checkBlocks(op, product.getBData().getType(),
                         product.getBScale().getType())))
    return failure();
  auto aType = cast<RankedTensorType>(product.getAData().getType());
  auto bType = cast<RankedTensorType>(product.getBData().getType());
  bool isBroadcast = bType.getDimSize(0) == 1 && aType.getDimSize(0) != 1;
  if (bType.isDynamicDim(0) && aType.getDimSize(0) != 1)
    return op.refuse("has the operand b ", bType,
                     ", whose first dimension may be 1, which is broadcast, or "
                     "that of a: expected a static size");

  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  FloatType f32 = b.getF32Type();
  Value lhs = dequantizeBlocks(op, product.getAData(), product.getAScale(),
                               product.getBlockSize(), f32, stamp);
  Value rhs = dequantizeBlocks(op, product.getBData(), product.getBScale(),
                               product.getBlockSize(), f32, stamp);
  // a[n, h, c] * b[n, w, c], or b[w, c].
  SmallVector<AffineExpr> d(4);
  bindDimsList<AffineExpr>(b.getContext(), d);
  AffineMap rhsMap = AffineMap::get(4, 0, {d[0], d[2], d[3]}, b.getContext());
  if (isBroadcast) {
    SmallVector<ReassociationIndices> groups{{0, 1}, {2}};
    rhs = tensor::CollapseShapeOp::create(b, rhs, groups);
    rhsMap = rhsMap.dropResult(0);
  }
  auto resultType = RankedTensorType::get(
      {aType.getDimSize(0), aType.getDimSize(1), bType.getDimSize(1)}, f32);
  SmallVector<OpFoldResult> sizes{
      tensor::getMixedSize(b, b.getLoc(), lhs, 0),
      tensor::getMixedSize(b, b.getLoc(), lhs, 1),
      tensor::getMixedSize(b, b.getLoc(), rhs, isBroadcast ? 0 : 1)};
  Value zero = arith::ConstantOp::create(b, b.getFloatAttr(f32, 0.0));
  Value init = tensor::EmptyOp::create(b, sizes, f32);
  init = linalg::FillOp::create(b, zero, init).getResult(0);
  AffineMap maps[] = {AffineMap::get(4, 0, {d[0], d[1], d[3]}, b.getContext()),
                      rhsMap,
                      AffineMap::get(4, 0, {d[0], d[1], d[2]}, b.getContext())};
  return op.replace(linalg::ContractOp::create(b, TypeRange(resultType),
                                               ValueRange{lhs, rhs}, init,
                                               b.getAffineMapArrayAttr(maps))
                        ->getResults());
}
