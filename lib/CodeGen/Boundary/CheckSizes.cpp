// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// qdq-check-sizes: the sizes that each op needs.
//
// Upstream's generate-runtime-verification refuses tensors without elements,
// and asserts inside of loops, where no caller can be told before the call.

#include "SizeAssertions.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "qdq/CodeGen/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::qdq {
#define GEN_PASS_DEF_CHECKSIZESPASS
#include "qdq/CodeGen/Passes.h.inc"
} // namespace mlir::qdq

using namespace mlir;
using namespace mlir::qdq;

/// True if the expression grows with each of its dimensions, so that their last
/// indices give its largest value.
static bool isMonotone(AffineExpr expr) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return true;
  if (!isMonotone(binary.getLHS()))
    return false;
  if (expr.getKind() == AffineExprKind::Add)
    return isMonotone(binary.getRHS());
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return factor && factor.getValue() > 0 &&
         expr.getKind() != AffineExprKind::Mod;
}

/// As the verifier of linalg does with static sizes.
static void checkOp(SizeAssertions &sizes, linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics())
    return;
  SmallVector<OpFoldResult> loops(op.getNumLoops());
  auto forEachDim = [&](auto visit) {
    for (OpOperand &operand : op->getOpOperands())
      for (auto [dim, expr] :
           llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
        visit(operand.get(), static_cast<int64_t>(dim), expr);
  };
  // A known size first.
  for (bool allowsOpen : {false, true})
    forEachDim([&](Value tensor, int64_t dim, AffineExpr expr) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      auto type = cast<RankedTensorType>(tensor.getType());
      if (loop && !loops[loop.getPosition()] &&
          (allowsOpen || !type.isDynamicDim(dim)))
        loops[loop.getPosition()] = sizes.getSize(tensor, dim);
    });
  bool isOpen =
      llvm::any_of(loops, [](OpFoldResult size) { return isa<Value>(size); });
  forEachDim([&](Value tensor, int64_t dim, AffineExpr expr) {
    auto type = cast<RankedTensorType>(tensor.getType());
    if (!isOpen && !type.isDynamicDim(dim))
      return;
    OpFoldResult size = sizes.getSize(tensor, dim);
    if (auto loop = dyn_cast<AffineDimExpr>(expr))
      return sizes.assertEqual(size, loops[loop.getPosition()]);
    if (!isMonotone(expr) ||
        (isa<AffineConstantExpr>(expr) && !type.isDynamicDim(dim)))
      return;
    ImplicitLocOpBuilder &b = sizes.getBuilder();
    SmallVector<AffineExpr> last;
    for (unsigned loop = 0; loop < loops.size(); ++loop)
      last.push_back(b.getAffineDimExpr(loop) - 1);
    auto map = AffineMap::get(loops.size(), 0, expr.replaceDims(last));
    sizes.assertInside(
        affine::makeComposedFoldedAffineApply(b, b.getLoc(), map, loops), size,
        loops);
  });
}

static void checkSlice(SizeAssertions &sizes, Value whole,
                       OffsetSizeAndStrideOpInterface op) {
  auto type = cast<RankedTensorType>(whole.getType());
  OpFoldResult zero = Builder(op.getContext()).getIndexAttr(0);
  AffineExpr offset, size, stride;
  bindSymbols(op.getContext(), offset, size, stride);
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    SmallVector<OpFoldResult> place = {
        sizes.getSize(op.getMixedOffsets()[dim]),
        sizes.getSize(op.getMixedSizes()[dim]),
        sizes.getSize(op.getMixedStrides()[dim])};
    OpFoldResult extent = sizes.getSize(whole, dim);
    // All of a dimension, or known.
    bool isWhole = isConstantIntValue(place[0], 0) && place[1] == extent &&
                   isConstantIntValue(place[2], 1);
    if (isWhole ||
        (isa<Attribute>(extent) &&
         llvm::all_of(place, [](auto part) { return isa<Attribute>(part); })))
      continue;
    Value starts = sizes.compare(arith::CmpIPredicate::sge, place[0], zero);
    // No matter where, if it has no element.
    if (isa<Value>(place[1]))
      starts = sizes.getBuilder().createOrFold<arith::OrIOp>(
          starts, sizes.compare(arith::CmpIPredicate::eq, place[1], zero));
    sizes.create(starts, "a slice has a negative offset");
    sizes.create(sizes.compare(arith::CmpIPredicate::sge, place[1], zero),
                 "a slice has a negative size");
    sizes.assertInside(sizes.compute(offset + (size - 1) * stride, place),
                       extent, place[1]);
  }
}

static void checkOp(SizeAssertions &sizes, tensor::ExtractSliceOp op) {
  checkSlice(sizes, op.getSource(), op);
}

/// The source fills the slice.
static void checkOp(SizeAssertions &sizes, tensor::InsertSliceOp op) {
  llvm::SmallBitVector dropped = op.getDroppedDims();
  int64_t own = 0;
  for (auto [dim, size] : llvm::enumerate(op.getMixedSizes()))
    if (!dropped.test(dim))
      sizes.assertEqual(sizes.getSize(op.getSource(), own++),
                        sizes.getSize(size));
  checkSlice(sizes, op.getDest(), op);
}

static void checkOp(SizeAssertions &sizes, tensor::CastOp op) {
  auto from = dyn_cast<RankedTensorType>(op.getSource().getType());
  auto to = dyn_cast<RankedTensorType>(op.getType());
  if (!from || !to)
    return;
  for (int64_t dim = 0; dim < to.getRank(); ++dim)
    if (from.isDynamicDim(dim) && !to.isDynamicDim(dim))
      sizes.assertEqual(sizes.getSize(op.getSource(), dim),
                        sizes.getSize(op, dim));
}

static void checkOp(SizeAssertions &sizes, tensor::ExpandShapeOp op) {
  for (auto [dim, group] : llvm::enumerate(op.getReassociationIndices())) {
    if (!op.getSrcType().isDynamicDim(dim))
      continue;
    SmallVector<OpFoldResult> factors;
    for (int64_t inner : group)
      factors.push_back(sizes.getSize(op.getMixedOutputShape()[inner]));
    OpFoldResult size = sizes.getSize(op.getSrc(), dim);
    sizes.assertEqual(size, sizes.multiply(factors));
  }
}

/// The result has as many elements, and the static sizes of its type.
static void checkOp(SizeAssertions &sizes, tensor::ReshapeOp op) {
  auto from = dyn_cast<RankedTensorType>(op.getSource().getType());
  auto to = dyn_cast<RankedTensorType>(op.getType());
  if (!from || !to)
    return;
  ImplicitLocOpBuilder b(op.getLoc(), op);
  SmallVector<OpFoldResult> all, parts;
  for (int64_t dim = 0; dim < from.getRank(); ++dim)
    all.push_back(sizes.getSize(op.getSource(), dim));
  for (int64_t dim = 0; dim < to.getRank(); ++dim) {
    Value at = arith::ConstantIndexOp::create(b, dim);
    Value size = b.createOrFold<tensor::ExtractOp>(op.getShape(), at);
    if (!size.getType().isIndex())
      size = b.createOrFold<arith::IndexCastOp>(b.getIndexType(), size);
    parts.push_back(sizes.getSize(getAsOpFoldResult(size)));
    if (!to.isDynamicDim(dim))
      sizes.assertEqual(parts.back(), b.getIndexAttr(to.getDimSize(dim)));
  }
  sizes.assertEqual(sizes.multiply(all), sizes.multiply(parts));
}

static void checkOp(SizeAssertions &sizes, tensor::PadOp op) {
  Builder b(op.getContext());
  AffineExpr size, low, high;
  bindSymbols(op.getContext(), size, low, high);
  for (int64_t dim = 0; dim < op.getSourceType().getRank(); ++dim) {
    SmallVector<OpFoldResult> parts = {
        sizes.getSize(op.getSource(), dim),
        sizes.getSize(op.getMixedLowPad()[dim]),
        sizes.getSize(op.getMixedHighPad()[dim])};
    for (OpFoldResult padding : ArrayRef(parts).drop_front())
      if (isa<Value>(padding))
        sizes.create(sizes.compare(arith::CmpIPredicate::sge, padding,
                                   b.getIndexAttr(0)),
                     "a padding is negative");
    if (!op.getResultType().isDynamicDim(dim))
      sizes.assertEqual(sizes.compute(size + low + high, parts),
                        b.getIndexAttr(op.getResultType().getDimSize(dim)));
  }
}

static void checkOp(SizeAssertions &sizes, tensor::ConcatOp op) {
  for (Value part : op.getInputs().drop_front())
    for (int64_t dim = 0; dim < op.getRank(); ++dim)
      if (dim != static_cast<int64_t>(op.getDim()))
        sizes.assertEqual(sizes.getSize(part, dim),
                          sizes.getSize(op.getInputs()[0], dim));
}

static void check(SizeAssertions &sizes, Operation *op) {
  auto isOpen = [](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    return shaped && !shaped.hasStaticShape();
  };
  if (llvm::none_of(op->getOperandTypes(), isOpen) &&
      llvm::none_of(op->getResultTypes(), isOpen) &&
      !isa<tensor::ReshapeOp>(op))
    return;
  sizes.setOp(op);
  llvm::TypeSwitch<Operation *>(op)
      .Case<linalg::LinalgOp, tensor::ExtractSliceOp, tensor::InsertSliceOp,
            tensor::CastOp, tensor::ExpandShapeOp, tensor::ReshapeOp,
            tensor::PadOp, tensor::ConcatOp>(
          [&](auto found) { checkOp(sizes, found); });
}

namespace {
struct CheckSizesPass : qdq::impl::CheckSizesPassBase<CheckSizesPass> {
  using CheckSizesPassBase::CheckSizesPassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      SizeAssertions sizes(function);
      SmallVector<Operation *> ops;
      function.walk<WalkOrder::PreOrder>([&](Operation *op) {
        ops.push_back(op);
        // Bodies compute elements.
        return isa<linalg::LinalgOp, tensor::PadOp>(op) ? WalkResult::skip()
                                                        : WalkResult::advance();
      });
      for (Operation *op : ops)
        if (op != function)
          check(sizes, op);
    }
  }
};
} // namespace
