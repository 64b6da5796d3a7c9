// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mlir-lsp-server with the qdq dialect: errors, hovers and definitions in
// editors. Foreign dialects parse unregistered.

#include "Version.h"
#include "mlir/IR/Dialect.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "qdq/InitAll.h"
#include "llvm/Support/LogicalResult.h"

int main(int argc, char **argv) {
  mlir::qdq::addVersion();
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::qdq::registerAllDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
