// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions as private functions.

#include "OutlineRegion.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

/// Constants of the body in the body: of an argument no later pass knows what
/// it is.
static void sinkConstants(RewriterBase &rewriter, Region &body) {
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(body, captured);
  rewriter.setInsertionPointToStart(&body.front());
  DenseMap<Value, Value> inside;
  for (Value value : captured)
    if (matchPattern(value, m_Constant()))
      inside[value] = rewriter.clone(*value.getDefiningOp())->getResult(0);
  // By the operands of the body: a constant may have many uses elsewhere.
  body.walk([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (Value constant = inside.lookup(operand.get()))
        rewriter.modifyOpInPlace(op, [&] { operand.set(constant); });
  });
}

void mlir::qdq::makeInternal(func::FuncOp function) {
  function.setPrivate();
  function->setAttr(
      "llvm.linkage",
      LLVM::LinkageAttr::get(function.getContext(), LLVM::Linkage::Internal));
}

void mlir::qdq::forbidInlining(func::FuncOp function) {
  // convert-func-to-llvm drops the attribute `no_inline` (22.1).
  function->setAttr(
      "passthrough",
      Builder(function.getContext()).getStrArrayAttr({"noinline"}));
}

FailureOr<func::CallOp>
mlir::qdq::outlineRegion(RewriterBase &rewriter, SymbolTable &symbols,
                         Operation *parent, Region &region, StringRef suffix) {
  auto function = parent->getParentOfType<func::FuncOp>();
  if (!function || function->getParentOp() != symbols.getOp())
    return parent->emitOpError("is not in a function of the module");
  sinkConstants(rewriter, region);
  rewriter.setInsertionPoint(parent);
  func::CallOp call;
  FailureOr<func::FuncOp> outlined =
      outlineSingleBlockRegion(rewriter, parent->getLoc(), region,
                               (function.getName() + suffix).str(), &call);
  if (failed(outlined))
    return parent->emitOpError("has a body that cannot be a function");
  makeInternal(*outlined);
  (*outlined)->remove();
  symbols.insert(*outlined);
  call.setCallee((*outlined).getName());
  return call;
}
