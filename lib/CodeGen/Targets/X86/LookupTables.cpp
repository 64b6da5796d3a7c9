// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lookup tables as permutations of x86.

#include "../../Analysis/ConstantValue.h"
#include "../LowerToTarget.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;

/// Bits of a register, and of a word.
static constexpr int64_t kRegisterBits = 512, kWordBits = 32;

/// Bytes that `vpshufb` looks up in.
static constexpr int64_t kShuffledBytes = 16;

/// True if `op` reads one lane of a vector.
static bool readsLane(vector::ExtractOp op) {
  auto source = dyn_cast<VectorType>(op.getSource().getType());
  return source && source.getRank() == 1 && op.getNumIndices() == 1;
}

/// True for `n` in all lanes.
static bool isSplat(Value v, int64_t n) {
  APInt constant;
  return matchPattern(v, m_ConstantInt(&constant)) && constant == n;
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

/// True if all lanes are below `kShuffledBytes`, by masks.
static bool numberShuffledBytes(Value indices) {
  if (auto pairs = indices.getDefiningOp<vector::InterleaveOp>())
    return numberShuffledBytes(pairs.getLhs()) &&
           numberShuffledBytes(pairs.getRhs());
  auto masked = indices.getDefiningOp<arith::AndIOp>();
  APInt mask;
  return masked && matchPattern(masked.getRhs(), m_ConstantInt(&mask)) &&
         mask.ult(kShuffledBytes);
}

/// True for bytes that repeat the same few, chosen by the low bits of others.
static bool isByteTable(Value table, Value indices) {
  std::optional<SmallVector<int64_t>> entries = getLanes(table);
  return entries && numberShuffledBytes(indices) &&
         llvm::all_of(llvm::enumerate(*entries), [&](auto entry) {
           return entry.value() == (*entries)[entry.index() % kShuffledBytes];
         });
}

/// `indices` without a mask that keeps what numbers the lanes of a register.
static Value dropMask(Value indices, int64_t lanes) {
  auto masked = indices.getDefiningOp<arith::AndIOp>();
  APInt mask;
  return masked && matchPattern(masked.getRhs(), m_ConstantInt(&mask)) &&
                 mask.countr_one() >= llvm::Log2_64(lanes)
             ? masked.getLhs()
             : indices;
}

namespace {
/// Elements of a table by the elements of another vector, all of them, in a
/// register of 512 bits, or bytes in one of 256.
struct LookUpPermutation : OpRewritePattern<vector::FromElementsOp> {
  LookUpPermutation(MLIRContext *context, int64_t registerBits)
      : OpRewritePattern(context), registerBits(registerBits) {}

  LogicalResult matchAndRewrite(vector::FromElementsOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    if (!type || type.getRank() != 1 || !type.getElementType().isInteger() ||
        type.getNumElements() * type.getElementTypeBitWidth() != registerBits)
      return rewriter.notifyMatchFailure(op, "is no register of integers");
    Value table, indices;
    int64_t first = 0;
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
          index.getType() != type.getElementType())
        return rewriter.notifyMatchFailure(op, "has no vector of indices");
      int64_t position = index.getStaticPosition()[0];
      if (lane == 0) {
        table = entry.getSource();
        indices = index.getSource();
        first = position;
      }
      if (table != entry.getSource() || indices != index.getSource() ||
          position != first + int64_t(lane))
        return rewriter.notifyMatchFailure(op, "reads several vectors");
    }
    StringRef name;
    bool isWide = registerBits == kRegisterBits;
    if (type.getElementType().isInteger(8) && isByteTable(table, indices))
      name = isWide ? "llvm.x86.avx512.pshuf.b.512" : "llvm.x86.avx2.pshuf.b";
    else if (isWide && type.getElementType().isInteger(kWordBits))
      name = "llvm.x86.avx512.permvar.si.512";
    else if (isWide && type.getElementType().isInteger(16))
      name = "llvm.x86.avx512.permvar.hi.512";
    else
      return rewriter.notifyMatchFailure(op, "is no permutation");
    // It reads the low bits of an index. An index beyond the table was poison.
    if (!type.getElementType().isInteger(8))
      indices = dropMask(indices, type.getNumElements());
    if (indices.getType() != type)
      indices = vector::ExtractStridedSliceOp::create(
          rewriter, op.getLoc(), indices, first, type.getNumElements(), 1);
    rewriter.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(
        op, type, rewriter.getStringAttr(name), ValueRange{table, indices});
    return success();
  }

private:
  int64_t registerBits;
};

/// A minimum of bits of f32 by five bits of a lane, as floats of 6 bits are
/// decoded: entries of a table of two registers.
struct DecodePermutation : OpRewritePattern<arith::MinUIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::MinUIOp op,
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
          dyn_cast_if_present<DenseIntElementsAttr>(qdq::foldWith(op, known));
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
    return getElementTypeOrSelf(mask->getResult(0)).isInteger(kWordBits) &&
           isSplat(mask->getOperand(1), 31);
  }
};

} // namespace

LogicalResult mlir::qdq::permuteLookups(Operation *root) {
  RewritePatternSet patterns(root->getContext());
  patterns.add<LookUpPermutation>(root->getContext(), kRegisterBits);
  patterns.add<DecodePermutation>(root->getContext());
  walkAndApplyPatterns(root, std::move(patterns));
  return shuffleByteTables(root);
}

LogicalResult mlir::qdq::shuffleByteTables(Operation *root) {
  RewritePatternSet patterns(root->getContext());
  patterns.add<LookUpPermutation>(root->getContext(), kRegisterBits / 2);
  walkAndApplyPatterns(root, std::move(patterns));
  return success();
}
