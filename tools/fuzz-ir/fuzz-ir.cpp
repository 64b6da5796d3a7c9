// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libFuzzer target: bytes are parsed as text or bytecode, verified, and lowered
// with drawn options. Errors are fine; crashes, hangs and leaks are not.

#include "mlir/IR/BuiltinOps.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "qdq/InitAll.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

/// Pipelines; each is followed by quant-to-llvm.
static constexpr const char *kFirst[] = {
    "",
    "lower-quant",
    "lower-quant{profile=ort rounding=floor override-semantics}",
    "lower-quant{target=vector expand-floats expand-math}",
    "lower-quant{block-form=map integer-contractions=exact unconverted=keep}",
    "lower-quant{runtime-checks dequantize-constants}",
    "qdq-simplify,qdq-motion",
    "qdq-lint,qdq-integer-contractions,qdq-simplify{max-code-diff=1}",
};
static constexpr const char *kLast[] = {
    "quant-to-llvm{target-cpu=x86-64}",
    "quant-to-llvm{target=vector target-cpu=sapphirerapids}",
    "quant-to-llvm{target=vector target-cpu=x86-64-v3 threads=2}",
    "quant-to-llvm{caller-allocates sum-order=any target=vector}",
    "quant-to-llvm{caller-allocates sum-order=lanes target=vector}",
};

static DialectRegistry &getRegistry() {
  static DialectRegistry registry = [] {
    qdq::registerAllPasses();
    DialectRegistry all;
    registerAllDialects(all);
    registerAllExtensions(all);
    qdq::registerAllDialects(all);
    return all;
  }();
  return registry;
}

/// A context for the next input. It takes longer to make than most inputs take
/// to refuse, and keeps all types and attributes that it has seen.
static MLIRContext &getContext() {
  static constexpr int kInputs = 512;
  static std::unique_ptr<MLIRContext> context;
  static int numInputs = 0;
  if (numInputs++ % kInputs == 0) {
    context = std::make_unique<MLIRContext>(getRegistry(),
                                            MLIRContext::Threading::DISABLED);
    context->allowUnregisteredDialects();
    context->getDiagEngine().registerHandler(
        [](Diagnostic &) { return success(); });
  }
  return *context;
}

/// Runs `pipeline` on `module`, if it parses in this build.
static LogicalResult run(ModuleOp module, StringRef pipeline) {
  PassManager passes(module.getContext());
  if (failed(parsePassPipeline(pipeline, passes)))
    return failure();
  return passes.run(module);
}

extern "C" int LLVMFuzzerInitialize(int *, char ***) {
  getRegistry();
  MLIRContext context(getRegistry(), MLIRContext::Threading::DISABLED);
  for (const char *pipeline : llvm::concat<const char *const>(
           llvm::ArrayRef(kFirst).drop_front(), llvm::ArrayRef(kLast))) {
    PassManager passes(&context);
    if (failed(parsePassPipeline(pipeline, passes)))
      llvm::report_fatal_error(pipeline);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  MLIRContext &context = getContext();
  StringRef bytes(reinterpret_cast<const char *>(data), size);
  ParserConfig config(&context);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(bytes, config);
  if (!module)
    return -1;
  uint64_t draw = llvm::xxh3_64bits(bytes);
  const char *first = kFirst[draw % std::size(kFirst)];
  const char *last = kLast[draw / std::size(kFirst) % std::size(kLast)];
  if (succeeded(run(*module, first)))
    (void)run(*module, last);
  return 0;
}
