// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The qdq ops that end a sum of products.

#include "Rescaling.h"
#include "../ForeignOps/TensorOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "qdq/IR/ConstantElements.h"
#include "qdq/Numerics/Rescale.h"

using namespace mlir;
using namespace mlir::qdq;

/// The kind of the profile. `exact` needs a proof for the range of the sum,
/// which no source has.
static Rescale getRescale(const Stamp &stamp) {
  return getProfileRescale(stamp.getProfile());
}

LogicalResult mlir::qdq::checkRescaling(const ForeignOp &node,
                                        const Stamp &stamp,
                                        ArrayRef<ForeignTensor> scales) {
  if (!isFixedPoint(getRescale(stamp)))
    return success();
  unsigned numVectors = 0;
  SmallVector<std::optional<ConstantElements>> constants;
  for (const ForeignTensor &scale : scales) {
    auto constant = ConstantElements::get(getConstant(scale));
    if (!constant || constant->size() == 0)
      return node.refuse("has scales that are not constant: the integer "
                         "multipliers of its profile are made of constants");
    // A splat of a few bytes may have more elements than memory.
    constexpr int64_t kMaxMultipliers = 1 << 24;
    if (constant->size() > kMaxMultipliers)
      return node.refuse("has ", constant->size(), " scales: expected at most ",
                         kMaxMultipliers,
                         ", of which integer multipliers are made");
    numVectors += constant->size() != 1;
    constants.push_back(constant);
  }
  if (numVectors > 1)
    return node.refuse("has scales for rows and for columns: the integer "
                       "multipliers of its profile are made for one of them");
  int64_t count = 1;
  for (const auto &constant : constants)
    count = std::max(count, constant->size());
  auto at = [&](size_t scale, int64_t index) {
    const ConstantElements &constant = *constants[scale];
    return std::get<APFloat>(constant[constant.size() == 1 ? 0 : index]);
  };
  for (int64_t index = 0; index < count; ++index) {
    double multiplier =
        getRealMultiplier(at(0, index), at(1, index), at(2, index));
    if (!getFixedMultiplier(getRescale(stamp), multiplier))
      return node.refuse("has scales whose multiplier is ", multiplier,
                         ", which its profile's integer arithmetic does not "
                         "hold");
  }
  return success();
}

SemanticsFields mlir::qdq::getSumFields(const Stamp &stamp, Order ortOrder) {
  SemanticsFields fields;
  if (stamp.getProfile() == Profile::ONNX)
    fields.order = Order::AddThenRound;
  if (stamp.getProfile() == Profile::ORT)
    fields.order = ortOrder;
  return fields;
}

/// The elements of a parameter, as many as `count`.
static SmallVector<APFloat> readElements(Value value, int64_t count) {
  ConstantElements constant = *ConstantElements::get(value);
  SmallVector<APFloat> elements;
  for (int64_t index = 0; index < count; ++index)
    elements.push_back(
        std::get<APFloat>(constant[constant.size() == 1 ? 0 : index]));
  return elements;
}

/// The integer multiplier and its shift, for scales that `checkRescaling`
/// allows.
static std::pair<Value, Value>
createFixed(ImplicitLocOpBuilder &b, Rescale rescale, const SumScales &scales) {
  auto type = RankedTensorType::get({}, b.getI32Type());
  for (Value scale : {scales.a, scales.b})
    if (auto own = dyn_cast<RankedTensorType>(scale.getType());
        own && own.getNumElements() != 1)
      type = own.clone(b.getI32Type());
  int64_t count = type.getNumElements();
  SmallVector<int32_t> multipliers, shifts;
  for (auto [x, y, result] : llvm::zip_equal(
           readElements(scales.a, count), readElements(scales.b, count),
           readElements(scales.result, count))) {
    auto fixed = *getFixedMultiplier(rescale, getRealMultiplier(x, y, result));
    multipliers.push_back(fixed.multiplier);
    shifts.push_back(fixed.shift);
  }
  auto create = [&](ArrayRef<int32_t> elements) -> Value {
    return arith::ConstantOp::create(b, DenseElementsAttr::get(type, elements));
  };
  return {create(multipliers), create(shifts)};
}

/// `a * b`, rounded once: a single element, or as placed as they are.
static Value multiply(ImplicitLocOpBuilder &b, Value lhs, Value rhs) {
  auto isSingle = [](Value scale) {
    auto type = dyn_cast<RankedTensorType>(scale.getType());
    return !type || type.getRank() == 0;
  };
  FloatType f32 = b.getF32Type();
  auto product = [&](Scalar x, Scalar y) { return x.to(f32) * y.to(f32); };
  if (isSingle(lhs) && isSingle(rhs))
    return product({b, toScalar(b, lhs)}, {b, toScalar(b, rhs)});
  if (!isSingle(lhs) && !isSingle(rhs))
    return mapElements(b, {lhs, rhs}, f32, product);
  Value single = toScalar(b, isSingle(lhs) ? lhs : rhs);
  return mapElements(b, {isSingle(lhs) ? rhs : lhs}, f32, [&](Scalar factor) {
    return product({factor.getBuilder(), single}, factor);
  });
}

/// `requantize` shares a dimension by its size of 1.
static Placement getPlaced(Builder &b, Value sum, const SumScales &scales) {
  bool isShared = true;
  for (Value scale : {scales.a, scales.b})
    if (auto type = dyn_cast<RankedTensorType>(scale.getType()))
      isShared &= type.getRank() == 0;
  if (isShared)
    return {};
  if (scales.axis)
    return {scales.axis, nullptr};
  int64_t rank = cast<RankedTensorType>(sum.getType()).getRank();
  return {nullptr, b.getDenseI64ArrayAttr(SmallVector<int64_t>(rank, 1))};
}

static Value createRequantize(const ForeignOp &node, Value sum, Type storage,
                              Rescale rescale, ValueRange multipliers,
                              Value shift, const ForeignTensor &zeroPoint,
                              const Placement &placed,
                              SemanticsAttr semantics) {
  auto type = cast<RankedTensorType>(sum.getType()).clone(storage);
  Value zero = node.materializeSingle(zeroPoint);
  return node.create<RequantizeOp>(type, sum, rescale, multipliers, shift,
                                   /*fraction=*/nullptr, zero, placed.axis,
                                   placed.blockShape, /*limit=*/nullptr,
                                   /*clamp=*/nullptr, semantics);
}

Value mlir::qdq::createRequantize(const ForeignOp &node, const Stamp &stamp,
                                  Value sum, Type storage,
                                  const SumScales &scales,
                                  const ForeignTensor &zeroPoint,
                                  Order ortOrder) {
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  Rescale rescale = getRescale(stamp);
  SmallVector<Value> multipliers = {scales.a, scales.b, scales.result};
  Value shift;
  if (isFixedPoint(rescale)) {
    auto [multiplier, right] = createFixed(b, rescale, scales);
    multipliers = {multiplier};
    shift = right;
  } else if (rescale == Rescale::QDQ) {
    multipliers = {multiply(b, scales.a, scales.b), scales.result};
  }
  FloatType f32 = b.getF32Type();
  return ::createRequantize(
      node, sum, storage, rescale, multipliers, shift, zeroPoint,
      getPlaced(b, sum, scales),
      stamp({Direction::Quantize, f32, f32}, getSumFields(stamp, ortOrder)));
}

Value mlir::qdq::createRequantize(const ForeignOp &node, const Stamp &stamp,
                                  Value sum, Type storage, Value multiplier,
                                  const ForeignTensor &zeroPoint) {
  FloatType f32 = node.getRewriter().getF32Type();
  return ::createRequantize(node, sum, storage, Rescale::F32, multiplier,
                            /*shift=*/nullptr, zeroPoint, Placement(),
                            stamp({Direction::Quantize, f32, f32}));
}

Value mlir::qdq::createDequantize(const ForeignOp &node, const Stamp &stamp,
                                  Value sum, const SumScales &scales) {
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  Value scale = multiply(b, scales.a, scales.b);
  auto type = cast<RankedTensorType>(sum.getType());
  FloatType f32 = b.getF32Type();
  // Reals of a wide sum: no storage type has 64 bits.
  if (type.getElementTypeBitWidth() > 32) {
    if (!isa<RankedTensorType>(scale.getType()))
      return mapElements(b, {sum}, f32,
                         [&](Scalar code) { return code.to(f32) * scale; });
    // An axis is the last one here, the columns of a matrix.
    return mapElements(b, {sum, scale}, f32, [&](Scalar code, Scalar factor) {
      return code.to(f32) * factor;
    });
  }
  Placement placed = getPlaced(b, sum, scales);
  // `dequantize` shares a dimension by a block of all of it.
  if (placed.blockShape) {
    SmallVector<int64_t> lengths;
    for (int64_t size : cast<RankedTensorType>(scale.getType()).getShape())
      lengths.push_back(size != 1);
    placed.blockShape = b.getDenseI64ArrayAttr(lengths);
  }
  return node.create<DequantizeOp>(
      type.clone(f32), sum, scale, /*zero_point=*/nullptr, placed.axis,
      placed.blockShape, /*clamp=*/nullptr, /*zero_point_domain=*/nullptr,
      stamp({Direction::Dequantize, f32, f32}));
}
