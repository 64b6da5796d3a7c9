// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of rows of floats in the written order, a lane for each row.

#include "RowSums.h"
#include "../Analysis/SumOfProducts.h"
#include "../Dots/Transposition.h"
#include "../Plan/TileNest.h"
#include "../Plan/Tiles.h"
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
  AffineMap result = op.getIndexingMapsArray().back();
  return result.getDimPosition(result.getNumResults() - 1);
}

/// True for a sum of the elements of one tensor, whose neighbors are terms.
static bool isRowSum(linalg::GenericOp op) {
  std::optional<SumOfProducts> sum = SumOfProducts::get(op);
  if (!sum || op.getNumDpsInputs() != 1 || sum->isReassociable() ||
      sum->term != op.getRegionInputArgs().front() ||
      !isa<Float32Type, Float64Type>(sum->term.getType()))
    return false;
  AffineMap terms = op.getIndexingMapsArray().front(),
            result = op.getIndexingMapsArray().back();
  if (!terms.isProjectedPermutation() || terms.getNumResults() < 2 ||
      !result.isProjectedPermutation() || result.getNumResults() == 0 ||
      result.getNumResults() != op.getNumParallelLoops())
    return false;
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  unsigned innermost = reductions.back(), row = getRowLoop(op);
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  return terms.getDimPosition(terms.getNumResults() - 1) == innermost &&
         terms.isFunctionOfDim(row) && !isFew(ranges[innermost]) &&
         !isFew(ranges[row]);
}

/// Lanes of a full vector, or as many as there are rows.
static int64_t countRowLanes(linalg::GenericOp op, int64_t vectorBits) {
  int64_t lanes = getFullLanes(op, vectorBits),
          rows = op.getStaticLoopRanges()[getRowLoop(op)];
  return ShapedType::isDynamic(rows)
             ? lanes
             : std::min<int64_t>(lanes, llvm::bit_floor<uint64_t>(rows));
}

void mlir::qdq::tileRowSums(TileRewriter &rewriter, Operation *root,
                            const VectorizationOptions &options) {
  for (linalg::GenericOp op : collectUnplanned(rewriter, root, isRowSum)) {
    int64_t lanes = countRowLanes(op, options.getByteBits());
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
      : TileNest(b, tile), tile(tile), row(getRowLoop(tile)) {
    SmallVector<unsigned> reductions;
    tile.getReductionDims(reductions);
    innermost = reductions.pop_back_val();
    outer = reductions;
    Type element = getElementTypeOrSelf(tile.getDpsInits()[0]);
    type = VectorType::get(lanes, element);
    // The identity of addition.
    none = arith::ConstantOp::create(b, b.getFloatAttr(element, -0.0));
  }

  Value build();

private:
  using Values = SmallVector<Value>;

  /// Adds `terms` of each row, from the offset on, of which all exist, or are
  /// `none` behind the end.
  Values addSquare(ValueRange sums, int64_t terms, bool isInBounds);
  Values addRows(ValueRange sums);

  linalg::GenericOp tile;
  unsigned row, innermost;
  SmallVector<unsigned> outer;
  VectorType type;
  Value none;
};
} // namespace

RowTile::Values RowTile::addSquare(ValueRange sums, int64_t terms,
                                   bool isInBounds) {
  OpOperand *input = tile.getDpsInputOperand(0);
  AffineMap map = tile.getMatchingIndexingMap(input);
  Values rows;
  for (int64_t i = 0; i < type.getDimSize(0); ++i) {
    offsets[row] = b.getIndexAttr(i);
    rows.push_back(vector::TransferReadOp::create(
        b, type, input->get(), createIndices(map), none, ArrayRef(isInBounds)));
  }
  offsets[row] = b.getIndexAttr(0);
  Value total = sums.front();
  auto flags = SumOfProducts::get(tile)->getFloatSum().getFastmath();
  Values columns = transposeVectors(b, b.getLoc(), rows);
  for (Value column : ArrayRef(columns).take_front(terms))
    total = arith::AddFOp::create(b, total, column, flags);
  return {total};
}

RowTile::Values RowTile::addRows(ValueRange sums) {
  int64_t lanes = type.getDimSize(0);
  OpFoldResult size = sizes[innermost];
  OpFoldResult whole = affine::makeComposedFoldedAffineApply(
      b, b.getLoc(), b.getAffineSymbolExpr(0).floorDiv(lanes) * lanes, {size});
  Values totals =
      createLoop(innermost, b.getIndexAttr(0), whole, lanes, sums,
                 [&](ValueRange carried) {
                   return addSquare(carried, lanes, /*isInBounds=*/true);
                 });
  std::optional<int64_t> terms = getConstantIntValue(size);
  if (terms && *terms % lanes == 0)
    return totals;
  return createLoop(innermost, whole, size, lanes, totals,
                    [&](ValueRange carried) {
                      return addSquare(carried, terms ? *terms % lanes : lanes,
                                       /*isInBounds=*/false);
                    });
}

Value RowTile::build() {
  OpOperand &init = tile.getDpsInitsMutable()[0];
  Values indices = createIndices(tile.getMatchingIndexingMap(&init));
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
    // What is left over, and what folding found to be empty, stays a loop.
    if (!isRowSum(tile) || !hasStaticResults(tile) ||
        llvm::is_contained(tile.getStaticLoopRanges(), 0) ||
        !llvm::isPowerOf2_64(rows) ||
        rows > getFullLanes(tile, options.getByteBits()))
      continue;
    ImplicitLocOpBuilder b(tile.getLoc(), rewriter);
    b.setInsertionPoint(tile);
    rewriter.replaceOp(tile, RowTile(b, tile, rows).build());
  }
}
