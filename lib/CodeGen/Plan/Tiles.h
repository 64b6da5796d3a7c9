// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Common parts of all tiles of vectors.

#ifndef QDQ_LIB_CODEGEN_PLAN_TILES_H
#define QDQ_LIB_CODEGEN_PLAN_TILES_H

#include "TilePlan.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::qdq {

/// True if memory holds each element of `type` in bytes of its own, as a vector
/// does. LLVM packs vectors of others.
bool hasWholeBytes(Type type);

inline bool isReductionLoop(linalg::LinalgOp op, unsigned loop) {
  return linalg::isReductionIterator(op.getIteratorTypesArray()[loop]);
}

/// Reports at `root` where no register has so many bits.
LogicalResult checkVectorBits(Operation *root, int64_t vectorBits);

/// The elements in a vector of the widest type that the body computes with.
int64_t getFullLanes(linalg::GenericOp op, int64_t vectorBits);

/// The same, or the largest power of two that `loop` has iterations for.
int64_t getLoopLanes(linalg::GenericOp op, unsigned loop, int64_t vectorBits);

/// About `wanted` iterations of a loop of this size, which may be dynamic: the
/// most of them, above half of `wanted`, that leave nothing over, else
/// `wanted`.
int64_t getEvenPart(int64_t size, int64_t wanted);

/// The generics under `root` that have results, which are tensors as the
/// operands are, without a dimension for a reduction loop, and that `filter`
/// accepts, where ops are in an order.
SmallVector<linalg::GenericOp>
collectGenerics(Operation *root, function_ref<bool(linalg::GenericOp)> filter);

/// The same, of those that have no plan and no empty loop.
SmallVector<linalg::GenericOp>
collectUnplanned(const TileRewriter &rewriter, Operation *root,
                 function_ref<bool(linalg::GenericOp)> filter);

/// How far `expr` moves with a step of `loop`; nothing if that depends on where
/// the loops are.
std::optional<int64_t> getStride(AffineExpr expr, unsigned loop,
                                 unsigned numLoops);

/// Patterns that give tiles the static shapes that follow from their loops.
RewritePatternSet getTileShapePatterns(MLIRContext *context);

/// A generic with the body and the discardable attributes of `op`, which has to
/// be replaced.
linalg::GenericOp rebuildGeneric(RewriterBase &rewriter, linalg::GenericOp op,
                                 ValueRange inputs, ValueRange inits,
                                 ArrayRef<AffineMap> maps,
                                 ArrayRef<utils::IteratorType> iterators);

/// True if a vector may have these dimensions: none is dynamic, and none is 0,
/// as folding may find out of a tile.
inline bool areVectorSizes(ArrayRef<int64_t> sizes) {
  return llvm::all_of(sizes, [](int64_t size) { return size > 0; });
}

/// True if each index of `op` is a sum of loops, times numbers that are not
/// negative, and of a number.
bool hasLinearIndices(linalg::LinalgOp op);

/// True if upstream's tiling (22.1) is right. It reads behind the end of an
/// array if a loop is known to have no iteration, through casts that operands
/// hide behind, and reads other elements if an index is not linear.
bool canTile(linalg::LinalgOp op);

/// Replaces `op` by tiles of these sizes, 0 for whole loops, and gives the
/// loops around them. Fails, and changes nothing, if it cannot be tiled.
FailureOr<SmallVector<scf::ForOp>>
tileLoops(TileRewriter &rewriter, linalg::LinalgOp op, ArrayRef<int64_t> sizes);

/// Plans `op`, a reduction, and tiles it to these sizes. Tiles of what is left
/// over have one result each.
void tileReduction(TileRewriter &rewriter, linalg::GenericOp op, TilePlan plan,
                   ArrayRef<int64_t> sizes);

/// True if no parallel loop has a dynamic size.
bool hasStaticResults(linalg::GenericOp op);

/// Peels what does not fill the last tile of `loop`: a loop of its own, null if
/// there is none.
scf::ForOp peelRemainder(TileRewriter &rewriter, scf::ForOp loop);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_PLAN_TILES_H
