// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that may stop the program, pure ones too:
// docs/upstream/arith-traps-are-pure.

#include "MayTrap.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "qdq/IR/Walk.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

/// True if the divisor is no constant, or has an element that is 0 or, of a
/// signed division, -1: the lowest number divided by it overflows.
static bool isUnsafeDivisor(Value divisor, bool isSigned) {
  auto isUnsafe = [=](const APInt &number) {
    return number.isZero() || (isSigned && number.isAllOnes());
  };
  Attribute constant;
  if (!matchPattern(divisor, m_Constant(&constant)))
    return true;
  if (auto number = dyn_cast<IntegerAttr>(constant))
    return isUnsafe(number.getValue());
  auto numbers = dyn_cast<DenseIntElementsAttr>(constant);
  return !numbers || llvm::any_of(numbers.getValues<APInt>(), isUnsafe);
}

/// True if the map divides by anything but a positive constant.
static bool dividesUnsafely(AffineMap map) {
  bool result = false;
  map.walkExprs([&](AffineExpr expr) {
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!binary || expr.getKind() == AffineExprKind::Add ||
        expr.getKind() == AffineExprKind::Mul)
      return;
    auto divisor = dyn_cast<AffineConstantExpr>(binary.getRHS());
    result |= !divisor || divisor.getValue() < 1;
  });
  return result;
}

/// True if the type of the tensor vouches for `sizes` elements of each
/// dimension from `indices` on.
static bool isInside(Value tensor, ArrayRef<OpFoldResult> indices,
                     ArrayRef<OpFoldResult> sizes) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  return type &&
         llvm::all_of(
             llvm::zip_equal(type.getShape(), indices, sizes), [](auto part) {
               auto [extent, index, size] = part;
               std::optional<int64_t> first = getConstantIntValue(index),
                                      count = getConstantIntValue(size);
               return first && count && ShapedType::isStatic(extent) &&
                      *first >= 0 && *count <= extent - *first;
             });
}

static bool isInside(tensor::ExtractOp op) {
  SmallVector<OpFoldResult> indices = getAsOpFoldResult(op.getIndices());
  OpFoldResult one = Builder(op.getContext()).getIndexAttr(1);
  return isInside(op.getTensor(), indices,
                  SmallVector<OpFoldResult>(indices.size(), one));
}

static bool isInside(tensor::ExtractSliceOp op) {
  return op.hasUnitStride() &&
         isInside(op.getSource(), op.getMixedOffsets(), op.getMixedSizes());
}

static bool isInside(vector::TransferReadOp op) {
  if (op.getVectorType().isScalable())
    return false;
  Builder b(op.getContext());
  SmallVector<OpFoldResult> indices = getAsOpFoldResult(op.getIndices());
  // One element at least where the lanes may end beyond the tensor.
  SmallVector<OpFoldResult> sizes(indices.size(), b.getIndexAttr(1));
  for (auto [lanes, expr] :
       llvm::enumerate(op.getPermutationMap().getResults()))
    if (auto dim = dyn_cast<AffineDimExpr>(expr);
        dim && op.isDimInBounds(lanes))
      sizes[dim.getPosition()] =
          b.getIndexAttr(op.getVectorType().getDimSize(lanes));
  return isInside(op.getBase(), indices, sizes);
}

/// The same of one op, whose regions are looked at on their own.
static bool mayTrapItself(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<arith::DivSIOp, arith::FloorDivSIOp, arith::CeilDivSIOp,
            arith::RemSIOp, LLVM::SDivOp, LLVM::SRemOp>(
          [](Operation *division) {
            return isUnsafeDivisor(division->getOperand(1), /*isSigned=*/true);
          })
      .Case<arith::DivUIOp, arith::CeilDivUIOp, arith::RemUIOp, LLVM::UDivOp,
            LLVM::URemOp>([](Operation *division) {
        return isUnsafeDivisor(division->getOperand(1), /*isSigned=*/false);
      })
      // 0 to a negative power.
      .Case([](math::IPowIOp) { return true; })
      .Case<affine::AffineApplyOp, affine::AffineMinOp, affine::AffineMaxOp>(
          [](auto apply) { return dividesUnsafely(apply.getAffineMap()); })
      .Case([](affine::AffineDelinearizeIndexOp delinearize) {
        return !delinearize.getDynamicBasis().empty();
      })
      .Case<tensor::ExtractOp, tensor::ExtractSliceOp, vector::TransferReadOp>(
          [](auto read) { return !isInside(read); })
      .Case<tensor::InsertOp, tensor::InsertSliceOp, tensor::GatherOp,
            tensor::ScatterOp, vector::TransferWriteOp>(
          [](Operation *) { return true; })
      .Default([](Operation *) { return false; });
}

bool mlir::qdq::mayTrap(Operation *op) {
  return !isPure(op) || hasAny(op, mayTrapItself);
}

bool mlir::qdq::isReachedFrom(Operation *first, Operation *op) {
  if (first->getBlock() != op->getBlock())
    return false;
  while (first && first != op && isMemoryEffectFree(first))
    first = first->getNextNode();
  return first == op;
}

bool mlir::qdq::mayComputeBefore(ValueRange values, Operation *op,
                                 const DominanceInfo &dominance) {
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  options.omitUsesFromAbove = false;
  options.filter = [&](Operation *by) {
    return !dominance.properlyDominates(by, op);
  };
  SetVector<Operation *> moved;
  for (Value value : values)
    if (failed(getBackwardSlice(value, &moved, options)))
      return false;
  return llvm::all_of(moved, [&](Operation *by) {
    return !mayTrap(by) || isReachedFrom(op, by);
  });
}
