// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums, products, maxima and minima of two elements.

#include "Joins.h"
#include "NodeParts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::qdq;

Value mlir::qdq::emitJoin(ImplicitLocOpBuilder &b, Join join, Value lhs,
                          Value rhs, bool isUnsigned) {
  Scalar x(b, lhs), y(b, rhs);
  switch (join) {
  case Join::Sum:
    return x + y;
  case Join::Product:
    return x * y;
  case Join::Max:
    return isUnsigned ? x.apply<arith::MaxUIOp>(y) : max(x, y);
  case Join::Min:
    return isUnsigned ? x.apply<arith::MinUIOp>(y) : min(x, y);
  }
  llvm_unreachable("all ways to join are above");
}

TypedAttr mlir::qdq::getIdentity(Builder &b, Join join, Type type,
                                 bool isUnsigned) {
  if (join == Join::Sum)
    return b.getZeroAttr(type);
  if (join == Join::Product)
    return b.getOneAttr(type);
  bool isMax = join == Join::Max;
  if (auto floats = dyn_cast<FloatType>(type))
    return b.getFloatAttr(type,
                          APFloat::getInf(floats.getFloatSemantics(), isMax));
  unsigned width = type.getIntOrFloatBitWidth();
  if (isUnsigned)
    return b.getIntegerAttr(type, isMax ? APInt::getMinValue(width)
                                        : APInt::getMaxValue(width));
  return b.getIntegerAttr(type, isMax ? APInt::getSignedMinValue(width)
                                      : APInt::getSignedMaxValue(width));
}

Value mlir::qdq::joinOver(ImplicitLocOpBuilder &b, Value tensor,
                          ArrayRef<int64_t> axes, Join join, bool isUnsigned) {
  return reduceOver(
      b, tensor, axes,
      getIdentity(b, join, getElementTypeOrSelf(tensor), isUnsigned),
      [&](Scalar e, Scalar joined) {
        return emitJoin(e.getBuilder(), join, joined, e, isUnsigned);
      });
}
