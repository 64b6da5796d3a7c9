// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The function that tells callers how large the results of another will be.

#include "ShapeCompanion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "qdq/CodeGen/Passes.h"

using namespace mlir;
using namespace mlir::qdq;

ShapeCompanion::ShapeCompanion(func::FuncOp function, SymbolTable &symbols)
    : function(function), b(function.getLoc(), function) {
  auto type =
      FunctionType::get(b.getContext(), function.getArgumentTypes(), {});
  companion = func::FuncOp::create(
      b, (function.getSymName() + kShapeFunctionSuffix).str(), type);
  symbols.insert(companion);
  Block *body = companion.addEntryBlock();
  b.setInsertionPointToStart(body);
  slice.emplace(function, body->getArguments(), b);
}

void ShapeCompanion::takeAssertions() {
  for (auto op :
       llvm::make_early_inc_range(function.front().getOps<cf::AssertOp>())) {
    Value condition = slice->get(op.getArg());
    if (!condition)
      continue;
    conditions.push_back(condition);
    messages.push_back(op.getMsgAttr());
    op.erase();
  }
}

bool ShapeCompanion::addSizes(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<Value> added;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      added.push_back(slice->getDim(tensor, dim));
  if (llvm::is_contained(added, Value()))
    return false;
  llvm::append_range(sizes, added);
  return true;
}

bool ShapeCompanion::addIndex(Value index) {
  Value added = slice->get(index);
  if (added)
    sizes.push_back(added);
  return added != nullptr;
}

void ShapeCompanion::finish(SymbolTable &symbols) {
  if (sizes.empty() && conditions.empty()) {
    symbols.erase(companion);
    return;
  }
  // 1 + the first assertion that does not hold, or 0.
  Value violated = arith::ConstantIndexOp::create(b, 0);
  for (int64_t index = conditions.size(); index-- > 0;)
    violated =
        arith::SelectOp::create(b, conditions[index], violated,
                                arith::ConstantIndexOp::create(b, index + 1));
  sizes.insert(sizes.begin(), violated);

  auto type =
      MemRefType::get({static_cast<int64_t>(sizes.size())}, b.getIndexType());
  unsigned position = companion.getNumArguments();
  (void)companion.insertArgument(position, type, {}, b.getLoc());
  for (auto [index, size] : llvm::enumerate(sizes))
    memref::StoreOp::create(
        b, size, companion.getArgument(position),
        ValueRange(arith::ConstantIndexOp::create(b, index)));
  func::ReturnOp::create(b);
  companion->setAttr(kAssertionsAttr, b.getArrayAttr(messages));
  function->setAttr(kShapeFunctionAttr, FlatSymbolRefAttr::get(companion));
}
