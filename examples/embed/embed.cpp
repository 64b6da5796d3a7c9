// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A small compiler that takes ONNX's quantized ops into a pipeline of its own.
// Reads IR from standard input; its argument has options of lower-quant.

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Transforms/Passes.h"
#include "qdq/InitCore.h"
#include "qdq/Pipelines/Pipelines.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

int main(int argc, char **argv) {
  DialectRegistry registry;
  registry.insert<func::FuncDialect>();
  qdq::registerCoreDialects(registry);
  MLIRContext context(registry);
  context.allowUnregisteredDialects();

  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(openInputFile("-"), llvm::SMLoc());
  SourceMgrDiagnosticHandler diagnostics(sources, &context);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return 1;

  qdq::LowerQuantOptions options;
  options.profile = qdq::Profile::ORT;
  if (argc > 1 && failed(options.parseFromString(argv[1], llvm::errs())))
    return 1;
  PassManager passes(&context);
  qdq::buildLowerQuantPipeline(passes, options);
  passes.addPass(createCSEPass());
  if (failed(passes.run(*module)))
    return 1;
  module->print(llvm::outs());
  return 0;
}
