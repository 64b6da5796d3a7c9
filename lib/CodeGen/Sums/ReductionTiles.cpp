// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of products in any order, in vectors.

#include "../Plan/Tiles.h"
#include "../Vectorize/ElementTiles.h"
#include "../Vectorize/LaneBody.h"
#include "ReductionLoops.h"
#include "ReductionWords.h"
#include "SumTiles.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::qdq;

/// Vectors of lanes of one sum: they cover a block of 32 in 512 bits.
static constexpr int64_t kLaneVectors = 2;

/// Sums that a tile adds up side by side, along each of its two innermost
/// parallel loops. They share what they read, and hide the latency of addition.
static constexpr int64_t kSums = 4;

/// As many of them, at most, share codes that are looked up.
static constexpr int64_t kSharingSums = 8;

/// The sums of a tile along the innermost two parallel loops, `outer` and
/// `inner`. Codes in words are looked up once for all sums that share them.
static std::pair<int64_t, int64_t> getSums(linalg::GenericOp op, unsigned words,
                                           unsigned outer, unsigned inner) {
  int64_t size = op.getStaticLoopRanges()[outer];
  if (words == 0 || ShapedType::isDynamic(size) || size <= kSums)
    return {kSums, kSums};
  LaneLoops lanes = LaneLoops::ofWords(op, words);
  bool sharesWords = llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *o) {
    AffineMap map = op.getMatchingIndexingMap(o);
    return lanes.classify(map) == LaneOperand::Words &&
           map.isFunctionOfDim(inner) && !map.isFunctionOfDim(outer);
  });
  if (!sharesWords)
    return {kSums, kSums};
  return {getEvenPart(size, kSharingSums), kSums * kSums / kSharingSums};
}

static SmallVector<int64_t> getTileSizes(linalg::GenericOp op, unsigned words,
                                         const VectorizationOptions &options) {
  SmallVector<int64_t> sizes(op.getNumLoops(), 0);
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  // The innermost first.
  SmallVector<int64_t, 2> sums(2, kSums);
  if (parallel.size() > 1) {
    auto [outer, inner] =
        getSums(op, words, parallel[parallel.size() - 2], parallel.back());
    sums = {inner, outer};
    // A vector for each of 16 needs 32 registers.
    if (options.registers < 2 * inner * outer)
      sums.front() = std::max<int64_t>(inner / 2, 1);
  }
  for (auto [i, loop] : llvm::enumerate(llvm::reverse(parallel))) {
    int64_t size = i < 2 ? sums[i] : 1;
    sizes[loop] = ShapedType::isDynamic(ranges[loop])
                      ? size
                      : std::min(size, ranges[loop]);
  }
  return sizes;
}

/// The sums of a tile with such sizes of the parallel loops.
static int64_t countSums(linalg::GenericOp op, ArrayRef<int64_t> sizes) {
  int64_t count = 1;
  for (auto [size, kind] : llvm::zip_equal(sizes, op.getIteratorTypesArray()))
    count *= linalg::isParallelIterator(kind) ? size : 1;
  return std::max<int64_t>(count, 1);
}

/// Lanes of each of `sums` sums: half of the registers hold them.
static int64_t getMaxLanes(linalg::GenericOp op, int64_t sums,
                           const VectorizationOptions &options) {
  Type type = getElementTypeOrSelf(op->getResultTypes().front());
  int64_t vectors =
      std::clamp<int64_t>(options.registers / 2 / sums, 1, kLaneVectors);
  return vectors * std::max<int64_t>(
                       options.vectorBits / type.getIntOrFloatBitWidth(), 1);
}

/// The lane loops of each of `sums` sums; `words` of them, if it is one over
/// words.
static std::optional<LaneLoops> getLanes(linalg::GenericOp op, unsigned words,
                                         int64_t sums,
                                         const VectorizationOptions &options) {
  if (words)
    return LaneLoops::ofWords(op, words);
  std::optional<LaneLoops> loops =
      LaneLoops::getSummed(op, getMaxLanes(op, sums, options));
  if (!loops)
    return std::nullopt;
  for (OpOperand &operand : op->getOpOperands()) {
    if (loops->classify(op.getMatchingIndexingMap(&operand)) !=
            LaneOperand::Scalar &&
        !hasWholeBytes(operand.get().getType()))
      return std::nullopt;
  }
  // A part of a loop has no index of its own.
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  for (auto index : op.getBody()->getOps<linalg::IndexOp>())
    if (loops->isLane(index.getDim()) &&
        loops->getSize(index.getDim()) != ranges[index.getDim()])
      return std::nullopt;
  return loops;
}

void mlir::qdq::tileReductions(TileRewriter &rewriter, Operation *root,
                               const VectorizationOptions &options) {
  int64_t tableBits = options.getTableBits();
  DenseMap<Operation *, unsigned> words;
  if (tableBits > 0)
    words = layOutReductionWords(rewriter, root, tableBits);
  auto isCandidate = [&](linalg::GenericOp op) {
    return getReassociableSum(op) &&
           getLanes(op, words.lookup(op),
                    countSums(op, getTileSizes(op, words.lookup(op), options)),
                    options);
  };
  for (linalg::GenericOp op : collectUnplanned(rewriter, root, isCandidate)) {
    TilePlan plan{TileStrategy::Reduction};
    plan.laneLoops = words.lookup(op);
    tileReduction(rewriter, op, plan,
                  getTileSizes(op, plan.laneLoops, options));
  }
}

/// The sums of a tile, whose lanes are terms.
static Value buildSums(ReductionLoops &tile) {
  ImplicitLocOpBuilder &b = tile.b;
  Type element = tile.sum->getResult(0).getType();
  auto type = VectorType::get(tile.lanes.getNumContainers(), element);
  // Start from -0.0, the identity of addition.
  Value none = arith::ConstantOp::create(
      b, DenseElementsAttr::get(type, b.getFloatAttr(element, -0.0)));
  SmallVector<Value> sums =
      tile.addUp(SmallVector<Value>(tile.getNumResults(), none));
  // The lanes of each sum, added to its element of the destination.
  Value result = tile.op.getDpsInits().front();
  auto *next = sums.begin();
  tile.forEachResult([&] {
    SmallVector<Value> at = tile.getOrigin();
    Value start = tensor::ExtractOp::create(b, result, at);
    Value total = vector::ReductionOp::create(
        b, vector::CombiningKind::ADD, *next++, start,
        cast<arith::AddFOp>(tile.sum).getFastmath());
    result = tensor::InsertOp::create(b, total, result, at);
  });
  return result;
}

void mlir::qdq::vectorizeReductions(TileRewriter &rewriter, Operation *root,
                                    const VectorizationOptions &options) {
  for (linalg::GenericOp tile :
       rewriter.getTiles(root, TileStrategy::Reduction)) {
    if (!hasStaticResults(tile))
      continue;
    // Folding may have found that there is nothing to add.
    std::optional<LaneLoops> lanes =
        getLanes(tile, rewriter.getPlan(tile)->laneLoops,
                 countSums(tile, tile.getStaticLoopRanges()), options);
    if (!lanes)
      continue;
    expandBodyAffine(rewriter, tile);
    ImplicitLocOpBuilder b(tile.getLoc(), rewriter);
    b.setInsertionPoint(tile);
    ReductionLoops loops(rewriter, b, tile, *lanes, getReassociableSum(tile),
                         options.getTableBits());
    rewriter.replaceOp(tile, buildSums(loops));
  }
}
