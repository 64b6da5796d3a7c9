// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Common parts of all tiles of vectors.

#include "Tiles.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/IR/QDQ.h"

using namespace mlir;
using namespace mlir::qdq;

bool mlir::qdq::hasWholeBytes(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIntOrFloat() && element.getIntOrFloatBitWidth() >= 8 &&
         llvm::isPowerOf2_32(element.getIntOrFloatBitWidth());
}

LogicalResult mlir::qdq::checkVectorBits(Operation *root, int64_t vectorBits) {
  if (vectorBits >= 64 && llvm::isPowerOf2_64(vectorBits))
    return success();
  return emitError(root->getLoc()) << "vector-bits is " << vectorBits
                                   << ": expected a power of two, at least 64";
}

int64_t mlir::qdq::getFullLanes(linalg::GenericOp op, int64_t vectorBits) {
  int64_t widest = 8;
  op.getBody()->walk([&](Operation *nested) {
    if (auto encode = dyn_cast<EncodeOp>(nested))
      widest = std::max<int64_t>(widest, encode.getWidestBits());
    if (auto field = dyn_cast<ExtractFieldOp>(nested))
      widest = std::max<int64_t>(widest, field.getWordType().getWidth());
    for (Type type : nested->getOperandTypes())
      if (type.isIntOrFloat())
        widest = std::max<int64_t>(widest, type.getIntOrFloatBitWidth());
  });
  return std::max<int64_t>(vectorBits / widest, 1);
}

int64_t mlir::qdq::getLoopLanes(linalg::GenericOp op, unsigned loop,
                                int64_t vectorBits) {
  int64_t lanes = getFullLanes(op, vectorBits);
  int64_t size = op.getStaticLoopRanges()[loop];
  return ShapedType::isDynamic(size)
             ? lanes
             : std::min<int64_t>(lanes, llvm::bit_floor<uint64_t>(size));
}

int64_t mlir::qdq::getEvenPart(int64_t size, int64_t wanted) {
  if (ShapedType::isDynamic(size))
    return wanted;
  for (int64_t part = wanted; part > wanted / 2; --part)
    if (size % part == 0)
      return part;
  return wanted;
}

/// True if a result has a dimension for a reduction loop: nothing is reduced.
static bool hasReductionInResult(linalg::GenericOp op) {
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  return llvm::any_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    return llvm::any_of(
        reductions, [&](unsigned loop) { return map.isFunctionOfDim(loop); });
  });
}

SmallVector<linalg::GenericOp>
mlir::qdq::collectGenerics(Operation *root,
                           function_ref<bool(linalg::GenericOp)> filter) {
  SmallVector<linalg::GenericOp> ops;
  root->walk([&](linalg::GenericOp op) {
    if (mayHaveSSADominance(*op->getParentRegion()) &&
        op->getNumResults() > 0 && !hasReductionInResult(op) && filter(op))
      ops.push_back(op);
  });
  return ops;
}

SmallVector<linalg::GenericOp>
mlir::qdq::collectUnplanned(const TileRewriter &rewriter, Operation *root,
                            function_ref<bool(linalg::GenericOp)> filter) {
  return collectGenerics(root, [&](linalg::GenericOp op) {
    return !rewriter.getPlan(op) && filter(op) && canTile(op);
  });
}

std::optional<int64_t> mlir::qdq::getStride(AffineExpr expr, unsigned loop,
                                            unsigned numLoops) {
  MLIRContext *context = expr.getContext();
  AffineExpr dim = getAffineDimExpr(loop, context);
  AffineExpr step =
      simplifyAffineExpr(expr.replace(dim, dim + 1) - expr, numLoops, 0);
  auto constant = dyn_cast<AffineConstantExpr>(step);
  return constant ? std::optional(constant.getValue()) : std::nullopt;
}

RewritePatternSet mlir::qdq::getTileShapePatterns(MLIRContext *context) {
  RewritePatternSet patterns(context);
  linalg::populateLinalgTilingCanonicalizationPatterns(patterns);
  context->getLoadedDialect<tensor::TensorDialect>()
      ->getCanonicalizationPatterns(patterns);
  return patterns;
}

linalg::GenericOp
mlir::qdq::rebuildGeneric(RewriterBase &rewriter, linalg::GenericOp op,
                          ValueRange inputs, ValueRange inits,
                          ArrayRef<AffineMap> maps,
                          ArrayRef<utils::IteratorType> iterators) {
  auto result = linalg::GenericOp::create(
      rewriter, op.getLoc(), inits.getTypes(), inputs, inits, maps, iterators,
      /*bodyBuild=*/nullptr, llvm::to_vector(op->getDiscardableAttrs()));
  rewriter.inlineRegionBefore(op.getRegion(), result.getRegion(),
                              result.getRegion().begin());
  return result;
}

static bool isLinear(AffineExpr expr) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return true;
  if (expr.getKind() == AffineExprKind::Add)
    return isLinear(binary.getLHS()) && isLinear(binary.getRHS());
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return expr.getKind() == AffineExprKind::Mul && factor &&
         factor.getValue() >= 0 && isLinear(binary.getLHS());
}

bool mlir::qdq::hasLinearIndices(linalg::LinalgOp op) {
  return llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) {
    return llvm::all_of(map.getResults(), isLinear);
  });
}

static bool hasEmptyLoop(TilingInterface op) {
  Operation *before = op->getPrevNode();
  OpBuilder b(op->getContext());
  bool isEmpty = llvm::any_of(op.getIterationDomain(b), [](const Range &loop) {
    return isZeroInteger(loop.size);
  });
  // Ops that compute the sizes; they fold as they do for the tiling.
  while (op->getPrevNode() != before)
    op->getPrevNode()->erase();
  return isEmpty;
}

// docs/upstream/tiling-of-empty-loops, docs/upstream/tiling-of-quotients
bool mlir::qdq::canTile(linalg::LinalgOp op) {
  return hasLinearIndices(op) &&
         !hasEmptyLoop(cast<TilingInterface>(op.getOperation()));
}

FailureOr<SmallVector<scf::ForOp>>
mlir::qdq::tileLoops(TileRewriter &rewriter, linalg::LinalgOp op,
                     ArrayRef<int64_t> sizes) {
  scf::SCFTilingOptions options;
  options.setTileSizes(getAsIndexOpFoldResult(rewriter.getContext(), sizes));
  if (!canTile(op))
    return failure();
  rewriter.setInsertionPoint(op);
  FailureOr<scf::SCFTilingResult> tiled = scf::tileUsingSCF(
      rewriter, cast<TilingInterface>(op.getOperation()), options);
  if (failed(tiled))
    return failure();
  rewriter.copyPlans(op, tiled->tiledOps.front());
  rewriter.replaceOp(op, tiled->replacements);
  return llvm::map_to_vector(tiled->loops, [](LoopLikeOpInterface loop) {
    return cast<scf::ForOp>(loop.getOperation());
  });
}

scf::ForOp mlir::qdq::peelRemainder(TileRewriter &rewriter, scf::ForOp loop) {
  scf::ForOp remainder;
  if (failed(scf::peelForLoopAndSimplifyBounds(rewriter, loop, remainder)))
    return {};
  rewriter.copyPlans(loop, remainder);
  return remainder;
}

bool mlir::qdq::hasStaticResults(linalg::GenericOp op) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  return llvm::none_of(parallel, [&](unsigned loop) {
    return ShapedType::isDynamic(ranges[loop]);
  });
}

void mlir::qdq::tileReduction(TileRewriter &rewriter, linalg::GenericOp op,
                              TilePlan plan, ArrayRef<int64_t> sizes) {
  rewriter.setPlan(op, plan);
  FailureOr<SmallVector<scf::ForOp>> nest = tileLoops(rewriter, op, sizes);
  if (failed(nest)) {
    rewriter.dropPlan(op);
    return;
  }
  SmallVector<int64_t> ones = llvm::map_to_vector(
      sizes, [](int64_t size) { return std::min<int64_t>(size, 1); });
  for (scf::ForOp loop : *nest)
    if (scf::ForOp remainder = peelRemainder(rewriter, loop))
      for (linalg::GenericOp tile : rewriter.getTiles(remainder, plan.strategy))
        (void)tileLoops(rewriter, tile, ones);
}
