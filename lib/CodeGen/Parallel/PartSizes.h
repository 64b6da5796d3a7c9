// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How large the parts of an op are that run at the same time.

#ifndef QDQ_LIB_CODEGEN_PARALLEL_PARTSIZES_H
#define QDQ_LIB_CODEGEN_PARALLEL_PARTSIZES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/TilingInterface.h"

namespace mlir::qdq {

// PartSizes.cpp

/// Chooses how many iterations of each loop are in a part: whole inner loops,
/// and of one loop around them as many as make up `minPart` elements.
class PartSizes {
public:
  PartSizes(OpBuilder &b, Location loc, int64_t minPart)
      : b(b), loc(loc), minPart(minPart) {}

  /// One size for each loop; 0 leaves it whole. Empty if there would be no more
  /// than one part.
  SmallVector<OpFoldResult> choose(ArrayRef<Range> loops,
                                   ArrayRef<bool> divisible);

private:
  Value makeIndex(int64_t value);
  Value toValue(OpFoldResult size);
  OpFoldResult chooseStatic(int64_t size);
  OpFoldResult chooseDynamic(Value size, Value isSmall);
  Value isSmall(ArrayRef<Range> loops);

  OpBuilder &b;
  Location loc;
  int64_t minPart;
  /// The iterations that are still to be found.
  OpFoldResult rest;
};

// ProductParts.cpp

/// The loops of a sum of products of two operands that give its result, by who
/// reads them: a matrix product, or a convolution.
struct ProductLoops {
  /// Loops of both operands, and those of the operand without columns,
  /// outermost in the result first.
  SmallVector<unsigned> batches, rows;
  /// Innermost in the result, but for the fields of a container, and in one
  /// operand and its parameters.
  unsigned column;
  /// Operands have parameters, and no elements of words.
  bool hasParameters;

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

#endif // QDQ_LIB_CODEGEN_PARALLEL_PARTSIZES_H
