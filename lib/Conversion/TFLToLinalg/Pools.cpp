// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pools of [batch, height, width, channels].

#include "../ForeignOps/TensorOps.h"
#include "../TFLToQDQ/Windows.h"
#include "Operators.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::qdq;

using B = ImplicitLocOpBuilder;

namespace {
struct Pool {
  ForeignTensor input;
  Window window;
};
} // namespace

static FailureOr<Pool> readPool(const ForeignOp &node) {
  if (failed(checkActivation(node)))
    return failure();
  FailureOr<ForeignTensor> input = getFloats(node, 0, "input", 4);
  if (failed(input))
    return failure();
  FailureOr<Window> window = readPoolWindow(node, getRankedType(*input));
  if (failed(window))
    return failure();
  return Pool{*input, *window};
}

/// Joins the elements of each window to `initial`, which also pads.
static Value reduce(const ForeignOp &node, const Pool &pool, Value input,
                    TypedAttr initial, bool isMax) {
  B b(node.getLoc(), node.getRewriter());
  const Window &window = pool.window;
  WindowSizes sizes = getWindowSizes(node, window, input, /*first=*/1);
  OpFoldResult none = b.getIndexAttr(0);
  Sizes low = {none, sizes.low[0], sizes.low[1], none};
  Sizes high = {none, sizes.high[0], sizes.high[1], none};
  if (!llvm::all_of(low, isZeroInteger) || !llvm::all_of(high, isZeroInteger))
    input = tensor::PadOp::create(
        b, Type(), input, low, high,
        arith::ConstantOp::create(b, initial).getResult());
  Value init = createFilled(b, sizes.result, initial);
  return isMax ? createPool<linalg::PoolingNhwcMaxOp>(b, input, init, window)
               : createPool<linalg::PoolingNhwcSumOp>(b, input, init, window);
}

static LogicalResult translateFloatMaxPool2D(const ForeignOp &node) {
  FailureOr<Pool> pool = readPool(node);
  if (failed(pool))
    return failure();
  auto element = cast<FloatType>(pool->input.type.getElementType());
  auto lowest = node.getRewriter().getFloatAttr(
      element, APFloat::getInf(element.getFloatSemantics(), /*Negative=*/true));
  Value most = reduce(node, *pool, node.materialize(pool->input), lowest,
                      /*isMax=*/true);
  return replaceBy(node, applyActivation(node, most));
}

/// The sum by the number of elements that are not padding.
static LogicalResult translateFloatAveragePool2D(const ForeignOp &node) {
  FailureOr<Pool> pool = readPool(node);
  if (failed(pool))
    return failure();
  ArrayRef<int64_t> sizes = pool->input.type.getShape();
  auto heights = countInside(pool->window, 0, sizes[1]);
  auto widths = countInside(pool->window, 1, sizes[2]);
  if (!heights || !widths)
    return node.refuse("input has type ", pool->input.type,
                       ": expected static sizes for windows that are padded");
  B b(node.getLoc(), node.getRewriter());
  Type element = pool->input.type.getElementType();
  Type type = getComputeType(element);
  Value input = castFloats(b, node.materialize(pool->input), type);
  Value sums = reduce(node, *pool, input, b.getZeroAttr(type), /*isMax=*/false);
  SmallVector<Attribute> counts;
  for (int64_t height : *heights)
    for (int64_t width : *widths)
      counts.push_back(b.getFloatAttr(type, height * width));
  int64_t shape[] = {1, static_cast<int64_t>(heights->size()),
                     static_cast<int64_t>(widths->size()), 1};
  Value count = arith::ConstantOp::create(
      b, DenseElementsAttr::get(RankedTensorType::get(shape, type), counts));
  Value means =
      mapFloats(b, {sums, count}, [](Scalar x, Scalar y) { return x / y; });
  return replaceBy(node, castFloats(b, applyActivation(node, means), element));
}

ArrayRef<Operator> mlir::qdq::getTFLPoolOperators() {
  static const Operator kOperators[] = {
      {"tfl.average_pool_2d", {1}, translateFloatAveragePool2D},
      {"tfl.max_pool_2d", {1}, translateFloatMaxPool2D},
  };
  return kOperators;
}
