// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mlir-opt with the qdq dialect and its passes; foreign dialects parse
// unregistered.

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "qdq/InitAll.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllPasses();
  mlir::qdq::registerAllDialects(registry);
  mlir::qdq::registerAllPasses();

  // The sources' own dialects (onnx, torch, onednn_graph) are matched by name,
  // so they need not be registered.
  char allowUnregistered[] = "--allow-unregistered-dialect";
  llvm::SmallVector<char *> arguments(argv, argv + argc);
  auto isGiven = [](const char *argument) {
    return llvm::StringRef(argument).ltrim('-') == "allow-unregistered-dialect";
  };
  if (llvm::none_of(arguments, isGiven))
    arguments.push_back(allowUnregistered);
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(arguments.size(), arguments.data(),
                        "mlir-qdq: lowers quantized IR\n", registry));
}
