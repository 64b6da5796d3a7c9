// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contractions of four bytes a lane, as instructions of x86 and of AArch64.

#include "../Dots/ByteContractions.h"
#include "../Dots/TileProduct.h"
#include "Intrinsic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "qdq/CodeGen/Passes.h"
#include "qdq/IR/FunctionPattern.h"
#include "qdq/Numerics/Scalar.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_LOWERBYTEDOTSPASS
#include "qdq/CodeGen/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

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
static std::optional<Narrow> getNarrow(ImplicitLocOpBuilder &b, Value wide,
                                       bool isSigned, unsigned bits) {
  Type element = b.getIntegerType(bits);
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
  Value narrow =
      createNumber(b, withShapeOf(element, wide.getType()), value.trunc(bits));
  return Narrow{narrow, value.isNonNegative() ? value.getActiveBits() : bits};
}

static Value flatten(ImplicitLocOpBuilder &b, Value vector) {
  auto type = cast<VectorType>(vector.getType());
  type = VectorType::get(type.getNumElements(), type.getElementType());
  DenseElementsAttr constant;
  if (matchPattern(vector, m_Constant(&constant)))
    return arith::ConstantOp::create(b, constant.reshape(type));
  // Most vectors were flat. A fold of two casts leaves one.
  if (auto from = vector.getDefiningOp<vector::ShapeCastOp>();
      from && from.getSourceVectorType() == type)
    return from.getSource();
  return vector::ShapeCastOp::create(b, type, vector);
}

/// Every other byte, from the first or the second one on, as i16.
static Value widenAlternate(ImplicitLocOpBuilder &b, Value bytes, bool isSigned,
                            bool isSecond) {
  auto type = VectorType::get(
      cast<VectorType>(bytes.getType()).getNumElements() / 2, b.getI16Type());
  Scalar words(b, vector::BitCastOp::create(b, type, bytes));
  if (isSigned && !isSecond)
    words = words << 8;
  if (isSigned)
    return words >> 8;
  return isSecond ? shiftRight(words, 8) : words & 255;
}

/// The name of an instruction for registers of as many bits.
static StringRef choose(int64_t bits, StringRef of128, StringRef of256,
                        StringRef of512) {
  return bits == 512 ? of512 : bits == 256 ? of256 : of128;
}

/// The sums of two products of bytes as i16, which hold them.
static Value multiplyBytes(ImplicitLocOpBuilder &b, Value unsignedBytes,
                           Value signedBytes) {
  auto bytes = cast<VectorType>(unsignedBytes.getType());
  StringRef name =
      choose(8 * bytes.getNumElements(), "x86.ssse3.pmadd.ub.sw.128",
             "x86.avx2.pmadd.ub.sw", "x86.avx512.pmaddubs.w.512");
  auto halves =
      VectorType::get(bytes.getNumElements() / 2, b.getIntegerType(16));
  return callIntrinsic(b, name, halves, {unsignedBytes, signedBytes});
}

/// Adds two products of i16 to each of `sums`.
static Value addHalves(ImplicitLocOpBuilder &b, Value sums, Value lhs,
                       Value rhs) {
  auto type = cast<VectorType>(sums.getType());
  StringRef name = choose(32 * type.getNumElements(), "x86.sse2.pmadd.wd",
                          "x86.avx2.pmadd.wd", "x86.avx512.pmaddw.d.512");
  Value pairs = callIntrinsic(b, name, type, {lhs, rhs});
  return Scalar(b, sums) + pairs;
}

/// Adds the four products of each pair of vectors to `sums` in pairs: of bytes
/// if their sums fit in i16, or else of i16.
static Value addPairs(ImplicitLocOpBuilder &b, Value sums,
                      ValueRange unsignedBytes, ValueRange signedBytes,
                      bool fitsI16) {
  if (fitsI16) {
    Value halves;
    for (auto [lhs, rhs] : llvm::zip_equal(unsignedBytes, signedBytes)) {
      Value next = multiplyBytes(b, lhs, rhs);
      halves = halves ? Value(Scalar(b, halves) + next) : next;
    }
    return addHalves(b, sums, halves, createNumber(b, halves.getType(), 1));
  }
  for (auto [lhs, rhs] : llvm::zip_equal(unsignedBytes, signedBytes))
    for (bool isSecond : {false, true})
      sums = addHalves(b, sums,
                       widenAlternate(b, lhs, /*isSigned=*/false, isSecond),
                       widenAlternate(b, rhs, /*isSigned=*/true, isSecond));
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
static std::optional<Factors> getFactors(ImplicitLocOpBuilder &b,
                                         vector::ContractionOp op,
                                         bool isLhsSigned, bool isRhsSigned) {
  for (auto [first, second] : {std::pair(op.getLhs(), op.getRhs()),
                               std::pair(op.getRhs(), op.getLhs())}) {
    std::optional<Narrow> lhs = getNarrow(b, first, isLhsSigned, 8);
    std::optional<Narrow> rhs = getNarrow(b, second, isRhsSigned, 8);
    if (lhs && rhs)
      return Factors{lhs->value, rhs->value, lhs->usedBits};
  }
  return std::nullopt;
}

/// True if the sums in pairs of `vectors` vectors of products fit in i16.
static bool fitsI16(vector::ContractionOp op, const Factors &factors,
                    int64_t vectors) {
  return op->hasAttr(kFitsI16Attr) || vectors <= getMostInI16(factors.usedBits);
}

/// A vector of the outer dimension. Canonicalization inserts it element by
/// element.
static Value takeVector(ImplicitLocOpBuilder &b, Value vectors, int64_t index) {
  auto type = cast<VectorType>(vectors.getType());
  int64_t size = type.getNumElements() / type.getDimSize(0);
  if (auto all = vectors.getDefiningOp<vector::FromElementsOp>()) {
    OperandRange elements = all.getElements().slice(index * size, size);
    auto from = elements.front().getDefiningOp<vector::ToElementsOp>();
    if (from && llvm::equal(elements, from.getElements()))
      return from.getSource();
  }
  return b.createOrFold<vector::ExtractOp>(vectors, ArrayRef(index));
}

/// The vectors of four bytes for each lane: one, or those of the outer
/// dimension.
static SmallVector<Value> split(ImplicitLocOpBuilder &b, Value bytes) {
  auto type = cast<VectorType>(bytes.getType());
  if (type.getRank() == 2)
    return {flatten(b, bytes)};
  SmallVector<Value> vectors;
  for (int64_t index = 0; index < type.getDimSize(0); ++index)
    vectors.push_back(flatten(b, takeVector(b, bytes, index)));
  return vectors;
}

/// Adds the four products of each pair of vectors to `sums` by an instruction.
static Value addFours(ImplicitLocOpBuilder &b, Value sums, const Twine &name,
                      ArrayRef<Value> lhs, ArrayRef<Value> rhs) {
  for (auto [first, second] : llvm::zip_equal(lhs, rhs))
    sums = callIntrinsic(b, name, sums.getType(), {sums, first, second});
  return sums;
}

namespace {
/// Four products of bytes, of one vector or of several, for each i32.
struct ByteDotLowering : OpRewritePattern<vector::ContractionOp> {
  ByteDotLowering(MLIRContext *context, ByteDots dots)
      : OpRewritePattern(context), dots(dots) {}

  LogicalResult matchAndRewrite(vector::ContractionOp op,
                                PatternRewriter &rewriter) const override {
    if (!addsTerms(op, 4, 32) && !addsTerms(op, 4, 32, /*rank=*/3))
      return rewriter.notifyMatchFailure(op, "does not add four products");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value sums = isNEON() ? lowerToNEON(b, op) : lowerToX86(b, op);
    if (!sums)
      return rewriter.notifyMatchFailure(
          op, "multiplies no bytes for which there are instructions");
    rewriter.replaceOp(op, sums);
    return success();
  }

private:
  bool isNEON() const {
    return dots == ByteDots::NEONDotProd || dots == ByteDots::NEONI8MM;
  }

  Value lowerToX86(ImplicitLocOpBuilder &b, vector::ContractionOp op) const {
    auto factors = getFactors(b, op, /*isLhsSigned=*/false,
                              /*isRhsSigned=*/true);
    if (!factors)
      return {};
    SmallVector<Value> lhs = split(b, factors->lhs),
                       rhs = split(b, factors->rhs);
    if (dots == ByteDots::X86Pairs)
      return addPairs(b, op.getAcc(), lhs, rhs,
                      fitsI16(op, *factors, lhs.size()));
    int64_t bits = 32 * cast<VectorType>(op.getResultType()).getNumElements();
    return addFours(b, op.getAcc(), "x86.avx512.vpdpbusd." + Twine(bits), lhs,
                    rhs);
  }

  Value lowerToNEON(ImplicitLocOpBuilder &b, vector::ContractionOp op) const {
    Type type = op.getResultType();
    if (cast<VectorType>(type).getNumElements() != 4)
      return {};
    auto add = [&](Value sums, StringRef name, Value lhs, Value rhs) {
      return addFours(b, sums, "aarch64.neon." + name + ".v4i32.v16i8",
                      split(b, lhs), split(b, rhs));
    };
    Value sums = op.getAcc();
    for (auto [isSigned, name] : {std::pair(true, "sdot"), {false, "udot"}})
      if (auto factors = getFactors(b, op, isSigned, isSigned))
        return add(sums, name, factors->lhs, factors->rhs);
    auto mixed = getFactors(b, op, /*isLhsSigned=*/false,
                            /*isRhsSigned=*/true);
    if (!mixed)
      return {};
    if (dots == ByteDots::NEONI8MM)
      return add(sums, "usdot", mixed->lhs, mixed->rhs);
    // Less 128, unsigned bytes are signed ones.
    Scalar unsignedBytes(b, mixed->lhs), least = unsignedBytes.constant(-128);
    Value moved = unsignedBytes ^ least;
    Value correction = add(createNumber(b, type, 0), "sdot", least, mixed->rhs);
    return Scalar(b, add(sums, "sdot", moved, mixed->rhs)) - correction;
  }

  ByteDots dots;
};

} // namespace

/// Two products of bytes for each i16.
static LogicalResult lowerBytePairs(vector::ContractionOp op,
                                    PatternRewriter &rewriter) {
  if (!addsTerms(op, 2, 16))
    return rewriter.notifyMatchFailure(op, "adds no pairs in i16");
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  auto factors = getFactors(b, op, /*isLhsSigned=*/false,
                            /*isRhsSigned=*/true);
  if (!factors || !fitsI16(op, *factors, 1))
    return rewriter.notifyMatchFailure(
        op, "multiplies no unsigned bytes with signed ones so that two "
            "products fit in i16");
  rewriter.replaceOpWithNewOp<arith::AddIOp>(
      op, op.getAcc(),
      multiplyBytes(b, flatten(b, factors->lhs), flatten(b, factors->rhs)));
  return success();
}

/// Two products of i16 for each i32.
static LogicalResult lowerHalfPairs(vector::ContractionOp op,
                                    PatternRewriter &rewriter) {
  if (!addsTerms(op, 2, 32))
    return rewriter.notifyMatchFailure(op, "does not add two products");
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  auto lhs = getNarrow(b, op.getLhs(), /*isSigned=*/true, 16);
  auto rhs = getNarrow(b, op.getRhs(), /*isSigned=*/true, 16);
  if (!lhs || !rhs)
    return rewriter.notifyMatchFailure(op, "does not multiply i16");
  rewriter.replaceOp(op, addHalves(b, op.getAcc(), flatten(b, lhs->value),
                                   flatten(b, rhs->value)));
  return success();
}

namespace {
struct LowerByteDotsPass : qdq::impl::LowerByteDotsPassBase<LowerByteDotsPass> {
  using LowerByteDotsPassBase::LowerByteDotsPassBase;

  void runOnOperation() override {
    if (dots == ByteDots::None)
      return;
    if (dots == ByteDots::X86AMX) {
      IRRewriter rewriter(&getContext());
      getOperation()->walk([&](linalg::GenericOp op) {
        if (auto product = TileProduct::get(op))
          lowerTileProduct(rewriter, *product);
      });
    }
    RewritePatternSet patterns(&getContext());
    patterns.add<ByteDotLowering>(&getContext(), dots);
    if (dots == ByteDots::X86Pairs)
      patterns.add<FunctionPattern<lowerBytePairs>,
                   FunctionPattern<lowerHalfPairs>>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace
