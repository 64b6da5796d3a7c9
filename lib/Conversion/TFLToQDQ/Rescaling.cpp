// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ends of LiteRT's kernels as qdq.requantize.

#include "Rescaling.h"
#include "../ForeignOps/TensorOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <cmath>

using namespace mlir;
using namespace mlir::qdq;

Rescale mlir::qdq::getSumRescale(const Stamp &stamp, Rescale own) {
  switch (stamp.getProfile()) {
  case Profile::TFLite:
    return own;
  case Profile::ONNX:
    return Rescale::F64;
  default:
    // `qdq` and `separate` take the scales one by one, which the kernels do
    // not keep.
    return Rescale::F32;
  }
}

Rescale mlir::qdq::getOwnRescale(const Stamp &stamp, Rescale own) {
  return stamp.getProfile() == Profile::XNNPACK ? own
                                                : getSumRescale(stamp, own);
}

SumRescaling mlir::qdq::getRescaling(Rescale rescale, const CodeType &a,
                                     const CodeType &b, const CodeType &y,
                                     ScaleProduct product,
                                     std::optional<int64_t> axis) {
  SumRescaling rescaling{rescale, {}, b.isPerTensor() ? std::nullopt : axis};
  for (const APFloat &scale : b.scales) {
    if (rescale == Rescale::F32) {
      rescaling.multipliers.push_back(getFloatMultiplier(a.getScale(), scale,
                                                         y.getScale(),
                                                         APFloat::IEEEsingle())
                                          .convertToFloat());
      continue;
    }
    APFloat factor = a.getScale(), one(1.0f), other = scale;
    if (product == ScaleProduct::F32) {
      factor.multiply(scale, APFloat::rmNearestTiesToEven);
      other = one;
    }
    rescaling.multipliers.push_back(
        getRealMultiplier(factor, other, y.getScale()));
  }
  return rescaling;
}

/// True for an integer multiplier.
static bool isFixed(const SumRescaling &rescaling) {
  return rescaling.rescale != Rescale::F32 && rescaling.rescale != Rescale::F64;
}

LogicalResult mlir::qdq::checkRescaling(const ForeignOp &op,
                                        const SumRescaling &rescaling) {
  if (!isFixed(rescaling))
    return success();
  for (double multiplier : rescaling.multipliers) {
    auto fixed = getFixedMultiplier(rescaling.rescale, multiplier);
    if (!fixed || fixed->shift < 0)
      return op.refuse("has scales whose multiplier is ", multiplier,
                       ", which the integer arithmetic of its kernel does not "
                       "hold");
  }
  return success();
}

static Value create(const ForeignOp &op, const Stamp &stamp, Value sum,
                    Type storage, const SumRescaling &rescaling,
                    Value zeroPoint, DenseI64ArrayAttr clamp) {
  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  SmallVector<int64_t> shape;
  IntegerAttr axis;
  if (rescaling.axis) {
    shape.push_back(
        std::max(rescaling.multipliers.size(), rescaling.fixed.size()));
    axis = b.getI64IntegerAttr(*rescaling.axis);
  }
  auto createList = [&](Type element, auto elements) -> Value {
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(RankedTensorType::get(shape, element),
                                  ArrayRef(elements)));
  };
  FloatType f32 = b.getF32Type();
  Value multiplier, shift;
  if (isFixed(rescaling)) {
    SmallVector<int32_t> multipliers, shifts;
    SmallVector<FixedMultiplier> all(rescaling.fixed);
    for (double real : rescaling.multipliers)
      all.push_back(*getFixedMultiplier(rescaling.rescale, real));
    for (const FixedMultiplier &fixed : all) {
      multipliers.push_back(fixed.multiplier);
      shifts.push_back(fixed.shift);
    }
    multiplier = createList(b.getI32Type(), multipliers);
    shift = createList(b.getI32Type(), shifts);
  } else if (rescaling.rescale == Rescale::F64) {
    multiplier = createList(b.getF64Type(), rescaling.multipliers);
  } else {
    multiplier =
        createList(f32, llvm::to_vector_of<float>(rescaling.multipliers));
  }
  auto type = cast<RankedTensorType>(sum.getType()).clone(storage);
  return op.create<RequantizeOp>(
      type, sum, rescaling.rescale, multiplier, shift, /*fraction=*/nullptr,
      zeroPoint, axis, /*block_shape=*/nullptr, /*limit=*/nullptr, clamp,
      stamp({Direction::Quantize, f32, f32}, rescaling.fields));
}

/// The two roundings as two rescalings: of 31 places, and of the rest.
static std::pair<SumRescaling, SumRescaling>
split(const SumRescaling &rescaling) {
  SumRescaling first{Rescale::Fixed31Single, {}, rescaling.axis};
  SumRescaling second = first;
  for (double multiplier : rescaling.multipliers) {
    auto fixed = *getFixedMultiplier(Rescale::Fixed31Double, multiplier);
    int64_t places = std::min<int64_t>(fixed.shift, 31);
    first.fixed.push_back({fixed.multiplier, places});
    second.fixed.push_back({1, fixed.shift - places});
  }
  return {first, second};
}

Value mlir::qdq::createRequantize(const ForeignOp &op, const Stamp &stamp,
                                  Value sum, const CodeType &result,
                                  const SumRescaling &rescaling,
                                  std::pair<int64_t, int64_t> bounds) {
  if (rescaling.hasTiesUp) {
    auto [first, second] = split(rescaling);
    return createRequantize(op, stamp, createRescaled(op, stamp, sum, first),
                            result, second, bounds);
  }
  Value zeroPoint = op.materializeSingle(result.parameters.zeroPoint);
  return create(op, stamp, sum, result.getStorage(), rescaling, zeroPoint,
                getClamp(op.getRewriter(), result.getStorage(), bounds));
}

Value mlir::qdq::createRescaled(const ForeignOp &op, const Stamp &stamp,
                                Value sum, const SumRescaling &rescaling) {
  if (rescaling.hasTiesUp) {
    auto [first, second] = split(rescaling);
    return createRescaled(op, stamp, createRescaled(op, stamp, sum, first),
                          second);
  }
  return create(op, stamp, sum, op.getRewriter().getI32Type(), rescaling,
                /*zeroPoint=*/nullptr, /*clamp=*/nullptr);
}

Value mlir::qdq::subtractZeroPoint(const ForeignOp &op,
                                   const CodeTensor &tensor) {
  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  Type i32 = b.getI32Type();
  int64_t zero = tensor.getZeroPoint();
  return mapElements(b, {tensor.getCodes(op)}, i32, [&](Scalar code) {
    code = tensor.isSigned() ? code.to(i32) : code.toUnsigned(i32);
    return zero == 0 ? code : code - zero;
  });
}

int64_t mlir::qdq::quantizeBound(const Stamp &stamp, float bound,
                                 const CodeType &type) {
  float code = bound / type.getFloatScale();
  code = stamp.getProfile() == Profile::TFLite ? std::round(code)
                                               : std::nearbyint(code);
  if (std::fabs(code) > 1e9f)
    return code < 0 ? INT32_MIN : INT32_MAX;
  return type.getZeroPoint() + static_cast<int64_t>(code);
}

FailureOr<std::pair<int64_t, int64_t>>
mlir::qdq::readActivationBounds(const ForeignOp &op, const Stamp &stamp,
                                const CodeType &result) {
  FailureOr<StringRef> name = op.getString("fused_activation_function", "NONE");
  if (failed(name))
    return failure();
  int64_t lo = result.lo, hi = result.hi;
  auto atLeast = [&](float bound) {
    lo = std::max(lo, quantizeBound(stamp, bound, result));
  };
  auto atMost = [&](float bound) {
    hi = std::min(hi, quantizeBound(stamp, bound, result));
  };
  if (*name == "RELU") {
    atLeast(0);
  } else if (*name == "RELU6") {
    atLeast(0);
    atMost(6);
  } else if (*name == "RELU_N1_TO_1") {
    atLeast(-1);
    atMost(1);
  } else if (*name != "NONE") {
    return op.refuse("fused_activation_function is '", *name,
                     "': expected NONE, RELU, RELU6 or RELU_N1_TO_1");
  }
  if (lo > hi)
    return op.refuse("fused_activation_function ", *name,
                     " leaves no code of the result");
  return std::pair(lo, hi);
}
