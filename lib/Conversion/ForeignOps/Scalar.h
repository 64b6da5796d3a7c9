// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bodies of loops, written as formulas.

#ifndef QDQ_LIB_CONVERSION_FOREIGNOPS_SCALAR_H
#define QDQ_LIB_CONVERSION_FOREIGNOPS_SCALAR_H

#include "qdq/Numerics/Scalar.h"
#include <functional>

namespace mlir::qdq {

/// `x` in the float type `type`: the value itself, extended or rounded.
inline Value castFloat(ImplicitLocOpBuilder &b, Value x, Type type) {
  return Scalar(b, x).to(type);
}

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
