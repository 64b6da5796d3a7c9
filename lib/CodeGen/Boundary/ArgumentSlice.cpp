// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scalars in terms of a function's arguments.

#include "ArgumentSlice.h"
#include "../Analysis/MayTrap.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace mlir::qdq;

/// Longer chains of ops are given up, not followed into the end of the stack.
static constexpr unsigned kMaxSteps = 4096;

ArgumentSlice::ArgumentSlice(FunctionOpInterface function, ValueRange arguments,
                             OpBuilder &b)
    : entry(&function.front()), arguments(arguments), b(b) {}

/// True if the op is a function of scalars and shapes, and safe to compute even
/// where the function would stop before it, at an assertion say.
static bool canClone(Operation *op) {
  auto areScalars = [](TypeRange types) {
    return llvm::all_of(types,
                        [](Type type) { return type.isIntOrIndexOrFloat(); });
  };
  return op->getNumRegions() == 0 && !mayTrap(op) &&
         areScalars(op->getResultTypes()) &&
         (areScalars(op->getOperandTypes()) ||
          isa<tensor::DimOp, tensor::RankOp>(op));
}

Value ArgumentSlice::cloneScalar(Operation *op, Value result) {
  if (!canClone(op))
    return nullptr;
  IRMapping mapping;
  for (Value operand : op->getOperands()) {
    Value cloned = get(operand);
    if (!cloned)
      return nullptr;
    mapping.map(operand, cloned);
  }
  Operation *clone = b.clone(*op, mapping);
  return clone->getResult(cast<OpResult>(result).getResultNumber());
}

Value ArgumentSlice::select(OpResult result, function_ref<Value(Value)> getOf) {
  auto branch = cast<scf::IfOp>(result.getOwner());
  auto getYielded = [&](Region &region) {
    return getOf(
        region.front().getTerminator()->getOperand(result.getResultNumber()));
  };
  Value condition = get(branch.getCondition());
  Value taken = condition ? getYielded(branch.getThenRegion()) : Value();
  Value other = taken ? getYielded(branch.getElseRegion()) : Value();
  if (!other)
    return nullptr;
  return arith::SelectOp::create(b, branch.getLoc(), condition, taken, other);
}

Value ArgumentSlice::get(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() == entry ? arguments[argument.getArgNumber()]
                                        : Value();
  auto [position, isNew] = known.try_emplace(value);
  if (!isNew)
    return position->second;
  if (++depth > kMaxSteps)
    return nullptr;
  llvm::scope_exit restore([&] { --depth; });

  Operation *op = value.getDefiningOp();
  Value result;
  auto dim = dyn_cast<tensor::DimOp>(op);
  std::optional<int64_t> index = dim ? dim.getConstantIndex() : std::nullopt;
  if (index && isa<RankedTensorType>(dim.getSource().getType()))
    result = getDim(dim.getSource(), *index);
  else if (isa<scf::IfOp>(op) && value.getType().isIntOrIndexOrFloat())
    result = select(cast<OpResult>(value),
                    [&](Value yielded) { return get(yielded); });
  else
    result = cloneScalar(op, value);
  return known[value] = result;
}

Value ArgumentSlice::get(OpFoldResult value, Location loc) {
  if (auto attr = dyn_cast<Attribute>(value))
    return arith::ConstantIndexOp::create(b, loc,
                                          cast<IntegerAttr>(attr).getInt());
  return get(cast<Value>(value));
}

/// True if a tensor that the loop carries keeps its sizes: elements are
/// inserted.
static bool keepsSizes(scf::ForOp loop, unsigned index) {
  Value carried = loop.getRegionIterArg(index);
  Value value = loop.getYieldedValues()[index];
  while (value != carried) {
    Operation *op = value.getDefiningOp();
    if (auto insert = dyn_cast_or_null<tensor::InsertOp>(op)) {
      value = insert.getDest();
      continue;
    }
    auto inner = dyn_cast_or_null<scf::ForOp>(op);
    if (!inner)
      return false;
    unsigned result = cast<OpResult>(value).getResultNumber();
    if (!keepsSizes(inner, result))
      return false;
    value = inner.getInitArgs()[result];
  }
  return true;
}

Value ArgumentSlice::getDim(Value tensor, int64_t dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Location loc = tensor.getLoc();
  if (dim < 0 || dim >= type.getRank())
    return nullptr;
  if (!type.isDynamicDim(dim))
    return arith::ConstantIndexOp::create(b, loc, type.getDimSize(dim));
  auto [position, isNew] = knownDims.try_emplace({tensor, dim});
  if (!isNew)
    return position->second;
  if (++depth > kMaxSteps)
    return nullptr;
  llvm::scope_exit restore([&] { --depth; });

  Value result;
  if (isa<BlockArgument>(tensor)) {
    if (Value argument = get(tensor))
      result = tensor::DimOp::create(b, loc, argument, dim);
  } else if (Operation *op = tensor.getDefiningOp();
             isa<ReifyRankedShapedTypeOpInterface>(op)) {
    OpBuilder reify(op);
    FailureOr<OpFoldResult> size = reifyDimOfResult(
        reify, op, cast<OpResult>(tensor).getResultNumber(), dim);
    if (succeeded(size))
      result = get(*size, loc);
  } else if (isa<scf::IfOp>(op)) {
    result = select(cast<OpResult>(tensor),
                    [&](Value yielded) { return getDim(yielded, dim); });
  } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    unsigned index = cast<OpResult>(tensor).getResultNumber();
    if (keepsSizes(loop, index))
      result = getDim(loop.getInitArgs()[index], dim);
  } else if (auto cast = dyn_cast<tensor::CastOp>(op)) {
    if (isa<RankedTensorType>(cast.getSource().getType()))
      result = getDim(cast.getSource(), dim);
  } else if (auto reshape = dyn_cast<tensor::ReshapeOp>(op)) {
    // As sizes are given to packed elements with dynamic shapes.
    auto sizes = reshape.getShape().getDefiningOp<tensor::FromElementsOp>();
    if (sizes && sizes.getType().getElementType().isIndex())
      result = get(sizes.getElements()[dim]);
  }
  return knownDims[{tensor, dim}] = result;
}
