// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nodes of the form of QuantizeLinear and DequantizeLinear: an input, a scale
// and a zero point, and the granularity that their shapes decide.

#ifndef QDQ_LIB_CONVERSION_ONNXTOQDQ_LINEARNODE_H
#define QDQ_LIB_CONVERSION_ONNXTOQDQ_LINEARNODE_H

#include "../ForeignOps/QuantizationOps.h"

namespace mlir::qdq {

/// The element types that a system allows, and their list for the reason.
struct TypeRule {
  bool (*allows)(Type);
  StringLiteral expected;
};

/// How the nodes of one system and direction differ from those of others.
struct LinearRules {
  Direction direction;
  TypeRule expressed, storage, scale;
  /// The attribute `axis`, or what stands for it.
  FailureOr<int64_t> (*getAxis)(const ForeignOp &node, TensorType input,
                                RankedTensorType scale);
  /// Blocked nodes may leave `block_size` out, as in a model of Quark.
  bool isQuark = false;
};

/// The parts of such a node.
struct LinearNode {
  ForeignTensor input;
  Direction direction;
  Type expressed, storage;
  QuantizationParameters parameters;

  Type getScaleType() const { return parameters.scale.type.getElementType(); }
  /// For a scale that is a float.
  ElementTypes getElementTypes() const {
    return {direction, expressed, cast<FloatType>(getScaleType())};
  }
};

/// Reads and checks operands, result and granularity. The zero point must have
/// the storage type; signless and signed integers are the same to ONNX.
FailureOr<LinearNode> readLinearNode(const ForeignOp &node,
                                     const LinearRules &rules);

/// From the shape of the scale and the attributes `axis` and `block_size`. A
/// size of 0 for a blocked scale is inferred where the shapes leave one choice,
/// and refused with the choices where they leave more.
FailureOr<Placement> getPlacement(const ForeignOp &node, TensorType input,
                                  RankedTensorType scale, int64_t axis,
                                  int64_t blockSize);

/// Blocks of `blockSize` along `axis`, 0 being the whole dimension. The input
/// and the scale have one rank.
FailureOr<Placement> getBlocks(const ForeignOp &node, TensorType input,
                               RankedTensorType scale, int64_t axis,
                               int64_t blockSize);

/// Operand 1, which has a rank.
FailureOr<ForeignTensor> getScale(const ForeignOp &node);

/// Operand 2, of the shape of the scale; null where the node has none.
FailureOr<ForeignTensor> getZeroPoint(const ForeignOp &node, TensorType scale,
                                      const Placement &placement);

/// True for one element, which ONNX takes for a scalar: shape [] or [1].
bool isONNXScalar(TensorType type);

/// True if the types are the same, `si8` being `i8`.
bool isSameElementType(Type lhs, Type rhs);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_ONNXTOQDQ_LINEARNODE_H
