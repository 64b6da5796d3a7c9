// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scale and zero point of an ONNX node, and where they apply, as operands and attributes of a qdq op.

#ifndef QDQ_LIB_CONVERSION_ONNXTOQDQ_QUANTIZATIONPARAMETERS_H
#define QDQ_LIB_CONVERSION_ONNXTOQDQ_QUANTIZATIONPARAMETERS_H

#include "ONNXNode.h"

namespace mlir::qdq {

/// Which elements of the input share a scale. Both null: all of them.
struct Placement {
  IntegerAttr axis;
  DenseI64ArrayAttr blockShape;

  bool isTensor() const { return !axis && !blockShape; }
};

/// From the shape of the scale and the attributes `axis` and `block_size`. A size of 0 for a blocked scale is inferred where
/// the shapes leave one choice, and refused with the choices where they leave more.
FailureOr<Placement> getPlacement(const ONNXNode &node, TensorType input,
                                  RankedTensorType scale, int64_t axis,
                                  int64_t blockSize);

/// The parameters of an op; `zeroPoint` is null where the node has none.
struct QuantizationParameters {
  Placement placement;
  TypedValue<TensorType> scale, zeroPoint;
};

/// Reads and checks operands 1 and 2 and the attributes `axis` and `block_size`. `storage` is the type that the zero point must
/// have; signless and signed integers are the same to ONNX.
FailureOr<QuantizationParameters> getParameters(const ONNXNode &node,
                                                TensorType input, Type storage,
                                                int64_t defaultAxis);

/// True if the types are the same, `si8` being `i8`.
bool isSameElementType(Type lhs, Type rhs);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_ONNXTOQDQ_QUANTIZATIONPARAMETERS_H
