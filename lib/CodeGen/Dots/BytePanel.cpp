// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Columns laid out in fours, for tiles that read them again and again.

#include "BytePanel.h"
#include "ByteTile.h"
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

/// Where the first four factors of the loops lie in a panel.
static SmallVector<Value> createPanelIndices(const ByteTile &tile) {
  ImplicitLocOpBuilder &b = tile.b;
  auto divide = [&](unsigned loop, int64_t by) {
    return tile.createIndex(affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), b.getAffineDimExpr(0).floorDiv(by),
        {tile.offsets[loop]}));
  };
  SmallVector<Value> indices;
  for (unsigned loop : getPanelLoops(tile))
    indices.push_back(tile.createIndex(tile.offsets[loop]));
  indices.push_back(divide(tile.product.depth, 4));
  indices.push_back(divide(tile.product.column, tile.lanes));
  indices.push_back(arith::ConstantIndexOp::create(b, 0));
  return indices;
}

/// Vectors of one type as the rows of one, which has a dimension more. Upstream
/// makes single elements of a chain of vector.insert, but leaves slices alone.
static Value joinRows(ImplicitLocOpBuilder &b, ArrayRef<Value> rows) {
  auto type = cast<VectorType>(rows.front().getType());
  SmallVector<int64_t> shape(type.getShape()), offsets(shape.size() + 1, 0),
      strides(shape.size(), 1);
  shape.insert(shape.begin(), rows.size());
  Value result = arith::ConstantOp::create(
      b, b.getZeroAttr(VectorType::get(shape, type.getElementType())));
  for (Value row : rows) {
    result =
        vector::InsertStridedSliceOp::create(b, row, result, offsets, strides);
    ++offsets.front();
  }
  return result;
}

/// Reads vectors of this type that lie one after the other in `tensor`.
static SmallVector<Value> readRows(ImplicitLocOpBuilder &b, VectorType type,
                                   int64_t count, Value tensor,
                                   ValueRange indices) {
  Type element = type.getElementType();
  Value all = vector::TransferReadOp::create(
      b, VectorType::get({count, type.getNumElements()}, element), tensor,
      indices, arith::ConstantOp::create(b, b.getZeroAttr(element)),
      ArrayRef({true, true}));
  return llvm::map_to_vector(llvm::seq(count), [&](int64_t i) -> Value {
    return vector::ExtractOp::create(b, all, i);
  });
}

SmallVector<Value> BytePanel::readColumns(ByteTile &tile) const {
  return readRows(tile.b, tile.getBytes(), tile.getNumVectors(), bytes,
                  createPanelIndices(tile));
}

SmallVector<Value> BytePanel::forEachRest(
    ByteTile &tile, ValueRange sums,
    function_ref<SmallVector<Value>(ValueRange, ArrayRef<Value>)> add) const {
  ImplicitLocOpBuilder &b = tile.b;
  Value zero = tile.createIndex(0);
  SmallVector<OpFoldResult> before = tile.offsets;
  SmallVector<unsigned> loops = getPanelLoops(tile);
  loops.push_back(tile.product.depth);
  auto addRest = [&](Value rest, ValueRange carried) {
    for (auto [i, dim] : llvm::enumerate(loops))
      tile.offsets[dim] =
          tensor::ExtractOp::create(b, rests->positions,
                                    ValueRange{rest, tile.createIndex(i)})
              .getResult();
    return add(carried, readRows(b, tile.getBytes(), tile.getNumVectors(),
                                 rests->bytes, {rest, zero, zero}));
  };
  SmallVector<Value> next =
      tile.countUp(rests->begin, rests->end, 1, sums, addRest);
  tile.offsets = before;
  return next;
}

/// As many factors of a column are written to a panel at once.
static int64_t getDepthStep(const ByteTile &tile) {
  return tile.product.isTransposed ? 4 * tile.lanes : 4;
}

static Value createEmptyPanel(const ByteTile &tile) {
  ImplicitLocOpBuilder &b = tile.b;
  SmallVector<OpFoldResult> shape;
  for (unsigned loop : getPanelLoops(tile))
    shape.push_back(tile.sizes[loop]);
  OpFoldResult depth = tile.sizes[tile.product.depth];
  // All fours of the last step have a place if their number is not known.
  int64_t step = getConstantIntValue(depth) ? 4 : getDepthStep(tile);
  shape.push_back(affine::makeComposedFoldedAffineApply(
      b, b.getLoc(), b.getAffineDimExpr(0).ceilDiv(step) * (step / 4),
      {depth}));
  shape.push_back(b.getIndexAttr(tile.getNumVectors()));
  shape.push_back(b.getIndexAttr(4 * tile.lanes));
  return tensor::EmptyOp::create(b, shape, b.getI8Type());
}

/// Writes `vectors` vectors of columns, where their loop is, to `panel`, in one
/// write a step. Gives the panel, and the sums of the columns if rows are
/// moved.
static SmallVector<Value> writeColumns(ByteTile &tile, int64_t vectors,
                                       Value panel) {
  ImplicitLocOpBuilder &b = tile.b;
  SmallVector<Value> values = {panel};
  if (tile.movesRows())
    values.append(tile.createZeros(vectors));
  auto writeStep = [&](ValueRange carried, bool isTail) {
    SmallVector<Value> next(carried), rows;
    auto add = [&](ArrayRef<Value> columns) {
      rows.push_back(joinRows(b, columns));
      if (tile.movesRows())
        llvm::copy(tile.addColumns(ArrayRef(next).drop_front(), columns),
                   next.begin() + 1);
    };
    if (tile.product.isTransposed)
      llvm::for_each(readTransposedColumns(tile, isTail), add);
    else
      add(readColumns(tile, isTail));
    Value block = rows.size() == 1 ? rows.front() : joinRows(b, rows);
    next.front() = tile.write(block, next.front(), createPanelIndices(tile));
    return next;
  };
  return tile.forEach(getPanelLoops(tile), values, [&](ValueRange carried) {
    return tile.forEachDepth(getDepthStep(tile), carried, writeStep);
  });
}

// Bufferization compares each write with each other one: there is one in a
// loop, of a vector with as many dimensions as it takes.
BytePanel mlir::qdq::buildPanel(ByteTile &tile) {
  ImplicitLocOpBuilder &b = tile.b;
  int64_t count = tile.getNumVectors();
  int64_t vectors = tile.product.isTransposed ? 1 : count;
  SmallVector<Value> values = {createEmptyPanel(tile)};
  if (tile.movesRows())
    values.push_back(
        tensor::EmptyOp::create(b, {count, tile.lanes}, b.getI32Type()));
  auto writeVectors = [&](ValueRange carried) {
    SmallVector<Value> written = writeColumns(tile, vectors, carried.front());
    SmallVector<Value> next = {written.front()};
    if (tile.movesRows())
      next.push_back(tile.write(
          joinRows(b, ArrayRef(written).drop_front()), carried.back(),
          ArrayRef(createPanelIndices(tile)).take_back(2)));
    return next;
  };
  values = vectors == count
               ? writeVectors(values)
               : tile.createLoop(tile.product.column, b.getIndexAttr(0),
                                 b.getIndexAttr(count * tile.lanes),
                                 vectors * tile.lanes, values, writeVectors);
  BytePanel panel;
  panel.bytes = values.front();
  if (tile.movesRows())
    panel.sums = readRows(b, tile.getWords(), count, values.back(),
                          ArrayRef(createPanelIndices(tile)).take_back(2));
  return panel;
}
