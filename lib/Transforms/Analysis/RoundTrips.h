// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A quantize of a dequantize with constant parameters, as a function of its
// codes.

#ifndef QDQ_LIB_TRANSFORMS_ANALYSIS_ROUNDTRIPS_H
#define QDQ_LIB_TRANSFORMS_ANALYSIS_ROUNDTRIPS_H

#include "ElementFunctions.h"

namespace mlir::qdq {

/// dequantize, then quantize, on one code, for one group of elements.
struct RoundTrip {
  DequantizeFunction dequantize;
  QuantizeFunction quantize;

  std::optional<Number> operator()(const Number &code) const {
    return quantize(dequantize(code));
  }
};

/// The pair of ops, and its function for each group.
struct RoundTripOps {
  DequantizeOp dequantize;
  QuantizeOp quantize;
  std::vector<RoundTrip> groups;
  /// Which op says where the groups are.
  bool isGroupedByQuantize;

  /// Fails, with the reason, unless all is constant, decided, and small
  /// enough to try every code.
  static FailureOr<RoundTripOps> get(QuantizeOp op, std::string &reason);

  /// The codes that the input may hold: those of its type, or what the quantize
  /// that made it leaves of them.
  SmallVector<Number> getInputCodes() const;
};

/// The largest difference of two functions over these codes, NaN beside NaN
/// being none; nothing if it is above `bound` or a code is undefined.
std::optional<int64_t>
measureDifference(function_ref<std::optional<Number>(const Number &)> f,
                  function_ref<std::optional<Number>(const Number &)> g,
                  ArrayRef<Number> codes, int64_t bound);

/// A remark on a rewrite that moves codes of `storageType`; none if `worst` is
/// 0.
void reportDifference(Operation *op, StringRef rewrite, int64_t worst,
                      Type storageType);

} // namespace mlir::qdq

#endif // QDQ_LIB_TRANSFORMS_ANALYSIS_ROUNDTRIPS_H
