// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes that both pipelines begin with, and how a pipeline is registered.

#ifndef QDQ_LIB_PIPELINES_LOWERINGPASSES_H
#define QDQ_LIB_PIPELINES_LOWERINGPASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "qdq/Conversion/Passes.h"
#include "qdq/Pipelines/Pipelines.h"
#include "qdq/Transforms/Passes.h"

namespace mlir::qdq {

/// The numeric options of a pipeline as those of a pass.
template <typename PassOptionsT, typename Options>
PassOptionsT toPassOptions(const Options &options) {
  PassOptionsT result;
  result.profile = options.profile;
#define QDQ_SEMANTICS_FIELD(Enum, name, attribute, option)                     \
  result.name = options.name;
#include "qdq/Numerics/SemanticsFields.def"
  result.overrideSemantics = options.overrideSemantics;
  result.seed = options.seed;
  return result;
}

/// The pass of a source, which leaves or refuses what it cannot convert.
template <typename PassOptionsT, typename Options>
void addSource(OpPassManager &pm, const Options &options,
               std::unique_ptr<Pass> (*create)(PassOptionsT)) {
  auto passOptions = toPassOptions<PassOptionsT>(options);
  passOptions.unconverted = options.unconverted;
  pm.addPass(create(passOptions));
}

/// One that also asserts what open sizes must be.
template <typename PassOptionsT, typename Options>
void addCheckedSource(OpPassManager &pm, const Options &options,
                      std::unique_ptr<Pass> (*create)(PassOptionsT)) {
  auto passOptions = toPassOptions<PassOptionsT>(options);
  passOptions.unconverted = options.unconverted;
  passOptions.runtimeChecks = options.runtimeChecks;
  pm.addPass(create(passOptions));
}

/// Sources to qdq, behind TFLite's.
template <typename Options>
void addSourcePasses(OpPassManager &pm, const Options &options) {
  // Before the quant dialect: their ops have its types.
  addSource<ConvertStableHLOToQDQPassOptions>(pm, options,
                                              createConvertStableHLOToQDQPass);
  pm.addPass(createConvertQuantToQDQPass(
      toPassOptions<ConvertQuantToQDQPassOptions>(options)));
  addCheckedSource<ConvertONNXToQDQPassOptions>(pm, options,
                                                createConvertONNXToQDQPass);
  addSource<ConvertTorchToQDQPassOptions>(pm, options,
                                          createConvertTorchToQDQPass);
  pm.addPass(createConvertTorchTypesPass());
  addSource<ConvertOneDNNToQDQPassOptions>(pm, options,
                                           createConvertOneDNNToQDQPass);
  addSource<ConvertTOSAToQDQPassOptions>(pm, options,
                                         createConvertTOSAToQDQPass);
}

/// Contractions of dequantized tensors as those of their codes.
template <typename Options>
void addIntegerContractions(OpPassManager &pm, const Options &options,
                            IntegerBlocks blocks) {
  auto chosen =
      options.integerContractions.getValue().value_or(ContractionRescale::Off);
  if (chosen == ContractionRescale::Off)
    return;
  IntegerContractionsPassOptions passOptions;
  if (chosen == ContractionRescale::Profile)
    passOptions.profile = options.profile;
  else
    passOptions.rescale = symbolizeRescale(stringifyContractionRescale(chosen));
  passOptions.blocks = blocks;
  pm.addPass(createMotionPass());
  pm.addPass(createIntegerContractionsPass(passOptions));
}

/// Weights become codes in contractions, or constants that need no loop.
template <typename Options>
void addContractionPasses(OpPassManager &pm, const Options &options,
                          IntegerBlocks blocks = IntegerBlocks::All) {
  if (options.activations != ActivationFormat::None)
    pm.addPass(createQuantizeActivationsPass({options.activations}));
  addIntegerContractions(pm, options, blocks);
  if (options.dequantizeConstants)
    pm.addPass(createDequantizeConstantsPass(
        toPassOptions<DequantizeConstantsPassOptions>(options)));
}

/// Qdq to the targets. Nothing folds before the qdq ops are gone.
template <typename Options>
void addTargetPasses(OpPassManager &pm, const Options &options,
                     bool elementOps) {
  auto toLinalg = toPassOptions<ConvertQDQToLinalgPassOptions>(options);
  toLinalg.blockForm = options.blockForm;
  toLinalg.runtimeChecks = options.runtimeChecks;
  toLinalg.contractionProof = options.contractionProof;
  toLinalg.elementOps = elementOps;
  pm.addPass(createConvertQDQToLinalgPass(toLinalg));
  auto toArith = toPassOptions<ConvertQDQToArithPassOptions>(options);
  toArith.contractionProof = options.contractionProof;
  toArith.elementOps = elementOps;
  pm.addPass(createConvertQDQToArithPass(toArith));
  if (options.expandMath)
    pm.addPass(createExpandMathPass());
}

/// Signless types, and the check that nothing is left.
template <typename Options>
void addSignlessPasses(OpPassManager &pm, const Options &options) {
  pm.addPass(createStripSignednessPass());
  pm.addPass(createVerifyLoweredPass({options.unconverted}));
}

/// As `PassPipelineRegistration`, which has no way to report an error: a module
/// pass ends the process if it is added to the pass manager of another op.
template <typename Options>
void registerModulePipeline(StringRef argument, StringRef description,
                            void (*build)(OpPassManager &, const Options &)) {
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
      [](function_ref<void(const mlir::detail::PassOptions &)> listOptions) {
        listOptions(Options());
      });
}

} // namespace mlir::qdq

#endif // QDQ_LIB_PIPELINES_LOWERINGPASSES_H
