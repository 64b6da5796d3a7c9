// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles of sums of products of bytes, in vectors.

#include "ByteKernel.h"
#include "ByteColumns.h"
#include "BytePanel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::qdq;

/// Four factors of a row, for all lanes. Those that do not exist are 0, before
/// they are moved.
static Value readRow(ByteTile &tile, bool isTail) {
  ImplicitLocOpBuilder &b = tile.b;
  Value four = vector::TransferReadOp::create(
      b, VectorType::get(4, b.getI8Type()), tile.product.rows->get(),
      tile.createIndices(tile.product.getRowsMap()),
      arith::ConstantOp::create(b, b.getI8IntegerAttr(0)), ArrayRef(!isTail));
  four = vector::BitCastOp::create(b, VectorType::get(1, b.getI32Type()), four);
  four = vector::BroadcastOp::create(b, tile.getWords(), four);
  Value row = vector::BitCastOp::create(b, tile.getBytes(), four);
  if (!tile.movesRows())
    return row;
  return arith::XOrIOp::create(
      b, row,
      arith::ConstantOp::create(
          b,
          DenseElementsAttr::get(tile.getBytes(), b.getI8IntegerAttr(-128))));
}

/// Where the sums of a row lie in the result.
static SmallVector<Value> createResultIndices(ByteTile &tile, int64_t row) {
  if (tile.product.row)
    tile.offsets[*tile.product.row] = tile.b.getIndexAttr(row);
  return tile.createIndices(tile.product.getResultMap());
}

/// All sums of a row.
static VectorType getRowType(const ByteTile &tile) {
  return VectorType::get(tile.getNumVectors() * tile.lanes,
                         tile.b.getI32Type());
}

/// The destination of the sums, and whether it holds values to add to: zeros
/// need not be written first.
static std::pair<Value, bool> getDestination(const ByteTile &tile) {
  Value init = tile.product.getOp().getDpsInits().front();
  auto fill = init.getDefiningOp<linalg::FillOp>();
  if (fill && matchPattern(fill.value(), m_Zero()))
    return {fill.output(), false};
  return {init, true};
}

/// The initial values of the sums, vectors of columns by rows.
static SmallVector<Value> readInit(ByteTile &tile) {
  ImplicitLocOpBuilder &b = tile.b;
  auto [init, holdsSums] = getDestination(tile);
  if (!holdsSums)
    return tile.createZeros(tile.getNumRows() * tile.getNumVectors());
  Value zero = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
  SmallVector<Value> sums;
  for (int64_t row = 0; row < tile.getNumRows(); ++row) {
    Value all = vector::TransferReadOp::create(
        b, getRowType(tile), init, createResultIndices(tile, row), zero,
        ArrayRef(tile.hasFullVectors()));
    for (int64_t i = 0; i < tile.getNumVectors(); ++i)
      sums.push_back(vector::ExtractStridedSliceOp::create(
          b, all, i * tile.lanes, tile.lanes, 1));
  }
  return sums;
}

/// Adds four products to each sum. `fitsI16`: see `addByteProducts`.
static SmallVector<Value> addFour(ByteTile &tile, ArrayRef<Value> columns,
                                  bool isTail, bool fitsI16, ValueRange sums) {
  SmallVector<Value> next;
  for (int64_t row = 0; row < tile.getNumRows(); ++row) {
    if (tile.product.row)
      tile.offsets[*tile.product.row] = tile.b.getIndexAttr(row);
    Value factors = readRow(tile, isTail);
    for (Value column : columns)
      next.push_back(
          tile.addProducts(sums[next.size()], factors, column, fitsI16));
  }
  return next;
}

/// Takes off what the move of the rows by 128 has added.
static Value correct(ByteTile &tile, Value sum, Value columnSum) {
  ImplicitLocOpBuilder &b = tile.b;
  Value shift = arith::ConstantOp::create(
      b, DenseElementsAttr::get(tile.getWords(), b.getI32IntegerAttr(7)));
  Value moved = arith::ShLIOp::create(b, columnSum, shift);
  if (tile.product.isRowsSigned)
    return arith::SubIOp::create(b, sum, moved);
  return arith::AddIOp::create(b, sum, moved);
}

/// Builds the sums of a tile, of a panel or of the columns as they are.
static Value buildSums(ByteTile &tile, const std::optional<BytePanel> &panel) {
  SmallVector<Value> values = readInit(tile);
  int64_t count = values.size(), vectors = tile.getNumVectors();
  bool addsColumns = tile.movesRows() && !panel;
  if (addsColumns)
    values.append(tile.createZeros(vectors));
  bool fitsI16 = panel && panel->fitsI16;
  auto add = [&](ValueRange sums, bool isTail) {
    SmallVector<Value> columns =
        panel ? panel->readColumns(tile) : readColumns(tile, isTail);
    SmallVector<Value> next =
        addFour(tile, columns, isTail, fitsI16, sums.take_front(count));
    if (addsColumns)
      next.append(tile.addColumns(sums.drop_front(count), columns));
    return next;
  };
  values = tile.forEach(tile.getOuterReductions(), values, [&](ValueRange c) {
    return tile.forEachDepth(4, c, add);
  });
  if (panel && panel->rests) {
    std::optional<int64_t> depth = tile.getStaticSize(tile.product.depth);
    bool mayBeTail = !depth || *depth % 4 != 0;
    values = panel->forEachRest(
        tile, values, [&](ValueRange sums, ArrayRef<Value> columns) {
          return addFour(tile, columns, mayBeTail, fitsI16, sums);
        });
  }

  ArrayRef<Value> columnSums =
      panel ? ArrayRef(panel->sums) : ArrayRef(values).drop_front(count);
  Value result = getDestination(tile).first;
  for (int64_t row = 0; row < tile.getNumRows(); ++row) {
    Value all =
        arith::ConstantOp::create(tile.b, tile.b.getZeroAttr(getRowType(tile)));
    for (int64_t i = 0; i < vectors; ++i) {
      Value sum = values[row * vectors + i];
      if (tile.movesRows())
        sum = correct(tile, sum, columnSums[i]);
      all = vector::InsertStridedSliceOp::create(tile.b, sum, all,
                                                 i * tile.lanes, 1);
    }
    result = vector::TransferWriteOp::create(tile.b, all, result,
                                             createResultIndices(tile, row),
                                             ArrayRef(tile.hasFullVectors()))
                 .getResult();
  }
  return result;
}

void mlir::qdq::vectorizeByteProducts(IRRewriter &rewriter,
                                      ArrayRef<linalg::GenericOp> ops,
                                      int64_t lanes, int64_t width,
                                      bool inPairs) {
  // The first that reads the columns, in the block that has them.
  ByteProduct first = *ByteProduct::get(ops.front());
  Block *block = first.columns->get().getParentBlock();
  Operation *reader = nullptr;
  for (linalg::GenericOp op : ops) {
    Operation *ancestor = block->findAncestorOpInBlock(*op.getOperation());
    if (!reader || ancestor->isBeforeInBlock(reader))
      reader = ancestor;
  }
  ImplicitLocOpBuilder b(first.getOp().getLoc(), rewriter);
  b.setInsertionPoint(reader);
  ByteTile shared(b, first, lanes);
  std::optional<BytePanel> panel = getConstantPanel(shared, width, inPairs);
  bool isReadOnce = ops.size() == 1 && reader == ops.front();
  if (!panel && (!isReadOnce || first.isTransposed))
    panel = buildPanel(shared);
  for (linalg::GenericOp op : ops) {
    ImplicitLocOpBuilder inner(op.getLoc(), rewriter);
    inner.setInsertionPoint(op);
    ByteTile tile(inner, *ByteProduct::get(op), lanes);
    rewriter.replaceOp(op, buildSums(tile, panel));
  }
}
