// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dialect and the passes as a plugin of mlir-opt: --load-dialect-plugin,
// --load-pass-plugin.

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "qdq/InitAll.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Compiler.h"

extern "C" LLVM_ATTRIBUTE_WEAK
    LLVM_ATTRIBUTE_VISIBILITY_DEFAULT mlir::DialectPluginLibraryInfo
    mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "qdq", LLVM_VERSION_STRING,
          [](mlir::DialectRegistry *registry) {
            mlir::qdq::registerAllDialects(*registry);
          }};
}

extern "C" LLVM_ATTRIBUTE_WEAK
    LLVM_ATTRIBUTE_VISIBILITY_DEFAULT mlir::PassPluginLibraryInfo
    mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "qdq", LLVM_VERSION_STRING,
          [] { mlir::qdq::registerAllPasses(); }};
}
