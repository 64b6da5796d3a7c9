// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quantize of many constants.

#ifndef QDQ_NUMERICS_QUANTIZESTEPS_H
#define QDQ_NUMERICS_QUANTIZESTEPS_H

#include "qdq/Numerics/Evaluator.h"
#include <map>

namespace mlir::qdq {

/// `evaluateQuantize` of many values, with the same results. Codes that
/// saturate do not fall as the quotient grows: between two quotients of one
/// code no other one is rounded again. Not for stochastic rounding.
class QuantizeSteps {
public:
  QuantizeSteps(const Semantics &semantics, const Storage &storage);

  std::optional<Number> operator()(const Number &x, const llvm::APFloat &scale,
                                   const ZeroPointNumber &zeroPoint);

private:
  /// Quotients from `least` to that of the entry have one code.
  struct Step {
    double least;
    Number code;
  };
  using Steps = std::map<double, Step>;

  Semantics semantics;
  Storage storage;
  bool isMonotone;
  /// By the bits of the zero point.
  std::map<uint64_t, Steps> steps;
};

} // namespace mlir::qdq

#endif // QDQ_NUMERICS_QUANTIZESTEPS_H
