// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vector transfers of contiguous memory by vectors of rank 1, those of one
// element as scalars, and those of rows row by row; fills of contiguous memory.

#include "StridedCopies.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "qdq/CodeGen/Passes.h"
#include "qdq/IR/FunctionPattern.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_FLATTENTRANSFERSPASS
#include "qdq/CodeGen/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;

/// A read of one element for all lanes. Upstream would read a vector of rank 0,
/// which nothing lowers where the memory has a stride.
static LogicalResult loadBroadcast(vector::TransferReadOp op,
                                   PatternRewriter &rewriter) {
  bool isOne = llvm::all_of(op.getPermutationMap().getResults(),
                            llvm::IsaPred<AffineConstantExpr>);
  if (!isOne || op.getMask() || op.isMasked() ||
      !isa<MemRefType>(op.getShapedType()) ||
      isa<VectorType>(op.getShapedType().getElementType()))
    return rewriter.notifyMatchFailure(op, "does not read one element");
  Value element = memref::LoadOp::create(rewriter, op.getLoc(), op.getBase(),
                                         op.getIndices());
  rewriter.replaceOpWithNewOp<vector::BroadcastOp>(op, op.getVectorType(),
                                                   element);
  return success();
}

namespace {
bool isExpanded(Value memory) {
  while (auto view = memory.getDefiningOp<ViewLikeOpInterface>()) {
    if (isa<memref::ExpandShapeOp>(view))
      return true;
    memory = view.getViewSource();
  }
  return false;
}

/// True if other ops make, or take, a vector row by row.
bool isOfRows(vector::TransferReadOp op) {
  return llvm::all_of(op->getUsers(), [](Operation *user) {
    auto extract = dyn_cast<vector::ExtractOp>(user);
    return extract && isa<VectorType>(extract.getType());
  });
}
bool isOfRows(vector::TransferWriteOp op) {
  return op.getVector().getDefiningOp<vector::InsertStridedSliceOp>();
}

} // namespace

/// A fill as one loop over the innermost dimensions that have no gap. Of a loop
/// for each of them, LLVM might make vectors of an outer one.
static LogicalResult flattenFill(linalg::FillOp op, PatternRewriter &rewriter) {
  auto type = dyn_cast<MemRefType>(op.output().getType());
  if (!type)
    return rewriter.notifyMatchFailure(op, "fills a tensor");
  ReassociationIndices line;
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    line.insert(line.begin(), dim);
    if (memref::CollapseShapeOp::isGuaranteedCollapsible(type, {line}))
      continue;
    line.erase(line.begin());
    break;
  }
  if (line.size() < 2)
    return rewriter.notifyMatchFailure(op, "has one dimension without a gap");
  FailureOr<linalg::CollapseResult> flat = linalg::collapseOpIterationDims(
      cast<linalg::LinalgOp>(op.getOperation()), line, rewriter);
  if (failed(flat))
    return failure();
  rewriter.eraseOp(op);
  return success();
}

/// Rows, each by a transfer of its own: those that ops make or take one by one,
/// or those of an expanded buffer with gaps between them. For the latter,
/// upstream's fold-memref-alias-ops takes the dimensions of the vector for
/// those that the buffer had before: docs/upstream/fold-memref-alias-ops-gaps.
template <typename OpTy>
static LogicalResult splitRows(OpTy op, PatternRewriter &rewriter,
                               bool ofExpanded) {
  VectorType type = op.getVectorType();
  if (type.getRank() < 2 || type.isScalable() || op.getMask() ||
      op.isMasked() || !op.getPermutationMap().isMinorIdentity() ||
      !op.isDimInBounds(0) || !isa<MemRefType>(op.getShapedType()) ||
      !(ofExpanded ? isExpanded(op.getBase()) : isOfRows(op)))
    return rewriter.notifyMatchFailure(op, "is not of rows");
  Location loc = op.getLoc();
  auto rowType =
      VectorType::get(type.getShape().drop_front(), type.getElementType());
  int64_t rank = op.getShapedType().getRank();
  auto map = AffineMap::getMinorIdentityMap(rank, rowType.getRank(),
                                            rewriter.getContext());
  ArrayAttr inBounds =
      rewriter.getArrayAttr(op.getInBounds().getValue().drop_front());
  SmallVector<Value> indices(op.getIndices());
  Value &row = indices[rank - type.getRank()];
  Value first = row, result;
  if (auto read = dyn_cast<vector::TransferReadOp>(*op))
    result =
        vector::BroadcastOp::create(rewriter, loc, type, read.getPadding());
  for (int64_t i = 0; i < type.getDimSize(0); ++i) {
    Value distance = arith::ConstantIndexOp::create(rewriter, loc, i);
    row = rewriter.createOrFold<arith::AddIOp>(loc, first, distance);
    if (auto read = dyn_cast<vector::TransferReadOp>(*op)) {
      Value value = vector::TransferReadOp::create(
          rewriter, loc, rowType, op.getBase(), indices,
          AffineMapAttr::get(map), read.getPadding(), Value(), inBounds);
      result = vector::InsertOp::create(rewriter, loc, value, result, i);
    } else {
      auto write = cast<vector::TransferWriteOp>(*op);
      Value value =
          rewriter.createOrFold<vector::ExtractOp>(loc, write.getVector(), i);
      vector::TransferWriteOp::create(rewriter, loc, value, op.getBase(),
                                      indices, AffineMapAttr::get(map),
                                      inBounds);
    }
  }
  if (result)
    rewriter.replaceOp(op, result);
  else
    rewriter.eraseOp(op);
  return success();
}

namespace {
struct FlattenTransfersPass
    : qdq::impl::FlattenTransfersPassBase<FlattenTransfersPass> {
  using FlattenTransfersPassBase::FlattenTransfersPassBase;

  void runOnOperation() override {
    RewritePatternSet rows(&getContext()), others(&getContext());
    // First: what is contiguous needs no rows, unless it is made of them.
    addSplitRows(rows, /*ofExpanded=*/false, /*benefit=*/1);
    vector::populateFlattenVectorTransferPatterns(others);
    others.add<qdq::FunctionPattern<loadBroadcast>,
               qdq::FunctionPattern<flattenFill>>(&getContext());
    addSplitRows(others, /*ofExpanded=*/true, /*benefit=*/0);
    if (failed(applyPatternsGreedily(getOperation(), std::move(rows))) ||
        failed(applyPatternsGreedily(getOperation(), std::move(others))))
      return signalPassFailure();
    qdq::lowerStridedCopies(getOperation());
  }

private:
  static void addSplitRows(RewritePatternSet &patterns, bool ofExpanded,
                           PatternBenefit benefit) {
    patterns.add<qdq::FunctionPattern<splitRows<vector::TransferReadOp>>,
                 qdq::FunctionPattern<splitRows<vector::TransferWriteOp>>>(
        patterns.getContext(), ofExpanded, benefit);
  }
};
} // namespace
