// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions with constant parameters as functions of one element, and how far
// two of them are apart over all inputs.

#ifndef QDQ_LIB_TRANSFORMS_ANALYSIS_ELEMENTFUNCTIONS_H
#define QDQ_LIB_TRANSFORMS_ANALYSIS_ELEMENTFUNCTIONS_H

#include "qdq/IR/ConstantElements.h"
#include "qdq/IR/QDQ.h"

namespace mlir::qdq {

/// The scale and zero point of one group of elements.
struct GroupParameters {
  llvm::APFloat scale;
  ZeroPointNumber zeroPoint;
};

/// The parameters of every group in row-major order (one entry if all are
/// equal); nothing unless they are constants.
template <typename OpTy>
std::optional<SmallVector<GroupParameters>> getConstantParameters(OpTy op);

/// The type that computes in this op, or all that an option may still choose.
template <typename OpTy>
SmallVector<FloatType> getPossibleComputeTypes(OpTy op);

/// `qdq.quantize` on one element.
struct QuantizeFunction {
  Semantics semantics;
  Storage storage;
  GroupParameters parameters;

  std::optional<Number> operator()(const Number &x) const {
    return evaluateQuantize(semantics, storage, x, parameters.scale,
                            parameters.zeroPoint, /*index=*/0);
  }
};

/// `qdq.dequantize` on one element.
struct DequantizeFunction {
  Semantics semantics;
  FloatType expressed;
  GroupParameters parameters;

  Number operator()(const Number &q) const {
    return evaluateDequantize(semantics, expressed, q, parameters.scale,
                              parameters.zeroPoint);
  }
};

/// The conversion that `op` is, with these semantics, for one group.
inline QuantizeFunction getFunction(QuantizeOp op, const Semantics &semantics,
                                    const GroupParameters &parameters) {
  return {semantics, op.getStorage(), parameters};
}
inline DequantizeFunction getFunction(DequantizeOp op,
                                      const Semantics &semantics,
                                      const GroupParameters &parameters) {
  return {semantics, cast<FloatType>(op.getElementTypes().expressed),
          parameters};
}

/// An integer zero point in the domain of the codes, 0 where there is none;
/// nothing for others.
std::optional<int64_t> getInteger(const ZeroPointNumber &zeroPoint);

/// Position of a code among those of its type: integers by value, floats with
/// -0 just below +0. Nothing for NaN.
std::optional<int64_t> getCodePosition(const Number &code);

/// The inverse, of the codes of an element type.
Number getNumberAt(int64_t position, Type type);

/// Every code of a storage type, clamped ones included. At most 2^16 of them.
SmallVector<Number> getAllCodes(Type storageType);

/// The evaluations that one rewrite may cost.
inline constexpr int64_t kMaxEvaluations = int64_t(1) << 22;

/// The largest difference, in codes, between two functions of which neither
/// ever falls as its input grows, over every input of the element type `input`
/// that is not NaN, infinities included. All inputs count: a stretch on which
/// both functions are constant is decided by its two ends. Stops early above
/// `bound`. Nothing if a code is undefined, a function falls, or `evaluations`
/// run out.
std::optional<int64_t>
measureMonotoneDifference(function_ref<std::optional<Number>(const Number &)> f,
                          function_ref<std::optional<Number>(const Number &)> g,
                          Type input, int64_t bound, int64_t &evaluations);

} // namespace mlir::qdq

#endif // QDQ_LIB_TRANSFORMS_ANALYSIS_ELEMENTFUNCTIONS_H
