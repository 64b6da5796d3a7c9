// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How large the parts of an op are that run at the same time.

#ifndef QDQ_LIB_CODEGEN_PARALLEL_PARTSIZES_H
#define QDQ_LIB_CODEGEN_PARALLEL_PARTSIZES_H

#include "mlir/Interfaces/TilingInterface.h"

namespace mlir::qdq {

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

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_PARALLEL_PARTSIZES_H
