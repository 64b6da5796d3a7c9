// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reciprocals by Newton's method in fixed point.

#include "FixedReciprocal.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::qdq;

Value mlir::qdq::createI64(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantOp::create(b, b.getI64IntegerAttr(value));
}

Value mlir::qdq::emitMultiplyHigh(ImplicitLocOpBuilder &b, Value lhs,
                                  Value rhs) {
  Value product = arith::MulIOp::create(b, lhs, rhs);
  Value rounded =
      arith::AddIOp::create(b, product, createI64(b, int64_t(1) << 30));
  return arith::ShRSIOp::create(b, rounded, createI64(b, 31));
}

Value mlir::qdq::getHeadroom(ImplicitLocOpBuilder &b, Value value) {
  Value zeros = math::CountLeadingZerosOp::create(b, value);
  return arith::ExtUIOp::create(b, b.getI64Type(), zeros);
}

Value mlir::qdq::getReciprocal(ImplicitLocOpBuilder &b, Value value) {
  Value wide = arith::ExtUIOp::create(b, b.getI64Type(), value);
  Value mantissa = arith::ShLIOp::create(b, wide, getHeadroom(b, value));
  // (m - 1 + 1) / 2, whose 1 is 2^31 - 1, rounded away.
  Value half = arith::ShRSIOp::create(b, mantissa, createI64(b, 1));
  constexpr int64_t k48By17 = 1515870810, kMinus32By17 = -1010580540;
  Value x = arith::AddIOp::create(
      b, createI64(b, k48By17),
      emitMultiplyHigh(b, half, createI64(b, kMinus32By17)));
  for (int step = 0; step < 3; ++step) {
    Value rest = arith::SubIOp::create(b, createI64(b, int64_t(1) << 29),
                                       emitMultiplyHigh(b, half, x));
    Value change =
        arith::ShLIOp::create(b, emitMultiplyHigh(b, x, rest), createI64(b, 2));
    x = arith::AddIOp::create(b, x, change);
  }
  Value result = arith::ShLIOp::create(b, x, createI64(b, 1));
  return arith::MinSIOp::create(b, result, createI64(b, INT32_MAX));
}
