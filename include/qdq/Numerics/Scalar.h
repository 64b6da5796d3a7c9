// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Formulas of numbers, written as formulas.

#ifndef QDQ_NUMERICS_SCALAR_H
#define QDQ_NUMERICS_SCALAR_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/APFloat.h"
#include <variant>

namespace mlir::qdq {

/// `element`, in the shape of `like`.
Type withShapeOf(Type element, Type like);

/// A float, a signless integer or an index, or a vector or tensor of them, and
/// the builder of what is computed with it. Operators take integers as signed.
/// Beside a number, a C++ number is a constant of its type. Operators on floats
/// pass NaN on.
class Scalar {
public:
  /// A constant of a type that is told elsewhere: floats are rounded to nearest
  /// even, integers cut off.
  using Constant = std::variant<int64_t, double, llvm::APFloat, llvm::APInt>;

  /// A number, or a constant whose type the other operand tells.
  struct Operand {
    Operand(const Scalar &number) : value(number) {}
    Operand(Value value) : value(value) {}
    template <typename T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
    Operand(T constant) : constant(static_cast<int64_t>(constant)) {}
    Operand(double constant) : constant(constant) {}
    Operand(llvm::APFloat constant) : constant(std::move(constant)) {}
    Operand(llvm::APInt constant) : constant(std::move(constant)) {}

    Value value;
    Constant constant = int64_t(0);
  };

  Scalar(ImplicitLocOpBuilder &b, Value value) : b(&b), value(value) {}

  operator Value() const { return value; }
  ImplicitLocOpBuilder &getBuilder() const { return *b; }
  Type getType() const { return value.getType(); }
  /// The type of one element.
  Type getElement() const;
  bool isFloat() const { return isa<FloatType>(getElement()); }

  /// A constant of the same type.
  Scalar constant(const Constant &value) const;

  /// The same number as another type of elements: extended, rounded to the
  /// nearest float, cut off. `toUnsigned` takes an integer as unsigned.
  Scalar to(Type element) const { return convert(element, /*isSigned=*/true); }
  Scalar toUnsigned(Type element) const {
    return convert(element, /*isSigned=*/false);
  }

  /// The same bits as another type of elements.
  Scalar bitcast(Type element) const;

  /// The result of an op on this number and others.
  template <typename Op, typename... Scalars>
  Scalar apply(Scalars... numbers) const {
    return Scalar(*b, Op::create(*b, value, getValue(numbers)...));
  }

  friend Scalar operator+(const Scalar &x, const Operand &y);
  friend Scalar operator-(const Scalar &x, const Operand &y);
  friend Scalar operator*(const Scalar &x, const Operand &y);
  friend Scalar operator/(const Scalar &x, const Operand &y);
  friend Scalar operator&(const Scalar &x, const Operand &y);
  friend Scalar operator|(const Scalar &x, const Operand &y);
  friend Scalar operator^(const Scalar &x, const Operand &y);
  friend Scalar operator<<(const Scalar &x, const Operand &y);
  friend Scalar operator>>(const Scalar &x, const Operand &y);
  friend Scalar operator<(const Scalar &x, const Operand &y);
  friend Scalar operator<=(const Scalar &x, const Operand &y);
  friend Scalar operator>(const Scalar &x, const Operand &y);
  friend Scalar operator>=(const Scalar &x, const Operand &y);
  friend Scalar equal(const Scalar &x, const Operand &y);
  /// Of floats, false where one is NaN.
  friend Scalar unequal(const Scalar &x, const Operand &y);
  friend Scalar isNaN(const Scalar &x);
  friend Scalar min(const Scalar &x, const Operand &y);
  friend Scalar max(const Scalar &x, const Operand &y);

  // Of unsigned integers.
  friend Scalar isBelow(const Scalar &x, const Operand &y);
  friend Scalar minUnsigned(const Scalar &x, const Operand &y);
  friend Scalar maxUnsigned(const Scalar &x, const Operand &y);
  friend Scalar shiftRight(const Scalar &x, const Operand &y);

  // The constant comes first.
  friend Scalar operator+(double x, const Scalar &y) {
    return y.constant(x) + y;
  }
  friend Scalar operator-(double x, const Scalar &y) {
    return y.constant(x) - y;
  }
  friend Scalar operator*(double x, const Scalar &y) {
    return y.constant(x) * y;
  }
  friend Scalar operator/(double x, const Scalar &y) {
    return y.constant(x) / y;
  }

private:
  Scalar convert(Type element, bool isSigned) const;
  Value getValue(const Operand &operand) const;

  template <typename Float, typename Integer>
  Scalar combine(const Operand &other) const;
  template <auto floats, auto integers>
  Scalar compare(const Operand &other) const;

  ImplicitLocOpBuilder *b;
  Value value;
};

Scalar operator-(const Scalar &x);
Scalar abs(const Scalar &x);
Scalar isNaN(const Scalar &x);
/// One of two numbers by an i1.
Scalar select(const Scalar &condition, const Scalar &x,
              const Scalar::Operand &y);

/// A constant of `type`, in all elements.
Value createNumber(ImplicitLocOpBuilder &b, Type type,
                   const Scalar::Constant &value);

} // namespace mlir::qdq

#endif // QDQ_NUMERICS_SCALAR_H
