// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lines of a picture as one line of lanes.

#include "../Analysis/SumOfProducts.h"
#include "SumLayouts.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace mlir;
using namespace mlir::qdq;

/// Cuts off what the loops do not read where `units`, loops of one iteration,
/// are left out: an index that is one loop says how long that is. Fails if
/// nothing else says it.
static LogicalResult cutOperands(IRRewriter &rewriter, linalg::GenericOp op,
                                 ArrayRef<unsigned> units) {
  using Bounds = ValueBoundsConstraintSet;
  SmallVector<AffineExpr> loops;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    loops.push_back(llvm::is_contained(units, loop)
                        ? getAffineConstantExpr(0, op.getContext())
                        : getAffineDimExpr(loop, op.getContext()));
  SmallVector<std::pair<OpOperand *, SmallVector<OpFoldResult>>> cuts;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(operand);
    SmallVector<OpFoldResult> sizes;
    for (auto [i, expr] : llvm::enumerate(map.getResults())) {
      auto left = dyn_cast<AffineDimExpr>(expr.replaceDims(loops));
      if (!left || left == expr)
        continue;
      Value counted;
      unsigned dim;
      if (failed(op.mapIterationSpaceDimToOperandDim(left.getPosition(),
                                                     counted, dim)))
        return failure();
      FailureOr<bool> isWhole = Bounds::areEqual(
          Bounds::Variable(operand->get(), i), Bounds::Variable(counted, dim));
      if (succeeded(isWhole) && *isWhole)
        continue;
      if (sizes.empty())
        sizes = tensor::getMixedSizes(rewriter, op.getLoc(), operand->get());
      sizes[i] = tensor::getMixedSize(rewriter, op.getLoc(), counted, dim);
    }
    if (!sizes.empty())
      cuts.emplace_back(operand, sizes);
  }
  rewriter.modifyOpInPlace(op, [&] {
    for (auto &[operand, sizes] : cuts) {
      SmallVector<OpFoldResult> zeros(sizes.size(), rewriter.getIndexAttr(0)),
          ones(sizes.size(), rewriter.getIndexAttr(1));
      operand->set(tensor::ExtractSliceOp::create(
          rewriter, op.getLoc(), operand->get(), zeros, sizes, ones));
    }
  });
  return success();
}

/// Drops the reductions of one iteration: the window of one pixel.
static FailureOr<linalg::GenericOp> dropUnitReductions(IRRewriter &rewriter,
                                                       linalg::GenericOp op) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<unsigned> units;
  op.getReductionDims(units);
  llvm::erase_if(units, [&](unsigned loop) { return ranges[loop] != 1; });
  rewriter.setInsertionPoint(op);
  if (units.empty() || failed(cutOperands(rewriter, op, units)))
    return op;
  linalg::ControlDropUnitDims options;
  options.controlFn = [&](Operation *) { return units; };
  FailureOr<linalg::DropUnitDimsResult> dropped =
      linalg::dropUnitDims(rewriter, op, options);
  if (failed(dropped))
    return failure();
  rewriter.replaceOp(op, dropped->replacements);
  return cast<linalg::GenericOp>(dropped->resultOp.getOperation());
}

static bool mayCollapse(linalg::GenericOp op, ArrayRef<int64_t> loops) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  return op.hasPureTensorSemantics() && !op.hasIndexSemantics() &&
         llvm::all_of(loops,
                      [&](int64_t loop) {
                        return kinds[loop] == kinds[loops.front()];
                      }) &&
         llvm::all_of(maps, [&](AffineMap map) {
           return map.isProjectedPermutation() &&
                  linalg::isDimSequencePreserved(map, loops);
         });
}

/// The innermost loops of results that are side by side in all operands.
static ReassociationIndices getLines(linalg::GenericOp op) {
  ReassociationIndices lines;
  AffineMap result = op.getIndexingMapsArray().back();
  if (!result.isProjectedPermutation())
    return lines;
  for (AffineExpr expr : llvm::reverse(result.getResults())) {
    lines.insert(lines.begin(), cast<AffineDimExpr>(expr).getPosition());
    if (!mayCollapse(op, lines)) {
      lines.erase(lines.begin());
      break;
    }
  }
  return lines;
}

/// The loops of an elementwise op that run over `dims` of an operand, if they
/// are side by side in all operands.
static ReassociationIndices getLoops(OpOperand &use,
                                     const ReassociationIndices &dims) {
  auto user = dyn_cast<linalg::GenericOp>(use.getOwner());
  if (dims.size() == 1 || !user ||
      user.getNumLoops() != user.getNumParallelLoops())
    return {};
  AffineMap map = user.getMatchingIndexingMap(&use);
  ReassociationIndices loops;
  for (int64_t dim : dims)
    if (auto loop = dyn_cast<AffineDimExpr>(map.getResult(dim)))
      loops.push_back(loop.getPosition());
  return loops.size() == dims.size() && mayCollapse(user, loops)
             ? loops
             : ReassociationIndices();
}

static void collapse(IRRewriter &rewriter, linalg::GenericOp op,
                     const ReassociationIndices &loops) {
  rewriter.setInsertionPoint(op);
  FailureOr<linalg::CollapseResult> collapsed =
      linalg::collapseOpIterationDims(op, loops, rewriter);
  if (failed(collapsed))
    return;
  // Operands that are expanded already need no reshape.
  for (Value operand : collapsed->collapsedOp->getOperands()) {
    SmallVector<Value> folded;
    auto reshape = operand.getDefiningOp<tensor::CollapseShapeOp>();
    if (!reshape)
      continue;
    rewriter.setInsertionPoint(reshape);
    if (succeeded(rewriter.tryFold(reshape, folded)) && !folded.empty())
      rewriter.replaceOp(reshape, folded);
  }
  rewriter.replaceOp(op, collapsed->results);
  // Then the elementwise ops that use the result.
  for (Value result : collapsed->results) {
    auto expanded = result.getDefiningOp<tensor::ExpandShapeOp>();
    if (!expanded)
      continue;
    auto collapseUser = [&] {
      for (OpOperand &use : result.getUses())
        for (ReassociationIndices dims : expanded.getReassociationIndices())
          if (ReassociationIndices loops = getLoops(use, dims);
              !loops.empty()) {
            collapse(rewriter, cast<linalg::GenericOp>(use.getOwner()), loops);
            return true;
          }
      return false;
    };
    while (collapseUser())
      continue;
  }
}

bool mlir::qdq::isAlongLine(linalg::GenericOp op, unsigned loop) {
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    AffineMap map = op.getMatchingIndexingMap(input);
    return map.getNumResults() > 0 &&
           map.getResults().back().isFunctionOfDim(loop);
  });
}

void mlir::qdq::collapseLanes(IRRewriter &rewriter, Operation *root) {
  SmallVector<linalg::GenericOp> sums;
  root->walk([&](linalg::GenericOp op) {
    std::optional<SumOfProducts> sum = SumOfProducts::get(op);
    if (sum && sum->isOfFloats())
      sums.push_back(op);
  });
  for (linalg::GenericOp op : sums) {
    FailureOr<linalg::GenericOp> sum = dropUnitReductions(rewriter, op);
    if (failed(sum))
      continue;
    ReassociationIndices lines = getLines(*sum);
    if (lines.size() > 1 && isAlongLine(*sum, lines.back()))
      collapse(rewriter, *sum, lines);
  }
}
