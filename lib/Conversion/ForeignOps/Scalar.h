// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Formulas of the elements of tensors, written as formulas.

#ifndef QDQ_LIB_CONVERSION_FOREIGNOPS_SCALAR_H
#define QDQ_LIB_CONVERSION_FOREIGNOPS_SCALAR_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include <functional>

namespace mlir::qdq {

/// A float, a signless integer or an index, and the builder of what is computed
/// with it. Operators take integers as signed. Beside a number, a C++ number is
/// a constant of its type. Operators on floats pass NaN on.
class Scalar {
public:
  /// A number, or a constant whose type the other operand tells.
  struct Operand {
    Operand(const Scalar &number) : value(number) {}
    Operand(Value value) : value(value) {}
    Operand(double constant) : constant(constant) {}

    Value value;
    double constant = 0;
  };

  Scalar(ImplicitLocOpBuilder &b, Value value) : b(&b), value(value) {}

  operator Value() const { return value; }
  ImplicitLocOpBuilder &getBuilder() const { return *b; }
  Type getType() const { return value.getType(); }
  bool isFloat() const { return isa<FloatType>(getType()); }

  /// A constant of the same type.
  Scalar constant(double value) const;

  /// The same number as another type: extended, rounded to the nearest float,
  /// cut off. `toUnsigned` takes an integer as unsigned.
  Scalar to(Type type) const { return convert(type, /*isSigned=*/true); }
  Scalar toUnsigned(Type type) const {
    return convert(type, /*isSigned=*/false);
  }

  /// The same bits as another type.
  Scalar bitcast(Type type) const;

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
  friend Scalar operator>(const Scalar &x, const Operand &y);
  friend Scalar operator>=(const Scalar &x, const Operand &y);
  friend Scalar equal(const Scalar &x, const Operand &y);
  friend Scalar min(const Scalar &x, const Operand &y);
  friend Scalar max(const Scalar &x, const Operand &y);

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
  Scalar convert(Type type, bool isSigned) const;
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
/// `x < y` of unsigned integers.
Scalar isBelow(const Scalar &x, const Scalar &y);
/// One of two numbers by an i1.
Scalar select(const Scalar &condition, const Scalar &x,
              const Scalar::Operand &y);

/// `x` in the float type `type`: the value itself, extended or rounded.
Value castFloat(ImplicitLocOpBuilder &b, Value x, Type type);

Value createNumber(ImplicitLocOpBuilder &b, Type type, double value);

/// The body of a loop: a function of its elements one by one, of up to four, or
/// of their range.
struct ElementBody : std::function<Value(ImplicitLocOpBuilder &, ValueRange)> {
  template <typename Body>
  ElementBody(Body body)
      : function([body](ImplicitLocOpBuilder &b, ValueRange x) -> Value {
          auto at = [&](unsigned index) { return Scalar(b, x[index]); };
          if constexpr (std::is_invocable_v<Body, Scalar>)
            return body(at(0));
          else if constexpr (std::is_invocable_v<Body, Scalar, Scalar>)
            return body(at(0), at(1));
          else if constexpr (std::is_invocable_v<Body, Scalar, Scalar, Scalar>)
            return body(at(0), at(1), at(2));
          else if constexpr (std::is_invocable_v<Body, Scalar, Scalar, Scalar,
                                                 Scalar>)
            return body(at(0), at(1), at(2), at(3));
          else
            return body(b, x);
        }) {}
};

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_FOREIGNOPS_SCALAR_H
