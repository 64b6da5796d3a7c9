// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Limits to the unrolling of loops of few iterations.

#include "LimitUnrolling.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "qdq/IR/Walk.h"

using namespace mlir;

/// LLVM would repeat vectors of 8 or 16 lanes four times.
static constexpr int64_t kFew = 32;

/// Fewer neighbors fill no vector.
static constexpr int64_t kFewLanes = 8;

/// Name of the attribute by which a loop tells LLVM how to treat it.
static constexpr StringLiteral kAnnotation = "loop_annotation";

/// The largest number of iterations of a loop whose bounds only the run knows,
/// as far as they bound each other.
static std::optional<int64_t> getMostIterations(scf::ForOp loop) {
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!step || !loop.getInductionVar().getType().isIndex() ||
      loop.getUnsignedCmp() || loop.getStaticTripCount())
    return std::nullopt;
  AffineExpr lower, upper;
  bindDims(loop.getContext(), lower, upper);
  ValueBoundsConstraintSet::Variable length(
      AffineMap::get(2, 0, upper - lower),
      ValueRange{loop.getLowerBound(), loop.getUpperBound()});
  // Above each length.
  FailureOr<int64_t> bound = ValueBoundsConstraintSet::computeConstantBound(
      presburger::BoundType::UB, length);
  if (failed(bound))
    return std::nullopt;
  return llvm::divideCeilSigned(std::max<int64_t>(*bound - 1, 0), *step);
}

/// `loop`, of at most one iteration, as what runs if there is one.
static void replaceByIf(scf::ForOp loop) {
  ImplicitLocOpBuilder b(loop.getLoc(), loop);
  Value lower = loop.getLowerBound();
  Value isEntered = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, lower,
                                          loop.getUpperBound());
  auto choice = scf::IfOp::create(b, isEntered, /*withElseRegion=*/false);
  Block *body = loop.getBody();
  loop.getInductionVar().replaceAllUsesWith(lower);
  choice.thenBlock()->getOperations().splice(
      choice.thenBlock()->begin(), body->getOperations(), body->begin(),
      std::prev(body->end()));
  loop.erase();
}

/// True where `term` is what the place of `store` holds.
static bool isStoredTo(Value term, memref::StoreOp store) {
  auto load = term.getDefiningOp<memref::LoadOp>();
  return load && load.getMemRef() == store.getMemRef() &&
         llvm::equal(load.getIndices(), store.getIndices());
}

/// True for a loop that adds integers in one place of memory, such as the codes
/// of a row.
static bool sumsIntegers(scf::ForOp loop) {
  return llvm::any_of(
      loop.getBody()->getOps<memref::StoreOp>(), [&](memref::StoreOp store) {
        auto sum = store.getValueToStore().getDefiningOp<arith::AddIOp>();
        bool isOnePlace = llvm::all_of(store.getIndices(), [&](Value index) {
          return loop.isDefinedOutsideOfLoop(index);
        });
        return sum && isOnePlace &&
               (isStoredTo(sum.getLhs(), store) ||
                isStoredTo(sum.getRhs(), store));
      });
}

/// Has LLVM repeat the body of `loop` in lanes at most.
static void annotate(scf::ForOp loop) {
  MLIRContext *ctx = loop.getContext();
  Builder b(ctx);
  auto interleave = LLVM::LoopInterleaveAttr::get(ctx, b.getI32IntegerAttr(1));
  auto unroll = LLVM::LoopUnrollAttr::get(ctx, /*disable=*/b.getBoolAttr(true),
                                          {}, {}, {}, {}, {}, {});
  loop->setAttr(kAnnotation,
                LLVM::LoopAnnotationAttr::get(
                    ctx, /*disableNonforced=*/{}, /*vectorize=*/{}, interleave,
                    unroll, /*unrollAndJam=*/{}, /*licm=*/{}, /*distribute=*/{},
                    /*pipeline=*/{}, /*peeled=*/{}, /*unswitch=*/{},
                    /*mustProgress=*/{}, /*isVectorized=*/{}, /*startLoc=*/{},
                    /*endLoc=*/{}, /*parallelAccesses=*/{}));
}

/// True for the variable of a loop, and a constant or more.
static bool isNeighbor(Value index, Value variable) {
  auto apply = index.getDefiningOp<affine::AffineApplyOp>();
  if (!apply)
    return index == variable;
  AffineExpr expr = apply.getAffineMap().getResult(0);
  auto sum = dyn_cast<AffineBinaryOpExpr>(expr);
  return apply.getNumOperands() == 1 && apply.getOperand(0) == variable &&
         sum && sum.getKind() == AffineExprKind::Add &&
         isa<AffineConstantExpr>(sum.getRHS()) &&
         isa<AffineDimExpr, AffineSymbolExpr>(sum.getLHS());
}

/// True for a loop that fills or copies neighbors in memory, of a known number
/// that fills vectors: repeated one by one, LLVM would find no vectors, or
/// scatters of a loop outside.
static bool fillsOrCopies(scf::ForOp loop) {
  std::optional<APInt> trips = loop.getStaticTripCount();
  if (!trips || trips->ult(kFewLanes) || loop.getNumResults() != 0)
    return false;
  auto stores = loop.getBody()->getOps<memref::StoreOp>();
  return !stores.empty() &&
         llvm::all_of(stores,
                      [&](memref::StoreOp store) {
                        return !store.getIndices().empty() &&
                               isNeighbor(store.getIndices().back(),
                                          loop.getInductionVar());
                      }) &&
         llvm::all_of(loop.getBody()->without_terminator(),
                      llvm::IsaPred<memref::StoreOp, memref::LoadOp,
                                    affine::AffineApplyOp, arith::ConstantOp>);
}

void mlir::qdq::limitUnrolling(Operation *root) {
  SmallVector<scf::ForOp> loops;
  root->walk<WalkOrder::PreOrder>(
      [&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : loops) {
    bool isInner = !qdq::hasAny(loop, [&](Operation *nested) {
      return nested != loop && isa<LoopLikeOpInterface>(nested);
    });
    // LLVM would repeat each element before it finds lanes.
    bool hasLanes = isInner && (fillsOrCopies(loop) || sumsIntegers(loop));
    std::optional<int64_t> most = getMostIterations(loop);
    if (!hasLanes && most && *most <= 1 && loop.getNumResults() == 0)
      replaceByIf(loop);
    else if ((hasLanes || (most && *most < kFew)) && isInner &&
             !loop->hasAttr(kAnnotation))
      annotate(loop);
  }
}
