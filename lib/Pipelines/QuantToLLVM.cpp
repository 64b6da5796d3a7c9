// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// quant-to-llvm: from quantized IR to the LLVM dialect.

#include "LoweringPasses.h"
#include "Stages.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::qdq;

/// The stages that `options` ask for.
static void addStages(OpPassManager &pm, const QuantToLLVMOptions &options,
                      const TargetInfo &target) {
#define QDQ_STAGE(Name, name, result)                                          \
  if (options.startAt <= Stage::Name && Stage::Name <= options.stopAfter)      \
    addStage(pm, Stage::Name, options, target);
#include "qdq/Pipelines/Stages.def"
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
    addStages(pm, *options, TargetInfo());
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
    // A small module is lowered in less time than it takes to initialize the
    // passes: keep them for the next module.
    DictionaryAttr attributes = module->getAttrDictionary();
    if (!stages || attributes != attributesOfStages) {
      attributesOfStages = attributes;
      stages.emplace(ModuleOp::getOperationName());
      addStages(*stages, *options, *target);
    }
    if (failed(runPipeline(*stages, module)))
      signalPassFailure();
  }

private:
  /// An option that the target, or another option, forbids is an error.
  LogicalResult check(const TargetInfo &target) {
    if (options->streamBytes < 0)
      return emitError(getOperation().getLoc())
             << "stream-bytes is " << int64_t(options->streamBytes)
             << ": expected 0 or more";
    if (!options->blockFloatingPoint)
      return success();
    if (options->sumOrder == SumOrder::Lanes)
      return emitError(getOperation().getLoc())
             << "block-floating-point adds in an order of its own: expected "
                "sum-order=any, not lanes";
    if (target.uses(Strategy::ByteDots))
      return success();
    return emitError(getOperation().getLoc())
           << "block-floating-point: the target has no dot products of bytes: "
              "see target-cpu";
  }

  std::shared_ptr<QuantToLLVMOptions> options;
  std::string argument;
  /// The stages for the last module, and its attributes, which name the target.
  std::optional<OpPassManager> stages;
  DictionaryAttr attributesOfStages;
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
