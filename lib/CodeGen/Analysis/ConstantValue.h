// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values that folding computes.

#ifndef QDQ_LIB_CODEGEN_ANALYSIS_CONSTANTVALUE_H
#define QDQ_LIB_CODEGEN_ANALYSIS_CONSTANTVALUE_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::qdq {

/// What `value` is where the `known` values are what they are, by the folders
/// of its pure ops. Null if it depends on others, or an op does not fold. Notes
/// what it finds in `known`.
Attribute foldWith(Value value, DenseMap<Value, Attribute> &known);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_ANALYSIS_CONSTANTVALUE_H
