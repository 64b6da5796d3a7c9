// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operands of a torch.operator that are no tensors: constants of torch-mlir's
// scalar types, and lists of them.

#ifndef QDQ_LIB_CONVERSION_TORCHTOQDQ_TORCHSCALARS_H
#define QDQ_LIB_CONVERSION_TORCHTOQDQ_TORCHSCALARS_H

#include "../ForeignOps/ForeignOp.h"

namespace mlir::qdq {

/// True for ops that hold such constants: nobody else knows that they have no
/// effects.
bool isTorchScalar(Operation *op);

/// A `torch.constant.int`.
FailureOr<int64_t> getInt(const ForeignOp &node, unsigned index,
                          StringRef name);

/// A `torch.constant.int`, or one of `torch.constant.float` that is an integer;
/// nullopt where the operand is `None` or missing.
FailureOr<std::optional<int64_t>>
getOptionalInt(const ForeignOp &node, unsigned index, StringRef name);

/// A `torch.constant.float`.
FailureOr<double> getFloat(const ForeignOp &node, unsigned index,
                           StringRef name);

/// A `torch.constant.str`.
FailureOr<std::string> getString(const ForeignOp &node, unsigned index,
                                 StringRef name);

/// A `torch.constant.bool`; false where the operand is missing.
FailureOr<bool> getOptionalBool(const ForeignOp &node, unsigned index,
                                StringRef name);

/// A `torch.prim.ListConstruct` of `torch.constant.int`.
FailureOr<SmallVector<int64_t>> getIntList(const ForeignOp &node,
                                           unsigned index, StringRef name);

/// A number of c10::ScalarType as the element type; null where the operand is
/// `None` or missing.
FailureOr<Type> getDtype(const ForeignOp &node, unsigned index, StringRef name);

} // namespace mlir::qdq

#endif // QDQ_LIB_CONVERSION_TORCHTOQDQ_TORCHSCALARS_H
