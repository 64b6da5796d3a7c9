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
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
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
      : TileNest(b, tile), tile(tile), lanes(lanes), row(getRowLoop(tile)) {
    SmallVector<unsigned> reductions;
    tile.getReductionDims(reductions);
    innermost = reductions.pop_back_val();
    outer = reductions;
    rows = getRows(tile, innermost);
  }

  Value build();

private:
  using Values = SmallVector<Value>;

  /// A value of each row, by `read`.
  Values readRows(function_ref<Value(ValueRange)> read);
  /// The body for all rows, of which `column` has the terms at the offsets.
  Value addColumn(Value column, Value sums);
  /// Adds `terms` of each row, of at most one vector.
  Values addSquare(ValueRange sums, int64_t terms);
  Values addRows(ValueRange sums);

  linalg::GenericOp tile;
  int64_t lanes;
  unsigned row, innermost;
  SmallVector<unsigned> outer;
  OpOperand *rows;
};
} // namespace

RowTile::Values RowTile::readRows(function_ref<Value(ValueRange)> read) {
  Values values;
  for (int64_t i = 0; i < lanes; ++i) {
    offsets[row] = b.getIndexAttr(i);
    values.push_back(read(createIndices(tile.getMatchingIndexingMap(rows))));
  }
  offsets[row] = b.getIndexAttr(0);
  return values;
}

Value RowTile::addColumn(Value column, Value sums) {
  IRMapping mapping;
  for (OpOperand *input : tile.getDpsInputOperands()) {
    BlockArgument argument = tile.getMatchingBlockArgument(input);
    Value value = input == rows ? column : input->get();
    if (input != rows && isa<ShapedType>(value.getType()))
      value = tensor::ExtractOp::create(
          b, value, createIndices(tile.getMatchingIndexingMap(input)));
    mapping.map(argument, value);
  }
  mapping.map(tile.getRegionOutputArgs().front(), sums);
  return cloneForLanes(
             b, tile.getBody(), mapping, lanes,
             [&](unsigned loop) { return createIndex(offsets[loop]); })
      .front();
}

RowTile::Values RowTile::addSquare(ValueRange sums, int64_t terms) {
  Type element = getElementTypeOrSelf(rows->get());
  auto type = VectorType::get(lanes, element);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(element));
  Values columns = transposeVectors(
      b, b.getLoc(), readRows([&](ValueRange indices) -> Value {
        return vector::TransferReadOp::create(b, type, rows->get(), indices,
                                              zero, ArrayRef(terms == lanes));
      }));
  Value total = sums.front();
  OpFoldResult first = offsets[innermost];
  for (auto [i, column] :
       llvm::enumerate(ArrayRef(columns).take_front(terms))) {
    offsets[innermost] = affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), b.getAffineDimExpr(0) + i, {first});
    total = addColumn(column, total);
  }
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
    Values terms = readRows([&](ValueRange indices) -> Value {
      return tensor::ExtractOp::create(b, rows->get(), indices);
    });
    auto type = VectorType::get(lanes, getElementTypeOrSelf(rows->get()));
    Value column = vector::FromElementsOp::create(b, type, terms);
    return Values{addColumn(column, carried.front())};
  });
}

Value RowTile::build() {
  OpOperand &init = tile.getDpsInitsMutable()[0];
  Values indices = createIndices(tile.getMatchingIndexingMap(&init));
  auto type = VectorType::get(lanes, getElementTypeOrSelf(init.get()));
  Value total = read(type, init.get(), indices);
  total = forEach(outer, total, [&](ValueRange carried) {
            return addRows(carried);
          }).front();
  return vector::TransferWriteOp::create(b, total, init.get(), indices,
                                         ArrayRef(true))
      .getResult();
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
