// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX Runtime's QLinearAveragePool and QLinearGlobalAveragePool.

#include "../ForeignOps/TensorOps.h"
#include "CodeOperands.h"
#include "ReadWindow.h"
#include "Rescaling.h"
#include "Translations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qdq/Conversion/IntegerProducts.h"
#include "qdq/IR/TypeRewrite.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::qdq;

namespace {
/// X [N, C, spatial...], or [N, spatial..., C], and the parameters of both.
struct PoolNode {
  ForeignTensor x;
  QuantizationParameters xParameters, yParameters;
  bool isChannelsLast = false;

  RankedTensorType getType() const { return cast<RankedTensorType>(x.type); }
  Type getStorage() const { return x.type.getElementType(); }
  int64_t getFirst() const { return isChannelsLast ? 1 : 2; }
  int64_t getNumSpatial() const { return x.type.getRank() - 2; }
  ArrayRef<int64_t> getSizes() const {
    return x.type.getShape().slice(getFirst(), getNumSpatial());
  }
};
} // namespace

static FailureOr<PoolNode> readPool(const ForeignOp &node) {
  // X, its scale and zero point, the scale and zero point of Y.
  Reader read;
  PoolNode n;
  n.x = read(getCodes(node, 0, "X"));
  n.isChannelsLast = read(node.getInteger("channels_last", 0)) != 0;
  if (failed(read))
    return failure();
  if (n.x.type.getRank() < 3)
    return node.refuse("X has type ", n.x.type,
                       ": expected a batch, channels, and spatial dimensions");
  n.xParameters = read(getTensorParameters(node, 1, "x", n.getStorage()));
  n.yParameters = read(getTensorParameters(node, 3, "y", n.getStorage()));
  if (failed(read))
    return failure();
  return n;
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// The values divided by a number for each element, which `makeCount` makes.
static Value divide(ImplicitLocOpBuilder &b, Value values,
                    function_ref<Value(ImplicitLocOpBuilder &)> makeCount) {
  return mapElements(b, {values}, b.getF32Type(), [&](Scalar sum) {
    return sum / makeCount(sum.getBuilder());
  });
}

LogicalResult mlir::qdq::translateQLinearAveragePool(const ForeignOp &node,
                                                     const Stamp &stamp) {
  FailureOr<PoolNode> n = readPool(node);
  FailureOr<int64_t> includesPad = node.getInteger("count_include_pad", 0);
  if (failed(n) || failed(includesPad))
    return failure();
  FailureOr<Window> window = readWindow(node, n->getSizes(), {});
  if (failed(window))
    return failure();
  if (llvm::any_of(window->dilations, [](int64_t step) { return step != 1; }))
    return node.refuse("has dilations, which this operator does not");
  int64_t first = n->getFirst(), spatial = n->getNumSpatial();
  SmallVector<int64_t> shape(n->x.type.getShape());
  for (int64_t dim = 0; dim < spatial; ++dim)
    shape[first + dim] = window->getOutputSize(dim, shape[first + dim]);
  if (failed(checkResult(node, RankedTensorType::get(shape, n->getStorage()))))
    return failure();

  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  Value codes = node.materialize(n->x);
  WindowSizes sizes = getWindowSizes(node, *window, codes, first);
  Value padded = padCodes(node, codes, n->xParameters.zeroPoint, first,
                          sizes.low, sizes.high);
  Value reals = dequantizeF32(node, stamp, toForeign(padded), n->xParameters);
  Value sums = reduceWindows(b, reals, *window, first, sizes.result,
                             b.getF32FloatAttr(0), addInOrder);
  auto isNone = [](OpFoldResult pad) { return isConstantIntValue(pad, 0); };
  bool isWhole = *includesPad || (llvm::all_of(sizes.low, isNone) &&
                                  llvm::all_of(sizes.high, isNone));
  Value mean = divide(b, sums, [&](ImplicitLocOpBuilder &body) {
    if (!isWhole)
      return emitCountInside(body, *window, first, sizes,
                             /*includesPad=*/false);
    return countAsF32(
        body, getAsIndexOpFoldResult(body.getContext(), window->kernel));
  });
  // The kernel adds the zero point before it rounds.
  SemanticsFields spelled;
  if (stamp.getProfile() == Profile::ORT)
    spelled.order = Order::AddThenRound;
  return node.replace(quantizeF32(node, stamp, toForeign(mean), n->getStorage(),
                                  n->yParameters, spelled));
}

//===----------------------------------------------------------------------===//
// All of the spatial dimensions
//===----------------------------------------------------------------------===//

/// The sum of the codes less their zero point, [N, C]. i32 where static sizes
/// prove that it is wide enough.
static Value sumSpatial(const ForeignOp &node, const PoolNode &n) {
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  Value codes = asSignless(b, b.getLoc(), node.materialize(n.x));
  int64_t elements = 1;
  for (int64_t size : n.getSizes())
    if (ShapedType::isDynamic(size) ||
        llvm::MulOverflow(elements, size, elements) || elements > INT32_MAX)
      elements = INT32_MAX;
  Type type = b.getIntegerType(elements * 255 > INT32_MAX ? 64 : 32);
  bool isSigned = !n.getStorage().isUnsignedInteger();
  auto extend = [&](Scalar code) {
    return isSigned ? code.to(type) : code.toUnsigned(type);
  };
  Value zero = toScalar(b, node.materializeSingle(n.xParameters.zeroPoint));
  if (zero)
    zero = extend({b, zero});

  int64_t rank = n.x.type.getRank();
  SmallVector<OpFoldResult> all = tensor::getMixedSizes(b, b.getLoc(), codes);
  SmallVector<OpFoldResult> sizes = {all[0],
                                     all[n.isChannelsLast ? rank - 1 : 1]};
  SmallVector<AffineExpr> kept;
  for (int64_t dim : {int64_t(0), n.isChannelsLast ? rank - 1 : 1})
    kept.push_back(b.getAffineDimExpr(dim));
  Value init = createZeros(b, sizes, type);
  AffineMap maps[] = {b.getMultiDimIdentityMap(rank),
                      AffineMap::get(rank, 0, kept, b.getContext())};
  return createGeneric(b, codes, init, maps, [&](Scalar code, Scalar sum) {
    code = extend(code);
    return sum + (zero ? code - zero : code);
  });
}

LogicalResult
mlir::qdq::translateQLinearGlobalAveragePool(const ForeignOp &node,
                                             const Stamp &stamp) {
  FailureOr<PoolNode> n = readPool(node);
  if (failed(n))
    return failure();
  SmallVector<int64_t> shape(n->x.type.getShape());
  for (int64_t dim = 0; dim < n->getNumSpatial(); ++dim)
    shape[n->getFirst() + dim] = 1;
  if (failed(checkResult(node, RankedTensorType::get(shape, n->getStorage()))))
    return failure();

  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  Value sum = sumSpatial(node, *n);
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, b.getLoc(), node.materialize(n->x));
  Value count =
      countAsF32(b, ArrayRef(sizes).slice(n->getFirst(), n->getNumSpatial()));
  Value xScale = node.materializeSingle(n->xParameters.scale);
  Value codes;
  if (stamp.getProfile() == Profile::ORT) {
    Value yScale = node.materializeSingle(n->yParameters.scale);
    Scalar scale(b, toScalar(b, xScale)), divisor(b, toScalar(b, yScale));
    Value multiplier = scale / (divisor * count);
    codes = createRequantize(node, stamp, sum, n->getStorage(), multiplier,
                             n->yParameters.zeroPoint);
  } else {
    Value one = arith::ConstantOp::create(b, b.getF32FloatAttr(1.0f));
    Value reals = createDequantize(node, stamp, sum, {xScale, one, {}, {}});
    Value mean =
        divide(b, reals, [&](ImplicitLocOpBuilder &) { return count; });
    codes = quantizeF32(node, stamp, toForeign(mean), n->getStorage(),
                        n->yParameters);
  }
  // [N, C] with ones for the spatial dimensions.
  int64_t rank = n->x.type.getRank();
  return node.replace(
      placeDims(b, codes, {0, n->isChannelsLast ? rank - 1 : 1}, rank));
}
