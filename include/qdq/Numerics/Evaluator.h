// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The emitter's twin on constants: the same definition (docs/Semantics.md),
// stated a second time over APFloat and APSInt.

#ifndef QDQ_NUMERICS_EVALUATOR_H
#define QDQ_NUMERICS_EVALUATOR_H

#include "qdq/Numerics/Semantics.h"
#include "qdq/Numerics/Storage.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"
#include <variant>

namespace mlir::qdq {

/// An element of a tensor: an integer with its signedness, or a float.
using Number = std::variant<llvm::APSInt, llvm::APFloat>;

inline constexpr auto kNearest = llvm::APFloat::rmNearestTiesToEven;

/// One rounding to nearest even.
llvm::APFloat roundToFormat(llvm::APFloat value,
                            const llvm::fltSemantics &format);
llvm::APFloat toFloat(const Number &number, const llvm::fltSemantics &format);

/// A zero point, or none.
struct ZeroPointNumber {
  std::optional<Number> value;
  ZeroPointDomain domain = ZeroPointDomain::Stored;
};

/// The code of `x`, the element at the row-major position `index`, in the type
/// of `storage`; nothing where the semantics leave it undefined.
std::optional<Number> evaluateQuantize(const Semantics &semantics,
                                       const Storage &storage, const Number &x,
                                       const llvm::APFloat &scale,
                                       const ZeroPointNumber &zeroPoint,
                                       uint64_t index);

/// The real value of the code `q`, in the format of `expressed`.
llvm::APFloat evaluateDequantize(const Semantics &semantics,
                                 FloatType expressed, const Number &q,
                                 const llvm::APFloat &scale,
                                 const ZeroPointNumber &zeroPoint);

/// The multipliers of requantize: floats, or an integer with a shift.
struct RescaleNumbers {
  Rescale rescale;
  SmallVector<Number, 3> multipliers;
  std::optional<llvm::APSInt> shift, fraction;
  std::optional<int64_t> limit;
};

/// The code of the integer `input` times its scales, in the type of `storage`;
/// nothing where the semantics leave it undefined.
std::optional<Number> evaluateRequantize(const Semantics &semantics,
                                         const Storage &storage,
                                         const RescaleNumbers &numbers,
                                         const llvm::APSInt &input,
                                         const ZeroPointNumber &zeroPoint);

} // namespace mlir::qdq

#endif // QDQ_NUMERICS_EVALUATOR_H
