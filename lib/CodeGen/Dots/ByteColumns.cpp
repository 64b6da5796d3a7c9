// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The columns of a tile as vectors: four factors of each lane side by side.

#include "ByteTile.h"
#include "Transposition.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::qdq;

/// Vectors of columns whose rows are interleaved together.
static constexpr int64_t kInterleaved = 4;

namespace {
/// Has a loop of a tile at a later index for a while.
class MovedLoop {
public:
  /// Not beyond the last index, with `isClamped`.
  MovedLoop(ByteTile &tile, unsigned loop, int64_t by, bool isClamped)
      : tile(tile), loop(loop), before(tile.offsets[loop]) {
    AffineExpr d0 = tile.b.getAffineDimExpr(0), d1 = tile.b.getAffineDimExpr(1);
    OpFoldResult &offset = tile.offsets[loop];
    Location loc = tile.b.getLoc();
    offset =
        affine::makeComposedFoldedAffineApply(tile.b, loc, d0 + by, before);
    if (isClamped)
      offset = affine::makeComposedFoldedAffineMin(
          tile.b, loc, AffineMap::get(2, 0, {d0, d1 - 1}, loc.getContext()),
          {offset, tile.sizes[loop]});
  }
  ~MovedLoop() { tile.offsets[loop] = before; }

private:
  ByteTile &tile;
  unsigned loop;
  OpFoldResult before;
};
} // namespace

static Value readBytes(ByteTile &tile, int64_t count, bool isInBounds) {
  ImplicitLocOpBuilder &b = tile.b;
  return vector::TransferReadOp::create(
      b, VectorType::get(count, b.getI8Type()), tile.product.columns->get(),
      tile.createIndices(tile.product.getColumnsMap()),
      arith::ConstantOp::create(b, b.getI8IntegerAttr(0)),
      ArrayRef(isInBounds));
}

SmallVector<Value> mlir::qdq::readColumns(ByteTile &tile, bool isTail) {
  ImplicitLocOpBuilder &b = tile.b;
  SmallVector<Value> parts;
  for (int64_t first = 0; first < tile.getNumVectors(); first += kInterleaved) {
    int64_t count = std::min(kInterleaved, tile.getNumVectors() - first);
    MovedLoop toVector(tile, tile.product.column, first * tile.lanes, false);
    SmallVector<Value> rows;
    for (int64_t i = 0; i < 4; ++i) {
      MovedLoop toRow(tile, tile.product.depth, i, isTail);
      rows.push_back(
          readBytes(tile, count * tile.lanes, tile.hasFullVectors()));
    }
    Value even = vector::InterleaveOp::create(b, rows[0], rows[2]);
    Value odd = vector::InterleaveOp::create(b, rows[1], rows[3]);
    Value all = vector::InterleaveOp::create(b, even, odd);
    for (int64_t i = 0; i < count; ++i)
      parts.push_back(vector::ExtractStridedSliceOp::create(
          b, all, i * 4 * tile.lanes, 4 * tile.lanes, 1));
  }
  return parts;
}

SmallVector<Value> mlir::qdq::readTransposedColumns(ByteTile &tile,
                                                    bool isTail) {
  ImplicitLocOpBuilder &b = tile.b;
  SmallVector<Value> rows;
  for (int64_t lane = 0; lane < tile.lanes; ++lane) {
    MovedLoop toColumn(tile, tile.product.column, lane, !tile.hasFullVectors());
    rows.push_back(vector::BitCastOp::create(
        b, tile.getWords(), readBytes(tile, 4 * tile.lanes, !isTail)));
  }
  SmallVector<Value> fours = transposeVectors(b, b.getLoc(), rows);
  for (Value &four : fours)
    four = vector::BitCastOp::create(b, tile.getBytes(), four);
  if (std::optional<int64_t> depth = tile.getStaticSize(tile.product.depth);
      depth && isTail)
    fours.truncate(llvm::divideCeil(*depth % (4 * tile.lanes), 4));
  return fours;
}
