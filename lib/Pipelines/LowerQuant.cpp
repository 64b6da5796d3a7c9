// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lower-quant: from quantized IR to linalg and arith.

#include "LoweringPasses.h"
#include "qdq/Pipelines/Pipelines.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::qdq;

/// The pass of TFLite's operators, and those for vectors and native casts.
static constexpr StringLiteral kTFLite = "convert-tfl-to-qdq";
static constexpr StringLiteral kVectorize = "qdq-codegen-vectorize";
static constexpr StringLiteral kNativeCasts = "qdq-native-casts";

namespace {
/// Stands where a pass should that nobody has registered.
struct MissingPass : PassWrapper<MissingPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MissingPass)

  explicit MissingPass(StringRef name) : name(name) {}

  StringRef getArgument() const override { return name; }

  void runOnOperation() override {
    emitError(getOperation().getLoc())
        << "the pass '" << name
        << "' is not registered: expected registerQDQCodeGenPasses(), of the "
           "CMake component cpu, before the pipeline is built";
    signalPassFailure();
  }

  StringRef name;
};
} // namespace

/// Adds a pass of a component that need not be linked.
static void addRegisteredPass(OpPassManager &pm, StringRef name,
                              const std::string &options) {
  const PassInfo *info = PassInfo::lookup(name);
  auto fail = [](const Twine &) { return failure(); };
  if (!info || failed(info->addToPipeline(pm, options, fail)))
    pm.addPass(std::make_unique<MissingPass>(name));
}

/// The options of the pipeline that a source has too.
static constexpr StringLiteral kSourceOptions[] = {
    "profile",
#define QDQ_SEMANTICS_FIELD(Enum, name, attribute, option) option,
#include "qdq/Numerics/SemanticsFields.def"
    "seed", "override-semantics", "unconverted", "runtime-checks"};

/// The options of these names, as a pipeline spells them.
static SmallVector<std::string> spellOptions(const LowerQuantOptions &options,
                                             ArrayRef<StringLiteral> names) {
  std::string text;
  llvm::raw_string_ostream os(text);
  options.print(os); // {a=b c=d}
  SmallVector<std::string> spelled;
  for (StringRef option : llvm::split(StringRef(text).trim("{}"), ' '))
    if (llvm::is_contained(names, option.split('=').first))
      spelled.push_back(option.str());
  return spelled;
}

void mlir::qdq::buildLowerQuantPipeline(OpPassManager &pm,
                                        const LowerQuantOptions &options) {
  if (PassInfo::lookup(kTFLite))
    addRegisteredPass(pm, kTFLite,
                      llvm::join(spellOptions(options, kSourceOptions), " "));
  addSourcePasses(pm, options);
  addContractionPasses(pm, options);
  addTargetPasses(pm, options, /*elementOps=*/false);
  addSignlessPasses(pm, options);
  // Loops share what they both compute. Not otherwise: CSE compares the bodies
  // of all ops that read one tensor.
  if (options.target == LoweringTarget::Vector) {
    pm.addPass(createCSEPass());
    addRegisteredPass(pm, kVectorize,
                      "vector-bits=" + std::to_string(options.vectorBits));
  }
  if (options.targetCasts != NativeTarget::None) {
    std::string option = spellOptions(options, {"target-casts"}).front();
    StringRef target = StringRef(option).split('=').second;
    addRegisteredPass(pm, kNativeCasts, ("target=" + target).str());
  }
  if (options.expandFloats)
    pm.addPass(createExpandFloatsPass());
}

void mlir::qdq::registerLowerQuantPipeline() {
  registerModulePipeline(
      "lower-quant",
      "Lower quantize and dequantize ops of all sources to linalg and arith",
      buildLowerQuantPipeline);
}
