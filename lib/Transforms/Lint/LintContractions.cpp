// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// qdq-lint: sums of products of codes that wrap, here or in other systems.

#include "LintChecks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qdq/IR/ConstantElements.h"
#include "qdq/Transforms/IntegerContractions.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::qdq;
using llvm::APSInt;

namespace {
/// The codes of one operand of a contraction.
struct Codes {
  Value tensor;
  unsigned width;
  bool isSigned;

  std::string getType() const {
    return (isSigned ? "i" : "ui") + std::to_string(width);
  }
};

struct CodeContraction {
  Codes lhs, rhs;
  /// Bits of the sums; 0 where these are floats.
  unsigned sumWidth;
};
} // namespace

/// The codes that the body's `value` widens, or nothing.
static std::optional<Codes> getWidenedCodes(linalg::LinalgOp op, Value value) {
  Operation *cast = value.getDefiningOp();
  bool isSigned = isa_and_nonnull<arith::ExtSIOp>(cast);
  if (!isSigned && !isa_and_nonnull<arith::ExtUIOp>(cast))
    return std::nullopt;
  auto argument = dyn_cast<BlockArgument>(cast->getOperand(0));
  if (!argument || argument.getOwner() != op.getBlock())
    return std::nullopt;
  return Codes{op->getOperand(argument.getArgNumber()),
               argument.getType().getIntOrFloatBitWidth(), isSigned};
}

/// The codes of which the body's `value` is the real value, or nothing.
static std::optional<Codes> getDequantizedCodes(linalg::LinalgOp op,
                                                Value value) {
  if (auto widened = value.getDefiningOp<arith::ExtFOp>())
    value = widened.getIn();
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != op.getBlock())
    return std::nullopt;
  Value tensor = op->getOperand(argument.getArgNumber());
  while (Operation *def = tensor.getDefiningOp()) {
    if (!isa<tensor::PadOp, tensor::CastOp, tensor::ExpandShapeOp,
             tensor::CollapseShapeOp, linalg::TransposeOp>(def))
      break;
    tensor = def->getOperand(0);
  }
  auto dequantize = tensor.getDefiningOp<DequantizeOp>();
  if (!dequantize || dequantize.getStorage().isFloat())
    return std::nullopt;
  Storage storage = dequantize.getStorage();
  return Codes{dequantize.getInput(), storage.getWidth(), storage.isSigned};
}

/// A sum over loops of `out + a * b`, where a and b are codes or their reals.
static std::optional<CodeContraction> match(linalg::LinalgOp op) {
  if (op.getNumReductionLoops() == 0 || op.getNumDpsInits() != 1 ||
      !op.getBlock())
    return std::nullopt;
  auto add = [&]() -> Operation * {
    Value yielded = op.getBlock()->getTerminator()->getOperand(0);
    return yielded.getDefiningOp();
  }();
  if (!isa_and_nonnull<arith::AddIOp, arith::AddFOp>(add))
    return std::nullopt;
  Value out = op.getBlock()->getArguments().back();
  Value term = add->getOperand(add->getOperand(0) == out ? 1 : 0);
  Operation *product = term.getDefiningOp();
  if (!llvm::is_contained(add->getOperands(), out) ||
      !isa_and_nonnull<arith::MulIOp, arith::MulFOp>(product))
    return std::nullopt;
  bool isInteger = isa<arith::AddIOp>(add);
  auto getCodes = isInteger ? getWidenedCodes : getDequantizedCodes;
  auto lhs = getCodes(op, product->getOperand(0));
  auto rhs = getCodes(op, product->getOperand(1));
  if (!lhs || !rhs)
    return std::nullopt;
  return CodeContraction{*lhs, *rhs,
                         isInteger ? out.getType().getIntOrFloatBitWidth() : 0};
}

/// The largest magnitude of the codes: of a constant's, or of the type's.
static uint64_t getMagnitude(const Codes &codes) {
  uint64_t ofType = codes.isSigned ? uint64_t(1) << (codes.width - 1)
                                   : (uint64_t(1) << codes.width) - 1;
  auto constant = ConstantElements::get(codes.tensor);
  if (!constant)
    return ofType;
  uint64_t most = 0;
  for (int64_t i = 0; i < constant->getNumDistinct(); ++i) {
    APSInt code = std::get<APSInt>((*constant)[i]);
    code = APSInt(code, /*isUnsigned=*/!codes.isSigned);
    most = std::max<uint64_t>(most, std::abs(code.getExtValue()));
  }
  return std::min(most, ofType);
}

/// Sums of so many products that the accumulator may not hold them.
static void lintAccumulator(linalg::LinalgOp op, const CodeContraction &codes,
                            LintReport &report) {
  if (codes.sumWidth == 0 || codes.sumWidth >= 64)
    return;
  uint64_t product = llvm::SaturatingMultiply(getMagnitude(codes.lhs),
                                              getMagnitude(codes.rhs));
  uint64_t most = (uint64_t(1) << (codes.sumWidth - 1)) - 1;
  if (product == 0)
    return;
  uint64_t count = 1;
  bool isDynamic = false;
  for (auto [size, kind] :
       llvm::zip(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction) {
      isDynamic |= ShapedType::isDynamic(size);
      if (!ShapedType::isDynamic(size))
        count = llvm::SaturatingMultiply<uint64_t>(count, size);
    }
  if (!isDynamic && llvm::SaturatingMultiply(count, product) <= most)
    return;
  auto remark = report(op, Hazard::WrappedSum);
  remark << "sums ";
  if (isDynamic)
    remark << "of more than " << most / product << " products";
  else
    remark << "of " << count << " products";
  remark << " of " << codes.lhs.getType() << " and " << codes.rhs.getType()
         << " codes may wrap: the accumulator has " << codes.sumWidth
         << " bits";
}

/// Pairs of products that kernels of others add in 16 bits.
static void lintPairs(linalg::LinalgOp op, const CodeContraction &codes,
                      LintReport &report) {
  if (codes.lhs.width != 8 || codes.rhs.width != 8 ||
      codes.lhs.isSigned == codes.rhs.isSigned)
    return;
  const Codes &weights = codes.lhs.isSigned ? codes.lhs : codes.rhs;
  uint64_t most = getMagnitude(weights);
  if (2 * 255 * most <= INT16_MAX)
    return;
  report(op, Hazard::SaturatedPair)
      << "products of ui8 codes and i8 codes of up to " << most
      << ": ONNX Runtime on x86 without VNNI adds pairs of them in 16 bits, "
         "which saturate; up to 64 (reduce_range) they do not";
}

/// A contraction of dequantized codes that cannot be one of integers.
static void lintFloatSums(Operation *op, LintReport &report) {
  if (std::optional<std::string> reason = explainFloatContraction(op))
    report(op, Hazard::FloatSum)
        << "multiplies dequantized codes as floats, and "
           "qdq-integer-contractions leaves it: "
        << *reason;
}

void mlir::qdq::lintContraction(Operation *op, LintReport &report) {
  lintFloatSums(op, report);
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  std::optional<CodeContraction> codes =
      structured ? match(structured) : std::nullopt;
  if (!codes)
    return;
  lintAccumulator(structured, *codes, report);
  lintPairs(structured, *codes, report);
}
