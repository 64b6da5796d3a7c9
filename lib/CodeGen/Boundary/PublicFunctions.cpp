// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions whose signatures callers outside of the module see.

#include "PublicFunctions.h"

using namespace mlir;

/// A public function of the name that `function` had, which calls it.
static func::FuncOp wrap(func::FuncOp function, StringAttr name) {
  OpBuilder b(function);
  auto wrapper = cast<func::FuncOp>(b.cloneWithoutRegions(*function));
  wrapper.setSymNameAttr(name);
  Block *body = wrapper.addEntryBlock();
  b.setInsertionPointToStart(body);
  auto call = func::CallOp::create(b, function.getLoc(), function,
                                   body->getArguments());
  func::ReturnOp::create(b, function.getLoc(), call.getResults());
  return wrapper;
}

FailureOr<SmallVector<func::FuncOp>>
mlir::qdq::takePublicFunctions(ModuleOp module,
                               function_ref<bool(func::FuncOp)> filter) {
  // Upstream gives up at an unregistered op with a region, which may be a
  // symbol table of its own.
  std::optional<SymbolTable::UseRange> uses =
      SymbolTable::getSymbolUses(&module.getBodyRegion());
  if (!uses) {
    module.walk([](Operation *op) {
      if (op->isRegistered() || op->getNumRegions() == 0)
        return WalkResult::advance();
      op->emitOpError("is not registered and has a region, so that calls of "
                      "public functions cannot be found: lower it first");
      return WalkResult::interrupt();
    });
    return failure();
  }
  DenseSet<StringAttr> used;
  for (SymbolTable::SymbolUse use : *uses)
    used.insert(use.getSymbolRef().getRootReference());
  SymbolTable table(module);

  SmallVector<func::FuncOp> functions;
  for (auto function :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
    if (!function.isPublic() || function.isExternal() || !filter(function))
      continue;
    if (!used.contains(function.getSymNameAttr())) {
      functions.push_back(function);
      continue;
    }
    StringAttr name = function.getSymNameAttr();
    if (failed(table.renameToUnique(function, {})))
      return function.emitOpError("is used in a way that cannot be renamed");
    func::FuncOp wrapper = wrap(function, name);
    function.setPrivate();
    table.insert(wrapper);
    functions.push_back(wrapper);
  }
  return functions;
}
