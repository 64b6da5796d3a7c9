// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// exp, tanh, erf and the logistic function of elements, as a runtime has them.

#ifndef QDQ_LIB_CONVERSION_FOREIGNOPS_FUNCTIONS_H
#define QDQ_LIB_CONVERSION_FOREIGNOPS_FUNCTIONS_H

#include "Scalar.h"
#include "qdq/Numerics/Semantics.h"

namespace mlir::qdq {

/// Under the profile `ort`, on f32, the polynomials of ONNX Runtime's kernels
/// for x86 with fma, to the bit. Else the ops of the math dialect.
class Functions {
public:
  Functions(std::optional<Profile> profile = {})
      : isORT(profile == Profile::ORT) {}

  /// Those of ONNX Runtime's GRU, which has another tanh.
  Functions ofGRU() const {
    Functions functions = *this;
    functions.isGRU = true;
    return functions;
  }

  /// True where numbers of this type have ONNX Runtime's polynomials.
  bool areORT(Type type) const { return isORT && type.isF32(); }

  Scalar exp(const Scalar &x) const;
  /// e^x of x up to 0. ONNX Runtime's softmax has 0 below 2^-126.5 (with
  /// AVX-512, subnormal numbers).
  Scalar expOfNegative(const Scalar &x) const;
  Scalar tanh(const Scalar &x) const;
  Scalar erf(const Scalar &x) const;
  /// 1 / (1 + e^-x).
  Scalar logistic(const Scalar &x) const;

private:
  bool isORT, isGRU = false;
};

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_FOREIGNOPS_FUNCTIONS_H
