// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which generics that convert-qdq-to-linalg makes become one, by upstream's
// elementwise fusion.

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/IR/TypeUtilities.h"
#include "qdq/Conversion/Passes.h"
#include "qdq/Conversion/QDQToLinalg/QDQToLinalg.h"
#include "qdq/IR/DependentDialects.h"
#include "qdq/IR/FunctionPattern.h"

using namespace mlir;

static unsigned getElementBits(Value value) {
  Type type = getElementTypeOrSelf(value);
  return type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 0;
}

static bool isElementwise(linalg::GenericOp op) {
  return op && op.hasPureTensorSemantics() && op.getNumResults() == 1 &&
         op.getNumParallelLoops() == op.getNumLoops();
}

/// True for a `qdq.unpack`: the body shifts a container, or the word that some
/// make, by a loop that the container does not depend on. To repeat that costs
/// a shift.
static bool takesElements(linalg::GenericOp op) {
  if (op.getNumDpsInputs() == 0 || !llvm::all_equal(op.getDpsInputs()) ||
      !isa<IntegerType>(getElementTypeOrSelf(op.getDpsInputs().front())) ||
      getElementBits(op.getDpsInputs().front()) <=
          getElementBits(op.getResult(0)))
    return false;
  AffineMap map = op.getIndexingMapsArray().front();
  return llvm::any_of(op.getBody()->getOps<linalg::IndexOp>(),
                      [&](linalg::IndexOp index) {
                        return !map.isFunctionOfDim(index.getDim());
                      });
}

/// True for a `qdq.pack`: codes are put together in storage words.
static bool fillsWords(linalg::GenericOp op) {
  return op.getNumReductionLoops() > 0 && op.getNumResults() == 1 &&
         op.getNumDpsInputs() == 1 &&
         isa<IntegerType>(getElementTypeOrSelf(op.getResult(0))) &&
         getElementBits(op.getDpsInputs().front()) <
             getElementBits(op.getResult(0)) &&
         llvm::any_of(
             op.getBody()->getOps<linalg::IndexOp>(),
             [&](linalg::IndexOp index) {
               return linalg::isReductionIterator(
                   op.getIteratorTypesArray()[index.getDim()]);
             });
}

/// True for a `qdq.dequantize`: the first operand holds codes, and the result
/// is wider.
static bool widensCodes(linalg::GenericOp op) {
  return op.getNumDpsInputs() > 0 &&
         isa<FloatType>(getElementTypeOrSelf(op.getResult(0))) &&
         getElementBits(op.getDpsInputs().front()) <
             getElementBits(op.getResult(0));
}

/// True if the consumer reads an operand with this map many times in its
/// innermost loop, so that what computes it is hoisted out of that loop.
static bool isInvariantInnermost(AffineMap map) {
  return map.getNumDims() > 0 && map.getNumResults() < map.getNumDims() &&
         !map.isFunctionOfDim(map.getNumDims() - 1);
}

namespace {
/// Which generics become one: see `populateQDQFusionPatterns`.
struct FusionRule {
  bool unpackParameters;

  /// True if the generic that reads `operand` should compute what `producer`
  /// does.
  bool shouldFuse(linalg::GenericOp producer, OpOperand *operand) const {
    auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
    if (!consumer || !isElementwise(producer) || !consumer.isDpsInput(operand))
      return false;
    AffineMap map = consumer.getMatchingIndexingMap(operand);
    bool packs = fillsWords(consumer);
    if (takesElements(producer))
      return (isElementwise(consumer) && map.isIdentity()) ||
             (unpackParameters && (isElementwise(consumer) || packs) &&
              isInvariantInnermost(map));
    return packs || (widensCodes(producer) && isInvariantInnermost(map));
  }

  bool shouldFuseElementwise(OpOperand *operand) const {
    return shouldFuse(operand->get().getDefiningOp<linalg::GenericOp>(),
                      operand);
  }

  /// A reshape between two generics goes to the operands of one of them, if the
  /// two should be one.
  bool shouldFoldReshape(OpOperand *operand) const {
    Operation *reshape = operand->getOwner();
    // The operand of a generic, or that of a reshape whose users are generics.
    if (isa<linalg::GenericOp>(reshape)) {
      Operation *producer = operand->get().getDefiningOp();
      return producer &&
             shouldFuse(
                 producer->getOperand(0).getDefiningOp<linalg::GenericOp>(),
                 operand);
    }
    auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
    return reshape->hasOneUse() && shouldFuse(producer, &*reshape->use_begin());
  }

  /// A generic with the loops of what it is to compute keeps them until it
  /// does: it would be expanded to them again, without end.
  bool shouldFoldByCollapsing(OpOperand *operand) const {
    auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
    return shouldFoldReshape(operand) &&
           !(producer && llvm::any_of(producer.getDpsInputOperands(),
                                      [&](OpOperand *input) {
                                        return shouldFuseElementwise(input);
                                      }));
  }
};

} // namespace

/// Gives each generic that should compute its operand a producer of its own:
/// upstream's fusion would keep the result for the others.
static LogicalResult cloneSharedProducer(linalg::GenericOp op,
                                         PatternRewriter &rewriter,
                                         const FusionRule &rule) {
  for (OpOperand *operand : op.getDpsInputOperands()) {
    auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
    if (!producer || producer->hasOneUse() ||
        !rule.shouldFuse(producer, operand))
      continue;
    Operation *copy = rewriter.clone(*producer);
    rewriter.modifyOpInPlace(op, [&] { operand->set(copy->getResult(0)); });
    return success();
  }
  return rewriter.notifyMatchFailure(op, "shares no producer");
}

void mlir::qdq::populateQDQFusionPatterns(RewritePatternSet &patterns,
                                          PatternBenefit benefit,
                                          bool unpackParameters) {
  loadDependentDialects(patterns.getContext(), createConvertQDQToLinalgPass());
  MLIRContext *ctx = patterns.getContext();
  FusionRule rule{unpackParameters};
  patterns.add<qdq::FunctionPattern<cloneSharedProducer>>(
      ctx, rule, benefit.getBenefit() + 1);
  linalg::populateElementwiseOpsFusionPatterns(
      patterns, [=](OpOperand *by) { return rule.shouldFuseElementwise(by); });
  linalg::populateFoldReshapeOpsByExpansionPatterns(
      patterns, [=](OpOperand *by) { return rule.shouldFoldReshape(by); });
  linalg::populateFoldReshapeOpsByCollapsingPatterns(
      patterns, [=](OpOperand *by) { return rule.shouldFoldByCollapsing(by); });
  tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, ctx);
  tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, ctx);
  tensor::populateFoldTensorEmptyPatterns(patterns);
  // A size that somebody asks for keeps no producer alive.
  memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
}
