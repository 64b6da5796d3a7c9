// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The stages of quant-to-llvm: the passes of each, in their order.

#include "Stages.h"
#include "LoweringPasses.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Dialect/Shape/Transforms/Passes.h"
#include "mlir/Dialect/Vector/Transforms/Passes.h"
#include "qdq/CodeGen/Passes.h"
#include "qdq/Conversion/Frontends.h"

using namespace mlir;
using namespace mlir::qdq;

static void addSources(OpPassManager &pm, const QuantToLLVMOptions &options) {
  addCheckedSource<ConvertTFLToQDQPassOptions>(pm, options,
                                               createConvertTFLToQDQPass);
  pm.addPass(createConvertTFLToLinalgPass(
      {options.unconverted, options.runtimeChecks}));
  // Leaves the products of a DynamicQuantizeLSTM as nodes.
  pm.addPass(createConvertONNXToLinalgPass(
      {options.profile, options.unconverted, options.runtimeChecks}));
  addSourcePasses(pm, options);
  if (options.runtimeChecks)
    pm.addPass(createCheckSizesPass());
}

/// Kernels of byte products multiply the codes of sums in any order, without
/// integers for each block in memory.
static IntegerBlocks getIntegerBlocks(const QuantToLLVMOptions &options,
                                      const TargetInfo &target) {
  if (!target.uses(Strategy::ByteDots))
    return IntegerBlocks::All;
  return options.sumOrder == SumOrder::Any ? IntegerBlocks::None
                                           : IntegerBlocks::Ordered;
}

static void addQDQ(OpPassManager &pm, const QuantToLLVMOptions &options,
                   const TargetInfo &target) {
  addContractionPasses(pm, options, getIntegerBlocks(options, target));
  // Readers of packed bytes then read them in their own loops.
  pm.addPass(createPackBoundariesPass());
  pm.addPass(createPackConstantsPass());
}

static void addLinalg(OpPassManager &pm, const QuantToLLVMOptions &options) {
  addTargetPasses(pm, options, /*elementOps=*/true);
  addSignlessPasses(pm, options);
}

static void addFused(OpPassManager &pm, const QuantToLLVMOptions &options) {
  pm.addPass(createCSEPass());
  pm.addPass(createLowerAffinePass());
  pm.addNestedPass<func::FuncOp>(createShapeToShapeLoweringPass());
  pm.addPass(createConvertShapeConstraintsPass());
  pm.addPass(createConvertShapeToStandardPass());
  pm.addPass(createDecomposeTensorOpsPass());
  pm.addPass(createConvertElementwiseToLinalgPass());
  // A tensor.dim of a result would be a use of it.
  pm.addPass(memref::createResolveRankedShapeTypeResultDimsPass());
  // Contractions first: what they repeat should be no more than a dequantize.
  SumOrder order =
      options.blockFloatingPoint ? SumOrder::Any : options.sumOrder;
  if (order != SumOrder::Sequential)
    pm.addPass(createDeclareSumOrderPass({order}));
  pm.addPass(createFuseContractionsPass());
  pm.addPass(createFuseElementwisePass());
  pm.addPass(createTabulateCodesPass());
  pm.addPass(createCanonicalizerPass());
}

static void addBoundary(OpPassManager &pm, const QuantToLLVMOptions &options) {
  if (options.callerAllocates)
    pm.addPass(createResultsToDestinationsPass());
  pm.addPass(createReadOnlyArgumentsPass());
}

static void addPlanned(OpPassManager &pm, const QuantToLLVMOptions &options,
                       const TargetInfo &target) {
  bool toVectors = options.target == LoweringTarget::Vector;
  bool usesByteDots = toVectors && target.uses(Strategy::ByteDots);
  int64_t blockFloatBits = usesByteDots && options.blockFloatingPoint
                               ? target.getByteDotBits(options.vectorBits)
                               : 0;
  if (toVectors)
    pm.addPass(createLayOutContractionsPass(
        {target.getByteDots(), blockFloatBits != 0}));
  // The result of one product goes to the next one in its own layout.
  if (usesByteDots)
    pm.addPass(createCanonicalizerPass());
  if (options.threads != 1) {
    // Results do not depend on the threads: parts are what the whole would be.
    ParallelizePassOptions parts;
    parts.blockFloatBits = blockFloatBits;
    pm.addPass(createParallelizePass(parts));
  } else if (blockFloatBits != 0) {
    pm.addPass(createBlockFloatingPointPass({blockFloatBits}));
  }
}

static void addVectors(OpPassManager &pm, const QuantToLLVMOptions &options,
                       const TargetInfo &target) {
  if (options.target == LoweringTarget::Vector) {
    VectorizePassOptions vectors;
    vectors.vectorBits = options.vectorBits;
    vectors.byteDots = target.getByteDots();
    vectors.byteDotBits = target.getByteDotBits(options.vectorBits);
    vectors.registers = target.getVectorRegisters();
    vectors.wideVectors = target.uses(Strategy::ThroughF16);
    vectors.lookupTables = target.uses(Strategy::LookupTables);
    pm.addPass(createVectorizePass(vectors));
  } else {
    pm.addPass(createPartialSumsPass());
  }
  // Sizes of tiles in terms of the arguments: bufferization, which compares
  // slices, would follow each through all loops before.
  pm.addPass(memref::createResolveRankedShapeTypeResultDimsPass());
  pm.addPass(createSCFForLoopCanonicalizationPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createExpandElementsPass(
      {target.uses(Strategy::Reciprocals), options.contractionProof}));
  if (options.expandMath)
    pm.addPass(createExpandMathPass());
  pm.addPass(createOutlineRepeatsPass());
  // Tensors do not change: of a buffer nobody could tell.
  pm.addPass(createHoistLoopInvariantsPass());
}

static void addBuffers(OpPassManager &pm) {
  pm.addPass(createPrepareBufferizationPass());
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  bufferize.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  // A loop that quantizes what it carries yields another buffer.
  bufferize.allowReturnAllocsFromLoops = true;
  pm.addPass(bufferization::createOneShotBufferizePass(bufferize));
  // A private function that updates an argument returns it, which would be a
  // copy.
  pm.addPass(bufferization::createDropEquivalentBufferResultsPass());
  // The sums of a tile need no buffer for each tile.
  pm.addNestedPass<func::FuncOp>(bufferization::createBufferLoopHoistingPass());
  bufferization::buildBufferDeallocationPipeline(
      pm, bufferization::BufferDeallocationPipelineOptions());
  pm.addPass(createLowerUnrankedClonesPass());
  pm.addPass(createConvertBufferizationToMemRefPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  // The deallocation pipeline keeps buffers to the end of their block.
  pm.addNestedPass<func::FuncOp>(
      bufferization::createOptimizeAllocationLivenessPass());
}

static void addMemory(OpPassManager &pm, const QuantToLLVMOptions &options,
                      const TargetInfo &target) {
  bool toVectors = options.target == LoweringTarget::Vector;
  if (toVectors)
    pm.addPass(createPrefetchReadsPass());
  if (target.uses(Strategy::ByteDots))
    pm.addPass(createLowerByteDotsPass({target.getByteDots()}));
  pm.addPass(createFlattenTransfersPass());
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  // Nothing lowers the read of a vector of rank 0 from a subview with a stride.
  pm.addPass(memref::createFoldMemRefAliasOpsPass());
  if (target.uses(Strategy::StreamStores))
    pm.addPass(createStreamStoresPass({options.streamBytes}));
  // Wrappers are for the author's functions alone.
  pm.addNestedPass<func::FuncOp>(LLVM::createLLVMRequestCWrappersPass());
  // Before bounds become arguments, which say nothing of each other.
  pm.addPass(createLimitLoopsPass());
  pm.addPass(createLowerExpandShapesPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(memref::createExpandOpsPass());
  pm.addNestedPass<func::FuncOp>(vector::createLowerVectorMultiReductionPass());
  pm.addPass(createConvertVectorToSCFPass());
  pm.addPass(createLowerAffinePass());
}

/// Math ops that have no counterpart in LLVM, or not in their type.
static void addMath(OpPassManager &pm) {
  pm.addPass(createConvertComplexToStandardPass());
  pm.addPass(math::createMathExtendToSupportedTypes());
  pm.addPass(createConvertMathToFuncs());
}

/// Parallel loops as OpenMP's. `threads` of 0 leaves the number to its runtime.
static void addThreads(OpPassManager &pm, unsigned threads) {
  pm.addPass(createForallToParallelLoopPass());
  pm.addPass(createOutlineParallelPass());
  pm.addPass(createConvertSCFToOpenMPPass({threads}));
}

static void addTarget(OpPassManager &pm, const QuantToLLVMOptions &options,
                      const TargetInfo &target) {
  addMath(pm);
  if (options.threads != 1)
    addThreads(pm, options.threads);
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createLowerToTargetPass({{"integer-casts", "rounded-casts"}}));
  if (target.uses(Strategy::NativeCasts))
    pm.addPass(createNativeCastsPass({target.getNativeCasts()}));
  bool usesTables = target.uses(Strategy::LookupTables);
  pm.addPass(createExpandFloatsPass({/*includeF16=*/false,
                                     target.uses(Strategy::ThroughF16),
                                     target.uses(Strategy::SaturatingPacks),
                                     /*lookupBits=*/usesTables ? 512 : 0}));
  // x86's own conversion to bf16 flushes subnormals: neither it nor arithmetic
  // that ends in it.
  LowerToTargetPassOptions wider;
  wider.rewrites = {"fma", "bf16"};
  if (!target.hasFma())
    wider.rewrites.push_back("f32-fma");
  pm.addPass(createLowerToTargetPass(wider));
  // Arithmetic on f16 becomes casts before they expand.
  if (!target.hasF16Casts()) {
    pm.addPass(createLowerToTargetPass({{"f16"}}));
    pm.addPass(createExpandFloatsPass({/*includeF16=*/true, false}));
  }
  LowerToTargetPassOptions rest;
  rest.rewrites = {"arith", "lookups", "roundings", "functions"};
  if (target.uses(Strategy::SaturatingPacks))
    rest.rewrites.push_back("saturating-packs");
  if (usesTables)
    rest.rewrites.push_back("lookup-tables");
  else if (target.uses(Strategy::ByteDots))
    rest.rewrites.push_back("byte-tables");
  pm.addPass(createLowerToTargetPass(rest));
}

static void addLLVM(OpPassManager &pm, const QuantToLLVMOptions &options) {
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createConvertComplexToLLVMPass());
  // Before constants of arith become ones of LLVM:
  // docs/upstream/finalize-memref-to-llvm-dim-of-constant.
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createUBToLLVMConversionPass());
  pm.addPass(createConvertFuncToLLVMPass());
  if (options.threads != 1)
    pm.addPass(createConvertOpenMPToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createPrepareTranslationPass());
  pm.addPass(createCanonicalizerPass());
}

void mlir::qdq::addStage(OpPassManager &pm, Stage stage,
                         const QuantToLLVMOptions &options,
                         const TargetInfo &target) {
  pm.addPass(createCheckStagePass(stage, options));
  switch (stage) {
  case Stage::Sources:
    return addSources(pm, options);
  case Stage::QDQ:
    return addQDQ(pm, options, target);
  case Stage::Linalg:
    return addLinalg(pm, options);
  case Stage::Fused:
    return addFused(pm, options);
  case Stage::Boundary:
    return addBoundary(pm, options);
  case Stage::Planned:
    return addPlanned(pm, options, target);
  case Stage::Vectors:
    return addVectors(pm, options, target);
  case Stage::Buffers:
    return addBuffers(pm);
  case Stage::Memory:
    return addMemory(pm, options, target);
  case Stage::Target:
    return addTarget(pm, options, target);
  case Stage::LLVM:
    return addLLVM(pm, options);
  }
  llvm_unreachable("unknown Stage");
}
