// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The index at which the body of a generic loads a parameter of blocks.

#ifndef QDQ_LIB_CODEGEN_VECTORIZE_BLOCKINDEX_H
#define QDQ_LIB_CODEGEN_VECTORIZE_BLOCKINDEX_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::qdq {

// BlockIndex.cpp

/// An index of a parameter: a sum over the loops, over the length of a block.
struct BlockIndex {
  /// Of each loop.
  SmallVector<int64_t> strides;
  /// Divides what is added to the sum; 0 if nothing is.
  int64_t offset = 0;
  /// 1 for an index that is not one of a block.
  int64_t length = 1;

  static std::optional<BlockIndex> get(linalg::GenericOp op, Value index);

  bool isBlock() const { return length > 1; }

private:
  bool setSum(linalg::GenericOp op, Value value);
};

// BlockLoads.cpp

/// Moves the loads of parameters out of the body of `tile`, in which every
/// block index is constant: a load of one element becomes `tensor.extract` in
/// front of it, others become an operand with a projected permutation.
void hoistBlockLoads(IRRewriter &rewriter, linalg::GenericOp tile);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_VECTORIZE_BLOCKINDEX_H
