// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors without elements, which upstream does not bufferize.

#include "EmptyTensors.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

/// The dynamic sizes of the only result.
static FailureOr<SmallVector<Value>> reifyOpenSizes(Operation *op,
                                                    OpBuilder &b) {
  ReifiedRankedShapedTypeDims shapes;
  if (failed(reifyResultShapes(b, op, shapes)))
    return failure();
  auto type = cast<RankedTensorType>(op->getResultTypes().front());
  SmallVector<Value> sizes;
  for (auto [dim, size] : llvm::enumerate(shapes.front())) {
    if (!type.isDynamicDim(dim))
      continue;
    // A product with 0.
    auto value = dyn_cast<Value>(size);
    if (auto apply = value ? value.getDefiningOp<affine::AffineApplyOp>()
                           : affine::AffineApplyOp();
        apply && apply.getAffineMap().isSingleConstant())
      size = b.getIndexAttr(apply.getAffineMap().getSingleConstantResult());
    sizes.push_back(getValueOrCreateConstantIndexOp(b, op->getLoc(), size));
  }
  return sizes;
}

/// All of the result is padding. Upstream would insert the source, which may
/// begin at the end of a dimension, where no slice is valid:
/// docs/upstream/pad-of-empty.
static LogicalResult lowerPadOfEmpty(tensor::PadOp op,
                                     PatternRewriter &rewriter) {
  if (!llvm::is_contained(op.getSourceType().getShape(), 0))
    return rewriter.notifyMatchFailure(op, "may have elements to pad");
  FailureOr<SmallVector<Value>> sizes = reifyOpenSizes(op, rewriter);
  if (failed(sizes))
    return rewriter.notifyMatchFailure(op, "has unknown sizes");
  auto generate =
      tensor::GenerateOp::create(rewriter, op.getLoc(), op.getType(), *sizes);
  rewriter.inlineRegionBefore(op.getRegion(), generate.getBody(),
                              generate.getBody().begin());
  rewriter.replaceOp(op, generate);
  return success();
}

/// True if the type says so, or the type before a cast, or a size.
static bool hasNoElements(Value tensor) {
  if (llvm::is_contained(cast<RankedTensorType>(tensor.getType()).getShape(),
                         0))
    return true;
  if (auto cast = tensor.getDefiningOp<tensor::CastOp>())
    return isa<RankedTensorType>(cast.getSource().getType()) &&
           hasNoElements(cast.getSource());
  auto empty = tensor.getDefiningOp<tensor::EmptyOp>();
  return empty && llvm::any_of(empty.getDynamicSizes(), [](Value size) {
           return matchPattern(size, m_Zero());
         });
}

/// Upstream verifies that each slice of a buffer begins inside of it, and makes
/// buffers and indices of reshapes that it does not accept:
/// docs/upstream/collapse-shape-of-no-elements,
/// docs/upstream/fold-memref-alias-ops-of-no-elements
template <typename Op>
static LogicalResult lowerPartOfEmpty(Op op, PatternRewriter &rewriter) {
  bool isSlice = std::is_same_v<Op, tensor::ExtractSliceOp>;
  if (!hasNoElements(op->getOperand(0)) &&
      (isSlice || !hasNoElements(op.getResult())))
    return rewriter.notifyMatchFailure(op, "may have elements");
  FailureOr<SmallVector<Value>> sizes = reifyOpenSizes(op, rewriter);
  if (failed(sizes))
    return rewriter.notifyMatchFailure(op, "has unknown sizes");
  rewriter.replaceOpWithNewOp<tensor::EmptyOp>(op, op.getType(), *sizes);
  return success();
}

static LogicalResult lowerInsertionIntoEmpty(tensor::InsertSliceOp op,
                                             PatternRewriter &rewriter) {
  if (!hasNoElements(op.getDest()))
    return rewriter.notifyMatchFailure(op, "may have elements");
  rewriter.replaceOp(op, op.getDest());
  return success();
}

/// Upstream drops initial values that a body ignores, which are all that a
/// result has where no loop runs: docs/upstream/unread-initial-values.
static LogicalResult keepUnreadInits(linalg::GenericOp op,
                                     PatternRewriter &rewriter) {
  if (!op.hasPureTensorSemantics())
    return rewriter.notifyMatchFailure(op, "has no tensors");
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  if (llvm::is_contained(ranges, 0)) {
    rewriter.replaceOp(op, op.getDpsInits());
    return success();
  }
  for (OpOperand &init : op.getDpsInitsMutable()) {
    Value start = init.get();
    AffineMap map = op.getMatchingIndexingMap(&init);
    SmallVector<unsigned> open;
    for (auto [loop, range] : llvm::enumerate(ranges))
      if (!map.isFunctionOfDim(loop) && ShapedType::isDynamic(range))
        open.push_back(loop);
    if (open.empty() || op.payloadUsesValueFromOperand(&init) ||
        start.getDefiningOp<tensor::EmptyOp>())
      continue;
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    SmallVector<Range> loops =
        linalg::LinalgOp(op).createLoopRanges(b, op.getLoc());
    Value zero = arith::ConstantIndexOp::create(b, 0), runs;
    for (unsigned loop : open) {
      Value size =
          getValueOrCreateConstantIndexOp(b, b.getLoc(), loops[loop].size);
      Value isRun =
          arith::CmpIOp::create(b, arith::CmpIPredicate::ne, size, zero);
      runs = runs ? arith::AndIOp::create(b, runs, isRun) : isRun;
    }
    Value empty =
        tensor::EmptyOp::create(b, tensor::getMixedSizes(b, b.getLoc(), start),
                                getElementTypeOrSelf(start));
    rewriter.modifyOpInPlace(op, [&] { init.set(empty); });
    b.setInsertionPointAfter(op);
    OpResult result = op.getTiedOpResult(&init);
    auto kept = arith::SelectOp::create(b, runs, result, start);
    rewriter.replaceAllUsesExcept(result, kept, kept);
    return success();
  }
  return rewriter.notifyMatchFailure(op, "reads initial values, or runs");
}

void mlir::qdq::populateEmptyTensorPatterns(RewritePatternSet &patterns,
                                            PatternBenefit benefit) {
  patterns.add(keepUnreadInits, benefit)
      .add(lowerInsertionIntoEmpty, benefit)
      .add(lowerPadOfEmpty, benefit)
      .add(lowerPartOfEmpty<tensor::CollapseShapeOp>, benefit)
      .add(lowerPartOfEmpty<tensor::ExpandShapeOp>, benefit)
      .add(lowerPartOfEmpty<tensor::ExtractSliceOp>, benefit);
}
