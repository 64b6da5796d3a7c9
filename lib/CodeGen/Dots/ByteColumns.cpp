// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The columns of a tile as vectors: four factors of each lane side by side.

#include "ByteTile.h"
#include "Transposition.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::qdq;

/// Vectors of columns whose rows are interleaved together.
static constexpr int64_t kInterleaved = 4;

/// Calls `visit` at `count` neighbors in a loop, none of which is beyond the
/// last one if `isClamped`.
static void forEachLine(ByteTile &tile, unsigned loop, int64_t count,
                        bool isClamped, function_ref<void()> visit) {
  ImplicitLocOpBuilder &b = tile.b;
  AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
  tile.forEachOf(loop, count, [&] {
    OpFoldResult &offset = tile.offsets[loop];
    if (isClamped)
      offset = affine::makeComposedFoldedAffineMin(
          b, b.getLoc(), AffineMap::get(2, 0, {d0, d1 - 1}, b.getContext()),
          {offset, tile.sizes[loop]});
    visit();
  });
}

static Value readBytes(ByteTile &tile, int64_t count, bool isInBounds) {
  return tile.readPadded(VectorType::get(count, tile.b.getI8Type()),
                         *tile.product.columns, isInBounds);
}

SmallVector<Value> mlir::qdq::readColumns(ByteTile &tile, bool isTail) {
  ImplicitLocOpBuilder &b = tile.b;
  SmallVector<Value> parts;
  int64_t numVectors = tile.getNumVectors();
  auto readVectors = [&] {
    int64_t count = std::min<int64_t>(kInterleaved, numVectors - parts.size());
    SmallVector<Value> rows;
    forEachLine(tile, tile.product.depth, 4, isTail, [&] {
      rows.push_back(
          readBytes(tile, count * tile.lanes, tile.hasFullVectors()));
    });
    Value even = vector::InterleaveOp::create(b, rows[0], rows[2]);
    Value odd = vector::InterleaveOp::create(b, rows[1], rows[3]);
    Value all = vector::InterleaveOp::create(b, even, odd);
    for (int64_t i = 0; i < count; ++i)
      parts.push_back(vector::ExtractStridedSliceOp::create(
          b, all, i * 4 * tile.lanes, 4 * tile.lanes, 1));
  };
  tile.forEachOf(tile.product.column,
                 llvm::divideCeil(numVectors, kInterleaved), readVectors,
                 kInterleaved * tile.lanes);
  return parts;
}

SmallVector<Value> mlir::qdq::readTransposedColumns(ByteTile &tile,
                                                    bool isTail) {
  ImplicitLocOpBuilder &b = tile.b;
  SmallVector<Value> rows;
  forEachLine(
      tile, tile.product.column, tile.lanes, !tile.hasFullVectors(), [&] {
        rows.push_back(vector::BitCastOp::create(
            b, tile.getWords(), readBytes(tile, 4 * tile.lanes, !isTail)));
      });
  SmallVector<Value> fours = transposeVectors(b, rows);
  for (Value &four : fours)
    four = vector::BitCastOp::create(b, tile.getBytes(), four);
  if (std::optional<int64_t> depth = tile.getStaticSize(tile.product.depth);
      depth && isTail)
    fours.truncate(llvm::divideCeil(*depth % (4 * tile.lanes), 4));
  return fours;
}
