// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// quant-to-llvm: from quantized IR to the LLVM dialect.

#include "../Transforms/Verify/ForeignQuantizedOps.h"
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
#include "qdq/CodeGen/TargetInfo.h"
#include "qdq/Conversion/Frontends.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::qdq;

/// Turns ops on tensors beside casts into structured ops, and fuses them.
static void addNeighbors(OpPassManager &pm, const QuantToLLVMOptions &options) {
  pm.addPass(createLowerAffinePass());
  pm.addNestedPass<func::FuncOp>(createShapeToShapeLoweringPass());
  pm.addPass(createConvertShapeConstraintsPass());
  pm.addPass(createConvertShapeToStandardPass());
  pm.addPass(createDecomposeTensorOpsPass());
  pm.addPass(createConvertElementwiseToLinalgPass());
  // A tensor.dim of a result would be a use of it.
  pm.addPass(memref::createResolveRankedShapeTypeResultDimsPass());
  // Contractions first: what they repeat should be no more than a dequantize.
  if (options.fuseContractions)
    pm.addPass(createFuseContractionsPass(
        {options.reassociate || options.blockFloatingPoint}));
  pm.addPass(createFuseElementwisePass());
}

/// The signatures that callers of functions see.
static void addBoundaries(OpPassManager &pm,
                          const QuantToLLVMOptions &options) {
  pm.addPass(createCanonicalizerPass());
  if (options.callerAllocates)
    pm.addPass(createResultsToDestinationsPass());
  pm.addPass(createReadOnlyArgumentsPass());
}

static void addBufferization(OpPassManager &pm) {
  pm.addPass(createEliminateEmptyTensorsPass());
  pm.addPass(createDeclareGlobalsPass());
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  bufferize.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  // A loop that quantizes what it carries yields another buffer.
  bufferize.allowReturnAllocsFromLoops = true;
  pm.addPass(bufferization::createOneShotBufferizePass(bufferize));
  // The sums of a tile need no buffer for each tile.
  pm.addNestedPass<func::FuncOp>(bufferization::createBufferLoopHoistingPass());
  bufferization::buildBufferDeallocationPipeline(
      pm, bufferization::BufferDeallocationPipelineOptions());
  pm.addPass(createLowerUnrankedClonesPass());
  pm.addPass(createConvertBufferizationToMemRefPass());
}

/// Math ops that have no counterpart in LLVM, or not in their type.
static void addMath(OpPassManager &pm) {
  pm.addPass(createConvertComplexToStandardPass());
  pm.addPass(createExpandFmaPass());
  pm.addPass(math::createMathExtendToSupportedTypes());
  pm.addPass(createConvertMathToFuncs());
}

/// Parallel loops as OpenMP's. `threads` of 0 leaves the number to its runtime.
static void addThreads(OpPassManager &pm, unsigned threads) {
  pm.addPass(createForallToParallelLoopPass());
  pm.addPass(createOutlineParallelPass());
  pm.addPass(createConvertSCFToOpenMPPass({threads}));
}

static void addLLVMConversion(OpPassManager &pm,
                              const QuantToLLVMOptions &options,
                              const TargetInfo &target) {
  unsigned threads = options.threads;
  if (target.usesByteDots(options.vectorBits))
    pm.addPass(createLowerByteDotsPass());
  pm.addPass(createVerifyVectorMemoryPass());
  pm.addPass(createFlattenTransfersPass());
  pm.addPass(createLowerStridedCopiesPass());
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  // Nothing lowers the read of a vector of rank 0 from a subview with a stride.
  pm.addPass(memref::createFoldMemRefAliasOpsPass());
  if (target.uses(Strategy::StreamStores))
    pm.addPass(createStreamStoresPass({options.streamBytes}));
  if (options.target == LoweringTarget::Vector)
    pm.addPass(createSplitStoresPass({options.vectorBits}));
  pm.addPass(createLimitUnrollingPass());
  pm.addPass(createLowerExpandShapesPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(memref::createExpandOpsPass());
  pm.addNestedPass<func::FuncOp>(vector::createLowerVectorMultiReductionPass());
  pm.addPass(createConvertVectorToSCFPass());
  pm.addPass(createLowerAffinePass());
  addMath(pm);
  pm.addNestedPass<func::FuncOp>(LLVM::createLLVMRequestCWrappersPass());
  if (threads != 1)
    addThreads(pm, threads);
  pm.addPass(createSCFToControlFlowPass());
  if (options.targetCasts != NativeTarget::None)
    pm.addPass(createNativeCastsPass({options.targetCasts}));
  pm.addPass(createExpandFloatsPass({/*includeF16=*/false,
                                     target.uses(Strategy::ThroughF16),
                                     target.uses(Strategy::SaturatingPacks)}));
  // x86's own conversion to bf16 flushes subnormals: neither it nor arithmetic
  // that ends in it.
  pm.addPass(createEmulateBF16Pass({!target.hasF16Casts()}));
  // Arithmetic on f16 has become casts by now.
  if (!target.hasF16Casts())
    pm.addPass(createExpandFloatsPass({/*includeF16=*/true, false}));
  pm.addPass(createExpandArithPass());
  if (target.uses(Strategy::SaturatingPacks))
    pm.addPass(createSaturatingPacksPass());
  if (target.uses(Strategy::LookupTables))
    pm.addPass(createLookupTablesPass());
  pm.addPass(createFuseRoundingsPass());
  pm.addPass(createElementaryFunctionsPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createConvertComplexToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createUBToLLVMConversionPass());
  pm.addPass(createConvertFuncToLLVMPass());
  if (threads != 1)
    pm.addPass(createConvertOpenMPToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
}

/// Nodes of other systems to ops of upstream's dialects.
static void addTensorPasses(OpPassManager &pm,
                            const QuantToLLVMOptions &options) {
  addSource<ConvertTFLToQDQPassOptions>(pm, options, createConvertTFLToQDQPass);
  pm.addPass(createConvertTFLToLinalgPass({options.unconverted}));
  addSourcePasses(pm, options);
  pm.addPass(createConvertONNXToLinalgPass({options.unconverted}));
  addContractionPasses(pm, options);
  // Before the targets: what reads packed bytes reads them in its own loop.
  pm.addPass(createPackBoundariesPass());
  pm.addPass(createPackConstantsPass());
  addTargetPasses(pm, options, /*elementOps=*/true);
}

/// All behind them, for one target.
static void addCodePasses(OpPassManager &pm, const QuantToLLVMOptions &options,
                          const TargetInfo &target) {
  bool usesByteDots = target.usesByteDots(options.vectorBits);
  pm.addPass(createCSEPass());
  addNeighbors(pm, options);
  // Before vectorization: loops do not tell the shapes of their results.
  addBoundaries(pm, options);
  // A network that is a loop, such as an LSTM, lays out its weights once.
  pm.addPass(createHoistTranspositionsPass());
  if (options.target == LoweringTarget::Vector) {
    pm.addPass(createGeneralizeReductionsPass());
    pm.addPass(createLayOutConstantsPass());
    if (usesByteDots) {
      pm.addPass(createLayOutByteContractionsPass());
      // The result of one product goes to the next one in its own layout.
      pm.addPass(createCanonicalizerPass());
    }
  }
  bool usesBlockFloats = options.blockFloatingPoint &&
                         options.target == LoweringTarget::Vector &&
                         usesByteDots;
  if (options.threads != 1) {
    // Results do not depend on the threads: parts are what the whole would be.
    if (usesBlockFloats)
      pm.addPass(createBlockFloatingPointPass(
          {options.vectorBits, /*chooseOnly=*/true}));
    pm.addPass(createParallelizePass());
  }
  if (usesBlockFloats)
    pm.addPass(createBlockFloatingPointPass(
        {options.vectorBits, /*chooseOnly=*/false}));
  if (options.target == LoweringTarget::Vector)
    pm.addPass(createVectorizePass({options.vectorBits, usesByteDots,
                                    target.uses(Strategy::Reciprocals),
                                    target.uses(Strategy::ThroughF16)}));
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
  // Tensors do not change: of a buffer nobody could tell.
  pm.addPass(createHoistLoopInvariantsPass());
  addBufferization(pm);
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  if (options.target == LoweringTarget::Vector)
    pm.addPass(createPrefetchReadsPass());
  addLLVMConversion(pm, options, target);
  pm.addPass(createCanonicalizerPass());
}

/// Fails, with their names and numbers, if there are nodes of other systems
/// that hold values of tensors and for which `isLeft` is true.
static LogicalResult checkNothingLeft(ModuleOp module,
                                      function_ref<bool(Operation *)> isLeft) {
  llvm::MapVector<StringAttr, unsigned> counts;
  Operation *first = nullptr;
  module.walk([&](Operation *op) {
    ForeignOperator foreign = ForeignOperator::get(op);
    bool holdsValues =
        llvm::is_contained({"Constant", "NoValue", "Yield", "vtensor.literal"},
                           foreign.name) ||
        foreign.name.starts_with("constant.");
    if (op->isRegistered() || !foreign || holdsValues || !isLeft(op))
      return;
    first = first ? first : op;
    ++counts[StringAttr::get(op->getContext(), foreign.str())];
  });
  if (!first)
    return success();
  InFlightDiagnostic diagnostic = emitError(first->getLoc());
  diagnostic << "not lowered: ";
  llvm::interleaveComma(counts, diagnostic, [&](const auto &entry) {
    diagnostic << entry.second << " " << entry.first.getValue();
  });
  return diagnostic;
}

/// An ONNX node that no pass of the pipeline takes. Its results may have no
/// shape, which would be the reason to refuse its neighbors.
static bool isUnknown(Operation *op) {
  return op->getName().getDialectNamespace() == "onnx" &&
         !isONNXQuantizationOp(op) && !isONNXFloatOp(op);
}

namespace {
/// The pipeline as a pass, since a module itself may name the target.
class QuantToLLVMPass
    : public PassWrapper<QuantToLLVMPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(QuantToLLVMPass)

  explicit QuantToLLVMPass(const QuantToLLVMOptions &given)
      : options(std::make_shared<QuantToLLVMOptions>()) {
    options->copyOptionValuesFrom(given);
    llvm::raw_string_ostream stream(argument);
    stream << "quant-to-llvm";
    options->print(stream);
  }

  /// With the options, so that a printed pipeline parses again.
  StringRef getArgument() const override { return argument; }

  void getDependentDialects(DialectRegistry &registry) const override {
    OpPassManager pm(ModuleOp::getOperationName());
    addTensorPasses(pm, *options);
    addCodePasses(pm, *options, TargetInfo());
    pm.getDependentDialects(registry);
    registry.insert<LLVM::LLVMDialect>();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(
            attachTarget(module, {options->targetTriple, options->targetCpu,
                                  options->targetFeatures, options->without})))
      return signalPassFailure();
    FailureOr<TargetInfo> target = TargetInfo::get(module);
    if (failed(target) || failed(check(*target)))
      return signalPassFailure();
    OpPassManager tensors(ModuleOp::getOperationName());
    addTensorPasses(tensors, *options);
    OpPassManager code(ModuleOp::getOperationName());
    addCodePasses(code, *options, *target);
    auto isAny = [](Operation *) { return true; };
    if (failed(checkNothingLeft(module, isUnknown)) ||
        failed(runPipeline(tensors, module)) ||
        failed(checkNothingLeft(module, isAny)) ||
        failed(runPipeline(code, module)))
      signalPassFailure();
  }

private:
  /// An option that the target cannot obey is an error.
  LogicalResult check(const TargetInfo &target) {
    if (!options->blockFloatingPoint ||
        target.usesByteDots(options->vectorBits))
      return success();
    return emitError(getOperation().getLoc())
           << "block-floating-point: the target has no dot products of bytes "
              "in vectors of "
           << int64_t(options->vectorBits) << " bits: see target-cpu";
  }

  std::shared_ptr<QuantToLLVMOptions> options;
  std::string argument;
};
} // namespace

void mlir::qdq::buildQuantToLLVMPipeline(OpPassManager &pm,
                                         const QuantToLLVMOptions &options) {
  pm.addPass(std::make_unique<QuantToLLVMPass>(options));
}

void mlir::qdq::registerQuantToLLVMPipeline() {
  registerModulePipeline(
      "quant-to-llvm",
      "Lower quantized IR to the LLVM dialect, for mlir-runner and the JIT",
      buildQuantToLLVMPipeline);
}
