// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants of which weight files are made, computed byte by byte.

#ifndef QDQ_LIB_CODEGEN_BOUNDARY_COMPUTEBYTES_H
#define QDQ_LIB_CODEGEN_BOUNDARY_COMPUTEBYTES_H

#include "ConstantBytes.h"
#include "mlir/IR/Value.h"

namespace mlir::qdq {

/// As many ops, at most, lie between a constant and what is computed of it.
inline constexpr unsigned kMostBodyOps = 64;

/// True for the ops that `computeBytes` follows: layouts of fields, their
/// slices, bits of them joined, and numbers looked up by a byte.
bool movesBytes(Operation *op);

/// The elements of `value`, if constants determine them; nothing if they do
/// not, or an op on the way has another form.
std::optional<ConstantBytes> computeBytes(Value value);

/// The elements of `value`, which elementwise ops decode from bytes of a
/// constant; none if it depends on others.
std::optional<ConstantBytes> decodeBytes(Value value);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_BOUNDARY_COMPUTEBYTES_H
