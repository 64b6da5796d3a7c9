// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The terms of a sum, and the partial sums that they go to.

#ifndef QDQ_LIB_CODEGEN_SUMS_SUMLANES_H
#define QDQ_LIB_CODEGEN_SUMS_SUMLANES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::qdq {

/// The partial sums that `op` declares, where they passed `checkPartialSums`.
int64_t getNumPartialSums(linalg::GenericOp op);

/// How many partial sums are declared, as written: null if none are.
Attribute getPartialSumsAttr(linalg::GenericOp op);

/// Reports a sum whose partial sums cannot be written out.
LogicalResult checkPartialSums(linalg::GenericOp op);

/// The loops over the results, the outermost dimension of the result first.
SmallVector<unsigned> getResultLoops(linalg::GenericOp op);

/// True if neighboring results come from neighbors in a factor, such as a
/// weight [K, N]; else neighboring terms do.
bool hasResultLanes(linalg::GenericOp op);

/// How the terms of a sum go to its partial sums: the innermost iterations of
/// the reductions are as many.
struct SumLanes {
  /// Innermost loops, all of whose iterations are lanes.
  SmallVector<unsigned> whole;
  /// The loop around them, of whose iterations neighbors are lanes.
  std::optional<unsigned> split;
  int64_t part = 1;
  /// True if that loop is no multiple of them.
  bool isRagged = false;

  /// Nothing where a rest of terms shifts the lanes of those that follow.
  static std::optional<SumLanes> get(linalg::GenericOp op, int64_t count);

private:
  bool canSplit(linalg::GenericOp op) const;
};

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_SUMS_SUMLANES_H
