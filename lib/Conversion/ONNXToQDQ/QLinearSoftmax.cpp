// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX Runtime's QLinearSoftmax: by its table of exponentials, or in floats.

#include "../ForeignOps/ForeignConstant.h"
#include "../ForeignOps/Rows.h"
#include "../ForeignOps/TensorOps.h"
#include "CodeOperands.h"
#include "Translations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <cmath>

using namespace mlir;
using namespace mlir::qdq;

namespace {
/// Codes X and an axis, along which `sizes` has a row.
struct SoftmaxNode : UnaryCodes {
  int64_t axis;

  bool isSigned() const { return !x.type.getElementType().isUnsignedInteger(); }
};
} // namespace

/// The kernel: exp((x - max) sx), times a power that keeps the sum of a row in
/// f32, from a table of all differences; by the sum, times floor(1 / sy).
static Value emitTable(const ForeignOp &node, const SoftmaxNode &n,
                       float xScale) {
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  Rows rows(b, node.materialize(n.x), n.isSigned(), n.axis);
  double count = n.x.type.getDimSize(n.axis);
  double reserved =
      std::log(std::numeric_limits<float>::max() / static_cast<float>(count));
  double shift = std::max(0.0, reserved - 5) / xScale;
  SmallVector<float> powers;
  for (int64_t difference = 0; difference < 256; ++difference)
    powers.push_back(std::exp((shift - difference) * double(xScale)));
  Value table = arith::ConstantOp::create(
      b, DenseElementsAttr::get(RankedTensorType::get(256, b.getF32Type()),
                                ArrayRef<float>(powers)));

  rows.findLargest(b);
  auto lookUp = [&](Scalar code, Scalar most) {
    // The largest is not below: modulo 256 the difference is itself.
    return readEntry(table, most - code);
  };
  Value sum = rows.fold(b, {rows.codes, rows.largest}, b.getF32FloatAttr(0),
                        [&](Scalar code, Scalar most, Scalar sum) {
                          return addInOrder(sum, lookUp(code, most));
                        });
  Scalar one(b, createNumber(b, b.getF32Type(), 1));
  Value yScale = toScalar(b, node.materializeSingle(n.yParameters.scale));
  Value factor = (one / yScale).apply<math::FloorOp>();
  return rows.map(b, {rows.codes, rows.largest, sum}, b.getF32Type(),
                  [&](Scalar code, Scalar most, Scalar sum) {
                    return lookUp(code, most) * factor / sum;
                  });
}

static FailureOr<SoftmaxNode> readSoftmax(const ForeignOp &node) {
  FailureOr<UnaryCodes> codes = getUnaryCodes(node);
  FailureOr<int64_t> opset = node.getInteger("opset", 13);
  if (failed(codes) || failed(opset))
    return failure();
  int64_t rank = codes->x.type.getRank();
  FailureOr<int64_t> axis = getAxis(node, *opset < 13 ? 1 : -1, rank);
  if (failed(axis))
    return failure();
  if (*opset < 13 && *axis != rank - 1)
    return node.refuse("axis is ", *axis, " in opset ", *opset,
                       ", where a row has all dimensions from it on: expected "
                       "the last one");
  return SoftmaxNode{*codes, *axis};
}

LogicalResult mlir::qdq::translateQLinearSoftmax(const ForeignOp &node,
                                                 const Stamp &stamp) {
  FailureOr<SoftmaxNode> n = readSoftmax(node);
  if (failed(n))
    return failure();
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  FloatType f32 = b.getF32Type();
  Type storage = n->x.type.getElementType();
  QuantizationParameters result = n->yParameters;
  Value reals;
  if (stamp.getProfile() == Profile::ORT) {
    auto scale =
        dyn_cast_or_null<DenseElementsAttr>(getConstant(n->xParameters.scale));
    float xScale = scale ? scale.getSplatValue<float>() : 0;
    if (!scale || n->x.type.isDynamicDim(n->axis) || !(xScale > 0))
      return node.refuse("X has type ", n->x.type,
                         ": expected a constant positive scale of it and a "
                         "static size along axis ",
                         n->axis, ", which decide ONNX Runtime's table");
    reals = emitTable(node, *n, xScale);
    // They are codes already, but for the rounding.
    result.scale = getSingle(f32, 1.0);
  } else {
    Value x = dequantizeF32(node, stamp, n->x, n->xParameters);
    Value init = tensor::EmptyOp::create(
        b, tensor::getMixedSizes(b, b.getLoc(), x), f32);
    reals = linalg::SoftmaxOp::create(b, TypeRange(init.getType()), x, init,
                                      n->axis)
                ->getResult(0);
  }
  return node.replace(
      quantizeF32(node, stamp, toForeign(reals), storage, result));
}
