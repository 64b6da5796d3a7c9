// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX Runtime's QLinearAdd, QLinearMul and QLinearWhere.

#include "../ForeignOps/Broadcast.h"
#include "../ForeignOps/TensorOps.h"
#include "CodeOperands.h"
#include "Rescaling.h"
#include "Translations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
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
  Reader read;
  BinaryNode n;
  n.a = read(getCodes(node, first, "A"));
  n.b = read(getCodes(node, first + 3, "B"));
  if (failed(read))
    return failure();
  TensorType a = n.a.type, b = n.b.type;
  Type storage = a.getElementType(), other = b.getElementType();
  n.aParameters = read(getTensorParameters(node, first + 1, "A", storage));
  n.bParameters = read(getTensorParameters(node, first + 4, "B", other));
  n.cParameters = read(getTensorParameters(node, first + 6, "C", storage));
  if (failed(read))
    return failure();
  auto shape = broadcastShapes(a.getShape(), b.getShape());
  if (succeeded(shape))
    shape = broadcastShapes(beside, *shape);
  if (other != storage || failed(shape))
    return node.refuse("has operands ", a, " and ", b,
                       ": expected one element type, and shapes that are "
                       "broadcast to each other");
  n.result = RankedTensorType::get(*shape, storage);
  if (failed(checkResult(node, n.result)))
    return failure();
  return n;
}

/// A and B as f32.
static std::pair<Value, Value>
dequantizeBoth(const ForeignOp &node, const BinaryNode &n, const Stamp &stamp) {
  Value a = dequantizeF32(node, stamp, n.a, n.aParameters);
  return {a, dequantizeF32(node, stamp, n.b, n.bParameters)};
}

//===----------------------------------------------------------------------===//
// The sum
//===----------------------------------------------------------------------===//

namespace {
/// Parameters as f32 scalars.
struct ScalarParameters {
  ScalarParameters(const ForeignOp &node, ImplicitLocOpBuilder &b,
                   const QuantizationParameters &parameters, bool isSigned)
      : scale(b, toScalar(b, node.materializeSingle(parameters.scale))),
        zeroPoint(
            b,
            toF32(b, toScalar(b, node.materializeSingle(parameters.zeroPoint)),
                  isSigned)) {}

  Scalar scale, zeroPoint;
};
} // namespace

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

/// The sum before it is rounded, as ONNX Runtime's kernels for x86 round it:
/// `fma(a, ra, fma(b, rb, zy - fma(ra, za, rb * zb)))` with the factors
/// `ra = sa / sy` and `rb = sb / sy`.
static Value createORTSum(const ForeignOp &node, const BinaryNode &n) {
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  bool isSigned = n.isSigned();
  Value lhs = node.materialize(n.a), rhs = node.materialize(n.b);
  ScalarParameters first(node, b, n.aParameters, isSigned);
  ScalarParameters second(node, b, n.bParameters, isSigned);
  ScalarParameters result(node, b, n.cParameters, isSigned);
  OpFoldResult swapped = areSwapped(b, lhs, rhs);
  auto condition = dyn_cast<Value>(swapped);
  bool isSwapped = !condition && getConstantIntValue(swapped) != 0;
  auto order = [&](Scalar &x, Scalar &y) {
    if (isSwapped)
      std::swap(x, y);
    if (!condition)
      return;
    Scalar isSecond(x.getBuilder(), condition);
    Scalar chosen = select(isSecond, y, x);
    y = select(isSecond, x, y);
    x = chosen;
  };
  order(first.scale, second.scale);
  order(first.zeroPoint, second.zeroPoint);
  Scalar aFactor = first.scale / result.scale;
  Scalar bFactor = second.scale / result.scale;
  Scalar zeros =
      aFactor.apply<math::FmaOp>(first.zeroPoint, bFactor * second.zeroPoint);
  Scalar constant = result.zeroPoint - zeros;
  return mapElements(b, {lhs, rhs}, b.getF32Type(),
                     [&](ImplicitLocOpBuilder &body, ValueRange codes) {
                       Scalar x(body, toF32(body, codes[0], isSigned));
                       Scalar y(body, toF32(body, codes[1], isSigned));
                       order(x, y);
                       return x.apply<math::FmaOp>(
                           aFactor, y.apply<math::FmaOp>(bFactor, constant));
                     });
}

LogicalResult mlir::qdq::translateQLinearAdd(const ForeignOp &node,
                                             const Stamp &stamp) {
  FailureOr<BinaryNode> n = readBinary(node);
  if (failed(n))
    return failure();
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  FloatType f32 = b.getF32Type();
  // The zero point is in the sum, in units of the result.
  if (stamp.getProfile() == Profile::ORT)
    return node.replace(
        quantizeF32(node, stamp, toForeign(createORTSum(node, *n)),
                    n->getStorage(), {Placement(), getSingle(f32, 1), {}}));
  auto [x, y] = dequantizeBoth(node, *n, stamp);
  Value sum =
      mapElements(b, {x, y}, f32, [](Scalar x, Scalar y) { return x + y; });
  return node.replace(quantizeF32(node, stamp, toForeign(sum), n->getStorage(),
                                  n->cParameters));
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
    Value zero = toScalar(b, node.materializeSingle(zeroPoint));
    return zero ? Value(extend({b, zero})) : nullptr;
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
  auto isBit = [](RankedTensorType type) {
    return type.getElementType().isInteger(1);
  };
  FailureOr<ForeignTensor> condition =
      node.getTensor(0, "condition", isBit, "a ranked tensor of i1");
  if (failed(condition))
    return failure();
  FailureOr<BinaryNode> n =
      readBinary(node, /*first=*/1, condition->type.getShape());
  if (failed(n))
    return failure();
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  auto [x, y] = dequantizeBoth(node, *n, stamp);
  Value chosen = mapElements(
      b, {node.materialize(*condition), x, y}, b.getF32Type(),
      [](Scalar isFirst, Scalar x, Scalar y) { return select(isFirst, x, y); });
  return node.replace(quantizeF32(node, stamp, toForeign(chosen),
                                  n->getStorage(), n->cParameters));
}
