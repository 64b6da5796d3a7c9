// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tfl.div: gemmlowp's reciprocal of the divisor, in integers.

#include "../ForeignOps/TensorOps.h"
#include "Elementwise.h"
#include "KernelTables.h"
#include "Rescaling.h"
#include "Translations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::qdq;

/// value / 2^places, to nearest, ties away from zero.
static Scalar divideByPower(Scalar value, Scalar places) {
  Scalar half = (value.constant(1) << places).apply<arith::ShRUIOp>(1);
  Scalar magnitude = (abs(value) + half) >> places;
  Scalar isNegative = value < 0;
  return select(isNegative, -magnitude, magnitude);
}

/// The quotient of two differences (i32) times a multiplier, as an i64. A
/// divisor of 0 is taken as 1, since LiteRT stops there.
static Scalar divide(Scalar lhs, Scalar rhs, const FixedMultiplier &by) {
  Scalar isNegative = rhs < 0;
  Scalar x = select(isNegative, -lhs, lhs), divisor = max(abs(rhs), 1);
  // x keeps its sign when it is shifted by one place less than its magnitude.
  Scalar headroom = getHeadroom(x ^ (x >> 31)) - 1;
  Scalar shifted = x.to(lhs.getBuilder().getI64Type()) << headroom;
  Scalar quotient = emitMultiplyHigh(shifted, getReciprocal(divisor));
  Scalar product = emitMultiplyHigh(quotient, quotient.constant(by.multiplier));
  // The divisor has 31 - headroom integer bits, and `by` 31 - shift.
  Scalar places = (headroom + by.shift) - getHeadroom(divisor);
  // The product has 31 bits. LiteRT shifts by `places` modulo 32.
  return divideByPower(product, min(places, 62));
}

LogicalResult mlir::qdq::translateDiv(const ForeignOp &op, const Stamp &stamp,
                                      const Binary &n) {
  float multiplier = n.lhs.getFloatScale() /
                     (n.rhs.getFloatScale() * n.result.getFloatScale());
  // No shift is negative.
  auto by = getFixedMultiplier(Rescale::Fixed31Double, multiplier);
  int64_t smallestHeadroom = n.is16Bits() ? 15 : 23;
  if (!by || by->shift < 31 - smallestHeadroom)
    return op.refuse("has scales whose multiplier is ", multiplier,
                     ": expected less than 2^", smallestHeadroom,
                     ", which the integer arithmetic of its kernel holds");
  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  Type type = b.getIntegerType(n.result.getWidth());
  return replaceWithStorage(
      op, mapElements(
              b, {subtractZeroPoint(op, n.lhs), subtractZeroPoint(op, n.rhs)},
              type, [&](Scalar x, Scalar y) {
                Scalar code = divide(x, y, *by) + n.result.getZeroPoint();
                code = min(max(code, n.bounds.first), n.bounds.second);
                return code.to(type);
              }));
}
