// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Codes that cross bytes, cut from 64-bit words at once.

#include "../../Analysis/BitOrigins.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "qdq/CodeGen/Passes.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_MULTISHIFTSPASS
#include "qdq/CodeGen/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

/// Bytes of a word that is shifted.
static constexpr int64_t kWordBytes = 8;

/// As many ops, constants among them, take longer than a permutation, a shift
/// and a mask.
static constexpr int64_t kManyOps = 10;

namespace {
/// The fields that the bytes of a vector are, of a vector of bytes.
struct Fields {
  Value source;
  int64_t width;
  /// The lowest bit of each.
  SmallVector<int64_t> begins;

  static std::optional<Fields> get(Value value);
};
} // namespace

std::optional<Fields> Fields::get(Value value) {
  BitOrigins origins;
  ArrayRef<BitOrigins::Bit> bits = origins.get(value);
  Value source = bits.front().source;
  auto type = source ? dyn_cast<VectorType>(source.getType()) : VectorType();
  if (!type || type.getRank() != 1 || !type.getElementType().isInteger(8) ||
      source == value || origins.getNumOps() < kManyOps)
    return std::nullopt;
  Fields fields{source, 0, {}};
  auto isKnown = [](const BitOrigins::Bit &bit) { return !bit.source; };
  fields.width = llvm::find_if(bits.take_front(8), isKnown) - bits.begin();
  for (; !bits.empty(); bits = bits.drop_front(8)) {
    int64_t begin = bits.front().index;
    fields.begins.push_back(begin);
    for (auto [i, bit] : llvm::enumerate(bits.take_front(8))) {
      BitOrigins::Bit next{fields.source, begin + static_cast<int64_t>(i)};
      bool isOfField = static_cast<int64_t>(i) < fields.width;
      if (isOfField ? bit != next : !bit.isKnown(false))
        return std::nullopt;
    }
  }
  return fields;
}

namespace {
/// Fields of bytes, by the shifts of a word for each of its bytes.
struct CutFields : OpRewritePattern<arith::AndIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::AndIOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    APInt mask;
    if (!type || type.getRank() != 1 || type.isScalable() ||
        !type.getElementType().isInteger(8) ||
        !matchPattern(op.getRhs(), m_ConstantInt(&mask)))
      return rewriter.notifyMatchFailure(op, "is no mask of bytes");
    int64_t size = type.getNumElements();
    if (!llvm::is_contained({16, 32, 64}, size))
      return rewriter.notifyMatchFailure(op, "is no register");
    std::optional<Fields> fields = Fields::get(op);
    if (!fields)
      return rewriter.notifyMatchFailure(op, "is no fields of bytes");

    // The bytes of the fields of each word, and where these begin in them. What
    // a word has no field in repeats the last byte.
    int64_t last = cast<VectorType>(fields->source.getType()).getNumElements();
    SmallVector<int64_t> order;
    SmallVector<int8_t> shifts;
    ArrayRef<int64_t> begins = fields->begins;
    for (; !begins.empty(); begins = begins.drop_front(kWordBytes)) {
      ArrayRef<int64_t> ofWord = begins.take_front(kWordBytes);
      int64_t first = *llvm::min_element(ofWord) / 8;
      if (*llvm::max_element(ofWord) + fields->width > 8 * (first + kWordBytes))
        return rewriter.notifyMatchFailure(op, "has fields apart");
      for (int64_t byte = first; byte < first + kWordBytes; ++byte)
        order.push_back(std::min(byte, last - 1));
      for (int64_t begin : ofWord)
        shifts.push_back(begin - 8 * first);
    }

    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value words =
        vector::ShuffleOp::create(b, fields->source, fields->source, order);
    Value amounts = arith::ConstantOp::create(
        b, DenseElementsAttr::get(type, ArrayRef<int8_t>(shifts)));
    std::string name =
        "llvm.x86.avx512.pmultishift.qb." + std::to_string(8 * size);
    Value cut = LLVM::CallIntrinsicOp::create(b, type, b.getStringAttr(name),
                                              ValueRange{amounts, words})
                    .getResults();
    Value fieldMask = arith::ConstantOp::create(
        b, DenseElementsAttr::get(
               type, APInt::getLowBitsSet(8, unsigned(fields->width))));
    rewriter.replaceOpWithNewOp<arith::AndIOp>(op, cut, fieldMask);
    return success();
  }
};

struct MultishiftsPass : qdq::impl::MultishiftsPassBase<MultishiftsPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<CutFields>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace
