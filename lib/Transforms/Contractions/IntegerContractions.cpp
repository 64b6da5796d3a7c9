// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// qdq-integer-contractions: contractions of dequantized tensors, as integers.

#include "qdq/Transforms/IntegerContractions.h"
#include "Epilogue.h"
#include "IntegerContraction.h"
#include "Requantization.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "qdq/Conversion/WalkConversion.h"
#include "qdq/IR/DependentDialects.h"
#include "qdq/IR/FunctionPattern.h"
#include "qdq/IR/QDQ.h"
#include "qdq/IR/Walk.h"
#include "qdq/Transforms/DequantizeConstants.h"
#include "qdq/Transforms/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_INTEGERCONTRACTIONSPASS
#include "qdq/Transforms/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

/// The contraction of floats, one of which is dequantized, that `op` is.
static FailureOr<FloatContraction> matchDequantized(Operation *op) {
  auto contraction = FloatContraction::match(op);
  if (failed(contraction) ||
      !(DequantizedOperand::find(contraction->getOperand(0)) ||
        DequantizedOperand::find(contraction->getOperand(1))))
    return failure();
  return contraction;
}

/// The quantizes that elementwise ops and movements make of `value`.
static SetVector<QuantizeOp> collectQuantizes(Value value) {
  SetVector<QuantizeOp> found;
  auto visit = [&](Value made, function_ref<void(Value)> add) {
    for (Operation *user : made.getUsers()) {
      auto structured = dyn_cast<linalg::LinalgOp>(user);
      bool isElementwise = OpTrait::hasElementwiseMappableTraits(user) ||
                           isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp,
                               tensor::CastOp, tensor::ExtractSliceOp>(user) ||
                           (structured && structured.getNumLoops() ==
                                              structured.getNumParallelLoops());
      if (auto quantize = dyn_cast<QuantizeOp>(user))
        found.insert(quantize);
      else if (isElementwise)
        llvm::for_each(user->getResults(), add);
    }
  };
  walkValues(value, visit, kLongestEpilogue);
  return found;
}

/// Gives those who ask for a size of `op` one of its operand's.
static void forwardSizes(PatternRewriter &rewriter, Operation *op) {
  OpBuilder::InsertionGuard guard(rewriter);
  for (Operation *user : llvm::make_early_inc_range(op->getUsers())) {
    auto size = dyn_cast<tensor::DimOp>(user);
    std::optional<int64_t> dim = size ? size.getConstantIndex() : std::nullopt;
    if (!dim || *dim < 0 ||
        *dim >= cast<RankedTensorType>(op->getResult(0).getType()).getRank())
      continue;
    rewriter.setInsertionPoint(size);
    FailureOr<OpFoldResult> known = reifyDimOfResult(rewriter, op, 0, *dim);
    if (succeeded(known))
      rewriter.replaceOp(size, getValueOrCreateConstantIndexOp(
                                   rewriter, size.getLoc(), *known));
  }
}

/// Erases what nothing uses any more, back to the codes.
static void eraseUnused(PatternRewriter &rewriter, ArrayRef<Value> values) {
  llvm::SmallSetVector<Operation *, 16> left;
  auto add = [&](ValueRange operands) {
    for (Value operand : operands)
      if (Operation *op = operand.getDefiningOp())
        left.insert(op);
  };
  add(values);
  while (!left.empty()) {
    Operation *op = left.pop_back_val();
    bool isPart = isa<linalg::LinalgOp, tensor::EmptyOp, tensor::PadOp,
                      tensor::ExpandShapeOp, DequantizeOp>(op) ||
                  op->hasTrait<OpTrait::ConstantLike>() ||
                  OpTrait::hasElementwiseMappableTraits(op);
    if (!isPart)
      continue;
    if (isa<ReifyRankedShapedTypeOpInterface>(op) &&
        isa<RankedTensorType>(op->getResult(0).getType()))
      forwardSizes(rewriter, op);
    if (!isOpTriviallyDead(op))
      continue;
    llvm::SetVector<Value> operands;
    getUsedValuesDefinedAbove(op->getRegions(), operands);
    operands.insert_range(op->getOperands());
    rewriter.eraseOp(op);
    add(operands.takeVector());
  }
}

/// The requantize of a contraction's result; nothing where `op` quantizes none.
/// Fails, with a reason, where it stays.
static std::optional<FailureOr<Requantization>>
findRequantization(QuantizeOp op, const IntegerContractionsOptions &options,
                   std::optional<CodeDifference> &difference,
                   std::string &reason) {
  auto epilogue = Epilogue::find(op, reason);
  if (!epilogue)
    return std::nullopt;
  if (failed(*epilogue))
    return FailureOr<Requantization>(failure());
  auto requantization =
      Requantization::get(op, **epilogue, options.rescale, reason);
  if (failed(requantization) || !options.maxCodeDiff)
    return requantization;
  difference = requantization->measureDifference();
  if (!difference)
    reason = "the difference of its codes to exact ones cannot be measured: "
             "parameters are not constant, or codes do not saturate";
  else if (difference->difference > *options.maxCodeDiff)
    reason = "the sum " + std::to_string(difference->accumulator) +
             " has a code that differs from the exact one by " +
             std::to_string(difference->difference);
  else
    return requantization;
  return FailureOr<Requantization>(failure());
}

namespace {
/// A contraction of dequantized operands as the dequantize of one of integers.
struct DequantizeSums : OpInterfaceRewritePattern<linalg::LinalgOp> {
  DequantizeSums(MLIRContext *ctx, IntegerContractionsOptions options,
                 PatternBenefit benefit)
      : OpInterfaceRewritePattern(ctx, benefit), options(options) {}

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    auto contraction = FloatContraction::match(op);
    if (failed(contraction))
      return rewriter.notifyMatchFailure(op, "is no contraction of floats");
    std::string reason;
    auto integers = IntegerContraction::get(*contraction, reason);
    if (failed(integers) || failed(checkBlocks(*integers, reason)) ||
        failed(checkQuantizes(op, reason)))
      return rewriter.notifyMatchFailure(op, reason);
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    SmallVector<Value> operands(op->getOperands());
    rewriter.replaceOp(op, integers->emitReal(b));
    eraseUnused(rewriter, operands);
    return success();
  }

private:
  /// Fails, with a reason, where its blocks are to stay.
  LogicalResult checkBlocks(const IntegerContraction &integers,
                            std::string &reason) const {
    if (!integers.blocks.loop || options.blocks == IntegerBlocks::All)
      return success();
    FloatContraction contraction = integers.contraction;
    if (options.blocks == IntegerBlocks::Ordered &&
        !contraction.isReassociable())
      return success();
    return refuse(reason,
                  "its operands have blocks, which are to stay (blocks=" +
                      std::string(options.blocks == IntegerBlocks::None
                                      ? "none"
                                      : "ordered") +
                      ")");
  }

  /// Fails, with a reason, where codes are made of the result: other roundings
  /// than those that were asked for would make them.
  LogicalResult checkQuantizes(Operation *op, std::string &reason) const {
    if (options.rescale == Rescale::QDQ && !options.maxCodeDiff)
      return success();
    for (QuantizeOp quantize : collectQuantizes(op->getResult(0))) {
      std::optional<CodeDifference> difference;
      auto found = findRequantization(quantize, options, difference, reason);
      if (!found)
        continue;
      if (succeeded(*found))
        reason = "its quantized result comes first";
      return failure();
    }
    return success();
  }

  IntegerContractionsOptions options;
};
} // namespace

/// The quantize of a contraction's result as the requantize of its sums.
static LogicalResult requantizeSums(QuantizeOp op, PatternRewriter &rewriter,
                                    const IntegerContractionsOptions &options) {
  std::string reason;
  std::optional<CodeDifference> difference;
  auto found = findRequantization(op, options, difference, reason);
  if (!found)
    return rewriter.notifyMatchFailure(op, "quantizes no contraction");
  if (failed(*found))
    return rewriter.notifyMatchFailure(op, reason);
  if (difference && difference->difference == 0)
    op->emitRemark("its codes are those of the exact numbers");
  else if (difference)
    op->emitRemark() << "its codes differ from those of the exact numbers by "
                        "up to "
                     << difference->difference << ", as for the sum "
                     << difference->accumulator;
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  SmallVector<Value> operands(op->getOperands());
  Value codes = (*found)->emit(b);
  codes.getDefiningOp()->setDiscardableAttrs(
      op->getDiscardableAttrDictionary());
  rewriter.replaceOp(op, codes);
  eraseUnused(rewriter, operands);
  return success();
}

namespace {
struct IntegerContractionsPass
    : qdq::impl::IntegerContractionsPassBase<IntegerContractionsPass> {
  using IntegerContractionsPassBase::IntegerContractionsPassBase;

  void runOnOperation() override {
    IntegerContractionsOptions options;
    if (profile)
      options.rescale = getProfileRescale(**&profile);
    if (rescale)
      options.rescale = **&rescale;
    if (maxCodeDiff >= 0)
      options.maxCodeDiff = maxCodeDiff;
    options.blocks = blocks;
    RewritePatternSet constants(&getContext()), requantize(&getContext()),
        dequantize(&getContext());
    populateQuantizeConstantsPatterns(constants, std::nullopt);
    populateRequantizeSumsPatterns(requantize, options);
    populateDequantizeSumsPatterns(dequantize, options);
    // Sums of constant codes are constants, too.
    walkAndApplyPatterns(getOperation(), std::move(constants));
    walkAndApplyPatterns(getOperation(), std::move(requantize));
    auto stays = [](Operation *op) { return succeeded(matchDequantized(op)); };
    if (failed(convertByWalk(getOperation(), std::move(dequantize), stays,
                             Unconverted::Keep)))
      signalPassFailure();
  }
};
} // namespace

std::optional<std::string> mlir::qdq::explainFloatContraction(Operation *op) {
  auto contraction = matchDequantized(op);
  std::string reason;
  if (succeeded(contraction) &&
      failed(IntegerContraction::get(*contraction, reason)))
    return reason;
  return std::nullopt;
}

void mlir::qdq::populateDequantizeSumsPatterns(
    RewritePatternSet &patterns, const IntegerContractionsOptions &options,
    PatternBenefit benefit) {
  loadDependentDialects(patterns.getContext(), createIntegerContractionsPass());
  patterns.add<DequantizeSums>(patterns.getContext(), options, benefit);
}

void mlir::qdq::populateRequantizeSumsPatterns(
    RewritePatternSet &patterns, const IntegerContractionsOptions &options,
    PatternBenefit benefit) {
  loadDependentDialects(patterns.getContext(), createIntegerContractionsPass());
  patterns.add<FunctionPattern<requantizeSums>>(patterns.getContext(), options,
                                                benefit);
}
