// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles every user of a `tensor.insert_slice` by the inserted slice, as
// consumer fusion does in a loop, and fuses users of loops into them by
// upstream's scf::tileAndFuseConsumer. That takes ops in destination style only
// (MLIR 22.1); the functions under it take all.

#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Interfaces/TilingInterface.h"
#include "mlir/Parser/Parser.h"
#include "qdq/InitAll.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

int main(int argc, char **argv) {
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  qdq::registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler diagnostics(sources, &context);
  OwningOpRef<ModuleOp> module =
      argc == 2 ? parseSourceFile<ModuleOp>(argv[1], sources, &context)
                : OwningOpRef<ModuleOp>();
  if (!module)
    return 1;
  bool hasFailed = false;
  module->walk([&](tensor::InsertSliceOp slice) {
    for (OpOperand &use :
         llvm::make_early_inc_range(slice.getResult().getUses())) {
      if (!isa<TilingInterface>(use.getOwner()))
        continue;
      OpBuilder builder(use.getOwner()->getBlock()->getTerminator());
      FailureOr<TilingResult> tile =
          tensor::replaceInsertSlicesWithTiledConsumer(builder, slice, &use);
      // The op itself says nothing: others have a loop without it.
      if (failed(tile)) {
        use.getOwner()->emitError("has no tile for a tile of its operand");
        hasFailed = true;
      }
      if (succeeded(tile))
        for (Operation *op : tile->tiledOps)
          op->setAttr("tile_of_a_consumer", builder.getUnitAttr());
    }
  });
  SmallVector<std::pair<scf::ForOp, Operation *>> users;
  module->walk([&](scf::ForOp loop) {
    for (Operation *user : loop->getUsers())
      if (isa<TilingInterface>(user))
        users.emplace_back(loop, user);
  });
  IRRewriter rewriter(&context);
  for (auto [loop, user] : users) {
    SmallVector<LoopLikeOpInterface> loops = {loop};
    if (succeeded(scf::tileAndFuseConsumer(rewriter, user, loops)))
      continue;
    user->emitError("is not fused into the loop that makes its operand");
    hasFailed = true;
  }
  module->print(llvm::outs());
  return hasFailed;
}
