// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared parts of the evaluators of quantize and requantize.

#ifndef QDQ_LIB_NUMERICS_EVALUATORPARTS_H
#define QDQ_LIB_NUMERICS_EVALUATORPARTS_H

#include "qdq/Numerics/Evaluator.h"

namespace mlir::qdq {

/// A signed integer of `bits`.
inline llvm::APSInt wideInt(int64_t value, unsigned bits) {
  return llvm::APSInt(llvm::APInt(bits, value, /*isSigned=*/true),
                      /*isUnsigned=*/false);
}

/// The quotient that quantize rounds, with its zero point where that is added
/// before: steps 1 to 3.
llvm::APFloat evaluateQuotient(const Semantics &semantics,
                               const Storage &storage, const Number &x,
                               const llvm::APFloat &scale,
                               const ZeroPointNumber &zeroPoint);

/// The code of such a quotient.
std::optional<Number> evaluateCodeOfQuotient(const Semantics &semantics,
                                             const Storage &storage,
                                             const llvm::APFloat &quotient,
                                             const ZeroPointNumber &zeroPoint,
                                             uint64_t index);

/// The code of `x * factor` and the zero point: steps 3 to 6 of quantize.
std::optional<Number> evaluateCodeOfProduct(const Semantics &semantics,
                                            const Storage &storage,
                                            const llvm::APFloat &x,
                                            const llvm::APFloat &factor,
                                            const ZeroPointNumber &zeroPoint);

/// The code of an integer, with its zero point: step 6 of quantize.
std::optional<Number> evaluateCode(const Semantics &semantics,
                                   const Storage &storage,
                                   const llvm::APSInt &v);

} // namespace mlir::qdq

#endif // QDQ_LIB_NUMERICS_EVALUATORPARTS_H
