// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise linalg.generic ops, tiled to one vector; a part of one becomes
// smaller vectors.

#include "../Plan/Tiles.h"
#include "ByteLookups.h"
#include "ElementTiles.h"
#include "LaneLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "qdq/IR/QDQ.h"

using namespace mlir;
using namespace mlir::qdq;

/// Elementwise over at least one loop, every operand indexed by a projected
/// permutation, and nothing loaded in the body.
static bool isElementwise(linalg::GenericOp op) {
  if (op.getNumLoops() > 0 && countsFields(op, op.getNumLoops() - 1))
    return false;
  auto isElement = [](Operation &nested) {
    StringRef dialect = nested.getName().getDialectNamespace();
    return (dialect == "arith" || dialect == "math" || isElementOp(&nested) ||
            isa<linalg::YieldOp, linalg::IndexOp>(nested)) &&
           llvm::all_of(nested.getOperandTypes(),
                        [](Type type) { return type.isIntOrIndexOrFloat(); });
  };
  return op.getNumLoops() > 0 && op.getNumLoops() == op.getNumParallelLoops() &&
         llvm::all_of(op->getOperandTypes(), hasWholeBytes) &&
         llvm::all_of(
             op.getIndexingMapsArray(),
             [](AffineMap map) { return map.isProjectedPermutation(); }) &&
         llvm::all_of(*op.getBody(), isElement);
}

/// The lanes of one vector: full, or the whole innermost loop.
static int64_t clampLanes(linalg::GenericOp op, int64_t lanes) {
  int64_t innermost = op.getStaticLoopRanges().back();
  return ShapedType::isDynamic(innermost)
             ? lanes
             : std::clamp<int64_t>(innermost, 1, lanes);
}

/// True if `op` makes f32 or wider of floats of 8 bits.
static bool widensBytes(linalg::GenericOp op) {
  return llvm::any_of(
      op.getBody()->getOps<arith::ExtFOp>(), [](arith::ExtFOp cast) {
        return cast.getIn().getType().getIntOrFloatBitWidth() == 8 &&
               cast.getType().getIntOrFloatBitWidth() >= 32;
      });
}

/// The bits of the vectors of `op`: more than `vectorBits` where the options
/// ask for it, and whole ones fill the innermost loop.
static int64_t getVectorBits(linalg::GenericOp op,
                             const VectorizationOptions &options) {
  unsigned narrowest = 32;
  // No lane of the result is empty.
  if (!op.getBody()->getOps<EncodeOp>().empty())
    narrowest = getElementTypeOrSelf(op.getResultTypes().front())
                    .getIntOrFloatBitWidth();
  else if (widensBytes(op))
    narrowest = 16;
  int64_t bits = options.vectorBits * std::max(32u / narrowest, 1u);
  int64_t innermost = op.getStaticLoopRanges().back();
  if (!options.wideVectors || ShapedType::isDynamic(innermost) ||
      innermost == 0)
    return options.vectorBits;
  while (bits > options.vectorBits && innermost % getFullLanes(op, bits) != 0)
    bits /= 2;
  return bits;
}

/// Fewer lanes stay a loop.
static constexpr int64_t kMinLanes = 4;

/// Tiles `op`, whose innermost loop is of this size, to vectors. A part of a
/// vector is left over: smaller vectors, or a loop if its size is dynamic. What
/// cannot be tiled stays.
static void tileToVectors(TileRewriter &rewriter, linalg::GenericOp op,
                          int64_t lanes, int64_t size) {
  SmallVector<int64_t> sizes(op.getNumLoops(), 1);
  sizes.back() = lanes;
  rewriter.setPlan(op, {TileStrategy::Elementwise});
  FailureOr<SmallVector<scf::ForOp>> nest = tileLoops(rewriter, op, sizes);
  if (failed(nest)) {
    rewriter.dropPlan(op);
    return;
  }
  scf::ForOp remainder = peelRemainder(rewriter, nest->back());
  if (!remainder)
    return;
  int64_t rest = ShapedType::isDynamic(size) ? 0 : size % lanes;
  for (linalg::GenericOp tile :
       rewriter.getTiles(remainder, TileStrategy::Elementwise)) {
    rewriter.dropPlan(tile);
    if (rest >= kMinLanes)
      tileToVectors(rewriter, tile, llvm::bit_floor<uint64_t>(rest), rest);
  }
}

void mlir::qdq::tileElementwise(TileRewriter &rewriter, Operation *root,
                                const VectorizationOptions &options) {
  for (linalg::GenericOp op : collectUnplanned(rewriter, root, isElementwise))
    tileToVectors(rewriter, op,
                  clampLanes(op, getFullLanes(op, getVectorBits(op, options))),
                  op.getStaticLoopRanges().back());
  if (!options.usesByteLookups())
    return;
  for (linalg::GenericOp op : collectUnplanned(rewriter, root, looksBytesUp))
    tileToVectors(rewriter, op, clampLanes(op, kLookupLanes),
                  op.getStaticLoopRanges().back());
}

/// `tile`, which reads its initial values as inputs. Upstream takes what is
/// combined with an initial value for a reduction, and fails if it indexes
/// fewer loops: docs/upstream/vectorization-of-indices
static linalg::GenericOp readInitsAsInputs(RewriterBase &rewriter,
                                           linalg::GenericOp tile) {
  for (int64_t i = 0; i < tile.getNumDpsInits(); ++i) {
    OpOperand *init = tile.getDpsInitOperand(i);
    if (tile.getMatchingBlockArgument(init).use_empty())
      continue;
    tile = addInput(rewriter, tile, init->get(),
                    tile.getMatchingIndexingMap(init));
    rewriter.replaceAllUsesWith(tile.getRegionOutputArgs()[i],
                                tile.getRegionInputArgs().back());
  }
  return tile;
}

void mlir::qdq::vectorizeElementwise(TileRewriter &rewriter, Operation *root,
                                     const VectorizationOptions &options) {
  for (linalg::GenericOp tile :
       rewriter.getTiles(root, TileStrategy::Elementwise)) {
    rewriter.setInsertionPoint(tile);
    if (looksBytesUp(tile)) {
      vectorizeByteLookup(rewriter, tile);
      continue;
    }
    linalg::GenericOp generic = readInitsAsInputs(rewriter, tile);
    FailureOr<linalg::VectorizationResult> vectors =
        linalg::vectorize(rewriter, generic);
    // A body that upstream does not vectorize stays a loop.
    if (succeeded(vectors))
      rewriter.replaceOp(generic, vectors->replacements);
  }
}
