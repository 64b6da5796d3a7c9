// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared parts of PyTorch's quantization operators: codes, range, zero points,
// and the types in which the operators compute.

#ifndef QDQ_LIB_CONVERSION_TORCHTOQDQ_AFFINENODE_H
#define QDQ_LIB_CONVERSION_TORCHTOQDQ_AFFINENODE_H

#include "../ForeignOps/QuantizationOps.h"

namespace mlir::qdq {

/// Operand 0 and the result, which have one shape.
struct AffineNode {
  ForeignTensor input;
  TensorType result;

  FloatType getInputFloat() const {
    return cast<FloatType>(input.type.getElementType());
  }
  FloatType getResultFloat() const {
    return cast<FloatType>(result.getElementType());
  }
};

/// A node that makes codes of reals (f16, bf16, f32), or reals of codes, of
/// integers of 8, 16 or 32 bits, and of floats of 8 bits that become reals.
FailureOr<AffineNode> readQuantize(const ForeignOp &node);
FailureOr<AffineNode> readDequantize(const ForeignOp &node);

/// Refuses a dtype operand that says another type than `actual`. PyTorch holds
/// codes of less than a byte in ui8.
LogicalResult checkDtype(const ForeignOp &node, unsigned index, StringRef name,
                         Type actual);

/// The range of the codes of `storage` that an operator makes, from its
/// operands quant_min, quant_max and dtype; null where the type bounds them.
/// Absent bounds are those of the dtype.
FailureOr<DenseI64ArrayAttr> readClamp(const ForeignOp &node, unsigned minIndex,
                                       unsigned maxIndex, unsigned dtypeIndex,
                                       Type storage);

/// A zero point for codes of `storage`: an int or a tensor, as integers of up
/// to 32 bits or floats; null where the operand is `None`.
FailureOr<ForeignTensor> readZeroPoint(const ForeignOp &node, unsigned index,
                                       Type storage);

/// A scale that is a tensor of f16, bf16, f32 or f64.
FailureOr<ForeignTensor> readScale(const ForeignOp &node, unsigned index);

/// torchao's block_size: the blocks, 0 being a whole dimension, as 1 is where
/// the dimension is 1.
FailureOr<SmallVector<int64_t>> getBlocks(const ForeignOp &node,
                                          TensorType input, unsigned index);

/// A tensor whose dimensions are those that are kept, with sizes of 1 for the
/// others.
Value insertUnitDims(OpBuilder &b, Location loc, Value tensor,
                     ArrayRef<bool> isKept);

/// True for f16, bf16, f32 and f64.
bool isRealOrF64(Type type);

/// True for the types of one width and, where they are integers, signedness.
bool isSameDtype(Type lhs, Type rhs);

/// The type that PyTorch promotes two floats to.
FloatType promote(FloatType lhs, FloatType rhs);

/// The compute type of that name.
Compute getCompute(FloatType type);

/// Semantics of an operator that differs from the profile `torch-decomposed` in
/// `own`: another profile replaces all of it.
SemanticsAttr getSemantics(const Stamp &stamp, ElementTypes types,
                           const SemanticsFields &own);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_TORCHTOQDQ_AFFINENODE_H
