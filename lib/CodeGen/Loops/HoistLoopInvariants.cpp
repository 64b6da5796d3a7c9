// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loop-invariant code motion of reads of tensors.

#include "../Analysis/MayTrap.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "qdq/CodeGen/Passes.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_HOISTLOOPINVARIANTSPASS
#include "qdq/CodeGen/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;

/// True if the loop is known to have an iteration.
static bool isEntered(LoopLikeOpInterface loop) {
  std::optional<APInt> count = loop.getStaticTripCount();
  return count && !count->isZero();
}

/// True if an iteration that begins comes to `op`.
static bool isReached(Operation *op) {
  return qdq::isReachedFrom(&op->getBlock()->front(), op);
}

static bool isRead(Operation *op) {
  auto read = dyn_cast<vector::TransferReadOp>(op);
  return isa<tensor::ExtractOp>(op) ||
         (read && isa<TensorType>(read.getBase().getType()));
}

/// True for what reads or computes the same before `loop`: no op that makes a
/// tensor but of what is only read.
static bool isHoistable(Operation *op, LoopLikeOpInterface loop) {
  if (op->getNumRegions() > 0 || !isMemoryEffectFree(op))
    return false;
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    if (!llvm::all_of(slice->getUsers(), isRead))
      return false;
  } else if (llvm::any_of(op->getResultTypes(), llvm::IsaPred<TensorType>)) {
    return false;
  }
  return !qdq::mayTrap(op) || (isEntered(loop) && isReached(op));
}

namespace {
/// The reads of a loop that are the same in each iteration, before it: behind a
/// branch, since what they read need not exist if the loop is not entered.
class GuardedReads {
public:
  explicit GuardedReads(scf::ForOp loop) : loop(loop) {}

  /// False if there is nothing to move.
  bool hoist();

private:
  bool isInvariant(Value value);
  Value clone(OpBuilder &b, Value value);

  scf::ForOp loop;
  IRMapping mapping;
};
} // namespace

/// True for a value from outside the loop, and a slice of such values.
bool GuardedReads::isInvariant(Value value) {
  auto slice = value.getDefiningOp<tensor::ExtractSliceOp>();
  return loop.isDefinedOutsideOfLoop(value) ||
         (slice && llvm::all_of(slice->getOperands(),
                                [&](Value v) { return isInvariant(v); }));
}

Value GuardedReads::clone(OpBuilder &b, Value value) {
  if (loop.isDefinedOutsideOfLoop(value) || mapping.contains(value))
    return mapping.lookupOrDefault(value);
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    mapping.map(operand, clone(b, operand));
  return b.clone(*op, mapping)->getResult(0);
}

bool GuardedReads::hoist() {
  Builder types(loop.getContext());
  SmallVector<Value> reads;
  for (Operation &op : loop.getBody()->without_terminator())
    if (isRead(&op) && types.getZeroAttr(op.getResult(0).getType()) &&
        llvm::all_of(op.getOperands(),
                     [&](Value v) { return isInvariant(v); }) &&
        isReached(&op))
      reads.push_back(op.getResult(0));
  if (reads.empty())
    return false;

  ImplicitLocOpBuilder b(loop.getLoc(), loop);
  Value isEntered =
      arith::CmpIOp::create(b,
                            loop.getUnsignedCmp() ? arith::CmpIPredicate::ult
                                                  : arith::CmpIPredicate::slt,
                            loop.getLowerBound(), loop.getUpperBound());
  auto guard = scf::IfOp::create(b, TypeRange(ValueRange(reads)), isEntered,
                                 /*withElseRegion=*/true);
  SmallVector<Value> found, none;
  b.setInsertionPointToStart(guard.thenBlock());
  for (Value read : reads)
    found.push_back(clone(b, read));
  scf::YieldOp::create(b, found);
  b.setInsertionPointToStart(guard.elseBlock());
  for (Value read : reads)
    none.push_back(
        arith::ConstantOp::create(b, types.getZeroAttr(read.getType())));
  scf::YieldOp::create(b, none);
  for (auto [read, value] : llvm::zip_equal(reads, guard.getResults())) {
    read.replaceAllUsesWith(value);
    read.getDefiningOp()->erase();
  }
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(*loop.getBody())))
    if (isa<tensor::ExtractSliceOp>(op) && op.use_empty())
      op.erase();
  return true;
}

namespace {
struct HoistLoopInvariantsPass
    : qdq::impl::HoistLoopInvariantsPassBase<HoistLoopInvariantsPass> {
  void runOnOperation() override {
    bool isChanged = false;
    getOperation()->walk([&](LoopLikeOpInterface loop) {
      // Threads would get it through memory, and not see what it is made of.
      if (isa<scf::ForallOp, scf::ParallelOp>(loop))
        return;
      auto move = [&] {
        isChanged |=
            moveLoopInvariantCode(
                loop.getLoopRegions(),
                [&](Value value, Region *) {
                  return loop.isDefinedOutsideOfLoop(value);
                },
                [&](Operation *op, Region *) { return isHoistable(op, loop); },
                [&](Operation *op, Region *) { loop.moveOutOfLoop(op); }) > 0;
      };
      move();
      // Values computed from such reads, and reads at indices that were read.
      auto sequential = dyn_cast<scf::ForOp>(*loop);
      while (sequential && GuardedReads(sequential).hoist()) {
        isChanged = true;
        move();
      }
    });
    if (!isChanged)
      markAllAnalysesPreserved();
  }
};
} // namespace
