// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contractions of four unsigned and four signed bytes a lane, as instructions
// of x86 and of AArch64.

#include "../Dots/ByteTile.h"
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

/// The integers of `bits` bits that are extended to `wide`, signed or not, or a
/// constant that they could make. Null for others.
static Value getNarrow(PatternRewriter &rewriter, Value wide, bool isSigned,
                       unsigned bits) {
  Type element = rewriter.getIntegerType(bits);
  Operation *extension = wide.getDefiningOp();
  if (isSigned ? isa_and_present<arith::ExtSIOp>(extension)
               : isa_and_present<arith::ExtUIOp>(extension)) {
    Value narrow = extension->getOperand(0);
    return getElementTypeOrSelf(narrow) == element ? narrow : Value();
  }
  DenseIntElementsAttr constant;
  if (!matchPattern(wide, m_Constant(&constant)) || !constant.isSplat())
    return {};
  APInt value = constant.getSplatValue<APInt>();
  if (isSigned ? !value.isSignedIntN(bits) : !value.isIntN(bits))
    return {};
  return arith::ConstantOp::create(
      rewriter, wide.getLoc(),
      DenseElementsAttr::get(cast<VectorType>(wide.getType()).clone(element),
                             value.trunc(bits)));
}

static Value flatten(PatternRewriter &rewriter, Value vector) {
  auto type = cast<VectorType>(vector.getType());
  type = VectorType::get(type.getNumElements(), type.getElementType());
  DenseElementsAttr constant;
  if (matchPattern(vector, m_Constant(&constant)))
    return arith::ConstantOp::create(rewriter, vector.getLoc(),
                                     constant.reshape(type));
  // Most vectors were flat. A fold of two casts leaves one.
  if (auto from = vector.getDefiningOp<vector::ShapeCastOp>();
      from && from.getSourceVectorType() == type)
    return from.getSource();
  return vector::ShapeCastOp::create(rewriter, vector.getLoc(), type, vector);
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
  return LLVM::CallIntrinsicOp::create(rewriter, loc, type,
                                       rewriter.getStringAttr("llvm." + name),
                                       operands)
      .getResult(0);
}

/// The name of an instruction for registers of as many bits.
static StringRef choose(int64_t bits, StringRef of128, StringRef of256,
                        StringRef of512) {
  return bits == 512 ? of512 : bits == 256 ? of256 : of128;
}

/// The sums of two products of bytes as i16, which hold them.
static Value multiplyBytes(PatternRewriter &rewriter, Location loc,
                           Value unsignedBytes, Value signedBytes) {
  auto bytes = cast<VectorType>(unsignedBytes.getType());
  StringRef name =
      choose(8 * bytes.getNumElements(), "x86.ssse3.pmadd.ub.sw.128",
             "x86.avx2.pmadd.ub.sw", "x86.avx512.pmaddubs.w.512");
  auto halves =
      VectorType::get(bytes.getNumElements() / 2, rewriter.getIntegerType(16));
  return callIntrinsic(rewriter, loc, halves, name,
                       {unsignedBytes, signedBytes});
}

/// Adds two products of i16 to each of `sums`.
static Value addHalves(PatternRewriter &rewriter, Location loc, Value sums,
                       Value lhs, Value rhs) {
  auto type = cast<VectorType>(sums.getType());
  StringRef name = choose(32 * type.getNumElements(), "x86.sse2.pmadd.wd",
                          "x86.avx2.pmadd.wd", "x86.avx512.pmaddw.d.512");
  Value pairs = callIntrinsic(rewriter, loc, type, name, {lhs, rhs});
  return arith::AddIOp::create(rewriter, loc, sums, pairs);
}

/// Adds the four products of each pair of vectors in pairs: of bytes if their
/// sums fit in i16, or else of i16.
static Value addPairs(PatternRewriter &rewriter, vector::ContractionOp op,
                      ValueRange unsignedBytes, ValueRange signedBytes) {
  Location loc = op.getLoc();
  Value sums = op.getAcc();
  if (op->hasAttr(qdq::kFitsI16Attr)) {
    Value halves;
    for (auto [lhs, rhs] : llvm::zip_equal(unsignedBytes, signedBytes)) {
      Value next = multiplyBytes(rewriter, loc, lhs, rhs);
      halves =
          halves
              ? arith::AddIOp::create(rewriter, loc, halves, next).getResult()
              : next;
    }
    auto type = cast<VectorType>(halves.getType());
    Value one = arith::ConstantOp::create(
        rewriter, loc,
        DenseElementsAttr::get(type, rewriter.getI16IntegerAttr(1)));
    return addHalves(rewriter, loc, sums, halves, one);
  }
  for (auto [lhs, rhs] : llvm::zip_equal(unsignedBytes, signedBytes))
    for (bool isSecond : {false, true})
      sums =
          addHalves(rewriter, loc, sums,
                    widenAlternate(rewriter, lhs, /*isSigned=*/false, isSecond),
                    widenAlternate(rewriter, rhs, /*isSigned=*/true, isSecond));
  return sums;
}

/// True for a contraction of `terms` products a lane, of the innermost
/// dimension and all before the lanes, for each lane of a register.
static bool addsTerms(vector::ContractionOp op, int64_t terms,
                      unsigned laneBits, unsigned rank = 2) {
  auto type = dyn_cast<VectorType>(op.getResultType());
  MLIRContext *context = op.getContext();
  AffineMap identity = AffineMap::getMultiDimIdentityMap(rank, context);
  AffineMap lane = AffineMap::get(rank, 0, getAffineDimExpr(rank - 2, context));
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  return !op.isMasked() && type && type.getRank() == 1 &&
         type.getElementType().isInteger(laneBits) &&
         llvm::is_contained({128, 256, 512},
                            laneBits * type.getNumElements()) &&
         op.getKind() == vector::CombiningKind::ADD &&
         ArrayRef(maps) == ArrayRef({identity, identity, lane}) &&
         op.getLhsType().getShape().back() == terms;
}

/// The bytes that are multiplied, the unsigned ones first, or nothing.
static std::optional<std::pair<Value, Value>>
getBytes(PatternRewriter &rewriter, vector::ContractionOp op) {
  Value lhs = op.getLhs(), rhs = op.getRhs();
  if (lhs.getDefiningOp<arith::ExtSIOp>() ||
      rhs.getDefiningOp<arith::ExtUIOp>())
    std::swap(lhs, rhs);
  Value unsignedBytes = getNarrow(rewriter, lhs, /*isSigned=*/false, 8);
  Value signedBytes = getNarrow(rewriter, rhs, /*isSigned=*/true, 8);
  if (!unsignedBytes || !signedBytes)
    return std::nullopt;
  return std::pair(unsignedBytes, signedBytes);
}

/// A vector of the outer dimension. Canonicalization inserts it element by
/// element.
static Value takeVector(PatternRewriter &rewriter, Value vectors,
                        int64_t index) {
  auto type = cast<VectorType>(vectors.getType());
  int64_t size = type.getNumElements() / type.getDimSize(0);
  if (auto all = vectors.getDefiningOp<vector::FromElementsOp>()) {
    OperandRange elements = all.getElements().slice(index * size, size);
    auto from = elements.front().getDefiningOp<vector::ToElementsOp>();
    if (from && llvm::equal(elements, from.getElements()))
      return from.getSource();
  }
  return rewriter.createOrFold<vector::ExtractOp>(vectors.getLoc(), vectors,
                                                  ArrayRef(index));
}

/// The vectors of four bytes for each lane: one, or those of the outer
/// dimension.
static SmallVector<Value> split(PatternRewriter &rewriter, Value bytes) {
  auto type = cast<VectorType>(bytes.getType());
  if (type.getRank() == 2)
    return {flatten(rewriter, bytes)};
  SmallVector<Value> vectors;
  for (int64_t index = 0; index < type.getDimSize(0); ++index)
    vectors.push_back(flatten(rewriter, takeVector(rewriter, bytes, index)));
  return vectors;
}

namespace {
/// Four products of bytes, of one vector or of several, for each i32.
struct ByteDotLowering : OpRewritePattern<vector::ContractionOp> {
  ByteDotLowering(MLIRContext *context, bool pairs, bool usdot)
      : OpRewritePattern(context), pairs(pairs), usdot(usdot) {}

  LogicalResult matchAndRewrite(vector::ContractionOp op,
                                PatternRewriter &rewriter) const override {
    if (!addsTerms(op, 4, 32) && !addsTerms(op, 4, 32, /*rank=*/3))
      return rewriter.notifyMatchFailure(op, "does not add four products");
    auto bytes = getBytes(rewriter, op);
    if (!bytes)
      return rewriter.notifyMatchFailure(
          op, "does not multiply unsigned bytes with signed ones");
    auto type = cast<VectorType>(op.getResultType());
    int64_t bits = 32 * type.getNumElements();
    if (usdot && bits != 128)
      return rewriter.notifyMatchFailure(op, "is no vector of 128 bits");
    SmallVector<Value> lhs = split(rewriter, bytes->first),
                       rhs = split(rewriter, bytes->second);
    if (pairs) {
      rewriter.replaceOp(op, addPairs(rewriter, op, lhs, rhs));
      return success();
    }
    Value sums = op.getAcc();
    std::string name = usdot ? "aarch64.neon.usdot.v4i32.v16i8"
                             : ("x86.avx512.vpdpbusd." + Twine(bits)).str();
    for (auto [first, second] : llvm::zip_equal(lhs, rhs))
      sums = callIntrinsic(rewriter, op.getLoc(), type, name,
                           {sums, first, second});
    rewriter.replaceOp(op, sums);
    return success();
  }

private:
  bool pairs, usdot;
};

/// Two products of bytes for each i16.
struct BytePairLowering : OpRewritePattern<vector::ContractionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::ContractionOp op,
                                PatternRewriter &rewriter) const override {
    if (!addsTerms(op, 2, 16) || !op->hasAttr(qdq::kFitsI16Attr))
      return rewriter.notifyMatchFailure(op, "adds no pairs that fit in i16");
    auto bytes = getBytes(rewriter, op);
    if (!bytes)
      return rewriter.notifyMatchFailure(
          op, "does not multiply unsigned bytes with signed ones");
    rewriter.replaceOpWithNewOp<arith::AddIOp>(
        op, op.getAcc(),
        multiplyBytes(rewriter, op.getLoc(), flatten(rewriter, bytes->first),
                      flatten(rewriter, bytes->second)));
    return success();
  }
};

/// Two products of i16 for each i32.
struct HalfPairLowering : OpRewritePattern<vector::ContractionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::ContractionOp op,
                                PatternRewriter &rewriter) const override {
    if (!addsTerms(op, 2, 32))
      return rewriter.notifyMatchFailure(op, "does not add two products");
    Value lhs = getNarrow(rewriter, op.getLhs(), /*isSigned=*/true, 16);
    Value rhs = getNarrow(rewriter, op.getRhs(), /*isSigned=*/true, 16);
    if (!lhs || !rhs)
      return rewriter.notifyMatchFailure(op, "does not multiply i16");
    rewriter.replaceOp(op, addHalves(rewriter, op.getLoc(), op.getAcc(),
                                     flatten(rewriter, lhs),
                                     flatten(rewriter, rhs)));
    return success();
  }
};

struct LowerByteDotsPass : qdq::impl::LowerByteDotsPassBase<LowerByteDotsPass> {
  using LowerByteDotsPassBase::LowerByteDotsPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ByteDotLowering>(&getContext(), pairs, usdot);
    if (pairs)
      patterns.add<BytePairLowering, HalfPairLowering>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace
