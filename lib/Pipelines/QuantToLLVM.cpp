// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// quant-to-llvm: from quantized IR to the LLVM dialect.

#include "LoweringPasses.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::qdq;

/// What callers see of functions.
static void addBoundaries(OpPassManager &pm,
                          const QuantToLLVMOptions &options) {
  pm.addPass(createCanonicalizerPass());
  if (options.callerAllocates) {
    pm.addPass(createResultsToDestinationsPass());
    pm.addPass(createCanonicalizerPass());
    pm.addPass(createCSEPass());
  }
  pm.addPass(createReadOnlyArgumentsPass());
}

static void addBufferization(OpPassManager &pm) {
  pm.addPass(bufferization::createEmptyTensorEliminationPass());
  pm.addPass(createDeclareGlobalsPass());
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  bufferize.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  // A loop that quantizes what it carries yields another buffer.
  bufferize.allowReturnAllocsFromLoops = true;
  pm.addPass(bufferization::createOneShotBufferizePass(bufferize));
  bufferization::buildBufferDeallocationPipeline(
      pm, bufferization::BufferDeallocationPipelineOptions());
  pm.addPass(createLowerUnrankedClonesPass());
  pm.addPass(createConvertBufferizationToMemRefPass());
}

static void addLLVMConversion(OpPassManager &pm) {
  pm.addPass(createVerifyVectorMemoryPass());
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  pm.addPass(createLowerExpandShapesPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createConvertVectorToSCFPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createExpandFloatsPass());
  // x86's own conversion to bf16 flushes subnormals: neither it nor arithmetic
  // that ends in it.
  pm.addPass(createEmulateBF16Pass());
  arith::ArithExpandOpsPassOptions expand;
  expand.includeBf16 = true;
  pm.addPass(arith::createArithExpandOpsPass(expand));
  pm.addNestedPass<func::FuncOp>(LLVM::createLLVMRequestCWrappersPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createUBToLLVMConversionPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
}

void mlir::qdq::buildQuantToLLVMPipeline(OpPassManager &pm,
                                         const QuantToLLVMOptions &options) {
  addSourcePasses(pm, options);
  // Before the targets: what reads packed bytes reads them in its own loop.
  pm.addPass(createPackBoundariesPass());
  pm.addPass(createPackConstantsPass());
  addTargetPasses(pm, options);
  pm.addPass(createConvertElementwiseToLinalgPass());
  addVectorization(pm, options);
  addBoundaries(pm, options);
  addBufferization(pm);
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  addLLVMConversion(pm);
  pm.addPass(createCanonicalizerPass());
}
