// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Words and their bytes, in either order of bytes.

#ifndef QDQ_LIB_CODEGEN_VECTORIZE_WORDBYTES_H
#define QDQ_LIB_CODEGEN_VECTORIZE_WORDBYTES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "qdq/IR/QDQ.h"

namespace mlir::qdq {

/// The lowest bit of byte `byte` in memory of an integer of type `word`: LLVM
/// folds it.
Value getByteShift(ImplicitLocOpBuilder &b, int64_t byte, IntegerType word);

/// The operand of `tile` with the lowest part of the word of `op`, if the parts
/// are all bytes along the last dimension of one tensor, for the same
/// iterations. Else null.
OpOperand *getBytesOfWord(linalg::GenericOp tile, ExtractFieldOp op);

/// A word for each of `groups`, of the `parts` neighboring bytes that it
/// numbers, the lowest first.
Value joinBytes(ImplicitLocOpBuilder &b, Value bytes, int64_t parts,
                ArrayRef<int64_t> groups, IntegerType word);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_VECTORIZE_WORDBYTES_H
