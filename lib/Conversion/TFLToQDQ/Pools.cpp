// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tfl.average_pool_2d and tfl.max_pool_2d.

#include "../ForeignOps/TensorOps.h"
#include "Rescaling.h"
#include "Translations.h"
#include "Windows.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/Conversion/IntegerProducts.h"
#include "qdq/IR/TypeRewrite.h"

using namespace mlir;
using namespace mlir::qdq;

using B = ImplicitLocOpBuilder;

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

namespace {
struct Pool {
  CodeTensor input;
  CodeType result;
  Window window;
  std::pair<int64_t, int64_t> bounds;
};
} // namespace

static FailureOr<Pool> readPool(const ForeignOp &op, const Stamp &stamp) {
  Reader read;
  Pool n;
  n.input = read(readCodes(op, 0, "input"));
  n.result = read(readResultCodes(op));
  if (failed(read) ||
      failed(checkSameParameters(op, "input", n.input, "result", n.result)))
    return failure();
  n.window = read(readPoolWindow(op, n.input.type));
  n.bounds = read(readActivationBounds(op, stamp, n.result));
  if (failed(read) ||
      failed(checkWindowResult(op, n.input, n.window,
                               n.input.type.getDimSize(3), n.result)))
    return failure();
  return n;
}

/// The sizes of the result, [batch, height, width, channels].
static SmallVector<OpFoldResult> getResultSizes(ImplicitLocOpBuilder &b,
                                                const Windowed &windowed) {
  return {tensor::getMixedSize(b, b.getLoc(), windowed.codes, 0),
          windowed.outputs[0], windowed.outputs[1],
          tensor::getMixedSize(b, b.getLoc(), windowed.codes, 3)};
}

/// The sums of the codes in each window, in 32 bits.
static Value sumWindows(ImplicitLocOpBuilder &b, const Pool &pool,
                        const Windowed &windowed) {
  Value codes = asSignless(b, b.getLoc(), windowed.codes);
  bool isSigned = pool.input.isSigned();
  return reduceWindows(
      b, codes, pool.window, /*first=*/1, getResultSizes(b, windowed),
      b.getI32IntegerAttr(0), [&](Scalar sum, Scalar code) {
        Type i32 = sum.getType();
        return sum + (isSigned ? code.to(i32) : code.toUnsigned(i32));
      });
}

LogicalResult mlir::qdq::translateAveragePool2D(const ForeignOp &op,
                                                const Stamp &stamp) {
  FailureOr<Pool> pool = readPool(op, stamp);
  if (failed(pool))
    return failure();
  ArrayRef<int64_t> sizes = pool->input.type.getShape();
  auto heights = countInside(pool->window, 0, sizes[1]);
  auto widths = countInside(pool->window, 1, sizes[2]);
  if (!heights || !widths)
    return op.refuse("input has type ", pool->input.type,
                     ": expected static sizes for windows that are padded");
  // The mean of the codes, with halves away from zero, whatever the profile.
  FloatType f32 = op.getRewriter().getF32Type();
  SemanticsFields spelled;
  spelled.rounding = Rounding::NearestAway;
  spelled.order = Order::RoundThenAdd;
  SemanticsAttr semantics = stamp({Direction::Quantize, f32, f32}, spelled);
  SmallVector<RescaleScales> channels;
  for (int64_t height : *heights)
    for (int64_t width : *widths)
      channels.push_back({APFloat(1.0f), APFloat(1.0f),
                          APFloat(static_cast<float>(height * width))});
  int64_t largest = std::max(std::abs(pool->input.lo), pool->input.hi);
  std::string reason;
  FailureOr<ExactMultipliers> exact = chooseExactMultipliers(
      channels, pool->window.kernel[0] * pool->window.kernel[1] * largest,
      largest, *semantics.getFields().rounding, *semantics.getFields().order,
      reason);
  if (failed(exact))
    return op.refuse(reason);

  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  Windowed windowed =
      padWindows(op, pool->input.getCodes(op), pool->window, /*padding=*/{});
  Value sums = sumWindows(b, *pool, windowed);
  SmallVector<int64_t> shape;
  DenseI64ArrayAttr blocks;
  if (channels.size() != 1) {
    shape = {1, static_cast<int64_t>(heights->size()),
             static_cast<int64_t>(widths->size()), 1};
    blocks = b.getDenseI64ArrayAttr({1, 1, 1, 1});
  }
  auto create = [&](ArrayRef<int64_t> elements, Type element) -> Value {
    SmallVector<APInt> values;
    for (int64_t value : elements)
      values.push_back(
          APInt(element.getIntOrFloatBitWidth(), value, /*isSigned=*/true));
    return arith::ConstantOp::create(
        b,
        DenseElementsAttr::get(RankedTensorType::get(shape, element), values));
  };
  Value fraction;
  if (!exact->fractions.empty())
    fraction = create(exact->fractions, b.getI32Type());
  auto type = cast<RankedTensorType>(sums.getType());
  return replaceWithStorage(
      op, op.create<RequantizeOp>(
                type.clone(pool->result.getStorage()), sums, Rescale::Exact,
                create(exact->multipliers, b.getI64Type()),
                create(exact->shifts, b.getI32Type()), fraction,
                /*zero_point=*/nullptr, /*axis=*/nullptr, blocks,
                b.getI64IntegerAttr(exact->limit),
                getClamp(b, pool->result.getStorage(), pool->bounds), semantics)
              ->getResults());
}

/// A code of the storage, without signedness.
static TypedAttr getCode(Builder &b, Type storage, int64_t code) {
  unsigned width = storage.getIntOrFloatBitWidth();
  return b.getIntegerAttr(b.getIntegerType(width),
                          APInt(width, code, /*isSigned=*/true,
                                /*implicitTrunc=*/true));
}

LogicalResult mlir::qdq::translateMaxPool2D(const ForeignOp &op,
                                            const Stamp &stamp) {
  FailureOr<Pool> pool = readPool(op, stamp);
  if (failed(pool))
    return failure();
  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  Type storage = pool->input.getStorage();
  bool isSigned = pool->input.isSigned();
  int64_t lowest = getIntegerBounds(storage).first;
  ForeignTensor padding = toForeign(DenseElementsAttr::get(
      RankedTensorType::get({}, storage),
      APInt(storage.getIntOrFloatBitWidth(), lowest, isSigned)));
  Windowed windowed =
      padWindows(op, pool->input.getCodes(op), pool->window, padding);
  Value codes = asSignless(b, b.getLoc(), windowed.codes);
  Type element = getElementTypeOrSelf(codes);
  Value init =
      createFilled(b, getResultSizes(b, windowed), getCode(b, storage, lowest));
  Value result =
      isSigned
          ? createPool<linalg::PoolingNhwcMaxOp>(b, codes, init, pool->window)
          : createPool<linalg::PoolingNhwcMaxUnsignedOp>(b, codes, init,
                                                         pool->window);
  if (pool->bounds != getIntegerBounds(storage))
    result = mapElements(b, {result}, element, [&](Scalar code) {
      B &body = code.getBuilder();
      Value lo = arith::ConstantOp::create(
          body, getCode(body, storage, pool->bounds.first));
      Value hi = arith::ConstantOp::create(
          body, getCode(body, storage, pool->bounds.second));
      return isSigned
                 ? min(max(code, lo), hi)
                 : code.apply<arith::MaxUIOp>(lo).apply<arith::MinUIOp>(hi);
    });
  return replaceWithStorage(op, result);
}
