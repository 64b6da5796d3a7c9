// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ops of formulas.

#include "qdq/Numerics/Scalar.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/Numerics/Evaluator.h"

using namespace mlir;
using namespace mlir::qdq;

using B = ImplicitLocOpBuilder;
using F = arith::CmpFPredicate;
using I = arith::CmpIPredicate;

Type mlir::qdq::withShapeOf(Type element, Type like) {
  auto shaped = dyn_cast<ShapedType>(like);
  return shaped ? Type(shaped.clone(element)) : element;
}

/// The constant in a float type, and in an integer type of `width` bits.
static APFloat toFormat(const Scalar::Constant &value, FloatType type) {
  APFloat result(0.0);
  if (auto *real = std::get_if<APFloat>(&value))
    result = *real;
  else if (auto *number = std::get_if<double>(&value))
    result = APFloat(*number);
  else
    result = APFloat(static_cast<double>(std::get<int64_t>(value)));
  return roundToFormat(result, type.getFloatSemantics());
}
static APInt toInteger(const Scalar::Constant &value, unsigned width) {
  if (auto *bits = std::get_if<APInt>(&value))
    return bits->sextOrTrunc(width);
  auto *real = std::get_if<double>(&value);
  int64_t integer =
      real ? static_cast<int64_t>(*real) : std::get<int64_t>(value);
  return APInt(width, integer, /*isSigned=*/true, /*implicitTrunc=*/true);
}

Value mlir::qdq::createNumber(B &b, Type type, const Scalar::Constant &value) {
  Type element = getElementTypeOrSelf(type);
  unsigned width = element.isIndex() ? IndexType::kInternalStorageBitWidth
                                     : element.getIntOrFloatBitWidth();
  TypedAttr attr;
  if (auto real = dyn_cast<FloatType>(element))
    attr = b.getFloatAttr(real, toFormat(value, real));
  else
    attr = b.getIntegerAttr(element, toInteger(value, width));
  if (auto shaped = dyn_cast<ShapedType>(type))
    attr = DenseElementsAttr::get(shaped, Attribute(attr));
  return arith::ConstantOp::create(b, attr);
}

Type Scalar::getElement() const { return getElementTypeOrSelf(value); }

Scalar Scalar::constant(const Constant &value) const {
  return Scalar(*b, createNumber(*b, getType(), value));
}

Value Scalar::getValue(const Operand &operand) const {
  return operand.value ? operand.value : Value(constant(operand.constant));
}

Scalar Scalar::bitcast(Type element) const {
  Type type = withShapeOf(element, getType());
  return Scalar(*b, arith::BitcastOp::create(*b, type, value));
}

Scalar Scalar::convert(Type element, bool isSigned) const {
  Type own = getElement(), type = withShapeOf(element, getType());
  auto create = [&](auto op) {
    return Scalar(*b, decltype(op)::create(*b, type, value));
  };
  if (own == element)
    return *this;
  bool isToFloat = isa<FloatType>(element);
  if (isFloat() && !isToFloat)
    return isSigned ? create(arith::FPToSIOp()) : create(arith::FPToUIOp());
  if (!isFloat() && isToFloat)
    return isSigned ? create(arith::SIToFPOp()) : create(arith::UIToFPOp());
  if (own.isIndex() || element.isIndex())
    return isSigned ? create(arith::IndexCastOp())
                    : create(arith::IndexCastUIOp());
  unsigned from = own.getIntOrFloatBitWidth();
  unsigned width = element.getIntOrFloatBitWidth();
  // f16 and bf16.
  if (from == width)
    return to(b->getF32Type()).to(element);
  if (isToFloat)
    return from < width ? create(arith::ExtFOp()) : create(arith::TruncFOp());
  if (from > width)
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
Scalar operator<=(const Scalar &x, const Scalar::Operand &y) {
  return x.compare<F::OLE, I::sle>(y);
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
Scalar unequal(const Scalar &x, const Scalar::Operand &y) {
  return x.compare<F::ONE, I::ne>(y);
}
Scalar min(const Scalar &x, const Scalar::Operand &y) {
  return x.combine<arith::MinimumFOp, arith::MinSIOp>(y);
}
Scalar max(const Scalar &x, const Scalar::Operand &y) {
  return x.combine<arith::MaximumFOp, arith::MaxSIOp>(y);
}

Scalar isBelow(const Scalar &x, const Scalar::Operand &y) {
  return x.compare<F::OLT, I::ult>(y);
}
Scalar minUnsigned(const Scalar &x, const Scalar::Operand &y) {
  return x.apply<arith::MinUIOp>(y);
}
Scalar maxUnsigned(const Scalar &x, const Scalar::Operand &y) {
  return x.apply<arith::MaxUIOp>(y);
}
Scalar shiftRight(const Scalar &x, const Scalar::Operand &y) {
  return x.apply<arith::ShRUIOp>(y);
}

Scalar operator-(const Scalar &x) {
  return x.isFloat() ? x.apply<arith::NegFOp>() : x.constant(0) - x;
}
Scalar abs(const Scalar &x) {
  return x.isFloat() ? x.apply<math::AbsFOp>() : x.apply<math::AbsIOp>();
}
Scalar isNaN(const Scalar &x) { return x.compare<F::UNO, I::ne>(x); }
Scalar select(const Scalar &condition, const Scalar &x,
              const Scalar::Operand &y) {
  return condition.apply<arith::SelectOp>(
      x, y.value ? y : Scalar::Operand(x.constant(y.constant)));
}

} // namespace mlir::qdq
