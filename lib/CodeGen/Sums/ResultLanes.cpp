// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums in vectors, a lane for each of their results.

#include "ResultLanes.h"
#include "../Analysis/MayTrap.h"
#include "../Dots/ByteProduct.h"
#include "../Plan/ConsumerFusion.h"
#include "../Plan/Tiles.h"
#include "../Vectorize/SubByteTiles.h"
#include "ResultLaneTile.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::qdq;

/// Rows of results in a tile of one vector, which share what is the same for
/// all rows.
static constexpr int64_t kRows = 4;

/// The same of floats, and the vectors of their tiles, as measured: rows share
/// decoded elements; vectors side by side hide the latency of addition.
static constexpr int64_t kFloatRows = 8;
static constexpr int64_t kFloatVectors = 16;

/// Fewer results are no vector.
static constexpr int64_t kMinLanes = 4;

/// Vectors of a small op that are in registers at the same time.
static constexpr int64_t kSmallVectors = 16;

/// How far `expr` moves with a step of `loop`; nothing if that depends on where
/// the loops are.
static std::optional<int64_t> getStride(AffineExpr expr, unsigned loop,
                                        unsigned numLoops) {
  MLIRContext *context = expr.getContext();
  AffineExpr dim = getAffineDimExpr(loop, context);
  AffineExpr step =
      simplifyAffineExpr(expr.replace(dim, dim + 1) - expr, numLoops, 0);
  auto constant = dyn_cast<AffineConstantExpr>(step);
  return constant ? std::optional(constant.getValue()) : std::nullopt;
}

/// How far apart the elements of two lanes are in an operand of this map.
static std::optional<int64_t> getLaneStride(AffineMap map, unsigned lane) {
  int64_t stride = 0;
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    std::optional<int64_t> step = getStride(expr, lane, map.getNumDims());
    bool isInnermost = i + 1 == map.getNumResults();
    if (!step || *step < 0 || *step > (isInnermost ? 2 : 0))
      return std::nullopt;
    stride = *step;
  }
  return stride;
}

std::optional<ResultLanes> ResultLanes::get(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() == 0 || op.getNumDpsInputs() == 0 ||
      llvm::is_contained(op.getStaticLoopRanges(), 0))
    return std::nullopt;
  Type sum = getElementTypeOrSelf(op.getDpsInits()[0]);
  if (!sum.isInteger(32) && !sum.isF32())
    return std::nullopt;
  // All operands are numbers in bytes of their own, and all ops elementwise.
  // They run on lanes that do not exist, too.
  auto isElementwise = [](Operation &nested) {
    return isa<linalg::YieldOp, linalg::IndexOp>(nested) ||
           nested.hasTrait<OpTrait::ConstantLike>() ||
           (OpTrait::hasElementwiseMappableTraits(&nested) &&
            !mayTrap(&nested) &&
            llvm::all_of(nested.getOperandTypes(), [](Type type) {
              return type.isSignlessInteger() || type.isIndex() ||
                     isa<Float16Type, BFloat16Type, Float32Type>(type);
            }));
  };
  if (!llvm::all_of(op->getOperandTypes(), hasWholeBytes) ||
      !llvm::all_of(*op.getBody(), isElementwise))
    return std::nullopt;
  AffineMap result = op.getIndexingMapsArray().back();
  Operation *last =
      op.getBody()->getTerminator()->getOperand(0).getDefiningOp();
  if (!result.isProjectedPermutation() || result.getNumResults() == 0 ||
      result.getNumResults() != op.getNumParallelLoops() || !last ||
      last->getBlock() != op.getBody())
    return std::nullopt;
  ResultLanes lanes;
  lanes.op = op;
  lanes.lane = result.getDimPosition(result.getNumResults() - 1);
  int64_t numLanes = op.getStaticLoopRanges()[lanes.lane];
  if (!ShapedType::isDynamic(numLanes) && numLanes < kMinLanes)
    return std::nullopt;
  // Lanes have no index of their own.
  if (llvm::any_of(
          op.getBody()->getOps<linalg::IndexOp>(),
          [&](linalg::IndexOp index) { return index.getDim() == lanes.lane; }))
    return std::nullopt;
  if (result.getNumResults() > 1)
    lanes.row = result.getDimPosition(result.getNumResults() - 2);
  bool varies = false;
  for (OpOperand *input : op.getDpsInputOperands()) {
    std::optional<int64_t> stride =
        getLaneStride(op.getMatchingIndexingMap(input), lanes.lane);
    if (!stride)
      return std::nullopt;
    varies |= *stride > 0;
    lanes.strides.push_back(*stride);
  }
  return varies ? std::optional(lanes) : std::nullopt;
}

static SmallVector<int64_t> getTileSizes(const ResultLanes &sum,
                                         int64_t vectorBits) {
  linalg::GenericOp op = sum.op;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<int64_t> sizes(op.getNumLoops(), 0);
  for (AffineExpr expr : op.getIndexingMapsArray().back().getResults())
    sizes[cast<AffineDimExpr>(expr).getPosition()] = 1;
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(op.getDpsInits()[0]));
  int64_t rows = 1;
  if (sum.row) {
    rows = getEvenPart(ranges[*sum.row], isFloat ? kFloatRows : kRows);
    sizes[*sum.row] = rows;
    if (!ShapedType::isDynamic(ranges[*sum.row]))
      rows = std::min(rows, ranges[*sum.row]);
  }
  sizes[sum.lane] = vectorBits / 32;
  if (isFloat && !ShapedType::isDynamic(ranges[sum.lane]))
    sizes[sum.lane] *=
        getEvenPart(llvm::divideCeil(ranges[sum.lane], sizes[sum.lane]),
                    kFloatVectors / rows);
  return sizes;
}

/// Tiles of one row each, of rows left over whose number is dynamic.
static void tileToRows(TileRewriter &rewriter, linalg::GenericOp tile) {
  std::optional<ResultLanes> lanes = ResultLanes::get(tile);
  if (!lanes || !lanes->row ||
      !ShapedType::isDynamic(tile.getStaticLoopRanges()[*lanes->row]))
    return;
  SmallVector<int64_t> sizes(tile.getNumLoops(), 0);
  sizes[*lanes->row] = 1;
  (void)tileGeneric(rewriter, tile, sizes);
}

void mlir::qdq::tileResultLanes(TileRewriter &rewriter, Operation *root,
                                const VectorizationOptions &options) {
  auto isCandidate = [&](linalg::GenericOp op) {
    return ResultLanes::get(op) &&
           !(options.usesByteDots() && ByteProduct::get(op));
  };
  for (linalg::GenericOp op : collectUnplanned(rewriter, root, isCandidate)) {
    ResultLanes lanes = *ResultLanes::get(op);
    SmallVector<int64_t> sizes = getTileSizes(lanes, options.getByteBits());
    rewriter.setPlan(op, {TileStrategy::ResultLanes});
    for (scf::ForOp loop : tileWithConsumer(rewriter, op, sizes))
      if (scf::ForOp remainder = peelRemainder(rewriter, loop))
        for (linalg::GenericOp tile :
             rewriter.getTiles(remainder, TileStrategy::ResultLanes))
          tileToRows(rewriter, tile);
  }
}

bool mlir::qdq::planResultLanes(TileRewriter &rewriter, linalg::GenericOp op,
                                int64_t vectorBits) {
  std::optional<ResultLanes> lanes = ResultLanes::get(op);
  if (!lanes)
    return false;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  int64_t others = 1;
  for (unsigned loop : parallel) {
    if (ShapedType::isDynamic(ranges[loop]))
      return false;
    if (loop != lanes->lane)
      others *= ranges[loop];
  }
  rewriter.setPlan(op, {TileStrategy::ResultLanes});
  SmallVector<int64_t> sizes(op.getNumLoops(), 0);
  sizes[lanes->lane] = std::max<int64_t>(kSmallVectors / others, 1) *
                       std::min<int64_t>(vectorBits, 512) / 32;
  if (sizes[lanes->lane] < ranges[lanes->lane])
    (void)tileGeneric(rewriter, op, sizes);
  return true;
}

void mlir::qdq::vectorizeResultLanes(TileRewriter &rewriter, Operation *root,
                                     const VectorizationOptions &options) {
  for (linalg::GenericOp tile :
       rewriter.getTiles(root, TileStrategy::ResultLanes)) {
    expandBodyAffine(rewriter, tile);
    std::optional<ResultLanes> lanes = ResultLanes::get(tile);
    SmallVector<int64_t> ranges = tile.getStaticLoopRanges();
    SmallVector<unsigned> parallel;
    tile.getParallelDims(parallel);
    if (!lanes || llvm::any_of(parallel, [&](unsigned loop) {
          return ShapedType::isDynamic(ranges[loop]);
        }))
      continue;
    ImplicitLocOpBuilder b(tile.getLoc(), rewriter);
    b.setInsertionPoint(tile);
    rewriter.replaceOp(tile,
                       createResultLaneTile(b, *lanes, options.getByteBits()));
  }
}
