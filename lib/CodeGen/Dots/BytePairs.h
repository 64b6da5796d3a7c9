// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constant columns in parts whose products fit in i16.

#ifndef QDQ_LIB_CODEGEN_DOTS_BYTEPAIRS_H
#define QDQ_LIB_CODEGEN_DOTS_BYTEPAIRS_H

#include "mlir/Support/LLVM.h"

namespace mlir::qdq {

/// The excess that bytes of panels lose.
struct PairRests {
  /// The fours that lie one after the other along the depth, of which the sums
  /// of products fit in i16 together, in pairs.
  int64_t group;
  /// Fours of all columns of a panel, one after the other.
  SmallVector<char> bytes;
  /// Which fours of its panel each of them is.
  SmallVector<int64_t> fours;
  /// The first of each panel, and the end of the last one.
  SmallVector<int64_t> starts;
};

/// Takes off the signed bytes of `panels` panels, whose fours have `fourBytes`
/// bytes for all columns, so much that sums of products with unsigned bytes fit
/// in i16: two products, which vpmaddubsw would saturate, and those of a group
/// of fours. A group divides `depthFours`. What is left over fits in pairs too.
/// Does nothing, and gives nothing, if too many fours would be left over to
/// gain.
std::optional<PairRests> splitPairs(MutableArrayRef<char> bytes, int64_t panels,
                                    int64_t fourBytes, int64_t depthFours);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_DOTS_BYTEPAIRS_H
