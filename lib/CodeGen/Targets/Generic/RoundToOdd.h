// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floats rounded to odd, so that rounding them again changes nothing (Boldo and
// Melquiond, 2008).

#ifndef QDQ_LIB_CODEGEN_TARGETS_GENERIC_ROUNDTOODD_H
#define QDQ_LIB_CODEGEN_TARGETS_GENERIC_ROUNDTOODD_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"

namespace mlir::qdq {

/// `type` with other elements.
inline Type cloneWith(Type type, Type element) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped ? Type(shaped.clone(element)) : element;
}

/// Rounds `nearest + error` to odd, where `nearest` is its rounding to nearest:
/// where that has an even last bit, the neighbor on the side of the error. An
/// error of NaN counts as none.
inline Value roundToOdd(ImplicitLocOpBuilder &b, Value nearest, Value error) {
  Type type = nearest.getType();
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  Type bitsType = cloneWith(type, b.getIntegerType(width));
  auto constant = [&](int64_t value) -> Value {
    TypedAttr element = b.getIntegerAttr(b.getIntegerType(width), value);
    if (auto shaped = dyn_cast<ShapedType>(bitsType))
      element = DenseElementsAttr::get(shaped, Attribute(element));
    return arith::ConstantOp::create(b, element);
  };
  using arith::CmpFPredicate, arith::CmpIPredicate;
  Value bits = arith::BitcastOp::create(b, bitsType, nearest);
  Value zero = constant(0), one = constant(1);
  Value noError = arith::ConstantOp::create(b, b.getZeroAttr(error.getType()));
  Value isAbove = arith::CmpFOp::create(b, CmpFPredicate::OGT, error, noError);
  Value isNegative = arith::CmpIOp::create(b, CmpIPredicate::slt, bits, zero);
  Value grows = arith::XOrIOp::create(b, isAbove, isNegative);
  Value step = arith::SelectOp::create(b, grows, one, constant(-1));
  Value isEven = arith::CmpIOp::create(
      b, CmpIPredicate::eq, arith::AndIOp::create(b, bits, one), zero);
  Value isInexact =
      arith::CmpFOp::create(b, CmpFPredicate::ONE, error, noError);
  Value odd =
      arith::SelectOp::create(b, arith::AndIOp::create(b, isInexact, isEven),
                              arith::AddIOp::create(b, bits, step), bits);
  return arith::BitcastOp::create(b, type, odd);
}

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_TARGETS_GENERIC_ROUNDTOODD_H
