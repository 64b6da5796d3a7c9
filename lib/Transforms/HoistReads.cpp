// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads that a loop would repeat, before it.

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "qdq/Transforms/Passes.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_HOISTREADSPASS
#include "qdq/Transforms/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;

/// True if `index` is computed of nothing but the variables of loops, which are
/// in range where it is computed, and constants.
static bool isCounted(Value index, unsigned depth = 8) {
  if (getConstantIntValue(index))
    return true;
  if (auto argument = dyn_cast<BlockArgument>(index)) {
    auto loop =
        dyn_cast<LoopLikeOpInterface>(argument.getOwner()->getParentOp());
    std::optional<SmallVector<Value>> variables =
        loop ? loop.getLoopInductionVars() : std::nullopt;
    return variables && llvm::is_contained(*variables, index);
  }
  Operation *op = index.getDefiningOp();
  return depth > 0 && isMemoryEffectFree(op) && op->getNumOperands() > 0 &&
         llvm::all_of(op->getOperands(),
                      [&](Value v) { return isCounted(v, depth - 1); });
}

/// True if what is at `indices` of `tensor` exists, whether a loop that reads
/// it is entered or not.
static bool exists(Value tensor, ArrayRef<OpFoldResult> indices) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  return type &&
         llvm::all_of_zip(
             type.getShape(), indices, [](int64_t size, OpFoldResult index) {
               std::optional<int64_t> constant = getConstantIntValue(index);
               return constant
                          ? !ShapedType::isDynamic(size) && *constant < size
                          : isCounted(cast<Value>(index));
             });
}

/// True for what reads or computes the same wherever it stands: no op that
/// makes a tensor but of what is only read.
static bool isHoistable(Operation *op) {
  auto readsOnly = [](Operation *user) {
    return isa<vector::TransferReadOp, tensor::ExtractOp>(user);
  };
  if (op->getNumRegions() > 0 || !isMemoryEffectFree(op) || !isSpeculatable(op))
    return false;
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return exists(slice.getSource(), slice.getMixedOffsets()) &&
           llvm::all_of(slice->getUsers(), readsOnly);
  if (auto read = dyn_cast<vector::TransferReadOp>(op))
    return exists(read.getBase(), getAsOpFoldResult(read.getIndices()));
  if (auto read = dyn_cast<tensor::ExtractOp>(op))
    return exists(read.getTensor(), getAsOpFoldResult(read.getIndices()));
  return llvm::none_of(op->getResultTypes(), llvm::IsaPred<TensorType>);
}

namespace {
struct HoistReadsPass : qdq::impl::HoistReadsPassBase<HoistReadsPass> {
  void runOnOperation() override {
    bool isChanged = false;
    getOperation()->walk([&](LoopLikeOpInterface loop) {
      // Threads would get it through memory, and not see what it is made of.
      if (isa<scf::ForallOp, scf::ParallelOp>(loop))
        return;
      isChanged |=
          moveLoopInvariantCode(
              loop.getLoopRegions(),
              [&](Value value, Region *) {
                return loop.isDefinedOutsideOfLoop(value);
              },
              [](Operation *op, Region *) { return isHoistable(op); },
              [&](Operation *op, Region *) { loop.moveOutOfLoop(op); }) > 0;
    });
    if (!isChanged)
      markAllAnalysesPreserved();
  }
};
} // namespace
