// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of products, which share what they read.

#ifndef QDQ_LIB_CODEGEN_PARALLEL_PRODUCTPARTS_H
#define QDQ_LIB_CODEGEN_PARALLEL_PRODUCTPARTS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::qdq {

/// The loops of a sum of products of two operands that give its result, by who
/// reads them: a matrix product, or a convolution.
struct ProductLoops {
  /// Loops of both operands, and those of the operand without columns,
  /// outermost in the result first.
  SmallVector<unsigned> batches, rows;
  /// Innermost in the result, but for the fields of a container, and in one
  /// operand and its parameters.
  unsigned column;

  /// Nothing for other ops.
  static std::optional<ProductLoops> get(linalg::LinalgOp op);
};

/// The size of the parts of each loop, 0 for whole loops, of which each has the
/// work of several times `minPart` iterations. Batches are divided first, then
/// columns, so that each part reads columns of its own, then rows. Empty if
/// there would be no more than one part.
SmallVector<OpFoldResult> chooseProductParts(OpBuilder &b, linalg::LinalgOp op,
                                             const ProductLoops &loops,
                                             int64_t minPart);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_PARALLEL_PRODUCTPARTS_H
