// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Look-ups in tables, and codes that cross bytes, by x86's permutations.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "qdq/Transforms/Passes.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_LANEPERMUTATIONSPASS
#include "qdq/Transforms/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;

/// Bits of a register, of a byte, and of a word.
static constexpr int64_t kRegisterBits = 512, kByteBits = 8, kWordBits = 32;

/// How many ops a search for bytes looks through.
static constexpr unsigned kDepth = 8;

/// True if `op` reads one lane of a vector.
static bool readsLane(vector::ExtractOp op) {
  auto source = dyn_cast<VectorType>(op.getSource().getType());
  return source && source.getRank() == 1 && op.getNumIndices() == 1;
}

/// The lanes of a constant vector of integers.
static std::optional<SmallVector<int64_t>> getLanes(Value v) {
  DenseIntElementsAttr constant;
  if (!matchPattern(v, m_Constant(&constant)))
    return std::nullopt;
  return llvm::map_to_vector(constant.getValues<APInt>(), [](const APInt &n) {
    return int64_t(n.getZExtValue());
  });
}

namespace {
/// Elements of a table by the elements of another vector, all of them.
struct LookUpPermutation : OpRewritePattern<vector::FromElementsOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::FromElementsOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    bool isWords = type && type.getElementType().isInteger(kWordBits);
    if (!type || type.getRank() != 1 ||
        !(isWords || type.getElementType().isInteger(16)) ||
        type.getNumElements() * type.getElementTypeBitWidth() != kRegisterBits)
      return rewriter.notifyMatchFailure(op, "is no register of integers");
    Value table, indices;
    for (auto [lane, element] : llvm::enumerate(op.getElements())) {
      auto entry = element.getDefiningOp<vector::ExtractOp>();
      if (!entry || !readsLane(entry) || !entry.hasDynamicPosition() ||
          entry.getSource().getType() != type)
        return rewriter.notifyMatchFailure(op, "is not made of entries");
      auto cast =
          entry.getDynamicPosition()[0].getDefiningOp<arith::IndexCastUIOp>();
      auto index = cast ? cast.getIn().getDefiningOp<vector::ExtractOp>()
                        : vector::ExtractOp();
      if (!index || !readsLane(index) || index.hasDynamicPosition() ||
          index.getStaticPosition()[0] != int64_t(lane) ||
          index.getSource().getType() != type)
        return rewriter.notifyMatchFailure(op, "has no vector of indices");
      if (lane == 0) {
        table = entry.getSource();
        indices = index.getSource();
      }
      if (table != entry.getSource() || indices != index.getSource())
        return rewriter.notifyMatchFailure(op, "reads several vectors");
    }
    // It reads the low bits of an index, and LLVM takes away a mask of these.
    // An index beyond the table was poison.
    StringRef name = isWords ? "llvm.x86.avx512.permvar.si.512"
                             : "llvm.x86.avx512.permvar.hi.512";
    rewriter.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(
        op, type, rewriter.getStringAttr(name), ValueRange{table, indices});
    return success();
  }
};

/// A byte of a lane: another vector's, or zero.
struct Byte {
  Value bytes;
  int64_t lane = 0;
};

/// Codes that are cut out of words of bytes, each from a lane of its own: no
/// more than two bytes of each lane are put together.
struct CodePermutation : OpRewritePattern<arith::TruncIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncIOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    auto shift = op.getIn().getDefiningOp<arith::ShRUIOp>();
    if (!type || type.getRank() != 1 || type.isScalable() ||
        !type.getElementType().isInteger(kByteBits) || !shift ||
        !getElementTypeOrSelf(shift.getType()).isInteger(kWordBits))
      return rewriter.notifyMatchFailure(op, "cuts no bytes from words");
    std::optional<SmallVector<int64_t>> amounts = getLanes(shift.getRhs());
    if (!amounts)
      return rewriter.notifyMatchFailure(op, "shifts by what is not known");

    int64_t bits = getReadBits(op);
    Value source;
    SmallVector<int64_t> order, shifts;
    for (auto [lane, amount] : llvm::enumerate(*amounts)) {
      int64_t first = amount / kByteBits,
              last = (amount + bits - 1) / kByteBits;
      auto low = getByte(shift.getLhs(), lane, first, kDepth);
      auto high = getByte(shift.getLhs(), lane, last, kDepth);
      if (!low || !high || !low->bytes || !high->bytes)
        return rewriter.notifyMatchFailure(op, "has no bytes");
      if (!source)
        source = low->bytes;
      if (low->bytes != source || high->bytes != source)
        return rewriter.notifyMatchFailure(op, "has bytes of several vectors");
      // What lies above is not read.
      order.append({low->lane, high->lane, high->lane, high->lane});
      shifts.push_back(amount % kByteBits);
    }

    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto words = cast<VectorType>(shift.getType());
    Value parts = vector::ShuffleOp::create(b, source, source, order);
    parts = vector::BitCastOp::create(b, words, parts);
    SmallVector<Attribute> values = llvm::map_to_vector(
        shifts, [&](int64_t n) -> Attribute { return b.getI32IntegerAttr(n); });
    Value amount =
        arith::ConstantOp::create(b, DenseElementsAttr::get(words, values));
    parts = arith::ShRUIOp::create(b, parts, amount);
    rewriter.replaceOpWithNewOp<arith::TruncIOp>(op, type, parts);
    return success();
  }

private:
  /// How many low bits of its lanes the users of `op` read.
  static int64_t getReadBits(arith::TruncIOp op) {
    int64_t result = 0;
    for (Operation *user : op->getUsers()) {
      int64_t bits = kByteBits;
      if (isa<arith::AndIOp, arith::ShLIOp>(user))
        if (auto lanes = getLanes(user->getOperand(1));
            lanes && llvm::all_equal(*lanes))
          bits = isa<arith::AndIOp>(user)
                     ? llvm::bit_width(uint64_t(lanes->front()))
                     : kByteBits - lanes->front();
      result = std::max(result, bits);
    }
    return std::max<int64_t>(result, 1);
  }

  /// Byte `byte` of a lane of words, the low one first.
  static std::optional<Byte> getByte(Value v, int64_t lane, int64_t byte,
                                     unsigned depth) {
    Operation *op = v.getDefiningOp();
    if (!op || depth == 0 || byte >= kWordBits / kByteBits)
      return std::nullopt;
    if (auto extension = dyn_cast<arith::ExtUIOp>(op)) {
      if (!getElementTypeOrSelf(extension.getIn()).isInteger(kByteBits))
        return std::nullopt;
      return byte == 0 ? getSource(extension.getIn(), lane) : Byte{};
    }
    if (isa<arith::ShLIOp>(op)) {
      std::optional<SmallVector<int64_t>> amounts = getLanes(op->getOperand(1));
      if (!amounts || (*amounts)[lane] % kByteBits != 0)
        return std::nullopt;
      byte -= (*amounts)[lane] / kByteBits;
      return byte < 0 ? Byte{}
                      : getByte(op->getOperand(0), lane, byte, depth - 1);
    }
    if (isa<arith::OrIOp>(op)) {
      auto lhs = getByte(op->getOperand(0), lane, byte, depth - 1);
      auto rhs = getByte(op->getOperand(1), lane, byte, depth - 1);
      if (!lhs || !rhs || (lhs->bytes && rhs->bytes))
        return std::nullopt;
      return lhs->bytes ? lhs : rhs;
    }
    if (auto shuffle = dyn_cast<vector::ShuffleOp>(op)) {
      std::optional<Byte> from = getShuffled(shuffle, lane);
      if (!from)
        return std::nullopt;
      return getByte(from->bytes, from->lane, byte, depth - 1);
    }
    return std::nullopt;
  }

  /// Where a lane of bytes comes from.
  static Byte getSource(Value bytes, int64_t lane) {
    while (auto shuffle = bytes.getDefiningOp<vector::ShuffleOp>()) {
      std::optional<Byte> from = getShuffled(shuffle, lane);
      if (!from)
        break;
      bytes = from->bytes;
      lane = from->lane;
    }
    return {bytes, lane};
  }

  /// The operand of a shuffle that a lane comes from, and its lane there.
  static std::optional<Byte> getShuffled(vector::ShuffleOp op, int64_t lane) {
    auto type = dyn_cast<VectorType>(op.getV1().getType());
    int64_t from = op.getMask()[lane];
    if (!type || type.getRank() != 1 || from < 0)
      return std::nullopt;
    bool isFirst = from < type.getNumElements();
    return Byte{isFirst ? op.getV1() : op.getV2(),
                isFirst ? from : from - type.getNumElements()};
  }
};

/// A choice of bits of f32 by five bits of a lane, as floats of 6 bits are
/// decoded: entries of a table of two registers.
struct DecodePermutation : OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::SelectOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    int64_t width = kRegisterBits / kWordBits;
    if (!type || type.getRank() != 1 || type.isScalable() ||
        !type.getElementType().isInteger(kWordBits) ||
        type.getNumElements() % width != 0)
      return rewriter.notifyMatchFailure(op, "fills no registers of words");
    Value code;
    SetVector<Operation *> ops;
    if (!collect(op, code, ops) || !code || ops.size() < kFewOps)
      return rewriter.notifyMatchFailure(op, "is not made of a code alone");
    SmallVector<int32_t> entries;
    for (int32_t value = 0; value < 2 * width; ++value) {
      DenseMap<Value, Attribute> known;
      known[code] = DenseElementsAttr::get(type, value);
      auto entry =
          dyn_cast_if_present<DenseIntElementsAttr>(evaluate(op, known));
      if (!entry || !entry.isSplat())
        return rewriter.notifyMatchFailure(op, "has an op that does not fold");
      entries.push_back(entry.getSplatValue<int32_t>());
    }

    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto part = VectorType::get(width, b.getI32Type());
    auto table = [&](ArrayRef<int32_t> half) -> Value {
      return arith::ConstantOp::create(b, DenseElementsAttr::get(part, half));
    };
    Value low = table(ArrayRef(entries).take_front(width));
    Value high = table(ArrayRef(entries).drop_front(width));
    // It reads five bits of an index itself.
    Value fields = code.getDefiningOp()->getOperand(0);
    Value result = arith::ConstantOp::create(b, b.getZeroAttr(type));
    for (int64_t at = 0; at < type.getNumElements(); at += width) {
      Value indices =
          vector::ExtractStridedSliceOp::create(b, fields, at, width, 1);
      Value found =
          LLVM::CallIntrinsicOp::create(
              b, part, b.getStringAttr("llvm.x86.avx512.vpermi2var.d.512"),
              ValueRange{low, indices, high})
              .getResults();
      result = vector::InsertStridedSliceOp::create(b, found, result, at, 1);
    }
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  /// As many ops are worth a table, and as many are looked through.
  static constexpr size_t kFewOps = 4, kManyOps = 16;

  /// Collects what makes `op` of constants and one code of five bits.
  static bool collect(Operation *op, Value &code, SetVector<Operation *> &ops) {
    if (!ops.insert(op))
      return true;
    if (ops.size() > kManyOps || !isa<arith::ArithDialect>(op->getDialect()) ||
        !OpTrait::hasElementwiseMappableTraits(op) || !isPure(op))
      return false;
    for (Value operand : op->getOperands()) {
      Operation *source = operand.getDefiningOp();
      if (!source)
        return false;
      if (source->hasTrait<OpTrait::ConstantLike>())
        continue;
      bool isCode = isa<arith::AndIOp>(source) && isCodeMask(source);
      if (isCode ? code && code != operand : !collect(source, code, ops))
        return false;
      if (isCode)
        code = operand;
    }
    return true;
  }

  static bool isCodeMask(Operation *mask) {
    std::optional<SmallVector<int64_t>> lanes = getLanes(mask->getOperand(1));
    return getElementTypeOrSelf(mask->getResult(0)).isInteger(kWordBits) &&
           lanes && llvm::all_of(*lanes, [](int64_t n) { return n == 31; });
  }

  /// `v` where the code is known, or null.
  static Attribute evaluate(Value v, DenseMap<Value, Attribute> &known) {
    if (Attribute found = known.lookup(v))
      return found;
    Attribute result;
    if (matchPattern(v, m_Constant(&result)))
      return result;
    Operation *op = v.getDefiningOp();
    SmallVector<Attribute> operands;
    for (Value operand : op->getOperands()) {
      operands.push_back(evaluate(operand, known));
      if (!operands.back())
        return {};
    }
    SmallVector<OpFoldResult> folded;
    if (failed(op->fold(operands, folded)) || folded.size() != 1)
      return {};
    result = dyn_cast<Attribute>(folded.front());
    if (!result)
      result = evaluate(cast<Value>(folded.front()), known);
    known[v] = result;
    return result;
  }
};

struct LanePermutationsPass
    : qdq::impl::LanePermutationsPassBase<LanePermutationsPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<LookUpPermutation, CodePermutation, DecodePermutation>(
        &getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace
