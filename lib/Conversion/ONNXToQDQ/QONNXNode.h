// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operands and attributes that QONNX's operators share.

#ifndef QDQ_LIB_CONVERSION_ONNXTOQDQ_QONNXNODE_H
#define QDQ_LIB_CONVERSION_ONNXTOQDQ_QONNXNODE_H

#include "../ForeignOps/QuantizationOps.h"

namespace mlir::qdq {

/// Operand 0, of f32 as the result, which has the same shape.
FailureOr<ForeignTensor> readQONNXInput(const ForeignOp &node);

/// The scale at operand `scale`, of f32, and the zero point at operand
/// `zeroPoint` if that is given, of f32, too. Both broadcast to the input.
FailureOr<QuantizationParameters>
readQONNXParameters(const ForeignOp &node, TensorType input, unsigned scale,
                    std::optional<unsigned> zeroPoint);

/// The zero point as a code of `storage` if it is a constant of such codes, and
/// null for zeros. Others stay floats, in the stored domain.
ForeignTensor toStoredZeroPoint(const ForeignOp &node, ForeignTensor zeroPoint,
                                Type storage);

/// A constant number of bits, from 1 to 32. `name` is for the reason.
FailureOr<int64_t> readQONNXBitWidth(const ForeignOp &node, unsigned index,
                                     StringRef name);

/// The codes of `width` bits, from 1 to 32.
struct QONNXRange {
  bool isSigned, isNarrow;
  int64_t width;

  Type getStorage(MLIRContext *ctx) const;
  /// The bounds of a narrow range; else null.
  DenseI64ArrayAttr getClamp(MLIRContext *ctx) const;
};

/// `rounding_mode`. Modes that no #qdq.semantics has are refused.
FailureOr<Rounding> readQONNXRounding(const ForeignOp &node, StringRef fallback,
                                      bool isSigned);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_ONNXTOQDQ_QONNXNODE_H
