// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reciprocals by Newton's method in fixed point.

#include "KernelTables.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::qdq;

Scalar mlir::qdq::emitMultiplyHigh(Scalar lhs, Scalar rhs) {
  return (lhs * rhs + (int64_t(1) << 30)) >> 31;
}

Scalar mlir::qdq::getHeadroom(Scalar value) {
  Scalar zeros = value.apply<math::CountLeadingZerosOp>();
  return zeros.toUnsigned(value.getBuilder().getI64Type());
}

Scalar mlir::qdq::getReciprocal(Scalar value) {
  Scalar wide = value.toUnsigned(value.getBuilder().getI64Type());
  // (m - 1 + 1) / 2, whose 1 is 2^31 - 1, rounded away.
  Scalar half = (wide << getHeadroom(value)) >> 1;
  constexpr int64_t k48By17 = 1515870810, kMinus32By17 = -1010580540;
  Scalar first = half.constant(k48By17);
  Scalar x = first + emitMultiplyHigh(half, half.constant(kMinus32By17));
  for (int step = 0; step < 3; ++step) {
    Scalar one = x.constant(int64_t(1) << 29);
    Scalar rest = one - emitMultiplyHigh(half, x);
    x = x + (emitMultiplyHigh(x, rest) << 2);
  }
  return min(x << 1, INT32_MAX);
}
