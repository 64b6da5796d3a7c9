// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles of sums of products of bytes, in vectors.

#include "ByteContractions.h"
#include "BytePanel.h"
#include "ByteTile.h"
#include "TileProduct.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::qdq;

/// Four factors of a row, for all lanes. Those that do not exist are 0, before
/// they are moved.
static Value readRow(ByteTile &tile, bool isTail) {
  ImplicitLocOpBuilder &b = tile.b;
  Value four = tile.readPadded(VectorType::get(4, b.getI8Type()),
                               *tile.product.rows, !isTail);
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
  if (!getDestination(tile).second)
    return tile.createZeros(tile.getNumRows() * tile.getNumVectors());
  SmallVector<Value> sums;
  tile.forEachOf(tile.product.row, tile.getNumRows(), [&] {
    Value all =
        tile.readPadded(getRowType(tile), tile.op.getDpsInitsMutable()[0],
                        tile.hasFullVectors());
    for (int64_t i = 0; i < tile.getNumVectors(); ++i)
      sums.push_back(vector::ExtractStridedSliceOp::create(
          tile.b, all, i * tile.lanes, tile.lanes, 1));
  });
  return sums;
}

/// Adds products to each sum, by `add`: of the fours of its row and of its
/// column.
static SmallVector<Value>
addFours(ByteTile &tile, ArrayRef<SmallVector<Value>> columns, bool isTail,
         ValueRange sums,
         function_ref<Value(Value, ArrayRef<Value>, ArrayRef<Value>)> add) {
  SmallVector<Value> next;
  tile.forEachOf(tile.product.row, tile.getNumRows(), [&] {
    SmallVector<Value> factors;
    tile.forEachOf(
        tile.product.depth, columns.size(),
        [&] { factors.push_back(readRow(tile, isTail)); }, /*step=*/4);
    for (size_t i = 0; i < columns.front().size(); ++i)
      next.push_back(
          add(sums[next.size()], factors,
              llvm::map_to_vector(columns, [&](const SmallVector<Value> &four) {
                return four[i];
              })));
  });
  return next;
}

/// Adds four products to each sum. `fitsI16`: see `addByteProducts`.
static SmallVector<Value> addFour(ByteTile &tile, ArrayRef<Value> columns,
                                  bool isTail, bool fitsI16, ValueRange sums) {
  return addFours(
      tile, SmallVector<Value>(columns), isTail, sums,
      [&](Value sum, ArrayRef<Value> rows, ArrayRef<Value> columns) {
        return tile.addProducts(sum, rows.front(), columns.front(), fitsI16);
      });
}

/// Adds the pairs of products of a group of fours to each sum: see
/// `BytePanel::group`.
static SmallVector<Value> addGroup(ByteTile &tile, const BytePanel &panel,
                                   ValueRange sums) {
  auto addPairs = [&](Value half, ArrayRef<Value> rows,
                      ArrayRef<Value> columns) {
    for (auto [row, column] : llvm::zip_equal(rows, columns))
      half = tile.addProducts(half, row, column, /*fitsI16=*/true);
    return half;
  };
  SmallVector<Value> halves = tile.createZeros(
      sums.size(), VectorType::get(2 * tile.lanes, tile.b.getI16Type()));
  unsigned depth = tile.product.depth;
  if (panel.group == 2) {
    SmallVector<SmallVector<Value>> both;
    tile.forEachOf(
        depth, 2, [&] { both.push_back(panel.readColumns(tile)); }, /*step=*/4);
    return addFours(
        tile, both, /*isTail=*/false, sums,
        [&](Value sum, ArrayRef<Value> rows, ArrayRef<Value> columns) {
          return addHalves(tile.b, sum,
                           addPairs(halves.front(), rows, columns));
        });
  }
  // LLVM would add more as a tree, in more registers than there are: a loop
  // keeps the order.
  OpFoldResult first = tile.offsets[depth];
  OpFoldResult end = affine::makeComposedFoldedAffineApply(
      tile.b, tile.b.getLoc(), tile.b.getAffineDimExpr(0) + 4 * panel.group,
      {first});
  halves =
      tile.createLoop(depth, first, end, 4, halves, [&](ValueRange carried) {
        return addFours(tile, panel.readColumns(tile), /*isTail=*/false,
                        carried, addPairs);
      });
  tile.offsets[depth] = first;
  return llvm::map_to_vector(
      llvm::zip_equal(sums, halves), [&](auto pair) -> Value {
        return addHalves(tile.b, std::get<0>(pair), std::get<1>(pair));
      });
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
  int64_t group = panel ? panel->group : 0;
  auto add = [&](ValueRange sums, bool isTail) {
    SmallVector<Value> columns =
        panel ? panel->readColumns(tile) : readColumns(tile, isTail);
    SmallVector<Value> next =
        addFour(tile, columns, isTail, group != 0, sums.take_front(count));
    if (addsColumns)
      next.append(tile.addColumns(sums.drop_front(count), columns));
    return next;
  };
  values = tile.forEach(tile.getOuterReductions(), values, [&](ValueRange c) {
    if (group < 2)
      return tile.forEachDepth(4, c, add);
    return tile.createLoop(
        tile.product.depth, 4 * group, c,
        [&](ValueRange sums) { return addGroup(tile, *panel, sums); });
  });
  if (panel && panel->rests) {
    std::optional<int64_t> depth = tile.getStaticSize(tile.product.depth);
    bool mayBeTail = !depth || *depth % 4 != 0;
    values = panel->forEachRest(
        tile, values, [&](ValueRange sums, ArrayRef<Value> columns) {
          return addFour(tile, columns, mayBeTail, /*fitsI16=*/true, sums);
        });
  }

  ArrayRef<Value> columnSums =
      panel ? ArrayRef(panel->sums) : ArrayRef(values).drop_front(count);
  Value result = getDestination(tile).first;
  auto *next = values.begin();
  tile.forEachOf(tile.product.row, tile.getNumRows(), [&] {
    Value all =
        arith::ConstantOp::create(tile.b, tile.b.getZeroAttr(getRowType(tile)));
    for (int64_t i = 0; i < vectors; ++i) {
      Value sum = *next++;
      if (tile.movesRows())
        sum = correct(tile, sum, columnSums[i]);
      all = vector::InsertStridedSliceOp::create(tile.b, sum, all,
                                                 i * tile.lanes, 1);
    }
    result = tile.write(all, result,
                        tile.createIndices(tile.op.getDpsInitsMutable()[0]),
                        tile.hasFullVectors());
  });
  return result;
}

void mlir::qdq::vectorizeByteProducts(IRRewriter &rewriter,
                                      ArrayRef<linalg::GenericOp> ops,
                                      int64_t width,
                                      const VectorizationOptions &options) {
  int64_t lanes = options.getByteDotBits() / 32;
  // The first that reads the columns, in the block that has them.
  ByteProduct first = *ByteProduct::get(ops.front());
  Block *block = first.columns->get().getParentBlock();
  Operation *reader = nullptr;
  ByteDots dots = chooseDots(first, options);
  for (linalg::GenericOp op : ops) {
    Operation *ancestor = block->findAncestorOpInBlock(*op.getOperation());
    if (!reader || ancestor->isBeforeInBlock(reader))
      reader = ancestor;
    // A panel for vectors serves tiles, too.
    if (chooseDots(*ByteProduct::get(op), options) != dots)
      dots = ByteDots::X86VNNI;
  }
  ImplicitLocOpBuilder b(first.getOp().getLoc(), rewriter);
  b.setInsertionPoint(reader);
  ByteTile shared(b, first, lanes, dots);
  std::optional<BytePanel> panel = getConstantPanel(shared, width);
  bool isReadOnce = ops.size() == 1 && reader == ops.front();
  if (!panel && (!isReadOnce || first.isTransposed || dots == ByteDots::X86AMX))
    panel = buildPanel(shared);
  for (linalg::GenericOp op : ops) {
    ImplicitLocOpBuilder inner(op.getLoc(), rewriter);
    inner.setInsertionPoint(op);
    ByteProduct product = *ByteProduct::get(op);
    ByteTile tile(inner, product, lanes, chooseDots(product, options));
    rewriter.replaceOp(op, tile.dots == ByteDots::X86AMX
                               ? buildTileProduct(tile, *panel)
                               : buildSums(tile, panel));
  }
}
