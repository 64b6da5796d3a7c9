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

/// Hashes of ops with the types of their values, at a `stage` of lowering.
static void hashOps(ModuleOp module, unsigned stage,
                    SmallVectorImpl<llvm::hash_code> &hashes) {
  module.walk([&](Operation *op) {
    llvm::hash_code hash =
        llvm::hash_combine(stage, op->getName().getStringRef());
    for (Type type : op->getOperandTypes())
      hash = llvm::hash_combine(hash, hashType(type));
    for (Type type : op->getResultTypes())
      hash = llvm::hash_combine(hash, hashType(type));
    hashes.push_back(hash);
  });
}

/// A message, by its letters outside of quotes. One of them lists names of ops.
static void addMessage(StringRef message) {
  message = message.split("not lowered:").first;
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
                 << ", distinct: " << distinct << ", lowered: " << lowered
                 << "\n";
  }
  uint64_t inputs = 0, parsed = 0, distinct = 0, lowered = 0;
};
} // namespace

namespace {
/// A context with its pipelines. Most inputs are refused in less time than it
/// takes to make one of them.
class Session {
public:
  Session() : context(getRegistry(), MLIRContext::Threading::DISABLED) {
    context.allowUnregisteredDialects();
    context.getDiagEngine().registerHandler([](Diagnostic &diagnostic) {
      addMessage(diagnostic.str());
      return success();
    });
  }

  OwningOpRef<ModuleOp> parse(StringRef bytes) {
    return parseSourceString<ModuleOp>(bytes, ParserConfig(&context));
  }

  LogicalResult run(ModuleOp module, StringRef pipeline) {
    std::unique_ptr<PassManager> &passes = pipelines[pipeline];
    if (!passes) {
      passes = std::make_unique<PassManager>(&context);
      if (failed(parsePassPipeline(pipeline, *passes)))
        llvm::report_fatal_error(pipeline);
    }
    return passes->run(module);
  }

private:
  MLIRContext context;
  llvm::StringMap<std::unique_ptr<PassManager>> pipelines;
};
} // namespace

/// The session of the next input. A context keeps all types and attributes that
/// it has seen.
static Session &getSession() {
  static constexpr int kInputs = 4096;
  static std::unique_ptr<Session> session;
  static int numInputs = 0;
  if (numInputs++ % kInputs == 0)
    session = std::make_unique<Session>();
  return *session;
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

/// True if a list that follows operands and `keyword` is not one of integers.
static bool hasDamagedList(StringRef text, StringRef keyword) {
  static const llvm::Regex valid(
      "^= *\\[( *-?[0-9]{1,18} *(, *-?[0-9]{1,18} *)*)?\\]");
  while (true) {
    auto [before, after] = text.split(keyword);
    if (after.empty())
      return false;
    text = after.ltrim();
    if (before.rtrim().ends_with(")") && text.starts_with("=") &&
        !valid.match(text))
      return true;
  }
}

/// True for crashes of upstream's parser: array-of-index,
/// batch-matmul-of-other-types, from-elements-of-huge-type and
/// transpose-permutation of docs/upstream.
static bool isUpstreamFault(StringRef text) {
  static const llvm::Regex huge("from_elements[^\n]*[0-9]{5}");
  static const llvm::Regex batches(
      "batch_[a-z_]*matmul[^\n]*(index|complex|vector)");
  return text.contains("array<index") ||
         (text.contains("batch_") && batches.match(text)) ||
         (text.contains("from_elements") && huge.match(text)) ||
         hasDamagedList(text, "permutation") ||
         hasDamagedList(text, "dimensions");
}

/// False if these pipelines have lowered an equal module before, as they have
/// for half of the inputs that parse.
static bool isNew(ModuleOp module, StringRef first, StringRef last) {
  static llvm::DenseSet<uint64_t> seen;
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, OpPrintingFlags().assumeVerified());
  stream << first << last;
  return seen.insert(llvm::xxh3_64bits(text)).second;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static Counts counts;
  ++counts.inputs;
  StringRef bytes(reinterpret_cast<const char *>(data), size);
  if (isUpstreamFault(bytes))
    return -1;
  Session &session = getSession();
  OwningOpRef<ModuleOp> module = session.parse(bytes);
  if (!module)
    return -1;
  ++counts.parsed;
  uint64_t draw = llvm::xxh3_64bits(bytes);
  const char *first = kFirst[draw % std::size(kFirst)];
  const char *last = kLast[draw / std::size(kFirst) % std::size(kLast)];
  if (!isNew(*module, first, last))
    return -1;
  ++counts.distinct;
  // The ops of a refused module are no feature, or the corpus would fill with
  // modules that are refused early. The message is.
  SmallVector<llvm::hash_code> hashes;
  hashOps(*module, 0, hashes);
  if (failed(session.run(*module, first)))
    return 0;
  hashOps(*module, 1, hashes);
  if (failed(session.run(*module, last)))
    return 0;
  hashOps(*module, 2, hashes);
  llvm::for_each(hashes, addFeature);
  ++counts.lowered;
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
