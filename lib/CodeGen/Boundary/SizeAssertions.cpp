// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Assertions on the sizes of tensors in one function.

#include "SizeAssertions.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::qdq;

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

void SizeAssertions::setOp(Operation *op) {
  isLate = isNested =
      !isa<func::FuncOp>(op->getParentOp()) || !op->getBlock()->isEntryBlock();
  late.setInsertionPoint(op);
  early.setLoc(op->getLoc());
  late.setLoc(op->getLoc());
}

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

OpFoldResult SizeAssertions::compute(AffineExpr expr,
                                     ArrayRef<OpFoldResult> sizes) {
  ImplicitLocOpBuilder &b = getBuilder();
  return affine::makeComposedFoldedAffineApply(b, b.getLoc(), expr, sizes);
}

OpFoldResult SizeAssertions::multiply(ArrayRef<OpFoldResult> sizes) {
  OpFoldResult product = late.getIndexAttr(1);
  AffineExpr lhs, rhs;
  bindSymbols(late.getContext(), lhs, rhs);
  for (OpFoldResult size : sizes)
    product = compute(lhs * rhs, {product, size});
  return product;
}

Value SizeAssertions::compare(arith::CmpIPredicate predicate, OpFoldResult lhs,
                              OpFoldResult rhs) {
  ImplicitLocOpBuilder &b = getBuilder();
  return b.createOrFold<arith::CmpIOp>(
      predicate, getValueOrCreateConstantIndexOp(b, b.getLoc(), lhs),
      getValueOrCreateConstantIndexOp(b, b.getLoc(), rhs));
}

void SizeAssertions::create(Value condition, const Twine &reason) {
  if (!matchPattern(condition, m_One()))
    cf::AssertOp::create(getBuilder(), condition, reason.str());
}

void SizeAssertions::assertEqual(OpFoldResult lhs, OpFoldResult rhs) {
  std::pair pair(lhs.getOpaqueValue(), rhs.getOpaqueValue());
  if (lhs == rhs || equal.contains(pair))
    return;
  if (!isNested)
    equal.insert(pair);
  create(compare(arith::CmpIPredicate::eq, lhs, rhs),
         "sizes do not fit together: " + describe(lhs) + " is not " +
             describe(rhs));
}

void SizeAssertions::assertInside(OpFoldResult index, OpFoldResult size,
                                  ArrayRef<OpFoldResult> loops) {
  Value condition = compare(arith::CmpIPredicate::slt, index, size);
  for (OpFoldResult loop : loops)
    if (isa<Value>(loop))
      condition = getBuilder().createOrFold<arith::OrIOp>(
          condition,
          compare(arith::CmpIPredicate::eq, loop, late.getIndexAttr(0)));
  create(condition,
         "an element that is read lies outside of " + describe(size));
}
