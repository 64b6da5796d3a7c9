// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lower-quant, and the names of the pipelines.

#include "qdq/Pipelines/Pipelines.h"
#include "LoweringPasses.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

void mlir::qdq::buildLowerQuantPipeline(OpPassManager &pm,
                                        const LowerQuantOptions &options) {
  addSourcePasses(pm, options);
  addTargetPasses(pm, options);
  if (options.expandFloats)
    pm.addPass(createExpandFloatsPass());
}

void mlir::qdq::registerPipelines() {
  PassPipelineRegistration<LowerQuantOptions>(
      "lower-quant",
      "Lower quantize and dequantize ops of all sources to linalg and arith",
      buildLowerQuantPipeline);
  PassPipelineRegistration<QuantToLLVMOptions>(
      "quant-to-llvm",
      "Lower quantized IR to the LLVM dialect, for mlir-runner and the JIT",
      buildQuantToLLVMPipeline);
}
