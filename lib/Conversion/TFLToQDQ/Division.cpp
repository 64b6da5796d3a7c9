// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tfl.div: gemmlowp's reciprocal of the divisor, in integers.

#include "../ForeignOps/TensorOps.h"
#include "Binary.h"
#include "FixedReciprocal.h"
#include "Rescaling.h"
#include "Translations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::qdq;

using B = ImplicitLocOpBuilder;

static Value createInteger(B &b, int64_t value, unsigned width = 64) {
  return arith::ConstantOp::create(
      b, b.getIntegerAttr(b.getIntegerType(width), value));
}

/// value / 2^places, to nearest, ties away from zero.
static Value divideByPower(B &b, Value value, Value places) {
  Value half = arith::ShRUIOp::create(
      b, arith::ShLIOp::create(b, createInteger(b, 1), places),
      createInteger(b, 1));
  Value magnitude = arith::ShRSIOp::create(
      b, arith::AddIOp::create(b, math::AbsIOp::create(b, value), half),
      places);
  Value isNegative = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, value,
                                           createInteger(b, 0));
  return arith::SelectOp::create(
      b, isNegative, arith::SubIOp::create(b, createInteger(b, 0), magnitude),
      magnitude);
}

/// The quotient of two differences (i32) times a multiplier, as an i64. A
/// divisor of 0 is taken as 1, since LiteRT stops there.
static Value divide(B &b, Value lhs, Value rhs, const FixedMultiplier &by) {
  Type i64 = b.getI64Type();
  Value isNegative = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, rhs,
                                           createInteger(b, 0, 32));
  Value x = arith::SelectOp::create(
      b, isNegative, arith::SubIOp::create(b, createInteger(b, 0, 32), lhs),
      lhs);
  Value divisor = arith::MaxSIOp::create(b, math::AbsIOp::create(b, rhs),
                                         createInteger(b, 1, 32));
  // x keeps its sign when it is shifted by one place less than its magnitude.
  Value sign = arith::ShRSIOp::create(b, x, createInteger(b, 31, 32));
  Value bits = getHeadroom(b, arith::XOrIOp::create(b, x, sign));
  Value headroom = arith::SubIOp::create(b, bits, createInteger(b, 1));
  Value shifted =
      arith::ShLIOp::create(b, arith::ExtSIOp::create(b, i64, x), headroom);
  Value quotient = emitMultiplyHigh(b, shifted, getReciprocal(b, divisor));
  Value product =
      emitMultiplyHigh(b, quotient, createInteger(b, by.multiplier));
  // The divisor has 31 - headroom integer bits, and `by` 31 - shift.
  Value places = arith::SubIOp::create(
      b, arith::AddIOp::create(b, headroom, createInteger(b, by.shift)),
      getHeadroom(b, divisor));
  // The product has 31 bits. LiteRT shifts by `places` modulo 32.
  return divideByPower(b, product,
                       arith::MinSIOp::create(b, places, createInteger(b, 62)));
}

LogicalResult mlir::qdq::translateDiv(const ForeignOp &op, const Stamp &stamp) {
  FailureOr<Binary> n = readBinary(op, stamp);
  if (failed(n))
    return failure();
  float multiplier = n->lhs.getScale().convertToFloat() /
                     (n->rhs.getScale().convertToFloat() *
                      n->result.getScale().convertToFloat());
  // No shift is negative.
  auto by = getFixedMultiplier(Rescale::Fixed31Double, multiplier);
  int64_t smallestHeadroom = n->is16Bits() ? 15 : 23;
  if (!by || by->shift < 31 - smallestHeadroom)
    return op.refuse("has scales whose multiplier is ", multiplier,
                     ": expected less than 2^", smallestHeadroom,
                     ", which the integer arithmetic of its kernel holds");
  ImplicitLocOpBuilder b(op.getLoc(), op.getRewriter());
  unsigned width = n->result.getStorage().getIntOrFloatBitWidth();
  replaceWithStorage(
      op, mapElements(
              b, {subtractZeroPoint(op, n->lhs), subtractZeroPoint(op, n->rhs)},
              b.getIntegerType(width), [&](B &body, ValueRange x) -> Value {
                Value code = arith::AddIOp::create(
                    body, divide(body, x[0], x[1], *by),
                    createInteger(body, n->result.getZeroPoint()));
                code = arith::MaxSIOp::create(
                    body, code, createInteger(body, n->bounds.first));
                code = arith::MinSIOp::create(
                    body, code, createInteger(body, n->bounds.second));
                return arith::TruncIOp::create(body, body.getIntegerType(width),
                                               code);
              }));
  return success();
}
