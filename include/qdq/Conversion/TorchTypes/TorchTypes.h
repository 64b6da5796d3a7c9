// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// torch-mlir's tensor types by their text, so that the torch dialect need not
// be registered, and casts between them and builtin tensors.

#ifndef QDQ_CONVERSION_TORCHTYPES_TORCHTYPES_H
#define QDQ_CONVERSION_TORCHTYPES_TORCHTYPES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::qdq {

inline constexpr StringLiteral kToBuiltinTensor = "torch_c.to_builtin_tensor";
inline constexpr StringLiteral kFromBuiltinTensor =
    "torch_c.from_builtin_tensor";

/// True for `!torch.none`.
bool isTorchNone(Type type);

/// True for `!torch.vtensor` and `!torch.tensor`, whatever they say.
bool isTorchTensor(Type type);

/// The builtin tensor of a `!torch.vtensor`, with `i8` for `si8`; null with the
/// reason where no builtin tensor says the same.
TensorType getBuiltinTensor(Type vtensor, std::string &reason);

/// The value of a `!torch.vtensor` as the builtin tensor that
/// `getBuiltinTensor` gives. Goes past a cast of the other direction.
Value castToBuiltinTensor(OpBuilder &b, Location loc, Value vtensor,
                          TensorType type);

/// The opposite of `castToBuiltinTensor`: gives the very type `vtensor`.
Value castFromBuiltinTensor(OpBuilder &b, Location loc, Value tensor,
                            Type vtensor);

} // namespace mlir::qdq

#endif // QDQ_CONVERSION_TORCHTYPES_TORCHTYPES_H
