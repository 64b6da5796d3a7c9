// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contractions of four bytes a lane, as instructions of x86 and of AArch64.

#include "../Dots/ByteContractions.h"
#include "../Dots/TileProduct.h"
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

namespace {
/// A factor of a contraction as integers of fewer bits.
struct Narrow {
  Value value;
  /// Bits that hold each of them, less than its own if more are known to be 0.
  unsigned usedBits;
};
} // namespace

/// The integers of `bits` bits that are extended to `wide`, as signed or
/// unsigned ones, or a constant that they could make. Nothing for others.
static std::optional<Narrow> getNarrow(PatternRewriter &rewriter, Value wide,
                                       bool isSigned, unsigned bits) {
  Type element = rewriter.getIntegerType(bits);
  auto hasBits = [&](Value value) {
    return getElementTypeOrSelf(value) == element;
  };
  if (auto extension = wide.getDefiningOp<arith::ExtSIOp>()) {
    if (isSigned && hasBits(extension.getIn()))
      return Narrow{extension.getIn(), bits};
    return std::nullopt;
  }
  if (auto extension = wide.getDefiningOp<arith::ExtUIOp>()) {
    if (hasBits(extension.getIn()))
      return isSigned ? std::nullopt
                      : std::optional(Narrow{extension.getIn(), bits});
    // Bits that are known to be 0 leave room for any sign.
    auto truncation = extension.getIn().getDefiningOp<arith::TruncIOp>();
    if (truncation && hasBits(truncation.getIn()) &&
        bitEnumContainsAll(truncation.getOverflowFlags(),
                           arith::IntegerOverflowFlags::nuw))
      return Narrow{truncation.getIn(),
                    getElementTypeOrSelf(truncation).getIntOrFloatBitWidth()};
    return std::nullopt;
  }
  DenseIntElementsAttr constant;
  if (!matchPattern(wide, m_Constant(&constant)) || !constant.isSplat())
    return std::nullopt;
  APInt value = constant.getSplatValue<APInt>();
  if (isSigned ? !value.isSignedIntN(bits) : !value.isIntN(bits))
    return std::nullopt;
  Value narrow = arith::ConstantOp::create(
      rewriter, wide.getLoc(),
      DenseElementsAttr::get(cast<VectorType>(wide.getType()).clone(element),
                             value.trunc(bits)));
  return Narrow{narrow, value.isNonNegative() ? value.getActiveBits() : bits};
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

static Value createSplat(PatternRewriter &rewriter, Location loc, Type type,
                         int64_t value) {
  Type element = getElementTypeOrSelf(type);
  return arith::ConstantOp::create(
      rewriter, loc,
      DenseElementsAttr::get(cast<VectorType>(type),
                             rewriter.getIntegerAttr(element, value)));
}

/// Every other byte, from the first or the second one on, as i16.
static Value widenAlternate(PatternRewriter &rewriter, Value bytes,
                            bool isSigned, bool isSecond) {
  Location loc = bytes.getLoc();
  auto type =
      VectorType::get(cast<VectorType>(bytes.getType()).getNumElements() / 2,
                      rewriter.getIntegerType(16));
  Value words = vector::BitCastOp::create(rewriter, loc, type, bytes);
  Value eight = createSplat(rewriter, loc, type, 8);
  if (isSigned && !isSecond)
    words = arith::ShLIOp::create(rewriter, loc, words, eight);
  if (isSigned)
    return arith::ShRSIOp::create(rewriter, loc, words, eight);
  if (isSecond)
    return arith::ShRUIOp::create(rewriter, loc, words, eight);
  return arith::AndIOp::create(rewriter, loc, words,
                               createSplat(rewriter, loc, type, 255));
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

/// Adds the four products of each pair of vectors to `sums` in pairs: of bytes
/// if their sums fit in i16, or else of i16.
static Value addPairs(PatternRewriter &rewriter, Location loc, Value sums,
                      ValueRange unsignedBytes, ValueRange signedBytes,
                      bool fitsI16) {
  if (fitsI16) {
    Value halves;
    for (auto [lhs, rhs] : llvm::zip_equal(unsignedBytes, signedBytes)) {
      Value next = multiplyBytes(rewriter, loc, lhs, rhs);
      halves =
          halves
              ? arith::AddIOp::create(rewriter, loc, halves, next).getResult()
              : next;
    }
    return addHalves(rewriter, loc, sums, halves,
                     createSplat(rewriter, loc, halves.getType(), 1));
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

namespace {
/// The bytes that a contraction multiplies.
struct Factors {
  Value lhs, rhs;
  /// Bits that hold those of `lhs`, if they are unsigned.
  unsigned usedBits;
};
} // namespace

/// The factors of a contraction of which one can be signed or not as `lhs`
/// tells, the other as `rhs`, in this order.
static std::optional<Factors> getFactors(PatternRewriter &rewriter,
                                         vector::ContractionOp op,
                                         bool isLhsSigned, bool isRhsSigned) {
  for (auto [first, second] : {std::pair(op.getLhs(), op.getRhs()),
                               std::pair(op.getRhs(), op.getLhs())}) {
    std::optional<Narrow> lhs = getNarrow(rewriter, first, isLhsSigned, 8);
    std::optional<Narrow> rhs = getNarrow(rewriter, second, isRhsSigned, 8);
    if (lhs && rhs)
      return Factors{lhs->value, rhs->value, lhs->usedBits};
  }
  return std::nullopt;
}

/// True if the sums in pairs of `vectors` vectors of products fit in i16.
static bool fitsI16(vector::ContractionOp op, const Factors &factors,
                    int64_t vectors) {
  return op->hasAttr(qdq::kFitsI16Attr) ||
         vectors <= qdq::getMostInI16(factors.usedBits);
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

/// Adds the four products of each pair of vectors to `sums` by an instruction.
static Value addFours(PatternRewriter &rewriter, Location loc, Value sums,
                      const Twine &name, ArrayRef<Value> lhs,
                      ArrayRef<Value> rhs) {
  for (auto [first, second] : llvm::zip_equal(lhs, rhs))
    sums = callIntrinsic(rewriter, loc, sums.getType(), name,
                         {sums, first, second});
  return sums;
}

namespace {
/// Four products of bytes, of one vector or of several, for each i32.
struct ByteDotLowering : OpRewritePattern<vector::ContractionOp> {
  ByteDotLowering(MLIRContext *context, qdq::ByteDots dots)
      : OpRewritePattern(context), dots(dots) {}

  LogicalResult matchAndRewrite(vector::ContractionOp op,
                                PatternRewriter &rewriter) const override {
    if (!addsTerms(op, 4, 32) && !addsTerms(op, 4, 32, /*rank=*/3))
      return rewriter.notifyMatchFailure(op, "does not add four products");
    Value sums =
        isNEON() ? lowerToNEON(rewriter, op) : lowerToX86(rewriter, op);
    if (!sums)
      return rewriter.notifyMatchFailure(
          op, "multiplies no bytes for which there are instructions");
    rewriter.replaceOp(op, sums);
    return success();
  }

private:
  bool isNEON() const {
    return dots == qdq::ByteDots::NEONDotProd ||
           dots == qdq::ByteDots::NEONI8MM;
  }

  Value lowerToX86(PatternRewriter &rewriter, vector::ContractionOp op) const {
    auto factors = getFactors(rewriter, op, /*isLhsSigned=*/false,
                              /*isRhsSigned=*/true);
    if (!factors)
      return {};
    SmallVector<Value> lhs = split(rewriter, factors->lhs),
                       rhs = split(rewriter, factors->rhs);
    if (dots == qdq::ByteDots::X86Pairs)
      return addPairs(rewriter, op.getLoc(), op.getAcc(), lhs, rhs,
                      fitsI16(op, *factors, lhs.size()));
    int64_t bits = 32 * cast<VectorType>(op.getResultType()).getNumElements();
    return addFours(rewriter, op.getLoc(), op.getAcc(),
                    "x86.avx512.vpdpbusd." + Twine(bits), lhs, rhs);
  }

  Value lowerToNEON(PatternRewriter &rewriter, vector::ContractionOp op) const {
    Location loc = op.getLoc();
    Type type = op.getResultType();
    if (cast<VectorType>(type).getNumElements() != 4)
      return {};
    auto add = [&](Value sums, StringRef name, Value lhs, Value rhs) {
      return addFours(rewriter, loc, sums,
                      "aarch64.neon." + name + ".v4i32.v16i8",
                      split(rewriter, lhs), split(rewriter, rhs));
    };
    Value sums = op.getAcc();
    for (auto [isSigned, name] : {std::pair(true, "sdot"), {false, "udot"}})
      if (auto factors = getFactors(rewriter, op, isSigned, isSigned))
        return add(sums, name, factors->lhs, factors->rhs);
    auto mixed = getFactors(rewriter, op, /*isLhsSigned=*/false,
                            /*isRhsSigned=*/true);
    if (!mixed)
      return {};
    if (dots == qdq::ByteDots::NEONI8MM)
      return add(sums, "usdot", mixed->lhs, mixed->rhs);
    // Less 128, unsigned bytes are signed ones.
    Value least = createSplat(rewriter, loc, mixed->lhs.getType(), -128);
    Value moved =
        arith::XOrIOp::create(rewriter, loc, mixed->lhs, least).getResult();
    Value correction =
        add(createSplat(rewriter, loc, type, 0), "sdot", least, mixed->rhs);
    return arith::SubIOp::create(
        rewriter, loc, add(sums, "sdot", moved, mixed->rhs), correction);
  }

  qdq::ByteDots dots;
};

/// Two products of bytes for each i16.
struct BytePairLowering : OpRewritePattern<vector::ContractionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::ContractionOp op,
                                PatternRewriter &rewriter) const override {
    if (!addsTerms(op, 2, 16))
      return rewriter.notifyMatchFailure(op, "adds no pairs in i16");
    auto factors = getFactors(rewriter, op, /*isLhsSigned=*/false,
                              /*isRhsSigned=*/true);
    if (!factors || !fitsI16(op, *factors, 1))
      return rewriter.notifyMatchFailure(
          op, "multiplies no unsigned bytes with signed ones so that two "
              "products fit in i16");
    rewriter.replaceOpWithNewOp<arith::AddIOp>(
        op, op.getAcc(),
        multiplyBytes(rewriter, op.getLoc(), flatten(rewriter, factors->lhs),
                      flatten(rewriter, factors->rhs)));
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
    auto lhs = getNarrow(rewriter, op.getLhs(), /*isSigned=*/true, 16);
    auto rhs = getNarrow(rewriter, op.getRhs(), /*isSigned=*/true, 16);
    if (!lhs || !rhs)
      return rewriter.notifyMatchFailure(op, "does not multiply i16");
    rewriter.replaceOp(op, addHalves(rewriter, op.getLoc(), op.getAcc(),
                                     flatten(rewriter, lhs->value),
                                     flatten(rewriter, rhs->value)));
    return success();
  }
};

struct LowerByteDotsPass : qdq::impl::LowerByteDotsPassBase<LowerByteDotsPass> {
  using LowerByteDotsPassBase::LowerByteDotsPassBase;

  void runOnOperation() override {
    if (dots == qdq::ByteDots::None)
      return;
    if (dots == qdq::ByteDots::X86AMX) {
      IRRewriter rewriter(&getContext());
      getOperation()->walk([&](linalg::GenericOp op) {
        if (auto product = qdq::TileProduct::get(op))
          qdq::lowerTileProduct(rewriter, *product);
      });
    }
    RewritePatternSet patterns(&getContext());
    patterns.add<ByteDotLowering>(&getContext(), dots);
    if (dots == qdq::ByteDots::X86Pairs)
      patterns.add<BytePairLowering, HalfPairLowering>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace
