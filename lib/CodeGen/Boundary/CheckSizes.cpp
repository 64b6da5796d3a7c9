// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Assertions that the open sizes of tensors fit together.
//
// Upstream's generate-runtime-verification refuses tensors without elements,
// and asserts inside of loops, where no caller can be told before the call.

#include "ArgumentSlice.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "qdq/CodeGen/Passes.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
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

/// The dimensions of arguments that a size is computed from.
static void collectDims(Value size, llvm::SmallSetVector<Value, 4> &visited,
                        SmallVectorImpl<std::string> &names) {
  constexpr size_t kMaxVisited = 32;
  if (visited.size() >= kMaxVisited || !visited.insert(size))
    return;
  Operation *op = size.getDefiningOp();
  auto dim = dyn_cast_if_present<tensor::DimOp>(op);
  auto argument = dim ? dyn_cast<BlockArgument>(dim.getSource()) : nullptr;
  if (argument && dim.getConstantIndex())
    names.push_back("dimension " + std::to_string(*dim.getConstantIndex()) +
                    " of argument " + std::to_string(argument.getArgNumber()));
  else if (auto number = dyn_cast<BlockArgument>(size))
    names.push_back("argument " + std::to_string(number.getArgNumber()));
  else if (op)
    for (Value operand : op->getOperands())
      collectDims(operand, visited, names);
}

/// A number, the dimension of an argument, or what it is computed from.
static std::string describe(OpFoldResult size) {
  if (std::optional<int64_t> number = getConstantIntValue(size))
    return std::to_string(*number);
  auto value = cast<Value>(size);
  llvm::SmallSetVector<Value, 4> visited;
  SmallVector<std::string> names;
  collectDims(value, visited, names);
  if (names.empty())
    return "a size that the data determine";
  std::string joined = llvm::join(names, " and ");
  return value.getDefiningOp<tensor::DimOp>() ? joined
                                              : "the size from " + joined;
}

namespace {
/// The assertions of one function. They stand at its beginning if its
/// arguments tell the sizes, else before the op that they are about.
class SizeAssertions {
public:
  explicit SizeAssertions(func::FuncOp function)
      : early(ImplicitLocOpBuilder::atBlockBegin(function.getLoc(),
                                                 &function.front())),
        late(early), slice(function, function.getArguments(), early) {}

  void check(Operation *op);

private:
  void checkLoops(linalg::LinalgOp op);
  void checkSlice(Value whole, OffsetSizeAndStrideOpInterface op);
  void checkInserted(tensor::InsertSliceOp op);
  void checkCast(tensor::CastOp op);
  void checkExpanded(tensor::ExpandShapeOp op);
  void checkParts(tensor::ConcatOp op);

  OpFoldResult getSize(Value tensor, int64_t dim);
  OpFoldResult getSize(OpFoldResult size);
  Value compare(arith::CmpIPredicate predicate, OpFoldResult lhs,
                OpFoldResult rhs);
  void assertEqual(OpFoldResult lhs, OpFoldResult rhs);
  /// Asserts that `index` is less than `size`, or a size of `loops` is 0.
  void assertInside(OpFoldResult index, OpFoldResult size,
                    ArrayRef<OpFoldResult> loops);
  void create(Value condition, const Twine &reason);
  ImplicitLocOpBuilder &get() { return isLate ? late : early; }

  ImplicitLocOpBuilder early, late;
  ArgumentSlice slice;
  /// Pairs that an assertion compares already.
  DenseSet<std::pair<void *, void *>> equal;
  /// True if arguments do not tell a size of the op.
  bool isLate = false;
};
} // namespace

OpFoldResult SizeAssertions::getSize(Value tensor, int64_t dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return late.getIndexAttr(type.getDimSize(dim));
  if (Value size = slice.getDim(tensor, dim))
    return getAsOpFoldResult(size);
  isLate = true;
  return tensor::getMixedSize(late, late.getLoc(), tensor, dim);
}

OpFoldResult SizeAssertions::getSize(OpFoldResult size) {
  if (isa<Attribute>(size))
    return size;
  if (Value known = slice.get(cast<Value>(size)))
    return getAsOpFoldResult(known);
  isLate = true;
  return size;
}

Value SizeAssertions::compare(arith::CmpIPredicate predicate, OpFoldResult lhs,
                              OpFoldResult rhs) {
  ImplicitLocOpBuilder &b = get();
  return b.createOrFold<arith::CmpIOp>(
      predicate, getValueOrCreateConstantIndexOp(b, b.getLoc(), lhs),
      getValueOrCreateConstantIndexOp(b, b.getLoc(), rhs));
}

void SizeAssertions::create(Value condition, const Twine &reason) {
  if (!matchPattern(condition, m_One()))
    cf::AssertOp::create(get(), condition, reason.str());
}

void SizeAssertions::assertEqual(OpFoldResult lhs, OpFoldResult rhs) {
  if (lhs == rhs ||
      !equal.insert({lhs.getOpaqueValue(), rhs.getOpaqueValue()}).second)
    return;
  create(compare(arith::CmpIPredicate::eq, lhs, rhs),
         "sizes do not fit together: " + describe(lhs) + " is not " +
             describe(rhs));
}

void SizeAssertions::assertInside(OpFoldResult index, OpFoldResult size,
                                  ArrayRef<OpFoldResult> loops) {
  Value condition = compare(arith::CmpIPredicate::slt, index, size);
  for (OpFoldResult loop : loops)
    if (isa<Value>(loop))
      condition = get().createOrFold<arith::OrIOp>(
          condition,
          compare(arith::CmpIPredicate::eq, loop, late.getIndexAttr(0)));
  create(condition,
         "an element that is read lies outside of " + describe(size));
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// As the verifier of linalg does with static sizes.
void SizeAssertions::checkLoops(linalg::LinalgOp op) {
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
        loops[loop.getPosition()] = getSize(tensor, dim);
    });
  if (llvm::is_contained(loops, OpFoldResult()))
    return;
  bool isOpen =
      llvm::any_of(loops, [](OpFoldResult size) { return isa<Value>(size); });
  forEachDim([&](Value tensor, int64_t dim, AffineExpr expr) {
    auto type = cast<RankedTensorType>(tensor.getType());
    if (!isOpen && !type.isDynamicDim(dim))
      return;
    OpFoldResult size = getSize(tensor, dim);
    if (auto loop = dyn_cast<AffineDimExpr>(expr))
      return assertEqual(size, loops[loop.getPosition()]);
    if (!isMonotone(expr) ||
        (isa<AffineConstantExpr>(expr) && !type.isDynamicDim(dim)))
      return;
    SmallVector<AffineExpr> last;
    for (unsigned loop = 0; loop < loops.size(); ++loop)
      last.push_back(late.getAffineDimExpr(loop) - 1);
    auto map = AffineMap::get(loops.size(), 0, expr.replaceDims(last));
    assertInside(affine::makeComposedFoldedAffineApply(get(), get().getLoc(),
                                                       map, loops),
                 size, loops);
  });
}

void SizeAssertions::checkSlice(Value whole,
                                OffsetSizeAndStrideOpInterface op) {
  auto type = cast<RankedTensorType>(whole.getType());
  OpFoldResult zero = late.getIndexAttr(0);
  AffineExpr offset, size, stride;
  bindSymbols(late.getContext(), offset, size, stride);
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    SmallVector<OpFoldResult> place = {getSize(op.getMixedOffsets()[dim]),
                                       getSize(op.getMixedSizes()[dim]),
                                       getSize(op.getMixedStrides()[dim])};
    OpFoldResult extent = getSize(whole, dim);
    // All of a dimension, or known.
    bool isWhole = isConstantIntValue(place[0], 0) && place[1] == extent &&
                   isConstantIntValue(place[2], 1);
    if (isWhole ||
        (isa<Attribute>(extent) &&
         llvm::all_of(place, [](auto part) { return isa<Attribute>(part); })))
      continue;
    Value starts = compare(arith::CmpIPredicate::sge, place[0], zero);
    // No matter where, if it has no element.
    if (isa<Value>(place[1]))
      starts = get().createOrFold<arith::OrIOp>(
          starts, compare(arith::CmpIPredicate::eq, place[1], zero));
    create(starts, "a slice has a negative offset");
    create(compare(arith::CmpIPredicate::sge, place[1], zero),
           "a slice has a negative size");
    assertInside(
        affine::makeComposedFoldedAffineApply(
            get(), get().getLoc(), offset + (size - 1) * stride, place),
        extent, place[1]);
  }
}

void SizeAssertions::checkInserted(tensor::InsertSliceOp op) {
  llvm::SmallBitVector dropped = op.getDroppedDims();
  int64_t own = 0;
  for (auto [dim, size] : llvm::enumerate(op.getMixedSizes()))
    if (!dropped.test(dim))
      assertEqual(getSize(op.getSource(), own++), getSize(size));
}

void SizeAssertions::checkCast(tensor::CastOp op) {
  auto from = dyn_cast<RankedTensorType>(op.getSource().getType());
  auto to = dyn_cast<RankedTensorType>(op.getType());
  if (!from || !to)
    return;
  for (int64_t dim = 0; dim < to.getRank(); ++dim)
    if (from.isDynamicDim(dim) && !to.isDynamicDim(dim))
      assertEqual(getSize(op.getSource(), dim), getSize(op, dim));
}

void SizeAssertions::checkExpanded(tensor::ExpandShapeOp op) {
  for (auto [dim, group] : llvm::enumerate(op.getReassociationIndices())) {
    if (!op.getSrcType().isDynamicDim(dim))
      continue;
    OpFoldResult product = late.getIndexAttr(1);
    AffineExpr lhs, rhs;
    bindSymbols(late.getContext(), lhs, rhs);
    for (int64_t inner : group) {
      SmallVector<OpFoldResult> factors = {
          product, getSize(op.getMixedOutputShape()[inner])};
      product = affine::makeComposedFoldedAffineApply(get(), get().getLoc(),
                                                      lhs * rhs, factors);
    }
    assertEqual(getSize(op.getSrc(), dim), product);
  }
}

void SizeAssertions::checkParts(tensor::ConcatOp op) {
  for (Value part : op.getInputs().drop_front())
    for (int64_t dim = 0; dim < op.getRank(); ++dim)
      if (dim != static_cast<int64_t>(op.getDim()))
        assertEqual(getSize(part, dim), getSize(op.getInputs()[0], dim));
}

void SizeAssertions::check(Operation *op) {
  auto isOpen = [](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    return shaped && !shaped.hasStaticShape();
  };
  if (llvm::none_of(op->getOperandTypes(), isOpen) &&
      llvm::none_of(op->getResultTypes(), isOpen))
    return;
  isLate = false;
  late.setInsertionPoint(op);
  early.setLoc(op->getLoc());
  late.setLoc(op->getLoc());
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](linalg::LinalgOp loops) {
        if (loops.hasPureTensorSemantics())
          checkLoops(loops);
      })
      .Case([&](tensor::ExtractSliceOp part) {
        checkSlice(part.getSource(), part);
      })
      .Case([&](tensor::InsertSliceOp part) {
        checkInserted(part);
        checkSlice(part.getDest(), part);
      })
      .Case([&](tensor::CastOp cast) { checkCast(cast); })
      .Case([&](tensor::ExpandShapeOp expand) { checkExpanded(expand); })
      .Case([&](tensor::ConcatOp concat) { checkParts(concat); });
}

namespace {
struct CheckSizesPass : qdq::impl::CheckSizesPassBase<CheckSizesPass> {
  using CheckSizesPassBase::CheckSizesPassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      SizeAssertions assertions(function);
      SmallVector<Operation *> ops;
      for (Operation &op : function.front())
        ops.push_back(&op);
      for (Operation *op : ops)
        assertions.check(op);
    }
  }
};
} // namespace
