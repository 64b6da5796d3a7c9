// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ops of formulas.

#include "Scalar.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::qdq;

using B = ImplicitLocOpBuilder;
using F = arith::CmpFPredicate;
using I = arith::CmpIPredicate;

Value mlir::qdq::createNumber(ImplicitLocOpBuilder &b, Type type,
                              double value) {
  TypedAttr attr = isa<FloatType>(type)
                       ? TypedAttr(b.getFloatAttr(type, value))
                       : b.getIntegerAttr(type, static_cast<int64_t>(value));
  return arith::ConstantOp::create(b, attr);
}

Value mlir::qdq::castFloat(ImplicitLocOpBuilder &b, Value x, Type type) {
  unsigned from = x.getType().getIntOrFloatBitWidth();
  unsigned to = type.getIntOrFloatBitWidth();
  if (x.getType() == type)
    return x;
  if (from < to)
    return arith::ExtFOp::create(b, type, x);
  if (from > to)
    return arith::TruncFOp::create(b, type, x);
  // f16 and bf16.
  return arith::TruncFOp::create(b, type,
                                 arith::ExtFOp::create(b, b.getF32Type(), x));
}

Scalar Scalar::constant(double value) const {
  return Scalar(*b, createNumber(*b, getType(), value));
}

Value Scalar::getValue(const Operand &operand) const {
  return operand.value ? operand.value : Value(constant(operand.constant));
}

Scalar Scalar::bitcast(Type type) const {
  return Scalar(*b, arith::BitcastOp::create(*b, type, value));
}

Scalar Scalar::convert(Type type, bool isSigned) const {
  auto create = [&](auto own) {
    return Scalar(*b, decltype(own)::create(*b, type, value));
  };
  if (type == getType())
    return *this;
  if (isFloat() && isa<FloatType>(type))
    return Scalar(*b, castFloat(*b, value, type));
  if (isFloat())
    return isSigned ? create(arith::FPToSIOp()) : create(arith::FPToUIOp());
  if (isa<FloatType>(type))
    return isSigned ? create(arith::SIToFPOp()) : create(arith::UIToFPOp());
  if (type.isIndex() || getType().isIndex())
    return isSigned ? create(arith::IndexCastOp())
                    : create(arith::IndexCastUIOp());
  if (type.getIntOrFloatBitWidth() < getType().getIntOrFloatBitWidth())
    return create(arith::TruncIOp());
  return isSigned ? create(arith::ExtSIOp()) : create(arith::ExtUIOp());
}

template <typename Float, typename Integer>
Scalar Scalar::combine(const Operand &other) const {
  return isFloat() ? apply<Float>(other) : apply<Integer>(other);
}

template <auto floats, auto integers>
Scalar Scalar::compare(const Operand &other) const {
  Value y = getValue(other);
  return Scalar(*b, isFloat()
                        ? Value(arith::CmpFOp::create(*b, floats, value, y))
                        : Value(arith::CmpIOp::create(*b, integers, value, y)));
}

namespace mlir::qdq {

Scalar operator+(const Scalar &x, const Scalar::Operand &y) {
  return x.combine<arith::AddFOp, arith::AddIOp>(y);
}
Scalar operator-(const Scalar &x, const Scalar::Operand &y) {
  return x.combine<arith::SubFOp, arith::SubIOp>(y);
}
Scalar operator*(const Scalar &x, const Scalar::Operand &y) {
  return x.combine<arith::MulFOp, arith::MulIOp>(y);
}
Scalar operator/(const Scalar &x, const Scalar::Operand &y) {
  return x.combine<arith::DivFOp, arith::DivSIOp>(y);
}
Scalar operator&(const Scalar &x, const Scalar::Operand &y) {
  return x.apply<arith::AndIOp>(y);
}
Scalar operator|(const Scalar &x, const Scalar::Operand &y) {
  return x.apply<arith::OrIOp>(y);
}
Scalar operator^(const Scalar &x, const Scalar::Operand &y) {
  return x.apply<arith::XOrIOp>(y);
}
Scalar operator<<(const Scalar &x, const Scalar::Operand &y) {
  return x.apply<arith::ShLIOp>(y);
}
Scalar operator>>(const Scalar &x, const Scalar::Operand &y) {
  return x.apply<arith::ShRSIOp>(y);
}
Scalar operator<(const Scalar &x, const Scalar::Operand &y) {
  return x.compare<F::OLT, I::slt>(y);
}
Scalar operator>(const Scalar &x, const Scalar::Operand &y) {
  return x.compare<F::OGT, I::sgt>(y);
}
Scalar operator>=(const Scalar &x, const Scalar::Operand &y) {
  return x.compare<F::OGE, I::sge>(y);
}
Scalar equal(const Scalar &x, const Scalar::Operand &y) {
  return x.compare<F::OEQ, I::eq>(y);
}
Scalar min(const Scalar &x, const Scalar::Operand &y) {
  return x.combine<arith::MinimumFOp, arith::MinSIOp>(y);
}
Scalar max(const Scalar &x, const Scalar::Operand &y) {
  return x.combine<arith::MaximumFOp, arith::MaxSIOp>(y);
}

Scalar operator-(const Scalar &x) {
  return x.isFloat() ? x.apply<arith::NegFOp>() : x.constant(0) - x;
}
Scalar abs(const Scalar &x) {
  return x.isFloat() ? x.apply<math::AbsFOp>() : x.apply<math::AbsIOp>();
}
Scalar isNaN(const Scalar &x) {
  B &b = x.getBuilder();
  return Scalar(b, arith::CmpFOp::create(b, F::UNO, x, x));
}
Scalar isBelow(const Scalar &x, const Scalar &y) {
  B &b = x.getBuilder();
  return Scalar(b, arith::CmpIOp::create(b, I::ult, x, y));
}
Scalar select(const Scalar &condition, const Scalar &x,
              const Scalar::Operand &y) {
  return condition.apply<arith::SelectOp>(
      x, y.value ? y : Scalar::Operand(x.constant(y.constant)));
}

} // namespace mlir::qdq
