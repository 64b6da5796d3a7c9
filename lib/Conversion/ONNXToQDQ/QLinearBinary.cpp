// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX Runtime's QLinearAdd, QLinearMul and QLinearWhere.

#include "../ForeignOps/Broadcast.h"
#include "../ForeignOps/TensorOps.h"
#include "CodeOperands.h"
#include "ORTKernels.h"
#include "Rescaling.h"
#include "Translations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::qdq;

namespace {
/// A, its scale and zero point, B with those of its own, and the scale and zero
/// point of C.
struct BinaryNode {
  ForeignTensor a, b;
  QuantizationParameters aParameters, bParameters, cParameters;
  RankedTensorType result;

  Type getStorage() const { return result.getElementType(); }
  bool isSigned() const { return !getStorage().isUnsignedInteger(); }
};
} // namespace

/// The operands from `first` on. Those before have the shape `beside`, with
/// which the others are broadcast.
static FailureOr<BinaryNode> readBinary(const ForeignOp &node,
                                        unsigned first = 0,
                                        ArrayRef<int64_t> beside = {}) {
  FailureOr<ForeignTensor> a = getCodes(node, first, "A");
  FailureOr<ForeignTensor> b = getCodes(node, first + 3, "B");
  if (failed(a) || failed(b))
    return failure();
  Type storage = a->type.getElementType();
  FailureOr<QuantizationParameters> aParameters =
      getTensorParameters(node, first + 1, "A", storage);
  FailureOr<QuantizationParameters> bParameters =
      getTensorParameters(node, first + 4, "B", b->type.getElementType());
  FailureOr<QuantizationParameters> cParameters =
      getTensorParameters(node, first + 6, "C", storage);
  if (failed(aParameters) || failed(bParameters) || failed(cParameters))
    return failure();
  auto shape = broadcastShapes(a->type.getShape(), b->type.getShape());
  if (succeeded(shape))
    shape = broadcastShapes(beside, *shape);
  if (b->type.getElementType() != storage || failed(shape))
    return node.refuse("has operands ", a->type, " and ", b->type,
                       ": expected one element type, and shapes that are "
                       "broadcast to each other");
  auto result = RankedTensorType::get(*shape, storage);
  if (failed(checkResult(node, result)))
    return failure();
  return BinaryNode{*a, *b, *aParameters, *bParameters, *cParameters, result};
}

/// A and B as f32.
static std::pair<Value, Value>
dequantizeBoth(const ForeignOp &node, const BinaryNode &n, const Stamp &stamp) {
  FloatType f32 = Float32Type::get(node.getOperation()->getContext());
  SemanticsAttr semantics = stamp({Direction::Dequantize, f32, f32});
  return {createDequantize(node, n.a, f32, n.aParameters, semantics),
          createDequantize(node, n.b, f32, n.bParameters, semantics)};
}

//===----------------------------------------------------------------------===//
// The sum
//===----------------------------------------------------------------------===//

/// The parameters as f32 scalars.
static ORTScale toScalars(const ForeignOp &node,
                          const QuantizationParameters &parameters,
                          bool isSigned) {
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  Value scale = toScalar(b, node.materializeSingle(parameters.scale));
  Value zero;
  if (parameters.zeroPoint) {
    Value code = node.materializeSingle(parameters.zeroPoint);
    zero = toScalar(b, code);
  }
  return {scale, toF32(b, zero, isSigned)};
}

/// Whether ONNX Runtime has the operands the other way round, which it rounds
/// otherwise: it has where A does not change along the last dimension that it
/// looks at, the last one of A and B in which one of them has more than one
/// element. What open sizes leave open is a value.
static OpFoldResult areSwapped(ImplicitLocOpBuilder &b, Value lhs, Value rhs) {
  auto lhsType = cast<RankedTensorType>(lhs.getType());
  auto rhsType = cast<RankedTensorType>(rhs.getType());
  int64_t shared = std::min(lhsType.getRank(), rhsType.getRank());
  auto isOne = [&](Value value, RankedTensorType type,
                   int64_t back) -> OpFoldResult {
    int64_t dim = type.getRank() - back;
    if (dim < 0)
      return b.getBoolAttr(true);
    if (!type.isDynamicDim(dim))
      return b.getBoolAttr(type.getDimSize(dim) == 1);
    Value one = arith::ConstantIndexOp::create(b, 1);
    Value size = tensor::DimOp::create(b, value, dim);
    return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, size, one)
        .getResult();
  };
  auto toValue = [&](OpFoldResult flag) -> Value {
    if (auto value = dyn_cast<Value>(flag))
      return value;
    return arith::ConstantOp::create(
        b, b.getBoolAttr(cast<IntegerAttr>(cast<Attribute>(flag))
                             .getValue()
                             .getBoolValue()));
  };
  auto getKnown = [](OpFoldResult flag) { return getConstantIntValue(flag); };

  // From the first dimension that they share to the last one.
  OpFoldResult swapped = isOne(lhs, lhsType, std::max<int64_t>(shared, 1));
  for (int64_t back = shared - 1; back >= 1; --back) {
    OpFoldResult left = isOne(lhs, lhsType, back);
    OpFoldResult right = isOne(rhs, rhsType, back);
    if (getKnown(left) == 0 || getKnown(right) == 0) {
      swapped = left;
      continue;
    }
    if (getKnown(left) && getKnown(right))
      continue; // One element in both.
    Value areBoth = arith::AndIOp::create(b, toValue(left), toValue(right));
    swapped =
        arith::SelectOp::create(b, areBoth, toValue(swapped), toValue(left))
            .getResult();
  }
  return swapped;
}

/// The sum before it is rounded, as ONNX Runtime has it.
static Value createORTSum(const ForeignOp &node, const BinaryNode &n) {
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  bool isSigned = n.isSigned();
  Value lhs = node.materialize(n.a), rhs = node.materialize(n.b);
  ORTScale first = toScalars(node, n.aParameters, isSigned);
  ORTScale second = toScalars(node, n.bParameters, isSigned);
  ORTScale result = toScalars(node, n.cParameters, isSigned);
  OpFoldResult swapped = areSwapped(b, lhs, rhs);
  auto condition = dyn_cast<Value>(swapped);
  auto choose = [&](ImplicitLocOpBuilder &inner, Value x, Value y) -> Value {
    return arith::SelectOp::create(inner, condition, x, y);
  };
  bool isSwapped = !condition && getConstantIntValue(swapped) != 0;
  if (isSwapped)
    std::swap(first, second);
  if (condition) {
    ORTScale one = first, other = second;
    first = {choose(b, other.scale, one.scale),
             choose(b, other.zeroPoint, one.zeroPoint)};
    second = {choose(b, one.scale, other.scale),
              choose(b, one.zeroPoint, other.zeroPoint)};
  }
  ORTSum sum = emitORTSum(b, first, second, result);
  return mapElements(b, {lhs, rhs}, b.getF32Type(),
                     [&](ImplicitLocOpBuilder &body, ValueRange codes) {
                       Value x = toF32(body, codes[0], isSigned);
                       Value y = toF32(body, codes[1], isSigned);
                       if (isSwapped)
                         std::swap(x, y);
                       if (!condition)
                         return emitORTSumOf(body, sum, x, y);
                       return emitORTSumOf(body, sum, choose(body, y, x),
                                           choose(body, x, y));
                     });
}

LogicalResult mlir::qdq::translateQLinearAdd(const ForeignOp &node,
                                             const Stamp &stamp) {
  FailureOr<BinaryNode> n = readBinary(node);
  if (failed(n))
    return failure();
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  FloatType f32 = b.getF32Type();
  ElementTypes quantize{Direction::Quantize, f32, f32};
  if (stamp.getProfile() == Profile::ORT) {
    // The zero point is in the sum, in units of the result.
    Value sum = createORTSum(node, *n);
    Value one = arith::ConstantOp::create(b, b.getF32FloatAttr(1.0f));
    auto type = cast<RankedTensorType>(sum.getType());
    return node.replace(
        node.create<QuantizeOp>(type.clone(n->getStorage()), sum, one,
                                /*zero_point=*/nullptr, /*axis=*/nullptr,
                                /*block_shape=*/nullptr, /*clamp=*/nullptr,
                                /*zero_point_domain=*/nullptr, stamp(quantize),
                                /*seed=*/nullptr, /*runtime_seed=*/nullptr)
            ->getResults());
  }
  auto [x, y] = dequantizeBoth(node, *n, stamp);
  Value sum =
      mapElements(b, {x, y}, f32, [](Scalar x, Scalar y) { return x + y; });
  return node.replace(createQuantize(node, toForeign(sum), n->getStorage(),
                                     n->cParameters, stamp(quantize)));
}

//===----------------------------------------------------------------------===//
// The product
//===----------------------------------------------------------------------===//

LogicalResult mlir::qdq::translateQLinearMul(const ForeignOp &node,
                                             const Stamp &stamp) {
  FailureOr<BinaryNode> n = readBinary(node);
  if (failed(n) ||
      failed(checkRescaling(
          node, stamp,
          {n->aParameters.scale, n->bParameters.scale, n->cParameters.scale})))
    return failure();
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  Type i32 = b.getI32Type();
  auto extend = [&](Scalar code) {
    return n->isSigned() ? code.to(i32) : code.toUnsigned(i32);
  };
  auto getZero = [&](const ForeignTensor &zeroPoint) -> Value {
    if (!zeroPoint)
      return nullptr;
    return extend({b, toScalar(b, node.materializeSingle(zeroPoint))});
  };
  Value xZero = getZero(n->aParameters.zeroPoint);
  Value yZero = getZero(n->bParameters.zeroPoint);
  auto shift = [&](Scalar code, Value zero) {
    return zero ? extend(code) - zero : extend(code);
  };
  Value product = mapElements(
      b, {node.materialize(n->a), node.materialize(n->b)}, i32,
      [&](Scalar x, Scalar y) { return shift(x, xZero) * shift(y, yZero); });
  SumScales scales{node.materializeSingle(n->aParameters.scale),
                   node.materializeSingle(n->bParameters.scale),
                   node.materializeSingle(n->cParameters.scale), nullptr};
  // The kernel adds the zero point before it rounds.
  return node.replace(createRequantize(node, stamp, product, n->getStorage(),
                                       scales, n->cParameters.zeroPoint,
                                       Order::AddThenRound));
}

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

LogicalResult mlir::qdq::translateQLinearWhere(const ForeignOp &node,
                                               const Stamp &stamp) {
  FailureOr<ForeignTensor> condition = node.getTensor(0, "condition");
  if (failed(condition))
    return failure();
  if (!condition->type.hasRank() ||
      !condition->type.getElementType().isInteger(1))
    return node.refuse("condition has type ", condition->type,
                       ": expected a ranked tensor of i1");
  FailureOr<BinaryNode> n =
      readBinary(node, /*first=*/1, condition->type.getShape());
  if (failed(n))
    return failure();
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  FloatType f32 = b.getF32Type();
  auto [x, y] = dequantizeBoth(node, *n, stamp);
  Value chosen = mapElements(
      b, {node.materialize(*condition), x, y}, f32,
      [](Scalar isFirst, Scalar x, Scalar y) { return select(isFirst, x, y); });
  return node.replace(createQuantize(node, toForeign(chosen), n->getStorage(),
                                     n->cParameters,
                                     stamp({Direction::Quantize, f32, f32})));
}
