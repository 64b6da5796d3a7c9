// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors of elements below a byte as tensors of bytes: the packing `onnx`, for
// callers and constants.

#ifndef QDQ_LIB_CODEGEN_BOUNDARY_PACKEDBITS_H
#define QDQ_LIB_CODEGEN_BOUNDARY_PACKEDBITS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "qdq/IR/QDQ.h"

namespace mlir::qdq {

/// True for the element types that are packed: integers of 2 to 7 bits and
/// floats of fewer than 8. `i1` is not one: it is a `bool`, a byte of its own.
bool isSubByte(Type elementType);

/// The bytes of a tensor of this type: `tensor<Pxi8>`, P dynamic where a size
/// is.
RankedTensorType getPackedType(RankedTensorType type);

/// The bytes of `value`, whose elements are `isSubByte`.
Value packBits(ImplicitLocOpBuilder &b, Value value);

/// The tensor of this type that `bytes` holds. `dynamicSizes` are the sizes of
/// the dynamic dimensions, in their order.
Value unpackBits(ImplicitLocOpBuilder &b, Value bytes, RankedTensorType type,
                 ValueRange dynamicSizes);

/// The bytes of a constant whose codes have a byte each.
SmallVector<char> packCodeBytes(ArrayRef<char> codes, unsigned bits);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_BOUNDARY_PACKEDBITS_H
