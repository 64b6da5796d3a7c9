// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lower-quant, and the names of the pipelines.

#include "qdq/Pipelines/Pipelines.h"
#include "LoweringPasses.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

void mlir::qdq::buildLowerQuantPipeline(OpPassManager &pm,
                                        const LowerQuantOptions &options) {
  addSourcePasses(pm, options);
  addContractionPasses(pm, options);
  addTargetPasses(pm, options);
  // What loops share is computed once. Not otherwise: CSE compares the bodies
  // of all ops that read one tensor.
  if (options.target == LoweringTarget::Vector) {
    pm.addPass(createCSEPass());
    pm.addPass(createVectorizePass({options.vectorBits}));
  }
  addNativeCasts(pm, options);
  if (options.expandFloats)
    pm.addPass(createExpandFloatsPass());
}

/// As `PassPipelineRegistration`, which has no way to report an error: a module
/// pass ends the process if it is added to the pass manager of another op.
template <typename Options>
static void registerModulePipeline(StringRef argument, StringRef description,
                                   void (*build)(OpPassManager &,
                                                 const Options &)) {
  auto add = [=](OpPassManager &pm, StringRef text,
                 function_ref<LogicalResult(const Twine &)> emitError) {
    StringRef expected = ModuleOp::getOperationName();
    if (pm.getOpName() && *pm.getOpName() != expected)
      return emitError("'" + argument + "' runs on '" + expected +
                       "' and cannot be nested in '" + *pm.getOpName() + "'");
    Options options;
    if (failed(options.parse(text, emitError)))
      return failure();
    build(pm, options);
    return success();
  };
  registerPassPipeline(
      argument, description, add,
      [](function_ref<void(const detail::PassOptions &)> listOptions) {
        listOptions(Options());
      });
}

void mlir::qdq::registerPipelines() {
  registerModulePipeline(
      "lower-quant",
      "Lower quantize and dequantize ops of all sources to linalg and arith",
      buildLowerQuantPipeline);
  registerModulePipeline(
      "quant-to-llvm",
      "Lower quantized IR to the LLVM dialect, for mlir-runner and the JIT",
      buildQuantToLLVMPipeline);
}
