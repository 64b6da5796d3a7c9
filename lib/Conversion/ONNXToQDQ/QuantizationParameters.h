// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scale and zero point of an ONNX node, and where they apply, as operands and
// attributes of a qdq op.

#ifndef QDQ_LIB_CONVERSION_ONNXTOQDQ_QUANTIZATIONPARAMETERS_H
#define QDQ_LIB_CONVERSION_ONNXTOQDQ_QUANTIZATIONPARAMETERS_H

#include "ONNXNode.h"
#include "qdq/IR/QDQ.h"

namespace mlir::qdq {

/// Which elements of the input share a scale. Both null: all of them.
struct Placement {
  IntegerAttr axis;
  DenseI64ArrayAttr blockShape;

  bool isTensor() const { return !axis && !blockShape; }
};

/// From the shape of the scale and the attributes `axis` and `block_size`. A
/// size of 0 for a blocked scale is inferred where the shapes leave one choice,
/// and refused with the choices where they leave more.
FailureOr<Placement> getPlacement(const ONNXNode &node, TensorType input,
                                  RankedTensorType scale, int64_t axis,
                                  int64_t blockSize);

/// Blocks of `blockSize` along `axis`, 0 being the whole dimension. The input
/// and the scale have one rank.
FailureOr<Placement> getBlocks(const ONNXNode &node, TensorType input,
                               RankedTensorType scale, int64_t axis,
                               int64_t blockSize);

/// The parameters of an op; `zeroPoint` is null where the node has none.
struct QuantizationParameters {
  Placement placement;
  ONNXTensor scale, zeroPoint;
  ZeroPointDomain domain = ZeroPointDomain::Stored;
};

/// Reads and checks operands 1 and 2 and the attributes `axis` and
/// `block_size`. `storage` is the type that the zero point must have; signless
/// and signed integers are the same to ONNX.
FailureOr<QuantizationParameters> getParameters(const ONNXNode &node,
                                                TensorType input, Type storage,
                                                int64_t defaultAxis);

/// Operand 1, which has a rank.
FailureOr<ONNXTensor> getScale(const ONNXNode &node);

/// Operand 2, of the shape of the scale; null where the node has none.
FailureOr<ONNXTensor> getZeroPoint(const ONNXNode &node, TensorType scale,
                                   const Placement &placement);

/// Refuses a zero point of another type than `storage`.
LogicalResult checkZeroPointType(const ONNXNode &node, ONNXTensor zeroPoint,
                                 Type storage);

/// Refuses shapes that cannot be the same.
LogicalResult checkShape(const ONNXNode &node, TensorType input,
                         TensorType result);

/// The op that does it. `scale` replaces the parameters' scale where it is
/// given.
Value createQuantize(const ONNXNode &node, ONNXTensor input, Type storage,
                     const QuantizationParameters &parameters,
                     SemanticsAttr semantics, Value scale = nullptr);
Value createDequantize(const ONNXNode &node, ONNXTensor input, Type expressed,
                       const QuantizationParameters &parameters,
                       SemanticsAttr semantics);

/// The scale as an operand of a qdq op.
Value materializeScale(const ONNXNode &node,
                       const QuantizationParameters &parameters);

/// True for one element, which ONNX takes for a scalar: shape [] or [1].
bool isONNXScalar(TensorType type);

/// True if the types are the same, `si8` being `i8`.
bool isSameElementType(Type lhs, Type rhs);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_ONNXTOQDQ_QUANTIZATIONPARAMETERS_H
