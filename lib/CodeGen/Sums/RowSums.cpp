// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of rows of floats in the written order, a lane for each row.

#include "../Analysis/SumOfProducts.h"
#include "../Dots/Transposition.h"
#include "../Plan/TileNest.h"
#include "../Plan/Tiles.h"
#include "../Vectorize/ElementTiles.h"
#include "../Vectorize/ElementwiseBody.h"
#include "SumLanes.h"
#include "SumTiles.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::qdq;

/// Fewer rows, or terms of a row, are no vector.
static constexpr int64_t kFewest = 4;

static bool isFew(int64_t size) {
  return !ShapedType::isDynamic(size) && size < kFewest;
}

/// The loop over neighboring results.
static unsigned getRowLoop(linalg::GenericOp op) {
  return getResultLoops(op).back();
}

/// The operand whose neighbors are terms, of each row others. Null if there is
/// none, or more than one; what rows share may be anywhere.
static OpOperand *getRows(linalg::GenericOp op, unsigned innermost) {
  unsigned row = getRowLoop(op);
  OpOperand *rows = nullptr;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (!map.isFunctionOfDim(row))
      continue;
    if (rows || !map.isProjectedPermutation() ||
        map.getResults().back() != getAffineDimExpr(innermost, op.getContext()))
      return nullptr;
    rows = input;
  }
  return rows;
}

/// True for a sum of floats in the written order that such rows have.
static bool isRowSum(linalg::GenericOp op) {
  std::optional<SumOfProducts> sum = SumOfProducts::get(op);
  if (!sum || sum->isReassociable() ||
      !isa<Float32Type, Float64Type>(sum->sum->getResult(0).getType()) ||
      !llvm::all_of(op->getOperandTypes(), hasWholeBytes))
    return false;
  AffineMap result = op.getIndexingMapsArray().back();
  if (!result.isProjectedPermutation() || result.getNumResults() == 0 ||
      result.getNumResults() != op.getNumParallelLoops() ||
      !isElementwiseBody(op, getRowLoop(op)))
    return false;
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  return getRows(op, reductions.back()) && !isFew(ranges[reductions.back()]) &&
         !isFew(ranges[getRowLoop(op)]);
}

void mlir::qdq::tileRowSums(TileRewriter &rewriter, Operation *root,
                            const VectorizationOptions &options) {
  for (linalg::GenericOp op : collectUnplanned(rewriter, root, isRowSum)) {
    int64_t lanes = getLoopLanes(op, getRowLoop(op), options.getByteBits());
    if (lanes < kFewest)
      continue;
    SmallVector<int64_t> sizes(op.getNumLoops(), 0);
    SmallVector<unsigned> parallel;
    op.getParallelDims(parallel);
    for (unsigned loop : parallel)
      sizes[loop] = 1;
    sizes[getRowLoop(op)] = lanes;
    tileReduction(rewriter, op, {TileStrategy::RowSums}, sizes);
  }
}

namespace {
/// The sums of a tile, in one vector.
class RowTile : TileNest {
public:
  RowTile(ImplicitLocOpBuilder &b, linalg::GenericOp tile, int64_t lanes)
      : TileNest(b, tile), lanes(lanes), row(getRowLoop(tile)) {
    tile.getReductionDims(outer);
    innermost = outer.pop_back_val();
    rows = getRows(tile, innermost);
  }

  Value build();

private:
  using Values = SmallVector<Value>;

  /// A value of each row, by `read`.
  Values readRows(function_ref<Value()> read);
  /// The body for all rows, of which `column` has the terms at the offsets.
  Value addColumn(Value column, Value sums);
  /// Adds `terms` of each row, of at most one vector.
  Values addSquare(ValueRange sums, int64_t terms);
  Values addRows(ValueRange sums);

  int64_t lanes;
  unsigned row, innermost;
  SmallVector<unsigned> outer;
  OpOperand *rows;
};
} // namespace

RowTile::Values RowTile::readRows(function_ref<Value()> read) {
  Values values;
  forEachOf(row, lanes, [&] { values.push_back(read()); });
  return values;
}

Value RowTile::addColumn(Value column, Value sums) {
  auto readInput = [&](OpOperand &input) {
    return &input == rows ? column : Value();
  };
  return computeLanes(*this, lanes, sums, readInput).front();
}

RowTile::Values RowTile::addSquare(ValueRange sums, int64_t terms) {
  auto type = VectorType::get(lanes, getElementTypeOrSelf(rows->get()));
  Values columns = transposeVectors(
      b, readRows([&] { return readPadded(type, *rows, terms == lanes); }));
  Value total = sums.front();
  auto *column = columns.begin();
  forEachOf(innermost, terms, [&] { total = addColumn(*column++, total); });
  return {total};
}

RowTile::Values RowTile::addRows(ValueRange sums) {
  OpFoldResult size = sizes[innermost];
  OpFoldResult whole = roundDown(size, lanes);
  Values totals =
      createLoop(innermost, b.getIndexAttr(0), whole, lanes, sums,
                 [&](ValueRange carried) { return addSquare(carried, lanes); });
  if (std::optional<int64_t> terms = getConstantIntValue(size))
    return createLoop(
        innermost, whole, size, lanes, totals,
        [&](ValueRange carried) { return addSquare(carried, *terms % lanes); });
  return createLoop(innermost, whole, size, 1, totals, [&](ValueRange carried) {
    Values terms = readRows([&] { return readScalar(*rows); });
    auto type = VectorType::get(lanes, getElementTypeOrSelf(rows->get()));
    Value column = vector::FromElementsOp::create(b, type, terms);
    return Values{addColumn(column, carried.front())};
  });
}

Value RowTile::build() {
  OpOperand &init = op.getDpsInitsMutable()[0];
  Values indices = createIndices(init);
  auto type = VectorType::get(lanes, getElementTypeOrSelf(init.get()));
  Value total = read(type, init.get(), indices);
  total = forEach(outer, total, [&](ValueRange carried) {
            return addRows(carried);
          }).front();
  return write(total, init.get(), indices);
}

void mlir::qdq::vectorizeRowSums(TileRewriter &rewriter, Operation *root,
                                 const VectorizationOptions &options) {
  for (linalg::GenericOp tile :
       rewriter.getTiles(root, TileStrategy::RowSums)) {
    int64_t rows = tile.getStaticLoopRanges()[getRowLoop(tile)];
    // Rests of rows, and tiles that folding found to be empty, stay loops.
    if (!isRowSum(tile) || !hasStaticResults(tile) ||
        llvm::is_contained(tile.getStaticLoopRanges(), 0) ||
        !llvm::isPowerOf2_64(rows) ||
        rows > getFullLanes(tile, options.getByteBits()))
      continue;
    expandBodyAffine(rewriter, tile);
    ImplicitLocOpBuilder b(tile.getLoc(), rewriter);
    b.setInsertionPoint(tile);
    rewriter.replaceOp(tile, RowTile(b, tile, rows).build());
  }
}
