// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// quantized_decomposed.quantize_per_tensor and dequantize_per_tensor, with
// parameters that are numbers or tensors of one element.

#include "../ForeignOps/ForeignConstant.h"
#include "../ForeignOps/TensorOps.h"
#include "AffineNode.h"
#include "TorchScalars.h"
#include "Translations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::qdq;

namespace {
/// A scale: a number, or a tensor of one element.
struct SingleScale {
  std::optional<double> number;
  ForeignTensor tensor;
};
} // namespace

static FailureOr<SingleScale> readSingleScale(const ForeignOp &node) {
  Value value = node.getOperand(1);
  Operation *def = value ? value.getDefiningOp() : nullptr;
  if (def && isTorchScalar(def)) {
    FailureOr<double> number = getFloat(node, 1, "scale");
    if (failed(number))
      return failure();
    return SingleScale{*number, {}};
  }
  FailureOr<ForeignTensor> tensor = readScale(node, 1);
  if (failed(tensor))
    return failure();
  if (!isSingle(tensor->type))
    return node.refuse("scale has type ", tensor->type,
                       ": expected a number, or a tensor of one element");
  SingleScale scale{std::nullopt, *tensor};
  // A number is easier to use, and all types of scales are in f64.
  if (auto constant =
          dyn_cast_or_null<DenseFPElementsAttr>(getConstant(*tensor))) {
    APFloat single = *constant.value_begin<APFloat>();
    bool isInexact;
    single.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                   &isInexact);
    scale.number = single.convertToDouble();
  }
  return scale;
}

static FailureOr<ForeignTensor>
readSingleZeroPoint(const ForeignOp &node, Type storage, bool mayBeFloat) {
  FailureOr<ForeignTensor> zeroPoint = readZeroPoint(node, 2, storage);
  if (failed(zeroPoint))
    return failure();
  Type element = *zeroPoint ? zeroPoint->type.getElementType() : Type();
  if (!*zeroPoint || !isSingle(zeroPoint->type) ||
      (isa<FloatType>(element) && !mayBeFloat))
    return node.refuse("zero_point has type ",
                       *zeroPoint ? Type(zeroPoint->type)
                                  : Type(node.getRewriter().getNoneType()),
                       ": expected an integer, or a tensor of one");
  return zeroPoint;
}

/// PyTorch multiplies by `f32(1 / scale)`, a quotient of f64. The f32 whose
/// reciprocal in f32 is that, if there is one: the scale itself, or a
/// neighbour.
static std::optional<float> getScaleOfReciprocal(double scale) {
  float wanted = static_cast<float>(1.0 / scale);
  float nearest = static_cast<float>(scale);
  float infinity = std::numeric_limits<float>::infinity();
  for (float candidate : {nearest, std::nextafter(nearest, infinity),
                          std::nextafter(nearest, -infinity)})
    if (candidate != 0 && std::isfinite(candidate) &&
        1.0f / candidate == wanted)
      return candidate;
  return std::nullopt;
}

/// `input * f32(1 / scale)` in f32: what is left is to quantize with the scale
/// 1.
static ForeignTensor divide(const ForeignOp &node, const ForeignTensor &input,
                            const SingleScale &scale) {
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  FloatType f32 = b.getF32Type();
  Value reciprocal;
  if (scale.number) {
    float value = static_cast<float>(1.0 / *scale.number);
    reciprocal = arith::ConstantOp::create(b, b.getF32FloatAttr(value));
  } else {
    Value one = arith::ConstantOp::create(b, b.getF64FloatAttr(1.0));
    Value divisor = toScalar(b, node.materializeSingle(scale.tensor));
    reciprocal =
        arith::TruncFOp::create(b, f32, arith::DivFOp::create(b, one, divisor));
  }
  Value product = mapElements(b, {node.materialize(input)}, f32,
                              [&](Scalar x) { return x.to(f32) * reciprocal; });
  return toForeign(product);
}

LogicalResult mlir::qdq::translateQuantizePerTensor(const ForeignOp &node,
                                                    const Stamp &stamp) {
  FailureOr<AffineNode> n = readQuantize(node);
  if (failed(n))
    return failure();
  Type storage = n->result.getElementType();
  Reader read;
  SingleScale scale = read(readSingleScale(node));
  QuantizationParameters parameters;
  parameters.zeroPoint =
      read(readSingleZeroPoint(node, storage, /*mayBeFloat=*/false));
  DenseI64ArrayAttr clamp = read(readClamp(node, 3, 4, 5, storage));
  if (failed(read))
    return failure();
  FloatType f32 = Float32Type::get(node.getRewriter().getContext());
  ForeignTensor input = n->input;
  bool isOwn = stamp.getProfile() == Profile::TorchDecomposed;
  std::optional<float> number;
  if (scale.number)
    number = isOwn ? getScaleOfReciprocal(*scale.number)
                   : static_cast<float>(*scale.number);
  if (number) {
    parameters.scale = getSingle(f32, *number);
  } else if (!isOwn ||
             (!scale.number && !scale.tensor.type.getElementType().isF64())) {
    parameters.scale = scale.tensor;
  } else {
    if (!input.type.hasRank())
      return node.refuse("input has type ", input.type,
                         " and the scale is no f32: expected a ranked tensor");
    input = divide(node, input, scale);
    parameters.scale = getSingle(f32, 1.0);
  }
  auto scaleType = cast<FloatType>(parameters.scale.type.getElementType());
  return node.replace(createQuantize(
      node, input, storage, parameters,
      stamp({Direction::Quantize, input.type.getElementType(), scaleType}),
      /*scale=*/nullptr, clamp));
}

LogicalResult mlir::qdq::translateDequantizePerTensor(const ForeignOp &node,
                                                      const Stamp &stamp) {
  // The last operand is the dtype of the result.
  FailureOr<AffineNode> n = readDequantize(node);
  if (failed(n))
    return failure();
  Type storage = n->input.type.getElementType();
  FloatType expressed = n->getResultFloat();
  Reader read;
  SingleScale scale = read(readSingleScale(node));
  QuantizationParameters parameters;
  parameters.zeroPoint =
      read(readSingleZeroPoint(node, storage, /*mayBeFloat=*/true));
  if (failed(read) || failed(checkDtype(node, 5, "dtype", storage)) ||
      failed(checkDtype(node, 6, "out_dtype", expressed)))
    return failure();
  parameters.scale = scale.tensor;
  if (scale.number) {
    MLIRContext *ctx = node.getRewriter().getContext();
    FloatType type = expressed.isF64() ? FloatType(Float64Type::get(ctx))
                                       : FloatType(Float32Type::get(ctx));
    parameters.scale = getSingle(type, *scale.number);
  }
  auto scaleType = cast<FloatType>(parameters.scale.type.getElementType());
  return node.replace(
      createDequantize(node, n->input, expressed, parameters,
                       stamp({Direction::Dequantize, expressed, scaleType})));
}
