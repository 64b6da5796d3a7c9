// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operands of quantized operators: codes of 8 bits, and their parameters.

#ifndef QDQ_LIB_CONVERSION_ONNXTOQDQ_CODEOPERANDS_H
#define QDQ_LIB_CONVERSION_ONNXTOQDQ_CODEOPERANDS_H

#include "../ForeignOps/QuantizationOps.h"

namespace mlir::qdq {

/// True for the float8 types of ONNX.
bool isFloat8(Type type);

/// A tensor of i8 or ui8, or of float8 where `allowsFloat8`, which has a rank.
FailureOr<ForeignTensor> getCodes(const ForeignOp &node, unsigned index,
                                  StringRef name, bool allowsFloat8 = false);

/// A zero point with the element type of the codes; null where it is absent.
FailureOr<ForeignTensor> getZeroPointOf(const ForeignOp &node, unsigned index,
                                        StringRef name, Type codes);

/// A scale of f32, or of f16 and bf16 where `allowsNarrow`.
FailureOr<ForeignTensor> getScaleOperand(const ForeignOp &node, unsigned index,
                                         StringRef name,
                                         bool allowsNarrow = false);

/// A scale at `index` and a zero point, which may be absent, behind it. Each
/// has one element.
FailureOr<QuantizationParameters> getTensorParameters(const ForeignOp &node,
                                                      unsigned index,
                                                      StringRef name,
                                                      Type codes);

/// The codes of an f32 tensor, ui8, by parameters that DynamicQuantizeLinear
/// chooses, and these.
std::pair<ForeignTensor, QuantizationParameters>
quantizeDynamically(const ForeignOp &node, const Stamp &stamp,
                    const ForeignTensor &input);

/// Refuses a parameter that has more than one element.
LogicalResult checkSingle(const ForeignOp &node, StringRef name,
                          const ForeignTensor &parameter);

/// Refuses a parameter that has neither one element nor `count`: one for each
/// of what `each` names.
LogicalResult checkSingleOrEach(const ForeignOp &node, StringRef name,
                                const ForeignTensor &parameter, int64_t count,
                                StringRef each);

/// Refuses a result whose type is not `expected`, up to open sizes; `si8` and
/// `i8` are the same.
LogicalResult checkResult(const ForeignOp &node, RankedTensorType expected);

/// X with its parameters, and those of Y, in the same storage type: the
/// operands of a QLinear operator of one tensor, whose result has the shape of
/// X.
struct UnaryCodes {
  ForeignTensor x;
  QuantizationParameters xParameters, yParameters;
};
FailureOr<UnaryCodes> getUnaryCodes(const ForeignOp &node);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_ONNXTOQDQ_CODEOPERANDS_H
