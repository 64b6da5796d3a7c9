// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Words that bytes hold, or that are clamped to bytes, by x86's packs.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "qdq/CodeGen/Passes.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_SATURATINGPACKSPASS
#include "qdq/CodeGen/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;

/// Words of a register, and bytes.
static constexpr int64_t kWords = 16, kBytes = 64;

/// How many ops a search for bounds looks through.
static constexpr unsigned kDepth = 8;

namespace {
/// What a signed integer lies in, both ends included.
struct Bounds {
  int64_t low, high;

  static Bounds ofBits(unsigned bits, bool isSigned) {
    return isSigned ? Bounds{-(int64_t(1) << (bits - 1)),
                             (int64_t(1) << (bits - 1)) - 1}
                    : Bounds{0, (int64_t(1) << bits) - 1};
  }
  bool within(Bounds other) const {
    return low >= other.low && high <= other.high;
  }
  Bounds operator+(Bounds other) const {
    return {low + other.low, high + other.high};
  }
};

/// The larger of `value` and a constant, or the smaller.
template <typename Constant>
struct Clamp {
  Value value;
  Constant bound;
  bool isLow;
};
} // namespace

/// True if a comparison asks for what is greater, false for less, none for
/// others.
static std::optional<bool> asksForGreater(arith::CmpFPredicate predicate) {
  switch (predicate) {
  case arith::CmpFPredicate::OGT:
  case arith::CmpFPredicate::OGE:
  case arith::CmpFPredicate::UGT:
  case arith::CmpFPredicate::UGE:
    return true;
  case arith::CmpFPredicate::OLT:
  case arith::CmpFPredicate::OLE:
  case arith::CmpFPredicate::ULT:
  case arith::CmpFPredicate::ULE:
    return false;
  default:
    return std::nullopt;
  }
}

/// The same of signed integers.
static std::optional<bool> asksForGreater(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::sgt:
  case arith::CmpIPredicate::sge:
    return true;
  case arith::CmpIPredicate::slt:
  case arith::CmpIPredicate::sle:
    return false;
  default:
    return std::nullopt;
  }
}

static std::optional<int64_t> getSplat(Value v) {
  DenseIntElementsAttr constant;
  if (!matchPattern(v, m_Constant(&constant)) || !constant.isSplat())
    return std::nullopt;
  return constant.getSplatValue<APInt>().getSExtValue();
}

/// `v` as a choice between what is compared: a value, and on the right a
/// constant.
template <typename CompareOp>
static std::optional<Clamp<Value>> matchChoice(Value v) {
  auto select = v.getDefiningOp<arith::SelectOp>();
  auto compare =
      select ? select.getCondition().getDefiningOp<CompareOp>() : CompareOp();
  if (!compare)
    return std::nullopt;
  std::optional<bool> isGreater = asksForGreater(compare.getPredicate());
  Value lhs = compare.getLhs(), rhs = compare.getRhs();
  Value then = select.getTrueValue(), other = select.getFalseValue();
  if (!isGreater ||
      !((then == lhs && other == rhs) || (then == rhs && other == lhs)))
    return std::nullopt;
  return Clamp<Value>{lhs, rhs, *isGreater == (then == lhs)};
}

static std::optional<Clamp<int64_t>> matchClamp(Value v) {
  std::optional<Clamp<Value>> choice = matchChoice<arith::CmpIOp>(v);
  if (!choice) {
    Operation *op = v.getDefiningOp();
    if (!isa_and_present<arith::MaxSIOp, arith::MinSIOp>(op))
      return std::nullopt;
    choice = {op->getOperand(0), op->getOperand(1), isa<arith::MaxSIOp>(op)};
  }
  std::optional<int64_t> bound = getSplat(choice->bound);
  if (!bound)
    return std::nullopt;
  return Clamp<int64_t>{choice->value, *bound, choice->isLow};
}

/// What rounding makes of `v`, in whatever direction, if that is not NaN. None
/// if it may be as large as i32.
static std::optional<Bounds> getRoundedBounds(Value v, unsigned depth) {
  if (isa_and_present<math::RoundEvenOp, math::RoundOp, math::FloorOp,
                      math::CeilOp, math::TruncOp>(v.getDefiningOp()))
    return depth > 0
               ? getRoundedBounds(v.getDefiningOp()->getOperand(0), depth - 1)
               : std::nullopt;
  std::optional<int64_t> low, high;
  for (; depth > 0; --depth) {
    std::optional<Clamp<Value>> clamp = matchChoice<arith::CmpFOp>(v);
    if (!clamp)
      break;
    DenseFPElementsAttr constant;
    if (!matchPattern(clamp->bound, m_Constant(&constant)) ||
        !constant.isSplat())
      break;
    APFloat bound = constant.getSplatValue<APFloat>();
    APSInt integer(32, /*isUnsigned=*/false);
    bool isExact;
    if (bound.convertToInteger(integer,
                               clamp->isLow ? APFloat::rmTowardNegative
                                            : APFloat::rmTowardPositive,
                               &isExact) == APFloat::opInvalidOp)
      break;
    // The clamp that comes last holds.
    std::optional<int64_t> &end = clamp->isLow ? low : high;
    if (!end)
      end = integer.getExtValue();
    v = clamp->value;
  }
  if (!low || !high || *low > *high)
    return std::nullopt;
  return Bounds{*low, *high};
}

static Bounds getBounds(Value v, unsigned depth = kDepth) {
  unsigned bits = getElementTypeOrSelf(v).getIntOrFloatBitWidth();
  Bounds all = Bounds::ofBits(bits, /*isSigned=*/true);
  Operation *op = v.getDefiningOp();
  if (!op || depth == 0)
    return all;
  if (std::optional<int64_t> constant = getSplat(v))
    return {*constant, *constant};
  auto of = [&](unsigned operand) {
    return getBounds(op->getOperand(operand), depth - 1);
  };
  if (std::optional<Clamp<int64_t>> clamp = matchClamp(v)) {
    Bounds bounds = getBounds(clamp->value, depth - 1);
    auto move = [&](int64_t &end) {
      end = clamp->isLow ? std::max(end, clamp->bound)
                         : std::min(end, clamp->bound);
    };
    move(bounds.low);
    move(bounds.high);
    return bounds;
  }
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    Bounds lhs = of(1), rhs = of(2);
    // The smaller of two as unsigned numbers.
    if (auto compare = select.getCondition().getDefiningOp<arith::CmpIOp>())
      if (compare.getPredicate() == arith::CmpIPredicate::ult &&
          compare.getLhs() == select.getTrueValue() &&
          compare.getRhs() == select.getFalseValue() && rhs.low >= 0)
        return {0, rhs.high};
    return {std::min(lhs.low, rhs.low), std::max(lhs.high, rhs.high)};
  }
  if (isa<arith::AndIOp, arith::MinUIOp>(op)) {
    for (Bounds bounds : {of(0), of(1)})
      if (bounds.low >= 0)
        return {0, bounds.high};
    return all;
  }
  if (isa<arith::OrIOp>(op)) {
    Bounds lhs = of(0), rhs = of(1);
    if (lhs.low < 0 || rhs.low < 0)
      return all;
    return {0, int64_t(llvm::NextPowerOf2(std::max(lhs.high, rhs.high))) - 1};
  }
  if (isa<arith::ShRUIOp>(op)) {
    std::optional<int64_t> amount = getSplat(op->getOperand(1));
    if (!amount || *amount <= 0 || *amount >= bits)
      return all;
    return Bounds::ofBits(bits - *amount, /*isSigned=*/false);
  }
  if (isa<arith::AddIOp>(op)) {
    Bounds sum = of(0) + of(1);
    return sum.within(all) ? sum : all;
  }
  if (isa<arith::ExtSIOp, vector::BroadcastOp>(op))
    return of(0);
  if (isa<arith::ExtUIOp>(op)) {
    Bounds bounds = of(0);
    unsigned width =
        getElementTypeOrSelf(op->getOperand(0)).getIntOrFloatBitWidth();
    return bounds.low >= 0 ? bounds : Bounds::ofBits(width, /*isSigned=*/false);
  }
  // Of NaN it is poison.
  if (isa<arith::FPToSIOp>(op))
    if (std::optional<Bounds> bounds =
            getRoundedBounds(op->getOperand(0), depth))
      return *bounds;
  return all;
}

/// What is clamped to `bounds`, or null.
static Value getClamped(Value v, Bounds bounds) {
  std::optional<Clamp<int64_t>> last = matchClamp(v);
  std::optional<Clamp<int64_t>> first =
      last ? matchClamp(last->value) : std::nullopt;
  if (!first || first->isLow == last->isLow)
    return Value();
  Bounds found = first->isLow ? Bounds{first->bound, last->bound}
                              : Bounds{last->bound, first->bound};
  return found.low == bounds.low && found.high == bounds.high ? first->value
                                                              : Value();
}

static Value emitPack(ImplicitLocOpBuilder &b, StringRef name, Type element,
                      int64_t lanes, Value first, Value second) {
  return LLVM::CallIntrinsicOp::create(
             b, VectorType::get(lanes, element),
             b.getStringAttr("llvm.x86.avx512." + name + ".512"),
             ValueRange{first, second})
      .getResults();
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

/// A term as small as this leaves a sum with 16 bits that saturate beyond all
/// bytes, on the right side, as the sum itself is.
static constexpr Bounds kSmall = {-(1 << 14), 1 << 14};

/// True if the terms of `sum`, of which bytes are made that saturate, may be
/// added as 16 bits that saturate, false if as any; none if not at all.
static std::optional<bool> fitsInHalves(arith::AddIOp sum) {
  Bounds halves = Bounds::ofBits(16, /*isSigned=*/true);
  Bounds lhs = getBounds(sum.getLhs()), rhs = getBounds(sum.getRhs());
  if (lhs.within(halves) && rhs.within(halves) && (lhs + rhs).within(halves))
    return false;
  bool overflows = !bitEnumContainsAll(sum.getOverflowFlags(),
                                       arith::IntegerOverflowFlags::nsw);
  if (!overflows && (lhs.within(kSmall) || rhs.within(kSmall)))
    return true;
  return std::nullopt;
}

namespace {
struct TruncIPacking : OpRewritePattern<arith::TruncIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncIOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    Value words = op.getIn();
    if (!type || type.getRank() != 1 || type.isScalable() ||
        !type.getElementType().isInteger(8) ||
        !getElementTypeOrSelf(words).isInteger(32) ||
        type.getNumElements() % kBytes != 0)
      return rewriter.notifyMatchFailure(op, "fills no registers of bytes");

    bool isSigned = true;
    auto bytes = [&] { return Bounds::ofBits(8, isSigned); };
    Value clamped = getClamped(words, bytes());
    if (!clamped && !getBounds(words).within(bytes())) {
      isSigned = false;
      clamped = getClamped(words, bytes());
      if (!clamped && !getBounds(words).within(bytes()))
        return rewriter.notifyMatchFailure(op, "may cut what is no byte");
    }
    if (clamped)
      words = clamped;
    // A sum of what has 16 bits, too, is added there: half as many registers.
    Value other;
    bool saturates = false;
    if (auto sum = words.getDefiningOp<arith::AddIOp>())
      if (std::optional<bool> found = fitsInHalves(sum)) {
        words = sum.getLhs();
        other = sum.getRhs();
        saturates = *found;
      }

    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto half = [&](int64_t start) -> Value {
      Value result = emitHalves(b, words, start);
      if (!other)
        return result;
      Value rest = emitHalves(b, other, start);
      return saturates
                 ? LLVM::SAddSat::create(b, result.getType(), result, rest)
                       .getResult()
                 : arith::AddIOp::create(b, result, rest).getResult();
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
};

struct SaturatingPacksPass
    : qdq::impl::SaturatingPacksPassBase<SaturatingPacksPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<TruncIPacking>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace
