// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dequantized operands of contractions, computed where they are multiplied.

#include "qdq/Transforms/FuseContractions.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "qdq/IR/DependentDialects.h"
#include "qdq/IR/FunctionPattern.h"
#include "qdq/Transforms/Passes.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_FUSECONTRACTIONSPASS
#include "qdq/Transforms/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;

static Type getResultElement(linalg::GenericOp op) {
  return getElementTypeOrSelf(op->getResultTypes().front());
}

/// True for an elementwise op with one result.
static bool isElementwise(linalg::GenericOp op) {
  return op && op.getNumResults() == 1 &&
         op.getNumParallelLoops() == op.getNumLoops();
}

/// True for codes or containers of codes beside floats of this type.
static bool isNarrower(Type type, Type expressed) {
  return isa<IntegerType>(type) ||
         (isa<FloatType>(type) &&
          type.getIntOrFloatBitWidth() < expressed.getIntOrFloatBitWidth());
}

/// True where an operand holds a float for each element of the result: a choice
/// by a mask, as in attention, is no dequantize.
static bool readsAllFloats(linalg::GenericOp op) {
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    return getElementTypeOrSelf(input->get()) == getResultElement(op) &&
           op.getMatchingIndexingMap(input).isPermutation();
  });
}

/// True for a `qdq.dequantize`, with the `qdq.unpack` before it or without, and
/// for that alone: elementwise, from codes to floats.
static bool widensCodes(linalg::GenericOp op) {
  if (!isElementwise(op) || !isa<FloatType>(getResultElement(op)) ||
      readsAllFloats(op))
    return false;
  return llvm::any_of(op.getDpsInputs(), [&](Value input) {
    return isa<ShapedType>(input.getType()) &&
           isNarrower(getElementTypeOrSelf(input), getResultElement(op));
  });
}

/// True for contractions, and for what they become: floats are reduced.
static bool reducesFloats(linalg::GenericOp op) {
  return op && op.getNumResults() == 1 && op.getNumReductionLoops() > 0 &&
         isa<FloatType>(getResultElement(op));
}

/// The generic that computes a value, reshaped afterwards or not.
static linalg::GenericOp getProducer(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op))
      return dyn_cast<linalg::GenericOp>(op);
    value = op->getOperand(0);
  }
  return {};
}

static bool hasDequantizedOperand(linalg::LinalgOp op) {
  return llvm::any_of(op.getDpsInputs(), [](Value input) {
    return widensCodes(getProducer(input));
  });
}

/// True for an elementwise op of integers.
static bool readsIntegers(linalg::GenericOp op) {
  return isElementwise(op) && op.getNumDpsInputs() > 0 &&
         llvm::all_of(op.getDpsInputs(), [](Value input) {
           return isa<IntegerType>(getElementTypeOrSelf(input));
         });
}

/// True for what unpacks or decodes codes: elementwise, from integers to those
/// of up to a byte.
static bool makesCodes(linalg::GenericOp op) {
  return readsIntegers(op) && isa<IntegerType>(getResultElement(op)) &&
         getResultElement(op).getIntOrFloatBitWidth() <= 8;
}

/// True for products with one constant: behind a conversion of integers, a
/// dequantize.
static bool scales(linalg::GenericOp op) {
  if (!isElementwise(op) || op.getNumDpsInputs() != 1)
    return false;
  Value result = op.getBody()->getTerminator()->getOperand(0);
  auto product = result.getDefiningOp<arith::MulFOp>();
  return product && product.getLhs() == op.getRegionInputArgs().front() &&
         matchPattern(product.getRhs(), m_Constant());
}

/// True for two ops that compute codes, or parameters, of the same integers.
static bool shouldJoinCodes(OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
  return readsIntegers(producer) && producer->hasOneUse() && consumer &&
         (readsIntegers(consumer) || scales(consumer)) &&
         consumer.isDpsInput(operand) &&
         consumer.getMatchingIndexingMap(operand).isPermutation();
}

/// True if a contraction or what dequantizes codes is the only user, through
/// reshapes and what computes codes.
static bool feedsFloats(Operation *op) {
  if (!op->hasOneUse())
    return false;
  Operation *user = *op->user_begin();
  auto generic = dyn_cast<linalg::GenericOp>(user);
  if (reducesFloats(generic) || widensCodes(generic))
    return true;
  return (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(user) ||
          makesCodes(generic)) &&
         feedsFloats(user);
}

/// True for parameters of blocks, which neighbors share, cut from their words:
/// to do so in the loop over blocks would split it.
static bool cutsParameters(linalg::GenericOp producer, OpOperand *operand) {
  auto op = cast<linalg::GenericOp>(operand->getOwner());
  return !op.getMatchingIndexingMap(operand).isFunctionOfDim(op.getNumLoops() -
                                                             1) &&
         !producer.getBody()->getOps<linalg::IndexOp>().empty();
}

static bool shouldFuse(OpOperand *operand) {
  auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
  if (!consumer || !consumer.isDpsInput(operand))
    return false;
  linalg::GenericOp producer = getProducer(operand->get());
  if (reducesFloats(consumer) && widensCodes(producer))
    return true;
  return makesCodes(producer) && !cutsParameters(producer, operand) &&
         producer->hasOneUse() &&
         (reducesFloats(consumer) || widensCodes(consumer) ||
          (makesCodes(consumer) && feedsFloats(consumer)));
}

/// True where each loop has the same size, or none, in all operands. Upstream's
/// expansion gives up half-way where a size is static in one operand alone.
static bool hasAgreeingSizes(linalg::GenericOp op) {
  SmallVector<std::optional<int64_t>> sizes(op.getNumLoops());
  for (OpOperand &operand : op->getOpOperands()) {
    ArrayRef<int64_t> shape = op.getShape(&operand);
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [size, expr] : llvm::zip_equal(shape, map.getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim)
        continue;
      std::optional<int64_t> &known = sizes[dim.getPosition()];
      if (known.value_or(size) != size)
        return false;
      known = size;
    }
  }
  return true;
}

/// A reshape between the two goes to the other operands of the contraction, or
/// to those of the producer.
static bool shouldFoldReshape(OpOperand *operand) {
  if (auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner()))
    // An expansion goes to the producer alone. The contraction would collapse
    // dimensions that it expanded for another operand, and so on without end.
    return shouldFuse(operand) && hasAgreeingSizes(consumer) &&
           !operand->get().getDefiningOp<tensor::ExpandShapeOp>();
  Operation *reshape = operand->getOwner();
  return reshape->hasOneUse() && shouldFuse(&*reshape->use_begin());
}

/// True for a reshape that drops sizes of 1, and that another one follows:
/// upstream would not compose the two.
static bool dropsUnitDims(Operation *op) {
  auto collapse = dyn_cast<tensor::CollapseShapeOp>(op);
  if (!collapse || !collapse->hasOneUse())
    return false;
  auto expand = dyn_cast<tensor::ExpandShapeOp>(*collapse->user_begin());
  auto count = [](ArrayRef<int64_t> shape) {
    return shape.size() - llvm::count(shape, 1);
  };
  return expand && expand->hasOneUse() &&
         count(collapse.getSrcType().getShape()) ==
             count(collapse.getResultType().getShape()) &&
         shouldFuse(&*expand->use_begin());
}

/// A generic with the loops of what it is to compute keeps them until it does:
/// it would be expanded to them again, without end.
static bool shouldFoldByCollapsing(OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  return (shouldFoldReshape(operand) || dropsUnitDims(operand->getOwner())) &&
         !(producer &&
           llvm::any_of(producer.getDpsInputOperands(), shouldFuse));
}

namespace {
/// A named contraction of a dequantized operand as a `linalg.generic`.
struct GeneralizeContraction : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    if (isa<linalg::GenericOp>(op.getOperation()) ||
        !linalg::isaContractionOpInterface(op) || !op.hasPureTensorSemantics())
      return rewriter.notifyMatchFailure(op, "is no contraction of tensors");
    if (!hasDequantizedOperand(op))
      return rewriter.notifyMatchFailure(op, "has no dequantized operand");
    return linalg::generalizeNamedOp(rewriter, op);
  }
};

} // namespace

static bool isOwnedBy(Operation *producer, Operation *user) {
  for (;; user = producer, producer = producer->getOperand(0).getDefiningOp())
    if (!llvm::hasSingleElement(producer->getUsers()) ||
        *producer->user_begin() != user)
      return false;
    else if (isa<linalg::GenericOp>(producer))
      return true;
}

/// The reshapes and the generic before them once more.
static Value cloneChain(PatternRewriter &rewriter, Value value) {
  Operation *op = value.getDefiningOp();
  IRMapping mapping;
  if (!isa<linalg::GenericOp>(op))
    mapping.map(op->getOperand(0), cloneChain(rewriter, op->getOperand(0)));
  return rewriter.clone(*op, mapping)->getResult(0);
}

/// Gives a contraction a producer of its own: upstream's fusion would keep the
/// whole tensor for the others.
static LogicalResult cloneSharedOperand(linalg::GenericOp op,
                                        PatternRewriter &rewriter) {
  for (OpOperand *operand : op.getDpsInputOperands()) {
    Operation *producer = operand->get().getDefiningOp();
    if (!shouldFuse(operand) || isOwnedBy(producer, op))
      continue;
    rewriter.modifyOpInPlace(
        op, [&] { operand->set(cloneChain(rewriter, operand->get())); });
    return success();
  }
  return rewriter.notifyMatchFailure(op, "shares no producer");
}

/// The sizes into which both shapes can be split.
static std::optional<SmallVector<int64_t>>
getCommonParts(ArrayRef<int64_t> first, ArrayRef<int64_t> second) {
  SmallVector<int64_t> parts, left(llvm::reverse(first)),
      right(llvm::reverse(second));
  while (!left.empty() && !right.empty()) {
    int64_t one = left.pop_back_val(), other = right.pop_back_val();
    auto [small, large] = std::minmax(one, other);
    if (small == 0 || large % small != 0)
      return std::nullopt;
    parts.push_back(small);
    if (large != small)
      (one > other ? left : right).push_back(large / small);
  }
  if (!left.empty() || !right.empty())
    return std::nullopt; // sizes of 1
  return parts;
}

/// Splits the dimensions of codes before it joins them, so that one reshape
/// goes to the producer, and the other one to the contraction: upstream
/// composes reshapes only where one is left.
static LogicalResult splitBeforeJoining(tensor::ExpandShapeOp op,
                                        PatternRewriter &rewriter) {
  auto collapse = op.getSrc().getDefiningOp<tensor::CollapseShapeOp>();
  if (!collapse || !feedsFloats(op) || !feedsFloats(collapse))
    return rewriter.notifyMatchFailure(op, "joins no codes");
  RankedTensorType from = collapse.getSrcType(), to = op.getResultType();
  if (!from.hasStaticShape() || !to.hasStaticShape())
    return rewriter.notifyMatchFailure(op, "has dynamic sizes");
  auto parts = getCommonParts(from.getShape(), to.getShape());
  if (!parts)
    return rewriter.notifyMatchFailure(op, "divides sizes elsewhere");
  Value value = collapse.getSrc();
  auto middle = RankedTensorType::get(*parts, to.getElementType());
  auto splits = getReassociationIndicesForReshape(from, middle);
  auto joins = getReassociationIndicesForReshape(middle, to);
  if ((from != middle && !splits) || (middle != to && !joins))
    return rewriter.notifyMatchFailure(op, "has sizes of 1 between");
  if (from != middle)
    value = tensor::ExpandShapeOp::create(rewriter, op.getLoc(), middle, value,
                                          *splits);
  if (middle != to)
    value = tensor::CollapseShapeOp::create(rewriter, op.getLoc(), to, value,
                                            *joins);
  rewriter.replaceOp(op, value);
  return success();
}

namespace {
struct FuseContractionsPass
    : qdq::impl::FuseContractionsPassBase<FuseContractionsPass> {
  using FuseContractionsPassBase::FuseContractionsPassBase;

  void runOnOperation() override {
    // Codes become one op first, whose operands have one user each.
    RewritePatternSet codes(&getContext());
    linalg::populateElementwiseOpsFusionPatterns(codes, shouldJoinCodes);
    if (failed(applyPatternsGreedily(getOperation(), std::move(codes))))
      return signalPassFailure();
    RewritePatternSet patterns(&getContext());
    qdq::populateFuseContractionsPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace

void mlir::qdq::populateFuseContractionsPatterns(RewritePatternSet &patterns,
                                                 PatternBenefit benefit) {
  loadDependentDialects(patterns.getContext(), createFuseContractionsPass());
  MLIRContext *ctx = patterns.getContext();
  patterns.add<GeneralizeContraction>(ctx, benefit);
  patterns.add<qdq::FunctionPattern<cloneSharedOperand>>(
      ctx, benefit.getBenefit() + 1);
  patterns.add<qdq::FunctionPattern<splitBeforeJoining>>(ctx, benefit);
  linalg::populateElementwiseOpsFusionPatterns(patterns, shouldFuse);
  linalg::populateFoldReshapeOpsByExpansionPatterns(patterns,
                                                    shouldFoldReshape);
  linalg::populateFoldReshapeOpsByCollapsingPatterns(patterns,
                                                     shouldFoldByCollapsing);
  tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, ctx);
  tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, ctx);
}
