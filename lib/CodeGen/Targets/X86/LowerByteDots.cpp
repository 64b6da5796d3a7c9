// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contractions of four unsigned and four signed bytes a lane as vpdpbusd.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "qdq/CodeGen/Passes.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_LOWERBYTEDOTSPASS
#include "qdq/CodeGen/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;

/// The bytes that are extended to `words`, signed or not, or a constant that
/// they could make. Null for others.
static Value getBytes(PatternRewriter &rewriter, Value words, bool isSigned) {
  auto type = cast<VectorType>(words.getType());
  auto bytes =
      VectorType::get(type.getNumElements(), rewriter.getIntegerType(8));
  Operation *extension = words.getDefiningOp();
  if (isSigned ? isa_and_present<arith::ExtSIOp>(extension)
               : isa_and_present<arith::ExtUIOp>(extension)) {
    Value narrow = extension->getOperand(0);
    return getElementTypeOrSelf(narrow).isInteger(8)
               ? vector::ShapeCastOp::create(rewriter, words.getLoc(), bytes,
                                             narrow)
                     .getResult()
               : Value();
  }
  DenseIntElementsAttr constant;
  if (!matchPattern(words, m_Constant(&constant)) || !constant.isSplat())
    return {};
  APInt value = constant.getSplatValue<APInt>();
  if (isSigned ? !value.isSignedIntN(8) : !value.isIntN(8))
    return {};
  return arith::ConstantOp::create(
      rewriter, words.getLoc(), DenseElementsAttr::get(bytes, value.trunc(8)));
}

namespace {
struct ByteDotLowering : OpRewritePattern<vector::ContractionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::ContractionOp op,
                                PatternRewriter &rewriter) const override {
    if (op.isMasked())
      return rewriter.notifyMatchFailure(op, "adds under a mask");
    auto type = dyn_cast<VectorType>(op.getResultType());
    VectorType words = op.getLhsType();
    AffineMap identity = rewriter.getMultiDimIdentityMap(2);
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    if (!type || type.getRank() != 1 || !type.getElementType().isInteger(32) ||
        op.getKind() != vector::CombiningKind::ADD || maps[0] != identity ||
        maps[1] != identity ||
        maps[2] != AffineMap::get(2, 0, rewriter.getAffineDimExpr(0)) ||
        words.getDimSize(1) != 4)
      return rewriter.notifyMatchFailure(op, "does not add four products");
    int64_t bits = 32 * type.getNumElements();
    if (bits != 128 && bits != 256 && bits != 512)
      return rewriter.notifyMatchFailure(op, "no register has these lanes");
    Value lhs = op.getLhs(), rhs = op.getRhs();
    if (lhs.getDefiningOp<arith::ExtSIOp>() ||
        rhs.getDefiningOp<arith::ExtUIOp>())
      std::swap(lhs, rhs);
    Value unsignedBytes = getBytes(rewriter, lhs, /*isSigned=*/false);
    Value signedBytes = getBytes(rewriter, rhs, /*isSigned=*/true);
    if (!unsignedBytes || !signedBytes)
      return rewriter.notifyMatchFailure(
          op, "does not multiply unsigned bytes with signed ones");
    rewriter.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(
        op, type,
        rewriter.getStringAttr("llvm.x86.avx512.vpdpbusd." + Twine(bits)),
        ValueRange{op.getAcc(), unsignedBytes, signedBytes});
    return success();
  }
};

struct LowerByteDotsPass : qdq::impl::LowerByteDotsPassBase<LowerByteDotsPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ByteDotLowering>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace
