// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constant columns in parts of which two products fit in i16.

#ifndef QDQ_LIB_CODEGEN_DOTS_BYTEPAIRS_H
#define QDQ_LIB_CODEGEN_DOTS_BYTEPAIRS_H

#include "mlir/Support/LLVM.h"

namespace mlir::qdq {

/// The excess that bytes of panels lose.
struct PairRests {
  /// Fours of all columns of a panel, one after the other.
  SmallVector<char> bytes;
  /// Which fours of its panel each of them is.
  SmallVector<int64_t> fours;
  /// The first of each panel, and the end of the last one.
  SmallVector<int64_t> starts;
};

/// Takes off the signed bytes of `panels` panels, whose fours have `fourBytes`
/// bytes for all columns, so much that two products with unsigned bytes fit in
/// i16: vpmaddubsw, which saturates, is exact. What is left over fits too. Does
/// nothing, and gives nothing, if too many fours would be left over to gain.
std::optional<PairRests> splitPairs(MutableArrayRef<char> bytes, int64_t panels,
                                    int64_t fourBytes);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_DOTS_BYTEPAIRS_H
