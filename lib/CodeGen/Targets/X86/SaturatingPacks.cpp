// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Words that bytes hold as bytes, by packs of AVX-512.
//
// Guard: AVX-512BW; vectors that fill registers of 64 bytes; nsw or nuw.
// Equal to the truncation by proof (`tools/verify --prove`).

#include "../Intrinsic.h"
#include "../LowerToTarget.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "qdq/IR/FunctionPattern.h"

using namespace mlir;
using namespace mlir::qdq;
using arith::IntegerOverflowFlags;

/// Words of a register, and bytes.
static constexpr int64_t kWords = 16, kBytes = 64;

/// Of terms that may be added with saturation.
static constexpr unsigned kSmallBits = 15;

static Value emitPack(ImplicitLocOpBuilder &b, StringRef name, Type element,
                      int64_t lanes, Value first, Value second) {
  return callIntrinsic(b, "x86.avx512." + name + ".512",
                       VectorType::get(lanes, element), {first, second});
}

/// Words `start` to `start` + 31, as 16 bits that saturate: four of the first
/// sixteen, four of the others, and so on.
static Value emitHalves(ImplicitLocOpBuilder &b, Value words, int64_t start) {
  auto part = [&](int64_t offset) -> Value {
    return vector::ExtractStridedSliceOp::create(b, words, offset, kWords, 1);
  };
  Value first = part(start), second = part(start + kWords);
  return emitPack(b, "packssdw", b.getI16Type(), 2 * kWords, first, second);
}

static bool isSplat(Value v, int64_t number) {
  APInt splat;
  return matchPattern(v, m_ConstantInt(&splat)) &&
         splat.getSExtValue() == number;
}

/// The operand of a clamp to bytes: packs clamp, too. `words` where no clamp
/// stands.
static Value getClamped(Value words, bool isSigned) {
  auto high = words.getDefiningOp<arith::MinSIOp>();
  auto low =
      high ? high.getLhs().getDefiningOp<arith::MaxSIOp>() : arith::MaxSIOp();
  bool isByte = low && isSplat(high.getRhs(), isSigned ? 127 : 255) &&
                isSplat(low.getRhs(), isSigned ? -128 : 0);
  return isByte ? low.getLhs() : words;
}

/// True of bytes, extended, and of constants as small.
static bool isSmall(Value v) {
  DenseIntElementsAttr constant;
  if (matchPattern(v, m_Constant(&constant)))
    return llvm::all_of(constant.getValues<APInt>(), [](const APInt &value) {
      return value.isSignedIntN(kSmallBits);
    });
  Operation *op = v.getDefiningOp();
  if (auto broadcast = dyn_cast_if_present<vector::BroadcastOp>(op))
    op = broadcast.getSource().getDefiningOp();
  return isa_and_present<arith::ExtSIOp, arith::ExtUIOp>(op) &&
         getElementTypeOrSelf(op->getOperand(0)).getIntOrFloatBitWidth() <= 8;
}

static LogicalResult packTruncation(arith::TruncIOp op,
                                    PatternRewriter &rewriter) {
  auto type = dyn_cast<VectorType>(op.getType());
  Value words = op.getIn();
  if (!type || type.getRank() != 1 || type.isScalable() ||
      !type.getElementType().isInteger(8) ||
      !getElementTypeOrSelf(words).isInteger(32) ||
      type.getNumElements() % kBytes != 0)
    return rewriter.notifyMatchFailure(op, "fills no registers of bytes");
  IntegerOverflowFlags flags = op.getOverflowFlags();
  if (flags == IntegerOverflowFlags::none)
    return rewriter.notifyMatchFailure(op, "may cut what is no byte");
  bool isSigned = bitEnumContainsAny(flags, IntegerOverflowFlags::nsw);

  words = getClamped(words, isSigned);
  // If |term| <= 2^14, a saturating i16 sum clamps to the same byte as the
  // exact sum: half as many registers.
  Value term;
  if (auto sum = words.getDefiningOp<arith::AddIOp>();
      sum && isSmall(sum.getRhs()) &&
      bitEnumContainsAll(sum.getOverflowFlags(), IntegerOverflowFlags::nsw)) {
    words = sum.getLhs();
    term = sum.getRhs();
  }

  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  auto half = [&](int64_t start) -> Value {
    Value result = emitHalves(b, words, start);
    if (!term)
      return result;
    return LLVM::SAddSat::create(b, result.getType(), result,
                                 emitHalves(b, term, start));
  };
  // Packs take four words of each register in turn. A shuffle of bytes, not
  // of words: a lane that is poison must not make its neighbors poison.
  SmallVector<int64_t> order;
  for (int64_t byte = 0; byte < kBytes; ++byte)
    order.push_back(byte / 4 % 4 * 16 + byte / 16 * 4 + byte % 4);
  SmallVector<Value> registers;
  for (int64_t start = 0; start < type.getNumElements(); start += kBytes) {
    Value first = half(start), second = half(start + 2 * kWords);
    Value packed = emitPack(b, isSigned ? "packsswb" : "packuswb",
                            b.getI8Type(), kBytes, first, second);
    registers.push_back(vector::ShuffleOp::create(b, packed, packed, order));
  }
  Value result = registers.front();
  if (registers.size() > 1) {
    result = arith::ConstantOp::create(b, b.getZeroAttr(type));
    for (auto [index, part] : llvm::enumerate(registers))
      result = vector::InsertStridedSliceOp::create(b, part, result,
                                                    index * kBytes, 1);
  }
  rewriter.replaceOp(op, result);
  return success();
}

LogicalResult mlir::qdq::packSaturated(Operation *root) {
  RewritePatternSet patterns(root->getContext());
  patterns.add<qdq::FunctionPattern<packTruncation>>(root->getContext());
  walkAndApplyPatterns(root, std::move(patterns));
  return success();
}
