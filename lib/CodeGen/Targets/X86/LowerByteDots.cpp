// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contractions of four unsigned and four signed bytes a lane, in instructions.

#include "../../Dots/ByteTile.h"
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

/// Every other byte, from the first or the second one on, as i16.
static Value widenAlternate(PatternRewriter &rewriter, Value bytes,
                            bool isSigned, bool isSecond) {
  Location loc = bytes.getLoc();
  auto type =
      VectorType::get(cast<VectorType>(bytes.getType()).getNumElements() / 2,
                      rewriter.getIntegerType(16));
  Value words = vector::BitCastOp::create(rewriter, loc, type, bytes);
  Value eight = arith::ConstantOp::create(
      rewriter, loc,
      DenseElementsAttr::get(type, rewriter.getI16IntegerAttr(8)));
  if (isSigned && !isSecond)
    words = arith::ShLIOp::create(rewriter, loc, words, eight);
  if (isSigned)
    return arith::ShRSIOp::create(rewriter, loc, words, eight);
  if (isSecond)
    return arith::ShRUIOp::create(rewriter, loc, words, eight);
  Value mask = arith::ConstantOp::create(
      rewriter, loc,
      DenseElementsAttr::get(type, rewriter.getI16IntegerAttr(255)));
  return arith::AndIOp::create(rewriter, loc, words, mask);
}

static Value callIntrinsic(PatternRewriter &rewriter, Location loc, Type type,
                           const Twine &name, ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(
             rewriter, loc, type, rewriter.getStringAttr("llvm.x86." + name),
             operands)
      .getResult(0);
}

/// Adds products in pairs: of bytes if these fit in i16, or else of i16.
static Value addPairs(PatternRewriter &rewriter, vector::ContractionOp op,
                      Value unsignedBytes, Value signedBytes, int64_t bits) {
  auto type = cast<VectorType>(op.getResultType());
  auto halves =
      VectorType::get(2 * type.getNumElements(), rewriter.getIntegerType(16));
  Location loc = op.getLoc();
  StringRef words = bits == 512   ? "avx512.pmaddw.d.512"
                    : bits == 256 ? "avx2.pmadd.wd"
                                  : "sse2.pmadd.wd";
  Value sums = op.getAcc();
  auto add = [&](Value lhs, Value rhs) {
    Value pairs = callIntrinsic(rewriter, loc, type, words, {lhs, rhs});
    sums = arith::AddIOp::create(rewriter, loc, sums, pairs);
  };
  if (op->hasAttr(qdq::kFitsI16Attr)) {
    StringRef bytes = bits == 512   ? "avx512.pmaddubs.w.512"
                      : bits == 256 ? "avx2.pmadd.ub.sw"
                                    : "ssse3.pmadd.ub.sw.128";
    Value one = arith::ConstantOp::create(
        rewriter, loc,
        DenseElementsAttr::get(halves, rewriter.getI16IntegerAttr(1)));
    add(callIntrinsic(rewriter, loc, halves, bytes,
                      {unsignedBytes, signedBytes}),
        one);
    return sums;
  }
  for (bool isSecond : {false, true})
    add(widenAlternate(rewriter, unsignedBytes, /*isSigned=*/false, isSecond),
        widenAlternate(rewriter, signedBytes, /*isSigned=*/true, isSecond));
  return sums;
}

namespace {
struct ByteDotLowering : OpRewritePattern<vector::ContractionOp> {
  ByteDotLowering(MLIRContext *context, bool pairs)
      : OpRewritePattern(context), pairs(pairs) {}

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
    rewriter.replaceOp(
        op, pairs ? addPairs(rewriter, op, unsignedBytes, signedBytes, bits)
                  : callIntrinsic(rewriter, op.getLoc(), type,
                                  "avx512.vpdpbusd." + Twine(bits),
                                  {op.getAcc(), unsignedBytes, signedBytes}));
    return success();
  }

private:
  bool pairs;
};

struct LowerByteDotsPass : qdq::impl::LowerByteDotsPassBase<LowerByteDotsPass> {
  using LowerByteDotsPassBase::LowerByteDotsPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ByteDotLowering>(&getContext(), pairs);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace
