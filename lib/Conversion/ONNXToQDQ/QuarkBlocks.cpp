// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// AMD Quark's BFPQuantizeDequantize and MXQuantizeDequantize (earlier
// BFPFixNeuron, MXFixNeuron): values in a block format, as reals.
//
// Scales are f64, which holds every 2^k that the formats have; f32 lacks the
// small ones.

#include "../ForeignOps/TensorOps.h"
#include "CodeOperands.h"
#include "QuarkBlockFormat.h"
#include "Translations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Utils/Utils.h"

using namespace mlir;
using namespace mlir::qdq;

static Scalar isFinite(Scalar x) {
  Scalar infinity = x.constant(std::numeric_limits<double>::infinity());
  return abs(x) < infinity;
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
  SemanticsFields spelled;
  spelled.compute = Compute::F32;
  spelled.rounding = Rounding::NearestEven;
  spelled.floatOverflow = FloatOverflow::IEEE;
  QuantizationParameters one;
  one.scale = getSingle(b.getF32Type(), 1.0);
  Value narrow =
      quantizeF32(node, stamp, toForeign(x), b.getBF16Type(), one, spelled);
  return dequantizeF32(node, stamp, toForeign(narrow), one, spelled);
}

/// The elements that take part in a block: zeros in the place of those that are
/// passed through. An infinity in a prime block marks its scale.
Value BlockBuilder::prepare(Value x) {
  return mapElements(b, {x}, b.getF32Type(), [&](Scalar value) {
    Scalar zero = value.constant(0), finite = isFinite(value);
    if (!format.subBlock)
      return select(finite, value, zero);
    Scalar infinity = value.constant(std::numeric_limits<double>::infinity());
    Scalar smallest = value.constant(0x1p-126);
    Scalar isSubnormal = abs(value) < smallest;
    value = select(finite, value, infinity);
    return select(isSubnormal, zero, value);
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
    Value positive = mapElements(b, {x}, b.getF32Type(), [](Scalar value) {
      return value.apply<arith::MaxNumFOp>(0.0);
    });
    scales.push_back(chooseScale(positive, format.block, PowerOfTwo::Even));
  }
  // Subnormal numbers have the exponent -127.
  double lowest = std::ldexp(1.0, -127 - format.exponent);
  return mapElements(b, scales, b.getF64Type(),
                     [&](ImplicitLocOpBuilder &body, ValueRange elements) {
                       Scalar largest =
                           Scalar(body, elements[0]).constant(lowest);
                       for (Value element : elements)
                         largest = largest.apply<arith::MaxNumFOp>(element);
                       return largest;
                     });
}

/// The scale of each sub-block, bounded by that of its block.
Value BlockBuilder::joinScales(Value subScale, Value scale) {
  RankedTensorType type = getType(subScale);
  int64_t rank = type.getRank();
  Value init = tensor::EmptyOp::create(
      b, type, tensor::createDynamicDimValues(b, b.getLoc(), subScale));
  AffineMap own = b.getMultiDimIdentityMap(rank);
  SmallVector<AffineExpr> dims(own.getResults());
  dims[format.axis] =
      dims[format.axis].floorDiv(format.block / format.subBlock);
  AffineMap maps[] = {own, AffineMap::get(rank, 0, dims, b.getContext()), own};
  return createGeneric(
      b, {subScale, scale}, init, maps, [&](Scalar sub, Scalar whole) {
        Scalar bound = whole * std::ldexp(1.0, -format.maxShift);
        Scalar larger = sub.apply<arith::MaxNumFOp>(bound);
        // No finite f32 has such a scale: there is an infinity.
        Scalar isMarked = whole > 0x1p200;
        Scalar nan = sub.constant(std::numeric_limits<double>::quiet_NaN());
        return select(isMarked, nan, larger);
      });
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
  return mapElements(b, {x, y}, element, [&](Scalar input, Scalar result) {
    Scalar zero = result.constant(0);
    switch (format.zeroSign) {
    case ZeroSign::Positive:
      result = select(equal(result, zero), zero, result);
      break;
    case ZeroSign::OfZeroInput:
      result = select(equal(input, zero), input, result);
      break;
    case ZeroSign::OfInput:
      result = result.apply<math::CopySignOp>(input);
      break;
    }
    if (!format.subBlock)
      result = select(isFinite(input), result, input);
    if (single)
      result = select({input.getBuilder(), single}, input, result);
    return result.to(element);
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
  QuantizationParameters parameters{{nullptr, blocks}, toForeign(scale), {}};
  Value codes =
      createQuantize(node, toForeign(finite), format.storage, parameters,
                     getSemantics(Direction::Quantize, f32),
                     /*scale=*/nullptr, format.clamp);
  auto y = node.create<DequantizeOp>(type, codes, scale, /*zero_point=*/nullptr,
                                     /*axis=*/nullptr, blocks, format.clamp,
                                     /*zero_point_domain=*/nullptr,
                                     getSemantics(Direction::Dequantize, f32));
  return finish(x, y, element);
}

static LogicalResult
translateBlocks(const ForeignOp &node, const Stamp &stamp,
                FailureOr<QuarkBlockFormat> (*readFormat)(const ForeignOp &,
                                                          RankedTensorType)) {
  FailureOr<ForeignTensor> input = node.getTensor(
      0, "input",
      [](RankedTensorType type) {
        return type.getElementType().isF32() || type.getElementType().isF16();
      },
      "a ranked tensor of f32 or f16");
  if (failed(input))
    return failure();
  auto type = cast<RankedTensorType>(input->type);
  if (failed(checkResult(node, type)))
    return failure();
  FailureOr<QuarkBlockFormat> format = readFormat(node, type);
  if (failed(format))
    return failure();
  BlockBuilder builder(node, *format, stamp);
  return node.replace(builder.build(node.materialize(*input)));
}

LogicalResult mlir::qdq::translateQuarkBFP(const ForeignOp &node,
                                           const Stamp &stamp) {
  return translateBlocks(node, stamp, readBFPFormat);
}

LogicalResult mlir::qdq::translateQuarkMX(const ForeignOp &node,
                                          const Stamp &stamp) {
  return translateBlocks(node, stamp, readMXFormat);
}
