// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The value of a constant of another dialect, in every spelling.

#ifndef QDQ_LIB_CONVERSION_FOREIGNOPS_FOREIGNCONSTANT_H
#define QDQ_LIB_CONVERSION_FOREIGNOPS_FOREIGNCONSTANT_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace mlir::qdq {

/// torch-mlir's op for the nodes of another framework.
inline constexpr StringRef kTorchOperator = "torch.operator";

/// The ONNX operator that an op stands for, with its prefix `onnx.`: the op's
/// own name, or the one that a `torch.operator` gives.
StringRef getForeignName(Operation *op);

/// The prefix of the names of attributes: `torch.onnx.` on a
/// `torch.operator`.
StringRef getAttributePrefix(Operation *op);

/// True for `onnx.Constant`, `onnx.NoValue`, `torch.vtensor.literal` and
/// `torch.constant.none`.
bool isForeignConstant(Operation *op);

/// True for what stands for an operand that the node leaves out.
bool isAbsent(Value operand);

/// Erases unused constants, and casts between converted nodes, which nobody
/// else knows to have no effects; and unused ops for which `isOwn` is true.
void eraseDeadForeignOps(
    Operation *root,
    function_ref<bool(Operation *)> isOwn = [](Operation *) { return false; });

/// The elements of a constant as a tensor of `type`, or null. An attribute of
/// another shape or element width is not trusted.
TypedAttr getConstant(Value value, ShapedType type);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_FOREIGNOPS_FOREIGNCONSTANT_H
