// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quantize of many constants.

#include "qdq/Numerics/QuantizeSteps.h"
#include "EvaluatorParts.h"

using namespace mlir;
using namespace mlir::qdq;
using llvm::APFloat;
using llvm::APSInt;

QuantizeSteps::QuantizeSteps(const Semantics &semantics, const Storage &storage)
    : semantics(semantics), storage(storage) {
  // Floats that overflow may be one NaN on both sides.
  isMonotone = !storage.isFloat() && semantics.overflow == Overflow::Saturate;
}

static uint64_t getBits(const ZeroPointNumber &zeroPoint) {
  if (!zeroPoint.value)
    return 0;
  if (auto *real = std::get_if<APFloat>(&*zeroPoint.value))
    return real->bitcastToAPInt().getZExtValue();
  return std::get<APSInt>(*zeroPoint.value).getExtValue();
}

std::optional<Number>
QuantizeSteps::operator()(const Number &x, const APFloat &scale,
                          const ZeroPointNumber &zeroPoint) {
  APFloat quotient = evaluateQuotient(semantics, storage, x, scale, zeroPoint);
  auto evaluate = [&] {
    return evaluateCodeOfQuotient(semantics, storage, quotient, zeroPoint,
                                  /*index=*/0);
  };
  if (!isMonotone || quotient.isNaN())
    return evaluate();
  Steps &known = steps[getBits(zeroPoint)];
  double t = roundToFormat(quotient, APFloat::IEEEdouble()).convertToDouble();
  auto next = known.lower_bound(t);
  if (next != known.end() && next->second.least <= t)
    return next->second.code;
  std::optional<Number> code = evaluate();
  auto isCode = [&](const Number &other) {
    return std::get<APSInt>(*code) == std::get<APSInt>(other);
  };
  if (next != known.end() && isCode(next->second.code)) {
    next->second.least = t;
  } else if (next != known.begin() && isCode(std::prev(next)->second.code)) {
    auto last = known.extract(std::prev(next));
    last.key() = t;
    known.insert(std::move(last));
  } else {
    known.insert({t, {t, *code}});
  }
  return code;
}
