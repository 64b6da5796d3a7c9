// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Windows: sizes and padding.

#include "Window.h"
#include "SizeChecks.h"
#include "TensorOps.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/IR/TypeRewrite.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::qdq;

static OpFoldResult apply(ImplicitLocOpBuilder &b, AffineExpr expr,
                          ArrayRef<OpFoldResult> operands) {
  return affine::makeComposedFoldedAffineApply(b, b.getLoc(), expr, operands);
}

/// The larger or the smaller one of two numbers.
static OpFoldResult choose(ImplicitLocOpBuilder &b, bool isMax, AffineExpr x,
                           AffineExpr y, ArrayRef<OpFoldResult> operands) {
  auto map = AffineMap::get(operands.size(), 0, {x, y}, b.getContext());
  return isMax
             ? affine::makeComposedFoldedAffineMax(b, b.getLoc(), map, operands)
             : affine::makeComposedFoldedAffineMin(b, b.getLoc(), map,
                                                   operands);
}

int64_t Window::getExtent(int64_t dim) const {
  if (ShapedType::isDynamic(kernel[dim]))
    return ShapedType::kDynamic;
  return (kernel[dim] - 1) * dilations[dim] + 1;
}

int64_t Window::getOutputSize(int64_t dim, int64_t size) const {
  int64_t extent = getExtent(dim), stride = strides[dim];
  if (ShapedType::isDynamic(size) || ShapedType::isDynamic(extent))
    return ShapedType::kDynamic;
  if (isSame)
    return llvm::divideCeilSigned(size, stride);
  int64_t room = size + padLow[dim] + padHigh[dim] - extent;
  if (!hasCeilMode)
    return llvm::divideFloorSigned(room, stride) + 1;
  int64_t count = llvm::divideCeilSigned(room, stride) + 1;
  // No window begins behind the input and the padding before it.
  return (count - 1) * stride >= size + padLow[dim] ? count - 1 : count;
}

OpFoldResult Window::emitOutputSize(ImplicitLocOpBuilder &b, int64_t dim,
                                    OpFoldResult size) const {
  if (std::optional<int64_t> known = getConstantIntValue(size))
    return b.getIndexAttr(getOutputSize(dim, *known));
  int64_t stride = strides[dim];
  AffineExpr length = b.getAffineDimExpr(0);
  if (isSame)
    return apply(b, length.ceilDiv(stride), size);
  AffineExpr room = length + padLow[dim] + padHigh[dim] - getExtent(dim);
  if (!hasCeilMode)
    return apply(b, room.floorDiv(stride) + 1, size);
  // The windows that begin before the end, and no more than that.
  AffineExpr inside = (length + padLow[dim]).ceilDiv(stride);
  return choose(b, /*isMax=*/false, room.ceilDiv(stride) + 1, inside, size);
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

LogicalResult mlir::qdq::setSamePadding(const ForeignOp &node, Window &window,
                                        ArrayRef<int64_t> sizes) {
  window.isSame = true;
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    int64_t stride = window.strides[dim], extent = window.getExtent(dim);
    if (ShapedType::isDynamic(extent))
      return node.refuse("the filter's size in spatial dimension ", dim,
                         " is dynamic: expected a static one for its "
                         "padding");
    int64_t &low = window.padLow[dim], &high = window.padHigh[dim];
    if (ShapedType::isDynamic(size) && stride != 1) {
      low = high = ShapedType::kDynamic;
      continue;
    }
    int64_t needed = extent - 1;
    if (stride != 1)
      needed =
          (llvm::divideCeilSigned(size, stride) - 1) * stride + extent - size;
    needed = std::max<int64_t>(needed, 0);
    low = window.isLower ? needed - needed / 2 : needed / 2;
    high = needed - low;
  }
  return success();
}

LogicalResult mlir::qdq::checkWindow(const ForeignOp &node,
                                     const Window &window,
                                     ArrayRef<int64_t> sizes) {
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    int64_t count = window.getOutputSize(dim, size);
    if (ShapedType::isStatic(count) && count < (size == 0 ? 0 : 1))
      return node.refuse("a window of ", window.getExtent(dim),
                         " elements does not fit into spatial dimension ", dim,
                         " of the input, which has ", size, " and ",
                         window.padLow[dim] + window.padHigh[dim],
                         " of padding");
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Padding
//===----------------------------------------------------------------------===//

std::pair<OpFoldResult, OpFoldResult>
mlir::qdq::getPads(ImplicitLocOpBuilder &b, const Window &window, int64_t dim,
                   OpFoldResult size) {
  int64_t stride = window.strides[dim], extent = window.getExtent(dim);
  if (ShapedType::isDynamic(window.padLow[dim])) {
    AffineExpr length = b.getAffineDimExpr(0);
    AffineExpr needed = (length.ceilDiv(stride) - 1) * stride + extent - length;
    OpFoldResult total =
        choose(b, /*isMax=*/true, needed, b.getAffineConstantExpr(0), size);
    AffineExpr half = length.floorDiv(2), rest = length - half;
    return {apply(b, window.isLower ? rest : half, total),
            apply(b, window.isLower ? half : rest, total)};
  }
  int64_t low = window.padLow[dim], high = window.padHigh[dim];
  if (!window.hasCeilMode)
    return {b.getIndexAttr(low), b.getIndexAttr(high)};
  // The last window may end behind the padding.
  OpFoldResult count = window.emitOutputSize(b, dim, size);
  AffineExpr missing = (b.getAffineDimExpr(1) - 1) * stride + extent -
                       b.getAffineDimExpr(0) - low;
  return {b.getIndexAttr(low),
          choose(b, /*isMax=*/true, missing, b.getAffineConstantExpr(high),
                 {size, count})};
}

/// A zero point of one element as a signless scalar; zero where it is absent.
static Value getPadding(const ForeignOp &node, ForeignTensor zeroPoint,
                        Type type) {
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  if (!zeroPoint)
    return arith::ConstantOp::create(b, b.getZeroAttr(type));
  Value zero = asSignless(b, node.getLoc(), node.materializeSingle(zeroPoint));
  if (isa<TensorType>(zero.getType()))
    zero = tensor::ExtractOp::create(b, zero, ValueRange());
  return zero;
}

Value mlir::qdq::padCodes(const ForeignOp &node, Value codes,
                          ForeignTensor zeroPoint, int64_t first,
                          ArrayRef<OpFoldResult> low,
                          ArrayRef<OpFoldResult> high) {
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  if (llvm::all_of(low, isZeroInteger) && llvm::all_of(high, isZeroInteger))
    return codes;
  Type element = getElementTypeOrSelf(codes);
  Value signless = asSignless(b, node.getLoc(), codes);
  auto type = cast<RankedTensorType>(signless.getType());
  SmallVector<OpFoldResult> lows(type.getRank(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> highs = lows;
  llvm::copy(low, lows.begin() + first);
  llvm::copy(high, highs.begin() + first);
  Value padding = getPadding(node, zeroPoint, type.getElementType());
  Value padded =
      tensor::PadOp::create(b, Type(), signless, lows, highs, padding);
  return castElementType(
      b, node.getLoc(), padded,
      cast<RankedTensorType>(padded.getType()).clone(element));
}

WindowSizes mlir::qdq::getWindowSizes(const ForeignOp &node,
                                      const Window &window, Value input,
                                      int64_t first) {
  assertWindowFits(node, window, input, first);
  ImplicitLocOpBuilder b(node.getLoc(), node.getRewriter());
  WindowSizes sizes;
  sizes.result = tensor::getMixedSizes(b, b.getLoc(), input);
  for (int64_t dim = 0; dim < window.getRank(); ++dim) {
    OpFoldResult &size = sizes.result[first + dim];
    auto [low, high] = getPads(b, window, dim, size);
    sizes.spatial.push_back(size);
    sizes.low.push_back(low);
    sizes.high.push_back(high);
    size = window.emitOutputSize(b, dim, size);
  }
  return sizes;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

Value mlir::qdq::createExtents(ImplicitLocOpBuilder &b, const Window &window,
                               Type element) {
  return tensor::EmptyOp::create(b, window.kernel, element);
}

Value mlir::qdq::reduceWindows(
    ImplicitLocOpBuilder &b, Value values, const Window &window, int64_t first,
    ArrayRef<OpFoldResult> sizes, TypedAttr initial,
    function_ref<Value(Scalar joined, Scalar element)> join) {
  int64_t rank = sizes.size(), spatial = window.getRank();
  Value fill = arith::ConstantOp::create(b, initial);
  Value empty = tensor::EmptyOp::create(b, sizes, initial.getType());
  Value init = linalg::FillOp::create(b, fill, empty).getResult(0);
  Value extents = createExtents(b, window, b.getI8Type());
  AffineMap result =
      AffineMap::getMultiDimIdentityMap(rank + spatial, b.getContext())
          .getMajorSubMap(rank);
  AffineMap inWindow =
      AffineMap::getMultiDimIdentityMap(rank + spatial, b.getContext())
          .getMinorSubMap(spatial);
  SmallVector<AffineExpr> places(result.getResults());
  for (int64_t dim = 0; dim < spatial; ++dim)
    places[first + dim] = places[first + dim] * window.strides[dim] +
                          inWindow.getResult(dim) * window.dilations[dim];
  AffineMap source = AffineMap::get(rank + spatial, 0, places, b.getContext());
  return createGeneric(b, {values, extents}, init, {source, inWindow, result},
                       [&](Scalar element, Scalar, Scalar joined) {
                         return join(joined, element);
                       });
}

Value mlir::qdq::emitCountInside(ImplicitLocOpBuilder &b, const Window &window,
                                 int64_t first, const WindowSizes &sizes,
                                 bool includesPad) {
  SmallVector<OpFoldResult> counts;
  for (int64_t dim = 0; dim < window.getRank(); ++dim) {
    // The padding of the attribute: a window of ceil_mode may end behind it.
    OpFoldResult high = ShapedType::isDynamic(window.padHigh[dim])
                            ? sizes.high[dim]
                            : OpFoldResult(b.getIndexAttr(window.padHigh[dim]));
    AffineExpr place = b.getAffineDimExpr(0), low = b.getAffineDimExpr(1),
               size = b.getAffineDimExpr(2), behind = b.getAffineDimExpr(3);
    AffineExpr begin = place * window.strides[dim] - low;
    AffineExpr from = includesPad ? -low : b.getAffineConstantExpr(0);
    AffineExpr to = includesPad ? size + behind : size;
    SmallVector<OpFoldResult> operands = {
        linalg::IndexOp::create(b, first + dim).getResult(), sizes.low[dim],
        sizes.spatial[dim], high};
    int64_t step = window.dilations[dim];
    OpFoldResult begins = choose(b, /*isMax=*/true, b.getAffineConstantExpr(0),
                                 (from - begin).ceilDiv(step), operands);
    OpFoldResult ends =
        choose(b, /*isMax=*/false, b.getAffineConstantExpr(window.kernel[dim]),
               (to - begin).ceilDiv(step), operands);
    counts.push_back(apply(b, b.getAffineDimExpr(0) - b.getAffineDimExpr(1),
                           {ends, begins}));
  }
  return countAsF32(b, counts);
}
