// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mlir-opt with the qdq dialect and its passes; foreign dialects parse
// unregistered.

#include "Version.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "qdq/InitAll.h"

/// Our own passes, before those of upstream are registered and listed with
/// them.
static void printOwnHelp() {
  llvm::outs()
      << R"(mlir-qdq: lowers quantized IR, with numerics that you select

  quant-opt --lower-quant=profile=ort model.mlir
  quant-opt --lower-quant="rounding=floor unconverted=keep" model.mlir -o lowered.mlir
  quant-opt --pass-pipeline='builtin.module(convert-onnx-to-qdq,qdq-simplify,convert-qdq-to-linalg)' model.mlir
  quant-opt --quant-to-llvm model.mlir | mlir-runner -e main --entry-point-result=void

)";
  constexpr size_t kTextColumn = 37;
  for (llvm::StringRef pipeline : {"lower-quant", "quant-to-llvm"})
    mlir::PassPipelineInfo::lookup(pipeline)->printHelpStr(/*indent=*/2,
                                                           kTextColumn);
  mlir::printRegisteredPasses();
  llvm::outs() << "\nEverything, upstream's passes included:\n\n";
}

int main(int argc, char **argv) {
  mlir::qdq::addVersion();
  llvm::SmallVector<char *> arguments(argv, argv + argc);
  auto isGiven = [&](llvm::ArrayRef<llvm::StringRef> names) {
    return llvm::any_of(arguments, [&](const char *argument) {
      return llvm::is_contained(names, llvm::StringRef(argument).ltrim('-'));
    });
  };
  mlir::qdq::registerAllPasses();
  if (isGiven({"help", "h"}))
    printOwnHelp();
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllGPUToLLVMIRTranslations(registry);
  mlir::registerAllPasses();
  mlir::qdq::registerAllDialects(registry);

  // The sources' own dialects (onnx, torch, onednn_graph) are matched by name,
  // so they need not be registered.
  char allowUnregistered[] = "--allow-unregistered-dialect";
  if (!isGiven({"allow-unregistered-dialect"}))
    arguments.push_back(allowUnregistered);
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(arguments.size(), arguments.data(),
                        "mlir-qdq: lowers quantized IR\n", registry));
}
