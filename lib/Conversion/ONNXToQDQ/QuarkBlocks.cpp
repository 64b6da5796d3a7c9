// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// AMD Quark's BFPQuantizeDequantize and MXQuantizeDequantize (earlier
// BFPFixNeuron, MXFixNeuron): values in a block format, as reals.
//
// Scales are f64, which holds every 2^k that the formats have; f32 lacks the
// small ones.

#include "../ForeignOps/TensorOps.h"
#include "QuarkBlockFormat.h"
#include "Translations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::qdq;

static Value createFloat(ImplicitLocOpBuilder &b, Type type, double value) {
  return arith::ConstantOp::create(b, b.getFloatAttr(type, value));
}

static Value isFinite(ImplicitLocOpBuilder &b, Value x) {
  Value infinity =
      createFloat(b, x.getType(), std::numeric_limits<double>::infinity());
  return arith::CmpFOp::create(b, arith::CmpFPredicate::OLT,
                               math::AbsFOp::create(b, x), infinity);
}

namespace {
/// One node that is made.
class BlockBuilder {
public:
  BlockBuilder(const ForeignOp &node, const QuarkBlockFormat &format,
               const Stamp &stamp)
      : node(node), format(format), stamp(stamp),
        b(node.getLoc(), node.getRewriter()) {}

  /// The result of an input, an f16 or f32 tensor.
  Value build(Value input);

private:
  RankedTensorType getType(Value tensor) const {
    return cast<RankedTensorType>(tensor.getType());
  }

  SemanticsAttr getSemantics(Direction direction, Type expressed) {
    SemanticsFields spelled;
    spelled.compute = Compute::F64;
    spelled.rounding = format.rounding;
    return stamp({direction, expressed, b.getF64Type()}, spelled);
  }

  Value roundToBFloat(Value x);
  Value prepare(Value x);
  DenseI64ArrayAttr getBlockShape(RankedTensorType type, int64_t block) const;
  Value chooseScale(Value x, int64_t block, PowerOfTwo powerOfTwo);
  Value createScale(Value x);
  Value joinScales(Value subScale, Value scale);
  Value isSingle(Value x);
  Value finish(Value x, Value y, Type element);

  const ForeignOp &node;
  const QuarkBlockFormat &format;
  const Stamp &stamp;
  ImplicitLocOpBuilder b;
};
} // namespace

/// Elements of f32 to the nearest bf16.
Value BlockBuilder::roundToBFloat(Value x) {
  FloatType f32 = b.getF32Type();
  RankedTensorType type = getType(x);
  Value one = createFloat(b, f32, 1.0);
  SemanticsFields spelled;
  spelled.compute = Compute::F32;
  spelled.rounding = Rounding::NearestEven;
  spelled.floatOverflow = FloatOverflow::IEEE;
  Value narrow = node.create<QuantizeOp>(
      type.clone(b.getBF16Type()), x, one, /*zero_point=*/nullptr,
      /*axis=*/nullptr, /*block_shape=*/nullptr, /*clamp=*/nullptr,
      /*zero_point_domain=*/nullptr,
      stamp({Direction::Quantize, f32, f32}, spelled), /*seed=*/nullptr,
      /*runtime_seed=*/nullptr);
  return node.create<DequantizeOp>(
      type, narrow, one, /*zero_point=*/nullptr, /*axis=*/nullptr,
      /*block_shape=*/nullptr, /*clamp=*/nullptr,
      /*zero_point_domain=*/nullptr,
      stamp({Direction::Dequantize, f32, f32}, spelled));
}

/// The elements that take part in a block: zeros in the place of those that are
/// passed through. An infinity in a prime block marks its scale.
Value BlockBuilder::prepare(Value x) {
  return mapElements(
      b, {x}, b.getF32Type(),
      [&](ImplicitLocOpBuilder &body, ValueRange elements) -> Value {
        Type f32 = body.getF32Type();
        Value value = elements[0];
        Value zero = createFloat(body, f32, 0.0);
        Value finite = isFinite(body, value);
        if (!format.subBlock)
          return arith::SelectOp::create(body, finite, value, zero);
        Value infinity =
            createFloat(body, f32, std::numeric_limits<double>::infinity());
        Value smallest = createFloat(body, f32, 0x1p-126);
        Value isSubnormal =
            arith::CmpFOp::create(body, arith::CmpFPredicate::OLT,
                                  math::AbsFOp::create(body, value), smallest);
        value = arith::SelectOp::create(body, finite, value, infinity);
        return arith::SelectOp::create(body, isSubnormal, zero, value);
      });
}

DenseI64ArrayAttr BlockBuilder::getBlockShape(RankedTensorType type,
                                              int64_t block) const {
  SmallVector<int64_t> shape(type.getRank(), 1);
  shape[format.axis] = block;
  return DenseI64ArrayAttr::get(type.getContext(), shape);
}

/// The exponent of the largest magnitude in each block, as a scale.
Value BlockBuilder::chooseScale(Value x, int64_t block, PowerOfTwo powerOfTwo) {
  RankedTensorType type = getType(x);
  SmallVector<int64_t> shape(type.getShape());
  if (ShapedType::isStatic(shape[format.axis]))
    shape[format.axis] = llvm::divideCeilSigned(shape[format.axis], block);
  return node
      .create<ChooseParamsOp>(
          RankedTensorType::get(shape, b.getF64Type()), /*zero_point=*/nullptr,
          x, RangeMode::Symmetric, /*axis=*/nullptr, getBlockShape(type, block),
          /*clamp=*/nullptr,
          getSemantics(Direction::Dequantize, b.getF32Type()),
          TypeAttr::get(format.storage),
          PowerOfTwoAttr::get(b.getContext(), powerOfTwo))
      .getScale();
}

Value BlockBuilder::createScale(Value x) {
  Value scale = chooseScale(x, format.block, PowerOfTwo::Floor);
  if (format.subBlock)
    return joinScales(chooseScale(x, format.subBlock, PowerOfTwo::Floor),
                      scale);
  SmallVector<Value> scales{scale};
  if (format.isRaised) {
    Value positive = mapElements(
        b, {x}, b.getF32Type(),
        [](ImplicitLocOpBuilder &body, ValueRange elements) -> Value {
          Value zero = createFloat(body, body.getF32Type(), 0.0);
          return arith::MaxNumFOp::create(body, elements[0], zero);
        });
    scales.push_back(chooseScale(positive, format.block, PowerOfTwo::Even));
  }
  // Subnormal numbers have the exponent -127.
  double lowest = std::ldexp(1.0, -127 - format.exponent);
  return mapElements(
      b, scales, b.getF64Type(),
      [&](ImplicitLocOpBuilder &body, ValueRange elements) -> Value {
        Value largest = createFloat(body, body.getF64Type(), lowest);
        for (Value element : elements)
          largest = arith::MaxNumFOp::create(body, largest, element);
        return largest;
      });
}

/// The scale of each sub-block, bounded by that of its block.
Value BlockBuilder::joinScales(Value subScale, Value scale) {
  RankedTensorType type = getType(subScale);
  int64_t rank = type.getRank();
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(tensor::DimOp::create(b, subScale, dim));
  Value init = tensor::EmptyOp::create(b, type, sizes);
  AffineMap own = b.getMultiDimIdentityMap(rank);
  SmallVector<AffineExpr> dims(own.getResults());
  dims[format.axis] =
      dims[format.axis].floorDiv(format.block / format.subBlock);
  AffineMap maps[] = {own, AffineMap::get(rank, 0, dims, b.getContext()), own};
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      b, type, ValueRange{subScale, scale}, init, maps, loops,
      [&](OpBuilder &nested, Location loc, ValueRange arguments) {
        ImplicitLocOpBuilder body(loc, nested);
        Type f64 = body.getF64Type();
        Value bound = arith::MulFOp::create(
            body, arguments[1],
            createFloat(body, f64, std::ldexp(1.0, -format.maxShift)));
        Value larger = arith::MaxNumFOp::create(body, arguments[0], bound);
        // No finite f32 has such a scale: there is an infinity.
        Value isMarked =
            arith::CmpFOp::create(body, arith::CmpFPredicate::OGT, arguments[1],
                                  createFloat(body, f64, 0x1p200));
        Value nan =
            createFloat(body, f64, std::numeric_limits<double>::quiet_NaN());
        Value result = arith::SelectOp::create(body, isMarked, nan, larger);
        linalg::YieldOp::create(body, result);
      });
  return generic.getResult(0);
}

/// An i1 where the sizes leave open whether there is one element; null where
/// there are more, or none.
Value BlockBuilder::isSingle(Value x) {
  RankedTensorType type = getType(x);
  if (llvm::any_of(type.getShape(), [](int64_t size) {
        return ShapedType::isStatic(size) && size != 1;
      }))
    return nullptr;
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value result;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (!type.isDynamicDim(dim))
      continue;
    Value isOne = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                        tensor::DimOp::create(b, x, dim), one);
    result = result ? arith::AndIOp::create(b, result, isOne) : isOne;
  }
  return result;
}

/// The result of the elements `x`, for which the format has `y`.
Value BlockBuilder::finish(Value x, Value y, Type element) {
  Value single = isSingle(x);
  return mapElements(
      b, {x, y}, element,
      [&](ImplicitLocOpBuilder &body, ValueRange elements) -> Value {
        Value input = elements[0], result = elements[1];
        Value zero = createFloat(body, result.getType(), 0.0);
        auto isZero = [&](Value value) -> Value {
          return arith::CmpFOp::create(body, arith::CmpFPredicate::OEQ, value,
                                       zero);
        };
        switch (format.zeroSign) {
        case ZeroSign::Positive:
          result = arith::SelectOp::create(body, isZero(result), zero, result);
          break;
        case ZeroSign::OfZeroInput:
          result = arith::SelectOp::create(body, isZero(input), input, result);
          break;
        case ZeroSign::OfInput:
          result = math::CopySignOp::create(body, result, input);
          break;
        }
        if (!format.subBlock)
          result = arith::SelectOp::create(body, isFinite(body, input), result,
                                           input);
        if (single)
          result = arith::SelectOp::create(body, single, input, result);
        if (element != result.getType())
          result = arith::TruncFOp::create(body, element, result);
        return result;
      });
}

Value BlockBuilder::build(Value input) {
  Type element = getType(input).getElementType();
  FloatType f32 = b.getF32Type();
  Value x = addBias(b, input, /*bias=*/nullptr, f32);
  if (format.isBFloat)
    x = roundToBFloat(x);
  if (mlir::qdq::isSingle(getType(input)))
    return addBias(b, x, /*bias=*/nullptr, element);
  Value finite = prepare(x);
  Value scale = createScale(finite);
  RankedTensorType type = getType(finite);
  DenseI64ArrayAttr blocks =
      getBlockShape(type, format.subBlock ? format.subBlock : format.block);
  Value codes = node.create<QuantizeOp>(
      type.clone(format.storage), finite, scale, /*zero_point=*/nullptr,
      /*axis=*/nullptr, blocks, format.clamp, /*zero_point_domain=*/nullptr,
      getSemantics(Direction::Quantize, f32), /*seed=*/nullptr,
      /*runtime_seed=*/nullptr);
  Value y = node.create<DequantizeOp>(
      type, codes, scale, /*zero_point=*/nullptr, /*axis=*/nullptr, blocks,
      format.clamp, /*zero_point_domain=*/nullptr,
      getSemantics(Direction::Dequantize, f32));
  return finish(x, y, element);
}

static LogicalResult
translateBlocks(const ForeignOp &node, const Stamp &stamp,
                FailureOr<QuarkBlockFormat> (*readFormat)(const ForeignOp &,
                                                          RankedTensorType)) {
  FailureOr<ForeignTensor> input = node.getTensor(0, "input");
  FailureOr<TensorType> result = node.getResultType(0);
  if (failed(input) || failed(result))
    return failure();
  auto type = dyn_cast<RankedTensorType>(input->type);
  Type element = input->type.getElementType();
  if (!type || !(element.isF32() || element.isF16()))
    return node.refuse("input has type ", input->type,
                       ": expected a ranked tensor of f32 or f16");
  if (result->getElementType() != element ||
      failed(verifyCompatibleShape(*result, type)))
    return node.refuse("result has type ", *result, ": expected ", type);
  FailureOr<QuarkBlockFormat> format = readFormat(node, type);
  if (failed(format))
    return failure();
  BlockBuilder builder(node, *format, stamp);
  node.replace(builder.build(node.materialize(*input)));
  return success();
}

LogicalResult mlir::qdq::translateQuarkBFP(const ForeignOp &node,
                                           const Stamp &stamp) {
  return translateBlocks(node, stamp, readBFPFormat);
}

LogicalResult mlir::qdq::translateQuarkMX(const ForeignOp &node,
                                          const Stamp &stamp) {
  return translateBlocks(node, stamp, readMXFormat);
}
