// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tfl.add, tfl.sub, tfl.mul and tfl.squared_difference.

#include "Elementwise.h"
#include "../ForeignOps/TensorOps.h"
#include "Rescaling.h"
#include "Translations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <cmath>

using namespace mlir;
using namespace mlir::qdq;

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// `value` times a constant, in 32 bits that hold it.
static Value scaleBy(ImplicitLocOpBuilder &b, Value value, int32_t factor) {
  return mapElements(b, {value}, b.getI32Type(),
                     [&](Scalar x) { return x * factor; });
}

static Value combine(ImplicitLocOpBuilder &b, Value lhs, Value rhs,
                     bool isDifference) {
  return mapElements(b, {lhs, rhs}, b.getI32Type(), [&](Scalar x, Scalar y) {
    return isDifference ? x - y : x + y;
  });
}

/// XNNPACK's multipliers of two operands: for a sum each scale, for a
/// product that of both, in units of the result's scale.
static SmallVector<float, 2> getRatios(const Binary &n, bool isProduct) {
  auto divide = [&](APFloat scale) {
    scale.divide(n.result.getScale(), APFloat::rmNearestTiesToEven);
    return scale.convertToFloat();
  };
  APFloat lhs = n.lhs.getScale(), rhs = n.rhs.getScale();
  if (!isProduct)
    return {divide(lhs), divide(rhs)};
  lhs.multiply(rhs, APFloat::rmNearestTiesToEven);
  return {divide(lhs)};
}

/// Whether XNNPACK takes the op, or leaves it to LiteRT: 16 bits and small
/// ratios. It leaves large ratios, too, but LiteRT's kernels wrap there.
static FailureOr<bool> isTakenByXNNPACK(const ForeignOp &op, const Stamp &stamp,
                                        const Binary &n, bool isProduct) {
  if (stamp.getProfile() != Profile::XNNPACK || n.is16Bits())
    return false;
  float smallest = isProduct ? 0x1p-16f : 0x1p-10f;
  SmallVector<float, 2> ratios = getRatios(n, isProduct);
  for (float ratio : ratios)
    if (!(ratio < 256))
      return op.refuse("has operands whose ",
                       isProduct ? "product of scales is " : "scale is ", ratio,
                       " times the result's: expected less than 256, since "
                       "LiteRT's default kernels wrap");
  return llvm::all_of(ratios, [&](float ratio) { return ratio >= smallest; });
}

/// XNNPACK's kernel: both terms times integers, one shift at the end.
static FailureOr<Value> createXNNPACKSum(const ForeignOp &op,
                                         const Stamp &stamp, const Binary &n,
                                         bool isDifference) {
  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  SmallVector<float, 2> scales = getRatios(n, /*isProduct=*/false);
  // The larger multiplier has 21 bits.
  int shift = 20 - std::ilogb(std::max(scales[0], scales[1]));
  auto getMultiplier = [&](float scale) {
    return static_cast<int32_t>(std::nearbyint(std::ldexp(scale, shift)));
  };
  Value lhs =
      scaleBy(b, subtractZeroPoint(op, n.lhs), getMultiplier(scales[0]));
  Value rhs =
      scaleBy(b, subtractZeroPoint(op, n.rhs), getMultiplier(scales[1]));
  return createRequantize(
      op, stamp, combine(b, lhs, rhs, isDifference), n.result,
      {Rescale::Fixed31Single, {std::ldexp(1.0, -shift)}}, n.bounds);
}

/// Twice the larger scale of the operands.
static double getUnit(const Binary &n) {
  return 2.0 * std::max(n.lhs.getFloatScale(), n.rhs.getFloatScale());
}

/// An operand without its zero point in this unit, with bits to spare below.
static Value createTerm(const ForeignOp &op, const Stamp &stamp,
                        const CodeTensor &of, double unit, int spare) {
  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  Value wide = scaleBy(b, subtractZeroPoint(op, of), 1 << spare);
  double scale = of.getFloatScale();
  return createRescaled(op, stamp, wide,
                        {Rescale::Fixed31Double, {scale / unit}});
}

/// The sum of the terms.
static FailureOr<Value> createSum(const ForeignOp &op, const Stamp &stamp,
                                  const Binary &n, bool isDifference) {
  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  int spare = n.is16Bits() ? 15 : 20;
  double unit = getUnit(n);
  double last = unit / (std::ldexp(1.0, spare) * n.result.getFloatScale());
  if (!(last < 1))
    return op.refuse("has a result whose scale is 2^", -spare,
                     " of those of its operands or less: the kernel does not "
                     "hold its multiplier");
  Value lhs = createTerm(op, stamp, n.lhs, unit, spare);
  Value rhs = createTerm(op, stamp, n.rhs, unit, spare);
  return createRequantize(op, stamp, combine(b, lhs, rhs, isDifference),
                          n.result, {Rescale::Fixed31Double, {last}}, n.bounds);
}

/// True where LiteRT takes another kernel, for scales that are powers of two.
static bool hasPowersOfTwo(const Binary &n) {
  auto isPower = [](const CodeType &of) {
    int exponent;
    return std::frexp(of.getFloatScale(), &exponent) == 0.5f;
  };
  return n.is16Bits() && isPower(n.lhs) && isPower(n.rhs) && isPower(n.result);
}

LogicalResult mlir::qdq::translateAdd(const ForeignOp &op, const Stamp &stamp,
                                      const Binary &n) {
  bool isDifference = op.getName() == "tfl.sub";
  if (hasPowersOfTwo(n))
    return op.refuse("has 16 bits and scales that are powers of two, for which "
                     "LiteRT has another kernel");
  FailureOr<bool> isXNNPACK =
      isTakenByXNNPACK(op, stamp, n, /*isProduct=*/false);
  if (failed(isXNNPACK))
    return failure();
  auto create = *isXNNPACK ? createXNNPACKSum : createSum;
  return replaceWithStorage(op, create(op, stamp, n, isDifference));
}

LogicalResult mlir::qdq::translateSquaredDifference(const ForeignOp &op,
                                                    const Stamp &stamp,
                                                    const Binary &n) {
  if (!n.lhs.getStorage().isInteger(8) || !n.lhs.isSigned())
    return op.refuse("has the operand ", n.lhs.type,
                     ": expected codes i8, which LiteRT has alone");
  constexpr int kSpare = 7;
  double unit = getUnit(n);
  double last =
      unit * unit / (std::ldexp(1.0, 2 * kSpare) * n.result.getFloatScale());
  if (!(last < 1))
    return op.refuse("has a result whose scale is 2^-14 of the square of its "
                     "operands' or less: the kernel does not hold its "
                     "multiplier");
  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  Value difference = combine(b, createTerm(op, stamp, n.lhs, unit, kSpare),
                             createTerm(op, stamp, n.rhs, unit, kSpare),
                             /*isDifference=*/true);
  Value square = mapElements(b, {difference}, b.getI32Type(),
                             [](Scalar x) { return x * x; });
  return replaceWithStorage(
      op, createRequantize(op, stamp, square, n.result,
                           {Rescale::Fixed31Double, {last}}, n.bounds));
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

LogicalResult mlir::qdq::translateMul(const ForeignOp &op, const Stamp &stamp,
                                      const Binary &n) {
  FailureOr<bool> isXNNPACK =
      isTakenByXNNPACK(op, stamp, n, /*isProduct=*/true);
  if (failed(isXNNPACK))
    return failure();
  // The kernel multiplies and divides the scales in f32.
  SumRescaling rescaling =
      getRescaling(Rescale::F32, n.lhs, n.rhs, n.result, ScaleProduct::F32);
  rescaling.rescale = *isXNNPACK ? getSumRescale(stamp, Rescale::Fixed31Double)
                                 : getOwnRescale(stamp, Rescale::Fixed31Double);
  if (failed(checkRescaling(op, rescaling)))
    return failure();
  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  Value product = mapElements(
      b, {subtractZeroPoint(op, n.lhs), subtractZeroPoint(op, n.rhs)},
      b.getI32Type(), [](Scalar x, Scalar y) { return x * y; });
  return replaceWithStorage(
      op, createRequantize(op, stamp, product, n.result, rescaling, n.bounds));
}

//===----------------------------------------------------------------------===//
// The larger, the smaller
//===----------------------------------------------------------------------===//

LogicalResult mlir::qdq::translateExtremum(const ForeignOp &op,
                                           const Stamp &stamp,
                                           const Binary &n) {
  bool isMaximum = op.getName() == "tfl.maximum";
  if (failed(checkSameParameters(op, "lhs", n.lhs, "result", n.result)) ||
      failed(checkSameParameters(op, "rhs", n.rhs, "result", n.result)))
    return failure();
  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  bool isSigned = n.lhs.isSigned();
  Type element = b.getIntegerType(n.result.getWidth());
  return replaceWithStorage(
      op, mapElements(b, {n.lhs.getCodes(op), n.rhs.getCodes(op)}, element,
                      [&](Scalar x, Scalar y) {
                        if (isSigned)
                          return isMaximum ? max(x, y) : min(x, y);
                        return isMaximum ? x.apply<arith::MaxUIOp>(y)
                                         : x.apply<arith::MinUIOp>(y);
                      }));
}
