// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops on tensors that upstream lowers to loops in two steps.

#include "EmptyTensors.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "qdq/CodeGen/Passes.h"
#include "qdq/IR/DependentDialects.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_DECOMPOSETENSOROPSPASS
#include "qdq/CodeGen/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;

/// To the elementwise op of the same name.
static LogicalResult lowerBitcast(tensor::BitcastOp op,
                                  PatternRewriter &rewriter) {
  Type from = op.getSource().getType(), to = op.getType();
  // Foreign ops keep signed types, and have such casts beside them.
  auto isSigned = [](Type type) {
    Type element = getElementTypeOrSelf(type);
    return element.isInteger() && !element.isSignlessInteger();
  };
  if (isSigned(from) || isSigned(to) ||
      !arith::BitcastOp::areCastCompatible(from, to))
    return rewriter.notifyMatchFailure(op, "arith.bitcast has other types");
  rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, to, op.getSource());
  return success();
}

static LogicalResult lowerPack(linalg::PackOp op, PatternRewriter &rewriter) {
  if (!op.getSourceType().getElementType().isIntOrIndexOrFloat())
    return rewriter.notifyMatchFailure(op, "there is no zero to pad with");
  return linalg::lowerPack(rewriter, op);
}

static LogicalResult lowerUnPack(linalg::UnPackOp op,
                                 PatternRewriter &rewriter) {
  return linalg::lowerUnPack(rewriter, op);
}

/// Padding of one dimension as a concatenation: whatever computes the source
/// then writes it in its place, and nothing is filled twice.
static LogicalResult lowerPadOfOneDim(tensor::PadOp op,
                                      PatternRewriter &rewriter) {
  Value padding = op.getConstantPaddingValue();
  if (!padding)
    return rewriter.notifyMatchFailure(op, "has no uniform padding");
  if (llvm::is_contained(op.getSourceType().getShape(), 0))
    return rewriter.notifyMatchFailure(op, "has no elements to keep");
  SmallVector<OpFoldResult> low = op.getMixedLowPad(),
                            high = op.getMixedHighPad();
  std::optional<int64_t> padded;
  for (int64_t dim = 0; dim < op.getSourceType().getRank(); ++dim) {
    if (isZeroInteger(low[dim]) && isZeroInteger(high[dim]))
      continue;
    if (padded)
      return rewriter.notifyMatchFailure(op, "pads several dimensions");
    padded = dim;
  }
  if (!padded)
    return rewriter.notifyMatchFailure(op, "pads nothing");
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, op.getLoc(), op.getSource());
  SmallVector<Value> parts;
  auto addPadding = [&](OpFoldResult size) {
    if (isZeroInteger(size))
      return;
    sizes[*padded] = size;
    Value empty = tensor::EmptyOp::create(b, sizes, padding.getType());
    parts.push_back(linalg::FillOp::create(b, padding, empty).getResult(0));
  };
  addPadding(low[*padded]);
  parts.push_back(op.getSource());
  addPadding(high[*padded]);
  Value joined = tensor::ConcatOp::create(b, *padded, parts);
  rewriter.replaceOp(op, b.createOrFold<tensor::CastOp>(op.getType(), joined));
  return success();
}

namespace {
/// linalg.softmax, and whatever else tells its parts.
struct AggregateLowering
    : OpInterfaceRewritePattern<linalg::AggregatedOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::AggregatedOpInterface op,
                                PatternRewriter &rewriter) const override {
    if (!llvm::all_of(op->getOperandTypes(), llvm::IsaPred<TensorType>))
      return rewriter.notifyMatchFailure(op, "works on buffers");
    FailureOr<SmallVector<Value>> results = op.decomposeOperation(rewriter);
    if (failed(results))
      return rewriter.notifyMatchFailure(op, "cannot be decomposed");
    rewriter.replaceOp(op, *results);
    return success();
  }
};

struct DecomposeTensorOpsPass
    : qdq::impl::DecomposeTensorOpsPassBase<DecomposeTensorOpsPass> {
  using DecomposeTensorOpsPassBase::DecomposeTensorOpsPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    qdq::populateDecomposeTensorOpsPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace

void mlir::qdq::populateDecomposeTensorOpsPatterns(RewritePatternSet &patterns,
                                                   PatternBenefit benefit) {
  loadDependentDialects(patterns.getContext(), createDecomposeTensorOpsPass());
  patterns.add<AggregateLowering>(patterns.getContext(), benefit);
  patterns.add(lowerBitcast, benefit)
      .add(lowerPack, benefit)
      .add(lowerPadOfOneDim, benefit)
      .add(lowerUnPack, benefit);
  qdq::populateEmptyTensorPatterns(patterns, benefit);
  tensor::populateDecomposeTensorConcatPatterns(patterns);
  linalg::populateDecomposeWinogradOpsPatterns(patterns);
}
