// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums, products, maxima and minima of two elements.

#include "Joins.h"
#include "NodeParts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::qdq;

/// The op for floats, signed and unsigned integers.
template <typename Float, typename Signed, typename Unsigned = Signed>
static Value emitJoinOp(ImplicitLocOpBuilder &b, Value x, Value y,
                        bool isUnsigned) {
  if (isa<FloatType>(x.getType()))
    return Float::create(b, x, y);
  if (isUnsigned)
    return Unsigned::create(b, x, y);
  return Signed::create(b, x, y);
}

Value mlir::qdq::emitJoin(ImplicitLocOpBuilder &b, Join join, Value x, Value y,
                          bool isUnsigned) {
  using namespace arith;
  switch (join) {
  case Join::Sum:
    return emitJoinOp<AddFOp, AddIOp>(b, x, y, isUnsigned);
  case Join::Product:
    return emitJoinOp<MulFOp, MulIOp>(b, x, y, isUnsigned);
  case Join::Max:
    return emitJoinOp<MaximumFOp, MaxSIOp, MaxUIOp>(b, x, y, isUnsigned);
  case Join::Min:
    return emitJoinOp<MinimumFOp, MinSIOp, MinUIOp>(b, x, y, isUnsigned);
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
      [&](OpBuilder &nested, Location loc, Value e, Value joined) {
        ImplicitLocOpBuilder body(loc, nested);
        return emitJoin(body, join, joined, e, isUnsigned);
      });
}
