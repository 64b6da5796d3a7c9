// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of products with codes that share containers with those of other sums.

#include "../Plan/Tiles.h"
#include "../Vectorize/ElementTiles.h"
#include "../Vectorize/LaneBody.h"
#include "../Vectorize/LaneLoops.h"
#include "../Vectorize/LaneValue.h"
#include "ReductionLoops.h"
#include "SumTiles.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::qdq;

/// Vectors of sums in registers, and those of one row of results. The row's
/// parameters take as many more; its containers fill a cache line.
static constexpr int64_t kVectors = 16, kRowVectors = 8;

/// Rows of results that share what becomes of a code.
static constexpr int64_t kRows = 8;

/// Terms of a tile. Their containers lie in as many rows of the weight, each of
/// them a stream from memory.
static constexpr int64_t kTerms = 32;

/// The loops with those over containers and fields innermost, in this order,
/// and reductions outermost. Nothing if `op` is no such sum.
static std::optional<SmallVector<unsigned>> getLoopOrder(linalg::GenericOp op) {
  if (!getSum(op) || llvm::is_contained(op.getStaticLoopRanges(), 0) ||
      !llvm::all_of(op->getOperandTypes(), hasWholeBytes))
    return std::nullopt;
  AffineMap result = op.getIndexingMapsArray().back();
  unsigned rank = result.getNumResults();
  if (!result.isProjectedPermutation() || rank < 2 ||
      rank != op.getNumParallelLoops() ||
      !countsFields(op, result.getDimPosition(rank - 1)))
    return std::nullopt;
  SmallVector<unsigned> order;
  op.getReductionDims(order);
  for (unsigned i = 0; i < rank; ++i)
    order.push_back(result.getDimPosition(i));
  return order;
}

/// The lane loops of a sum in that order, of which `rows` share their codes.
static std::optional<LaneLoops>
getWeightLanes(linalg::GenericOp op, int64_t rows, int64_t vectorBits) {
  int64_t lanes = std::max<int64_t>(
      vectorBits /
          getElementTypeOrSelf(op.getDpsInits()[0]).getIntOrFloatBitWidth(),
      1);
  int64_t fields = op.getStaticLoopRanges().back();
  if (ShapedType::isDynamic(fields) || fields <= 0)
    return std::nullopt;
  int64_t vectors = std::min(kVectors / rows, kRowVectors);
  return LaneLoops::getFields(op, lanes,
                              std::max<int64_t>(vectors / fields, 1) * lanes);
}

/// The loop over rows of results, whose codes are the same.
static std::optional<unsigned> getRowLoop(linalg::GenericOp op,
                                          const LaneLoops &lanes) {
  unsigned outside = op.getNumLoops() - lanes.getNumLoops();
  return outside > op.getNumReductionLoops() ? std::optional(outside - 1)
                                             : std::nullopt;
}

static SmallVector<int64_t> getTileSizes(linalg::GenericOp op,
                                         int64_t vectorBits) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  LaneLoops lanes = *getWeightLanes(op, /*rows=*/1, vectorBits);
  std::optional<unsigned> row = getRowLoop(op, lanes);
  int64_t rows = 1;
  if (row) {
    rows = getEvenPart(ranges[*row], kRows);
    if (!ShapedType::isDynamic(ranges[*row]))
      rows = std::min(rows, ranges[*row]);
    lanes = *getWeightLanes(op, rows, vectorBits);
  }
  SmallVector<int64_t> sizes = lanes.getTileSizes(op);
  if (row)
    sizes[*row] = rows;
  unsigned terms = op.getNumReductionLoops() - 1;
  sizes[terms] = getEvenPart(ranges[terms], kTerms);
  for (auto [size, range] : llvm::zip_equal(sizes, ranges))
    if (!ShapedType::isDynamic(range) && size >= range)
      size = 0;
  return sizes;
}

/// Tiles `tile` once more along one loop. What is left over is a loop.
static void retile(TileRewriter &rewriter, linalg::GenericOp tile,
                   unsigned loop, int64_t size) {
  SmallVector<int64_t> sizes(tile.getNumLoops(), 0);
  sizes[loop] = size;
  FailureOr<SmallVector<scf::ForOp>> nest = tileLoops(rewriter, tile, sizes);
  if (failed(nest) || nest->empty())
    return;
  if (scf::ForOp rest = peelRemainder(rewriter, nest->front()))
    for (linalg::GenericOp left :
         rewriter.getTiles(rest, TileStrategy::SubByteReduction))
      rewriter.dropPlan(left);
}

static void tileSubByteReduction(TileRewriter &rewriter, linalg::GenericOp op,
                                 int64_t vectorBits) {
  SmallVector<int64_t> sizes = getTileSizes(op, vectorBits);
  // Of the smallest tiles.
  LaneLoops lanes = *getWeightLanes(op, kRows, vectorBits);
  unsigned numReductions = op.getNumReductionLoops();
  TilePlan plan{TileStrategy::SubByteReduction};
  plan.laneLoops = lanes.getNumLoops();
  rewriter.setPlan(op, plan);
  if (llvm::all_of(sizes, [](int64_t size) { return size == 0; }))
    return;
  FailureOr<SmallVector<scf::ForOp>> nest = tileLoops(rewriter, op, sizes);
  if (failed(nest)) {
    rewriter.dropPlan(op);
    return;
  }
  // The parallel loops from the innermost one on.
  for (unsigned loop = sizes.size(), next = nest->size();
       loop-- > numReductions;) {
    if (sizes[loop] == 0)
      continue;
    scf::ForOp rest = peelRemainder(rewriter, (*nest)[--next]);
    if (!rest)
      continue;
    int64_t size = lanes.isLane(loop) ? lanes.getSize(loop) : 1;
    for (linalg::GenericOp tile :
         rewriter.getTiles(rest, TileStrategy::SubByteReduction)) {
      if (size < sizes[loop])
        retile(rewriter, tile, loop, size);
      else
        rewriter.dropPlan(tile);
    }
  }
}

void mlir::qdq::tileSubByteReductions(TileRewriter &rewriter, Operation *root,
                                      const VectorizationOptions &options) {
  int64_t vectorBits = options.vectorBits;
  auto isCandidate = [](linalg::GenericOp op) {
    return getLoopOrder(op).has_value();
  };
  for (linalg::GenericOp op : collectUnplanned(rewriter, root, isCandidate)) {
    rewriter.setInsertionPoint(op);
    FailureOr<linalg::GenericOp> ordered =
        linalg::interchangeGenericOp(rewriter, op, *getLoopOrder(op));
    if (failed(ordered))
      continue;
    expandBodyAffine(rewriter, *ordered);
    if (getWeightLanes(*ordered, /*rows=*/1, vectorBits))
      tileSubByteReduction(rewriter, *ordered, vectorBits);
  }
}

bool mlir::qdq::planSubByteReduction(TileRewriter &rewriter,
                                     linalg::GenericOp op, int64_t vectorBits) {
  if (!getLoopOrder(op))
    return false;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  std::optional<LaneLoops> lanes = getWeightLanes(op, /*rows=*/1, vectorBits);
  if (!lanes)
    return false;
  for (unsigned loop = op.getNumReductionLoops(); loop < ranges.size(); ++loop)
    if (ShapedType::isDynamic(ranges[loop]) ||
        (lanes->isLane(loop) && lanes->getSize(loop) != ranges[loop]))
      return false;
  TilePlan plan{TileStrategy::SubByteReduction};
  plan.laneLoops = lanes->getNumLoops();
  rewriter.setPlan(op, plan);
  return true;
}

/// The sums of a tile, a vector for each field of each row.
static Value buildFieldSums(ReductionLoops &tile) {
  LaneShuffle shuffle(tile.b, tile.lanes);
  Type element = tile.sum->getResult(0).getType();
  auto type = VectorType::get(
      tile.lanes.getShape(tile.op.getIndexingMapsArray().back()), element);
  Value result = tile.op.getDpsInits()[0];
  SmallVector<Value> sums;
  tile.forEachResult([&] {
    Value row = shuffle.flatten(tile.read(type, result, tile.getOrigin()));
    llvm::append_range(sums,
                       shuffle.split({LaneValue::Kind::Flat, {row}}).values);
  });
  sums = tile.addUp(sums);
  ArrayRef<Value> rest = sums;
  tile.forEachResult([&] {
    int64_t fields = tile.lanes.getNumFields();
    LaneValue row{LaneValue::Kind::Fields,
                  SmallVector<Value>(rest.take_front(fields))};
    rest = rest.drop_front(fields);
    Value vector =
        vector::ShapeCastOp::create(tile.b, type, shuffle.merge(row, element));
    result = tile.write(vector, result, tile.getOrigin());
  });
  return result;
}

void mlir::qdq::vectorizeSubByteReductions(
    TileRewriter &rewriter, Operation *root,
    const VectorizationOptions &options) {
  for (linalg::GenericOp tile :
       rewriter.getTiles(root, TileStrategy::SubByteReduction)) {
    unsigned count = rewriter.getPlan(tile)->laneLoops;
    // A tile whose size was not found out stays a loop.
    SmallVector<int64_t> sizes = tile.getStaticLoopRanges();
    if (!areVectorSizes(
            ArrayRef(sizes).drop_front(tile.getNumReductionLoops())))
      continue;
    expandBodyAffine(rewriter, tile);
    ImplicitLocOpBuilder b(tile.getLoc(), rewriter);
    b.setInsertionPoint(tile);
    ReductionLoops loops(rewriter, b, tile, LaneLoops::ofTile(tile, count),
                         getSum(tile), options.getTableBits());
    rewriter.replaceOp(tile, buildFieldSums(loops));
  }
}
