// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Columns laid out in fours, for tiles that read them again and again.

#include "BytePanel.h"
#include "ByteColumns.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::qdq;

SmallVector<unsigned> mlir::qdq::getPanelLoops(const ByteTile &tile) {
  SmallVector<unsigned> reductions = tile.getOuterReductions(), loops;
  for (AffineExpr expr : tile.product.getColumnsMap().getResults()) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    if (llvm::is_contained(reductions, loop))
      loops.push_back(loop);
  }
  return loops;
}

/// Where the `four`-th four from where the loops are lies in a panel.
static SmallVector<Value> createPanelIndices(const ByteTile &tile,
                                             int64_t vector, int64_t four) {
  ImplicitLocOpBuilder &b = tile.b;
  SmallVector<Value> indices;
  for (unsigned loop : getPanelLoops(tile))
    indices.push_back(tile.createIndex(tile.offsets[loop]));
  indices.push_back(tile.createIndex(affine::makeComposedFoldedAffineApply(
      b, b.getLoc(), b.getAffineDimExpr(0).floorDiv(4) + four,
      {tile.offsets[tile.product.depth]})));
  indices.push_back(arith::ConstantIndexOp::create(b, vector));
  indices.push_back(arith::ConstantIndexOp::create(b, 0));
  return indices;
}

SmallVector<Value> BytePanel::readColumns(ByteTile &tile) const {
  ImplicitLocOpBuilder &b = tile.b;
  SmallVector<Value> columns;
  Value zero = arith::ConstantOp::create(b, b.getI8IntegerAttr(0));
  for (int64_t i = 0; i < tile.getNumVectors(); ++i)
    columns.push_back(vector::TransferReadOp::create(
        b, tile.getBytes(), bytes, createPanelIndices(tile, i, 0), zero,
        ArrayRef(true)));
  return columns;
}

/// The shape of a panel, without the number of its factors.
static SmallVector<OpFoldResult> getPanelShape(const ByteTile &tile) {
  ImplicitLocOpBuilder &b = tile.b;
  SmallVector<OpFoldResult> shape;
  for (unsigned loop : getPanelLoops(tile))
    shape.push_back(tile.sizes[loop]);
  shape.push_back(affine::makeComposedFoldedAffineApply(
      b, b.getLoc(), b.getAffineDimExpr(0).ceilDiv(4),
      {tile.sizes[tile.product.depth]}));
  shape.push_back(b.getIndexAttr(tile.getNumVectors()));
  shape.push_back(b.getIndexAttr(4 * tile.lanes));
  return shape;
}

BytePanel mlir::qdq::buildPanel(ByteTile &tile) {
  ImplicitLocOpBuilder &b = tile.b;
  // A loop carries the panel and the sums.
  SmallVector<Value> values = {
      tensor::EmptyOp::create(b, getPanelShape(tile), b.getI8Type())};
  if (tile.movesRows())
    values.append(tile.createZeros(tile.getNumVectors()));

  auto write = [&](ArrayRef<Value> columns, int64_t four, ValueRange carried) {
    Value panel = carried.front();
    for (auto [i, column] : llvm::enumerate(columns))
      panel = vector::TransferWriteOp::create(b, column, panel,
                                              createPanelIndices(tile, i, four),
                                              ArrayRef(true))
                  .getResult();
    SmallVector<Value> next = {panel};
    if (tile.movesRows())
      next.append(tile.addColumns(carried.drop_front(), columns));
    return next;
  };
  auto writeFour = [&](ValueRange carried) {
    return write(readColumns(tile, /*isTail=*/false), 0, carried);
  };
  auto writeTail = [&](ValueRange carried) {
    return write(readColumns(tile, /*isTail=*/true), 0, carried);
  };
  auto writeBlock = [&](ValueRange carried) {
    SmallVector<Value> next(carried);
    for (auto [four, columns] : llvm::enumerate(readTransposedColumns(tile)))
      next = write(columns, four, next);
    return next;
  };
  values = tile.forEach(getPanelLoops(tile), values, [&](ValueRange carried) {
    return tile.product.isTransposed
               ? tile.forEachDepth(carried, writeFour, writeTail, writeBlock,
                                   4 * tile.lanes)
               : tile.forEachDepth(carried, writeFour, writeTail);
  });
  return {values.front(), SmallVector<Value>(ArrayRef(values).drop_front())};
}
