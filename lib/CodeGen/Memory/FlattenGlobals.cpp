// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constant globals as one row each. Upstream's translation to LLVM IR makes a
// constant of each innermost row of nested arrays, and a table of them (22.1).

#include "../Workarounds/Preparations.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "qdq/IR/ConstantElements.h"

using namespace mlir;

/// Pointers are opaque: what addresses elements states its type of the array.
static void flatten(LLVM::GlobalOp global) {
  auto array = dyn_cast<LLVM::LLVMArrayType>(global.getGlobalType());
  auto value = dyn_cast_or_null<ElementsAttr>(global.getValueOrNull());
  // Upstream shares the rows of one value everywhere.
  if (!array || !isa<LLVM::LLVMArrayType>(array.getElementType()) || !value ||
      value.isSplat())
    return;
  int64_t count = value.getNumElements();
  TypedAttr row = qdq::reshapeElements(value, count);
  if (!row)
    return;
  Type element = array;
  while (auto inner = dyn_cast<LLVM::LLVMArrayType>(element))
    element = inner.getElementType();
  global.setGlobalType(LLVM::LLVMArrayType::get(element, count));
  global.setValueAttr(row);
}

void mlir::qdq::flattenGlobals(ModuleOp module) {
  for (auto global : module.getOps<LLVM::GlobalOp>())
    flatten(global);
}
