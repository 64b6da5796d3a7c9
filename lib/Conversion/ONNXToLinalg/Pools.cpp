// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pools.

#include "../ForeignOps/TensorOps.h"
#include "../ONNXToQDQ/ReadWindow.h"
#include "Joins.h"
#include "NodeParts.h"
#include "Operators.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/IR/TypeRewrite.h"

using namespace mlir;
using namespace mlir::qdq;

namespace {
/// X [N, C, spatial...] and its window.
struct Pool {
  ForeignTensor x;
  Window window;
};
} // namespace

static FailureOr<Pool> readPool(const ForeignOp &node, bool needsFloats) {
  FailureOr<ForeignTensor> x =
      needsFloats ? getFloats(node, 0, "X", 3) : getRanked(node, 0, "X", 3);
  if (failed(x))
    return failure();
  FailureOr<Window> window =
      readWindow(node, x->type.getShape().drop_front(2), {});
  if (failed(window))
    return failure();
  return Pool{*x, *window};
}

/// The named op, or one for what has none: three dimensions, unsigned integers.
static Value maximize(ImplicitLocOpBuilder &b, Value x, const Window &window,
                      ArrayRef<OpFoldResult> sizes, TypedAttr lowest,
                      bool isUnsigned) {
  int64_t spatial = window.getRank();
  if (spatial == 3 || isUnsigned)
    return reduceWindows(
        b, x, window, 2, sizes, lowest, [&](Scalar most, Scalar y) {
          return emitJoin(y.getBuilder(), Join::Max, most, y, isUnsigned);
        });
  Value init = createFilled(b, sizes, lowest);
  return spatial == 1
             ? createPool<linalg::PoolingNcwMaxOp>(b, x, init, window)
             : createPool<linalg::PoolingNchwMaxOp>(b, x, init, window);
}

static LogicalResult translateMaxPool(const ForeignOp &node) {
  FailureOr<Pool> pool = readPool(node, /*needsFloats=*/false);
  if (failed(pool))
    return failure();
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  bool isUnsigned = pool->x.type.getElementType().isUnsignedInteger();
  Value result =
      onSignless(b, node.materialize(pool->x), [&](Value x) -> Value {
        WindowSizes sizes = getWindowSizes(node, pool->window, x, /*first=*/2);
        TypedAttr lowest =
            getIdentity(b, Join::Max, getElementTypeOrSelf(x), isUnsigned);
        if (!llvm::all_of(sizes.low, isZeroInteger) ||
            !llvm::all_of(sizes.high, isZeroInteger)) {
          Sizes low(2, b.getIndexAttr(0)), high = low;
          llvm::append_range(low, sizes.low);
          llvm::append_range(high, sizes.high);
          Value padding = arith::ConstantOp::create(b, lowest);
          x = tensor::PadOp::create(b, Type(), x, low, high, padding);
        }
        return maximize(b, x, pool->window, sizes.result, lowest, isUnsigned);
      });
  return replaceBy(node, result);
}

//===----------------------------------------------------------------------===//
// Means
//===----------------------------------------------------------------------===//

/// The number of elements that windows have in the input, or with `includesPad`
/// in the input and its padding, as a tensor [spatial...] of f32.
static Value countAllInside(ImplicitLocOpBuilder &b, const Window &window,
                            const WindowSizes &sizes, bool includesPad) {
  Value init = tensor::EmptyOp::create(b, ArrayRef(sizes.result).drop_front(2),
                                       b.getF32Type());
  AffineMap maps[] = {b.getMultiDimIdentityMap(window.getRank())};
  return createGeneric(
      b, {}, init, maps, [&](ImplicitLocOpBuilder &body, ValueRange) {
        return emitCountInside(body, window, /*first=*/0, sizes, includesPad);
      });
}

/// The sums of a term of each element over the windows, padded by zeros, in
/// the type in which X is computed; and their sizes.
static std::pair<Value, WindowSizes>
sumWindows(const ForeignOp &node, const Pool &pool,
           function_ref<Scalar(Scalar)> getTerm) {
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  Type type = getComputeType(pool.x.type.getElementType());
  Value x = castFloats(b, node.materialize(pool.x), type);
  WindowSizes sizes = getWindowSizes(node, pool.window, x, /*first=*/2);
  Value padded = padCodes(node, x, {}, 2, sizes.low, sizes.high);
  Value sums = reduceWindows(
      b, padded, pool.window, 2, sizes.result, b.getZeroAttr(type),
      [&](Scalar sum, Scalar y) { return sum + getTerm(y); });
  return {sums, sizes};
}

static LogicalResult translateAveragePool(const ForeignOp &node) {
  FailureOr<Pool> pool = readPool(node, /*needsFloats=*/true);
  FailureOr<int64_t> includesPad = node.getInteger("count_include_pad", 0);
  if (failed(pool) || failed(includesPad))
    return failure();
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  Type element = pool->x.type.getElementType(), type = getComputeType(element);
  std::pair<Value, WindowSizes> windows =
      sumWindows(node, *pool, [](Scalar e) { return e; });
  const WindowSizes &sizes = windows.second;
  bool isWhole = (llvm::all_of(sizes.low, isZeroInteger) &&
                  llvm::all_of(sizes.high, isZeroInteger)) ||
                 (*includesPad && !pool->window.hasCeilMode);
  if (isWhole) {
    Sizes kernel = getAsIndexOpFoldResult(b.getContext(), pool->window.kernel);
    return replaceBy(
        node, mapElements(b, {windows.first}, element, [&](Scalar sum) {
          Scalar count(sum.getBuilder(), countAsF32(sum.getBuilder(), kernel));
          return (sum / count.to(type)).to(element);
        }));
  }
  Value counts = countAllInside(b, pool->window, sizes, *includesPad != 0);
  return replaceBy(node,
                   mapElements(b, {windows.first, counts}, element,
                               [&](Scalar sum, Scalar count) {
                                 return (sum / count.to(type)).to(element);
                               }));
}

/// The norm of each window, which is padded by zeros.
static LogicalResult translateLpPool(const ForeignOp &node) {
  FailureOr<Pool> pool = readPool(node, /*needsFloats=*/true);
  FailureOr<int64_t> p = getNorm(node);
  if (failed(pool) || failed(p))
    return failure();
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  Type element = pool->x.type.getElementType();
  Value sums =
      sumWindows(node, *pool, [&](Scalar e) { return emitPower(e, *p); }).first;
  return replaceBy(node, mapElements(b, {sums}, element, [&](Scalar sum) {
                     return emitRoot(sum, *p).to(element);
                   }));
}

ArrayRef<Operator> mlir::qdq::getPoolOperators() {
  static const Operator kOperators[] = {
      {"onnx.AveragePool", {1}, translateAveragePool},
      {"onnx.LpPool", {1}, translateLpPool},
      {"onnx.MaxPool", {1}, translateMaxPool},
  };
  return kOperators;
}
