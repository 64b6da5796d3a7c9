// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Columns laid out in fours, for tiles that read them again and again.

#ifndef QDQ_LIB_CODEGEN_DOTS_BYTEPANEL_H
#define QDQ_LIB_CODEGEN_DOTS_BYTEPANEL_H

#include "ByteTile.h"
#include "mlir/Support/LLVM.h"

namespace mlir::qdq {

// BytePanel.cpp

/// The columns of tiles, as they read them.
struct BytePanel {
  /// By the outer reductions that tell columns apart, every four factors, every
  /// vector of lanes.
  Value bytes;
  /// The sum of each column, in vectors; empty where the rows are not moved.
  SmallVector<Value> sums;
  /// The fours along the depth of whose columns the sums of products fit in i16
  /// together, in pairs; 0 if two products do not.
  int64_t group = 0;
  /// The excess that columns lose, so that products fit.
  struct Rests {
    /// Fours, as those of `bytes`, of all panels.
    Value bytes;
    /// The indices of the loops of the panel, and of its first factor.
    Value positions;
    /// Those of this panel.
    Value begin, end;
  };
  std::optional<Rests> rests;

  /// Adds `add` of each of the rests, with the loops where it is.
  SmallVector<Value> forEachRest(
      ByteTile &tile, ValueRange sums,
      function_ref<SmallVector<Value>(ValueRange sums, ArrayRef<Value> columns)>
          add) const;
  /// The vectors of four factors of each column, where the loops are.
  SmallVector<Value> readColumns(ByteTile &tile) const;
};

/// The outer reductions that tell columns apart, in the order of the
/// dimensions of the columns.
SmallVector<unsigned> getPanelLoops(const ByteTile &tile);

/// Builds the panel for the columns of `tile`.
BytePanel buildPanel(ByteTile &tile);

/// The panel of a constant, laid out when the code is made: of columns that are
/// `width` columns of it, or the last of them, in parts for pairs. Nothing for
/// others.
std::optional<BytePanel> getConstantPanel(ByteTile &tile, int64_t width);

// BytePairs.cpp

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

#endif // QDQ_LIB_CODEGEN_DOTS_BYTEPANEL_H
