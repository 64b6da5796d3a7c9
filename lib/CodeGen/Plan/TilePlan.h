// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plan of each op that becomes vectors, beside the IR.

#ifndef QDQ_LIB_CODEGEN_PLAN_TILEPLAN_H
#define QDQ_LIB_CODEGEN_PLAN_TILEPLAN_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"

namespace mlir::qdq {

/// The vectors that the tiles of an op become.
enum class TileStrategy {
  /// The innermost loop of an elementwise op: `linalg::vectorize`.
  Elementwise,
  /// A tile in one block, before it is known what else it is.
  Block,
  /// No vectors: the rest of a block, of a dynamic size.
  Loop,
  /// Storage words and their elements: Vectorize/SubByteTiles.cpp.
  SubByte,
  /// A lane for each sub-byte element of a row: Sums/SubByteReductions.cpp.
  SubByteReduction,
  /// Lanes that are terms of a sum: Sums/ReductionTiles.cpp.
  Reduction,
  /// Lanes that are terms of a maximum or minimum: Sums/Extremes.cpp.
  Extremes,
  /// Lanes that are rows, whose terms are neighbors: Sums/RowSums.cpp.
  RowSums,
  /// Products of bytes in fours: Dots/ByteTiling.cpp.
  ByteProduct,
  /// Sums in a declared order: Sums/PartialSums.cpp.
  PartialSums,
  /// A lane for each result: Sums/ResultLaneTiling.cpp.
  ResultLanes,
  /// Squares of a transposition: Dots/Transposition.cpp.
  Transposition,
  /// Products with short codes as bytes: Dots/BlockFloatingPoint.cpp.
  BlockFloatingPoint,
};

/// The plan of an op, and of each of its tiles.
struct TilePlan {
  TileStrategy strategy;
  /// The innermost loops that are lanes; of a reduction, 0 or those of words.
  unsigned laneLoops = 0;
  /// The columns of a tile that is not the last one; 0 if it is no such tile.
  int64_t columns = 0;
  /// The rows of such a tile.
  int64_t rows = 0;
};

/// A rewriter that keeps the plans of ops while they are tiled, peeled, cloned
/// and replaced. An op that is erased has none.
class TileRewriter : public IRRewriter {
public:
  /// `listener` hears of every change, if it is not null.
  explicit TileRewriter(MLIRContext *context,
                        OpBuilder::Listener *listener = nullptr)
      : IRRewriter(context), tracker(*this, listener) {
    setListener(&tracker);
  }
  TileRewriter(const TileRewriter &) = delete;

  void setPlan(Operation *op, TilePlan plan) { plans[op] = plan; }
  void dropPlan(Operation *op) { plans.erase(op); }
  /// The plan of `op`; null if it has none.
  const TilePlan *getPlan(Operation *op) const {
    auto found = plans.find(op);
    return found == plans.end() ? nullptr : &found->second;
  }
  bool hasPlan(Operation *op, TileStrategy strategy) const {
    const TilePlan *plan = getPlan(op);
    return plan && plan->strategy == strategy;
  }
  /// The ops of a strategy under `root`, in their order.
  template <typename Op = linalg::GenericOp>
  SmallVector<Op> getTiles(Operation *root, TileStrategy strategy) const {
    SmallVector<Op> tiles;
    root->walk([&](Op op) {
      if (hasPlan(op, strategy))
        tiles.push_back(op);
    });
    return tiles;
  }

  /// Plans `copy`, a tile or a clone of `op`, and what it holds, as `op`.
  void copyPlans(Operation *op, Operation *copy);

  /// Applies the patterns to the ops under `root` that were made or changed.
  LogicalResult simplify(Operation *root,
                         const FrozenRewritePatternSet &patterns);

private:
  struct Tracker : ForwardingListener {
    Tracker(TileRewriter &tiles, OpBuilder::Listener *listener)
        : ForwardingListener(listener), tiles(tiles) {}

    void notifyOperationInserted(Operation *op, InsertPoint previous) override;
    void notifyOperationModified(Operation *op) override;
    void notifyOperationReplaced(Operation *op, Operation *by) override;
    void notifyOperationReplaced(Operation *op, ValueRange by) override;
    void notifyOperationErased(Operation *op) override;
    void notifyPatternBegin(const Pattern &pattern, Operation *op) override;

    TileRewriter &tiles;
  };

  void movePlan(Operation *op, Operation *by);

  Tracker tracker;
  DenseMap<Operation *, TilePlan> plans;
  /// The ops that were made or changed.
  DenseSet<Operation *> touched;
  /// The ops that were made, of those that a pattern makes.
  DenseSet<Operation *> made;
};

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_PLAN_TILEPLAN_H
