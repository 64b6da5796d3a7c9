// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that normalize rows, in the same loops over rows.

#include "RowGroup.h"
#include "../Analysis/SumOfProducts.h"
#include "ConsumerFusion.h"
#include "Tiles.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "qdq/Transforms/DeclareSumOrder.h"

using namespace mlir;
using namespace mlir::qdq;

static bool isElementwise(linalg::GenericOp op) {
  return op.getNumLoops() == op.getNumParallelLoops();
}

/// True for one tensor, which has a dimension for each parallel loop.
static bool isTileable(linalg::GenericOp op) {
  AffineMap result = op.getIndexingMapsArray().back();
  return op->getNumResults() == 1 && result.isProjectedPermutation() &&
         result.getNumResults() == op.getNumParallelLoops() && canTile(op);
}

/// True if the first indices are the first loops.
static bool keepsOuterLoops(AffineMap map, unsigned numOuter) {
  return map.getNumResults() >= numOuter && map.isProjectedPermutation() &&
         llvm::all_of(llvm::seq(numOuter), [&](unsigned loop) {
           return map.getDimPosition(loop) == loop;
         });
}

/// True for an elementwise op, and for a sum of each row, whose terms are no
/// products with what rows share, such as a matrix.
static bool isOnRows(linalg::GenericOp op, unsigned numOuter) {
  auto isOfRows = [&](AffineMap map) {
    return map.getNumResults() == 0 || keepsOuterLoops(map, numOuter);
  };
  return isTileable(op) &&
         keepsOuterLoops(op.getIndexingMapsArray().back(), numOuter) &&
         (isElementwise(op) ||
          (op.getNumParallelLoops() == numOuter &&
           llvm::all_of(op.getIndexingMapsArray(), isOfRows)));
}

/// True if only ops of the group use the result, and read it row by row.
static bool isUsedByRows(linalg::GenericOp op, const RowGroup &group) {
  return llvm::all_of(op->getUses(), [&](OpOperand &use) {
    auto user = dyn_cast<linalg::GenericOp>(use.getOwner());
    if (!user)
      return isa<tensor::DimOp>(use.getOwner());
    return llvm::is_contained(group.ops, user) && user.isDpsInput(&use) &&
           keepsOuterLoops(user.getMatchingIndexingMap(&use), group.numOuter);
  });
}

/// The group whose last op is `root`; none where nothing reduces its rows.
static std::optional<RowGroup> getGroup(linalg::GenericOp root) {
  if (root.getNumLoops() < 2 || !isTileable(root) || !isElementwise(root) ||
      !root.getIndexingMapsArray().back().isIdentity())
    return std::nullopt;
  // The shortest rows that something reduces.
  for (unsigned numOuter = root.getNumLoops() - 1; numOuter > 0; --numOuter) {
    RowGroup group{{root}, numOuter};
    bool isReduced = false;
    for (size_t next = 0; next < group.ops.size(); ++next)
      for (Value input : group.ops[next].getDpsInputs()) {
        auto producer = input.getDefiningOp<linalg::GenericOp>();
        if (!producer || producer->getBlock() != root->getBlock() ||
            llvm::is_contained(group.ops, producer) ||
            !isOnRows(producer, numOuter) || !isUsedByRows(producer, group))
          continue;
        group.ops.push_back(producer);
        isReduced |= !isElementwise(producer);
      }
    if (isReduced)
      return group;
  }
  return std::nullopt;
}

SmallVector<RowGroup>
mlir::qdq::collectRowGroups(ArrayRef<linalg::LinalgOp> ops) {
  SmallVector<RowGroup> groups;
  DenseSet<Operation *> members;
  for (linalg::LinalgOp op : llvm::reverse(ops)) {
    auto root = dyn_cast<linalg::GenericOp>(op.getOperation());
    if (!root || members.contains(root))
      continue;
    if (std::optional<RowGroup> group = getGroup(root)) {
      members.insert_range(group->ops);
      groups.push_back(std::move(*group));
    }
  }
  return groups;
}

LogicalResult RowGroup::tile(TileRewriter &rewriter,
                             ArrayRef<OpFoldResult> sizes,
                             scf::SCFTilingOptions::LoopType loopType) const {
  FailureOr<SmallVector<LoopLikeOpInterface>> loops =
      tileFused(rewriter, ops, sizes, loopType);
  if (failed(loops))
    return failure();
  // An op that two others use is there twice.
  DominanceInfo dominance;
  eliminateCommonSubExpressions(rewriter, dominance, loops->front());
  return success();
}

static bool isOrderedSum(linalg::LinalgOp op) {
  std::optional<SumOfProducts> sum =
      SumOfProducts::get(cast<linalg::GenericOp>(op.getOperation()));
  return sum && sum->isOfFloats() && !sum->isReassociable() &&
         !sum->sum->hasAttr(kPartialSumsAttr);
}

int64_t RowGroup::getFewestRows() const {
  return llvm::any_of(ops, isOrderedSum) ? 16 : 1;
}

//===----------------------------------------------------------------------===//
// A few rows at a time
//===----------------------------------------------------------------------===//

/// Elements of a tile, which repay its loops, and of a tensor that the first
/// cache does not keep.
static constexpr int64_t kTileElements = 512, kFewestElements = 4096;

/// The rows of a tile, of which nothing is left over; 0 for none.
static int64_t chooseRows(const RowGroup &group) {
  SmallVector<int64_t> ranges = group.getRoot().getStaticLoopRanges();
  auto multiply = [](ArrayRef<int64_t> sizes) {
    int64_t product = 1;
    for (int64_t size : sizes)
      product = llvm::SaturatingMultiply<uint64_t>(
          product, ShapedType::isDynamic(size) ? kTileElements : size);
    return product;
  };
  if (!ShapedType::isDynamicShape(ranges) && multiply(ranges) < kFewestElements)
    return 0;
  int64_t row = std::max<int64_t>(
      multiply(ArrayRef(ranges).drop_front(group.numOuter)), 1);
  int64_t count = ranges[group.numOuter - 1];
  int64_t fewest = group.getFewestRows();
  int64_t rows = getEvenPart(count, std::max(kTileElements / row, fewest));
  if (!ShapedType::isDynamic(count) && count % rows == 0)
    return rows;
  return fewest == 1 ? 1 : 0;
}

void mlir::qdq::tileRowGroups(TileRewriter &rewriter, Operation *root) {
  SmallVector<linalg::LinalgOp> ops;
  for (linalg::GenericOp op : collectUnplanned(rewriter, root, isElementwise))
    ops.push_back(op);
  for (const RowGroup &group : collectRowGroups(ops)) {
    int64_t rows = chooseRows(group);
    if (rows == 0)
      continue;
    SmallVector<OpFoldResult> sizes(group.getRoot().getNumLoops(),
                                    rewriter.getIndexAttr(0));
    std::fill_n(sizes.begin(), group.numOuter, rewriter.getIndexAttr(1));
    sizes[group.numOuter - 1] = rewriter.getIndexAttr(rows);
    (void)group.tile(rewriter, sizes, scf::SCFTilingOptions::LoopType::ForOp);
  }
}
