// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// memref.expand_shape with several dynamic sizes in a group, which upstream's
// pass crashes on: https://github.com/llvm/llvm-project/issues/186830
// docs/upstream/expand-strided-metadata-dynamic-sizes.

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "qdq/CodeGen/Passes.h"
#include "qdq/IR/DependentDialects.h"
#include "qdq/IR/FunctionPattern.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_LOWEREXPANDSHAPESPASS
#include "qdq/CodeGen/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;

/// `lhs * rhs`, with ops only where one of them is dynamic.
static OpFoldResult multiply(OpBuilder &b, Location loc, OpFoldResult lhs,
                             OpFoldResult rhs) {
  AffineExpr s0 = b.getAffineSymbolExpr(0), s1 = b.getAffineSymbolExpr(1);
  return affine::makeComposedFoldedAffineApply(b, loc, s0 * s1, {lhs, rhs});
}

/// A reinterpret_cast to the sizes that the op has as operands.
static LogicalResult lowerExpandShape(memref::ExpandShapeOp op,
                                      PatternRewriter &rewriter) {
  MemRefType type = op.getResultType();
  SmallVector<ReassociationIndices> groups = op.getReassociationIndices();
  auto hasSeveral = [&](const ReassociationIndices &group) {
    return llvm::count_if(
               group, [&](int64_t dim) { return type.isDynamicDim(dim); }) > 1;
  };
  if (llvm::none_of(groups, hasSeveral))
    return rewriter.notifyMatchFailure(
        op, "no group has more than one dynamic size");
  int64_t offset;
  SmallVector<int64_t> strides;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return rewriter.notifyMatchFailure(op, "the result is not strided");

  Location loc = op.getLoc();
  auto source =
      memref::ExtractStridedMetadataOp::create(rewriter, loc, op.getSrc());
  SmallVector<OpFoldResult> sizes = op.getMixedOutputShape();
  SmallVector<OpFoldResult> newStrides(sizes.size());
  for (auto [group, sourceStride] :
       llvm::zip_equal(groups, source.getConstifiedMixedStrides())) {
    OpFoldResult stride = sourceStride;
    for (int64_t dim : llvm::reverse(group)) {
      // The cast takes what the type says.
      newStrides[dim] = ShapedType::isStatic(strides[dim])
                            ? rewriter.getIndexAttr(strides[dim])
                            : stride;
      if (dim != group.front())
        stride = multiply(rewriter, loc, stride, sizes[dim]);
    }
  }
  rewriter.replaceOpWithNewOp<memref::ReinterpretCastOp>(
      op, type, source.getBaseBuffer(), source.getConstifiedMixedOffset(),
      sizes, newStrides);
  return success();
}

namespace {
struct LowerExpandShapesPass
    : qdq::impl::LowerExpandShapesPassBase<LowerExpandShapesPass> {
  using LowerExpandShapesPassBase::LowerExpandShapesPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    qdq::populateLowerExpandShapesPatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace

void mlir::qdq::populateLowerExpandShapesPatterns(RewritePatternSet &patterns,
                                                  PatternBenefit benefit) {
  loadDependentDialects(patterns.getContext(), createLowerExpandShapesPass());
  patterns.add<qdq::FunctionPattern<lowerExpandShape>>(patterns.getContext(),
                                                       benefit);
}
