// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mlir-opt with the qdq dialect and its passes; foreign dialects parse
// unregistered.

#include "CommandLine.h"
#include "Tools.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "qdq/InitAll.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;

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
  for (StringRef pipeline : {"lower-quant", "quant-to-llvm"})
    PassPipelineInfo::lookup(pipeline)->printHelpStr(/*indent=*/2, kTextColumn);
  printRegisteredPasses();
  llvm::outs() << "\nEverything, upstream's passes included:\n\n";
}

/// Options of passes are parsed where a pass manager is filled: once for their
/// errors, before any file is opened.
static void checkPipeline(const MlirOptMainConfig &config) {
  qdq::runOptionParser([&] {
    MLIRContext context;
    ScopedDiagnosticHandler handler(&context, [](Diagnostic &diagnostic) {
      llvm::errs() << diagnostic.str() << "\n";
    });
    PassManager passes(&context);
    return config.setupPassPipeline(passes);
  });
}

/// Where to write first, so that a run that fails leaves the file of a former
/// one, which may be its own input.
static std::string getFirstName(StringRef output) {
  llvm::sys::fs::file_status status;
  bool isThere = !llvm::sys::fs::status(output, status);
  if (output == "-" || (isThere && !llvm::sys::fs::is_regular_file(status)) ||
      llvm::sys::fs::is_symlink_file(output))
    return output.str();
  SmallString<64> name;
  llvm::sys::fs::createUniquePath(qdq::getTemporaryName(output), name,
                                  /*MakeAbsolute=*/false);
  return name.str().str();
}

int qdq::runQuantOpt(int argc, char **argv) {
  SmallVector<char *> arguments(argv, argv + argc);
  auto isGiven = [&](ArrayRef<StringRef> names) {
    return llvm::any_of(arguments, [&](const char *argument) {
      return StringRef(argument).starts_with("-") &&
             llvm::is_contained(names, StringRef(argument).ltrim('-'));
    });
  };
  qdq::registerAllPasses();
  if (isGiven({"help", "h"}))
    printOwnHelp();
  DialectRegistry registry;
  mlir::registerAllDialects(registry);
  registerAllExtensions(registry);
  registerAllGPUToLLVMIRTranslations(registry);
  mlir::registerAllPasses();
  qdq::registerAllDialects(registry);

  // The sources' own dialects (onnx, torch, onednn_graph) are matched by name,
  // so they need not be registered.
  char allowUnregistered[] = "--allow-unregistered-dialect";
  if (!isGiven({"allow-unregistered-dialect"}))
    arguments.insert(arguments.begin() + 1, allowUnregistered);
  llvm::cl::opt<std::string> input(llvm::cl::Positional,
                                   llvm::cl::desc("<model.mlir>"),
                                   llvm::cl::init("-"));
  llvm::cl::opt<std::string> output(
      "o", llvm::cl::desc("The file to write (default: standard output)"),
      llvm::cl::value_desc("file"), llvm::cl::init("-"));
  std::string overview =
      registerCLIOptions("mlir-qdq: lowers quantized IR\n", registry);
  qdq::parseCommandLine(arguments, overview);
  auto config = MlirOptMainConfig::createFromCLOptions();
  checkPipeline(config);
  bool isReading = !config.shouldShowDialects() && !config.shouldListPasses();
  if (isReading) {
    qdq::checkInput(input);
    qdq::checkOutput(output);
    qdq::explainWriteErrors(output);
  }
  std::string written = isReading ? getFirstName(output) : output;
  if (failed(MlirOptMain(arguments.size(), arguments.data(), input, written,
                         registry)))
    return 1;
  if (written != output)
    if (std::error_code error = llvm::sys::fs::rename(written, output)) {
      llvm::sys::fs::remove(written);
      qdq::exitWithError("cannot write '" + output + "': " + error.message());
    }
  return 0;
}
