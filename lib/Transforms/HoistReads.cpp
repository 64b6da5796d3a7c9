// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads that a loop would repeat, before it.

#include "mlir/Dialect/Affine/IR/AffineOps.h"
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

/// True if the loop is known to have an iteration.
static bool isEntered(LoopLikeOpInterface loop) {
  std::optional<APInt> count = loop.getStaticTripCount();
  return count && !count->isZero();
}

/// True for a loop over vectors, such as qdq-vectorize makes: no iteration of
/// the loops around it asks whether there is an element, it counts them.
static bool isTileLoop(LoopLikeOpInterface loop) {
  return llvm::any_of(loop.getLoopRegions(), [](Region *region) {
    return !region->getOps<vector::TransferWriteOp>().empty();
  });
}

namespace {
/// A part of a tensor, one element of each dimension unless `sizes` says more.
struct Part {
  static std::optional<Part> get(Operation *op);

  /// True if it exists whatever a loop counts; with `isCounting`, if what a
  /// loop counts exists.
  bool exists(bool isCounting) const;

  Value tensor;
  SmallVector<OpFoldResult> indices, sizes;
};
} // namespace

std::optional<Part> Part::get(Operation *op) {
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return Part{slice.getSource(), slice.getMixedOffsets(),
                slice.getMixedSizes()};
  Builder b(op->getContext());
  if (auto read = dyn_cast<tensor::ExtractOp>(op)) {
    SmallVector<OpFoldResult> indices = getAsOpFoldResult(read.getIndices());
    SmallVector<OpFoldResult> sizes(indices.size(), b.getIndexAttr(1));
    return Part{read.getTensor(), indices, sizes};
  }
  auto read = dyn_cast<vector::TransferReadOp>(op);
  if (!read)
    return std::nullopt;
  SmallVector<OpFoldResult> indices = getAsOpFoldResult(read.getIndices());
  SmallVector<OpFoldResult> sizes(indices.size(), b.getIndexAttr(1));
  for (auto [lanes, expr] :
       llvm::enumerate(read.getPermutationMap().getResults()))
    if (auto dim = dyn_cast<AffineDimExpr>(expr);
        dim && read.isDimInBounds(lanes))
      sizes[dim.getPosition()] =
          b.getIndexAttr(read.getVectorType().getDimSize(lanes));
  return Part{read.getBase(), indices, sizes};
}

bool Part::exists(bool isCounting) const {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type)
    return false;
  for (auto [extent, index, size] :
       llvm::zip_equal(type.getShape(), indices, sizes)) {
    std::optional<int64_t> first = getConstantIntValue(index),
                           count = getConstantIntValue(size);
    bool isInside = first && count && !ShapedType::isDynamic(extent) &&
                    *first >= 0 && *first + *count <= extent;
    bool isWhole = first && *first == 0 && !count;
    if (!isInside &&
        !(isCounting && (isWhole || (!first && isCounted(cast<Value>(index))))))
      return false;
  }
  return true;
}

/// True for what reads or computes the same before `loop`: no op that makes a
/// tensor but of what is only read.
static bool isHoistable(Operation *op, LoopLikeOpInterface loop) {
  if (op->getNumRegions() > 0 || !isMemoryEffectFree(op))
    return false;
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    if (!llvm::all_of(slice->getUsers(), [](Operation *user) {
          return isa<vector::TransferReadOp, tensor::ExtractOp>(user);
        }))
      return false;
  } else if (llvm::any_of(op->getResultTypes(), llvm::IsaPred<TensorType>)) {
    return false;
  }
  if (isEntered(loop))
    return true;
  // A division by nothing is speculatable to upstream, as this op.
  auto apply = dyn_cast<affine::AffineApplyOp>(op);
  if (!isSpeculatable(op) ||
      (apply && !apply.getAffineMap().getResult(0).isPureAffine()))
    return false;
  std::optional<Part> part = Part::get(op);
  return !part || part->exists(/*isCounting=*/isTileLoop(loop));
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
              [&](Operation *op, Region *) { return isHoistable(op, loop); },
              [&](Operation *op, Region *) { loop.moveOutOfLoop(op); }) > 0;
    });
    if (!isChanged)
      markAllAnalysesPreserved();
  }
};
} // namespace
