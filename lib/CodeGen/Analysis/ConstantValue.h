// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values that folding computes, and how large constants are.

#ifndef QDQ_LIB_CODEGEN_ANALYSIS_CONSTANTVALUE_H
#define QDQ_LIB_CODEGEN_ANALYSIS_CONSTANTVALUE_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::qdq {

/// The constant of `value`, given the `known` values, by the folders
/// of its pure ops. Null if it depends on others, or an op does not fold. Adds
/// new constants to `known`.
Attribute foldWith(Value value, DenseMap<Value, Attribute> &known);

/// True if the constants under `root` may be laid out anew. Code reaches what
/// it holds itself by 32 bits; the runtime leaves other resources where they
/// are.
bool mayLayOutConstants(Operation *root);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_ANALYSIS_CONSTANTVALUE_H
