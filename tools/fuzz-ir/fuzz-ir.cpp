// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libFuzzer target: bytes are parsed as text or bytecode, verified, and lowered
// with drawn options. Errors are fine; crashes, hangs and leaks are not.

#include "Mutate.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "qdq/InitAll.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"
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

/// Features of an input that libFuzzer keeps it for, beside code that is
/// instrumented: libMLIR is not, and a build need not be.
__attribute__((section("__libfuzzer_extra_counters"),
               used)) static uint8_t features[1 << 16];

static void addFeature(llvm::hash_code hash) {
  features[size_t(hash) % std::size(features)] = 1;
}

static llvm::hash_code hashType(Type type) {
  Type element = getElementTypeOrSelf(type);
  unsigned bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
  auto shaped = dyn_cast<ShapedType>(type);
  bool isRanked = shaped && shaped.hasRank();
  return llvm::hash_combine(type.getTypeID(), element.getTypeID(), bits,
                            isRanked ? std::min<int64_t>(shaped.getRank(), 3)
                                     : -1,
                            isRanked && shaped.hasStaticShape());
}

/// Ops with the types of their values, at a `stage` of lowering.
static void addOps(ModuleOp module, unsigned stage) {
  module.walk([&](Operation *op) {
    llvm::hash_code hash =
        llvm::hash_combine(stage, op->getName().getStringRef());
    for (Type type : op->getOperandTypes())
      hash = llvm::hash_combine(hash, hashType(type));
    for (Type type : op->getResultTypes())
      hash = llvm::hash_combine(hash, hashType(type));
    addFeature(hash);
  });
}

/// A message, by its letters outside of quotes.
static void addMessage(StringRef message) {
  std::string letters;
  bool isQuoted = false;
  for (char c : message) {
    isQuoted ^= c == '\'';
    if (!isQuoted && llvm::isAlpha(c))
      letters += c;
  }
  addFeature(llvm::hash_value(StringRef(letters)));
}

namespace {
/// Counts of inputs, printed at the end.
struct Counts {
  ~Counts() {
    llvm::errs() << "stat::inputs: " << inputs << ", parsed: " << parsed
                 << ", lowered: " << lowered << "\n";
  }
  uint64_t inputs = 0, parsed = 0, lowered = 0;
};
} // namespace

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
    context->getDiagEngine().registerHandler([](Diagnostic &diagnostic) {
      addMessage(diagnostic.str());
      return success();
    });
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

/// True for crashes of upstream's parser: array-of-index,
/// from-elements-of-huge-type and transpose-permutation of docs/upstream.
static bool isUpstreamFault(StringRef text) {
  static const llvm::Regex faults("array<index|from_elements[^\n]*[0-9]{5}|"
                                  "permutation = \\[[^]]*[.e]");
  return faults.match(text);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static Counts counts;
  ++counts.inputs;
  StringRef bytes(reinterpret_cast<const char *>(data), size);
  if (isUpstreamFault(bytes))
    return -1;
  MLIRContext &context = getContext();
  ParserConfig config(&context);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(bytes, config);
  if (!module)
    return -1;
  ++counts.parsed;
  addOps(*module, 0);
  uint64_t draw = llvm::xxh3_64bits(bytes);
  const char *first = kFirst[draw % std::size(kFirst)];
  const char *last = kLast[draw / std::size(kFirst) % std::size(kLast)];
  if (failed(run(*module, first)))
    return 0;
  addOps(*module, 1);
  counts.lowered += succeeded(run(*module, last));
  return 0;
}

/// `data` becomes `text`, if that fits.
static size_t write(StringRef text, uint8_t *data, size_t most) {
  size_t size = std::min(text.size(), most);
  llvm::copy(text.take_front(size), data);
  return size;
}

/// Of libFuzzer.
extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t most, unsigned seed) {
  StringRef text(reinterpret_cast<char *>(data), size);
  if (seed % 32 == 0 || text.empty())
    return LLVMFuzzerMutate(data, size, most);
  return write(qdq::fuzz::mutate(text, text, seed), data, most);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *first,
                                            size_t firstSize,
                                            const uint8_t *second,
                                            size_t secondSize, uint8_t *out,
                                            size_t most, unsigned seed) {
  StringRef text(reinterpret_cast<const char *>(first), firstSize);
  StringRef donor(reinterpret_cast<const char *>(second), secondSize);
  return write(qdq::fuzz::mutate(text, donor, seed), out, most);
}
