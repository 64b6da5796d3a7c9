// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiles a model ahead of time: an object file and a header for C and C++.

#include "CFunction.h"
#include "Codegen.h"
#include "CommandLine.h"
#include "Tools.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "qdq/CodeGen/TargetInfo.h"
#include "qdq/InitAll.h"
#include "qdq/Pipelines/Pipelines.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace mlir::qdq;
namespace cl = llvm::cl;

namespace {
struct CommandLine {
  cl::OptionCategory category{"quant-compile options"};
  cl::opt<std::string> input{cl::Positional, cl::desc("<model.mlir>"),
                             cl::init("-"), cl::cat(category)};
  cl::opt<std::string> output{"o", cl::Required, cl::desc("The file to write"),
                              cl::value_desc("file"), cl::cat(category)};
  cl::opt<std::string> header{
      "header", cl::desc("A header for C and C++ to write beside it"),
      cl::value_desc("file"), cl::cat(category)};
  cl::opt<std::string> prefix{
      "prefix", cl::desc("What the C names of functions begin with"),
      cl::value_desc("text"), cl::cat(category)};
  cl::opt<Emission> emission{
      "emit", cl::desc("What to write"),
      cl::values(clEnumValN(Emission::Object, "obj", "an object file"),
                 clEnumValN(Emission::Assembly, "asm", "assembly"),
                 clEnumValN(Emission::LLVM, "llvm", "LLVM IR, as text"),
                 clEnumValN(Emission::Bitcode, "bitcode", "LLVM bitcode")),
      cl::init(Emission::Object), cl::cat(category)};
  cl::opt<std::string> triple{"mtriple",
                              cl::desc("The target (default: this machine's)"),
                              cl::value_desc("triple"), cl::cat(category)};
  cl::opt<std::string> cpu{
      "mcpu",
      cl::desc("The processor: a name, or native for this one (default: the "
               "plainest of the target)"),
      cl::value_desc("name"), cl::cat(category)};
  cl::list<std::string> attributes{
      "mattr", cl::CommaSeparated,
      cl::desc("Features to add or take away: +avx2,-fma"),
      cl::value_desc("features"), cl::cat(category)};
  cl::opt<unsigned> optLevel{"O", cl::Prefix,
                             cl::desc("LLVM's optimization level, 0 to 3"),
                             cl::init(3), cl::cat(category)};
  cl::opt<std::string> pipelineOptions{
      "pipeline-options",
      cl::desc("Options of quant-to-llvm: \"rounding=floor threads=2\". The "
               "default of runtime-checks is true here, and caller-allocates "
               "is always so"),
      cl::value_desc("options"), cl::cat(category)};
};
} // namespace

static constexpr StringLiteral kTargetAttr = "llvm.target";

/// For what has no place in the model.
static LogicalResult fail(const Twine &message) {
  llvm::WithColor::error(llvm::errs(), "quant-compile") << message << "\n";
  return failure();
}

static LogicalResult fail(llvm::Error error) {
  return fail(Twine(llvm::toString(std::move(error))));
}

/// Nothing but what LLVM IR is made of may be left.
static LogicalResult verifyLowered(ModuleOp module) {
  bool isLowered = true;
  module.walk([&](Operation *op) {
    StringRef dialect = op->getName().getDialectNamespace();
    if (op == module || dialect == "llvm" || dialect == "omp")
      return;
    emitError(op->getLoc()) << "nothing lowers '" << op->getName() << "'";
    isLowered = false;
  });
  return success(isLowered);
}

/// Options of the pipeline, which refer to themselves and so cannot be copied.
static void parsePipelineOptions(StringRef text, QuantToLLVMOptions &options) {
  options.runtimeChecks = true;
  runOptionParser([&] {
    return options.parse(text, [](const Twine &message) {
      llvm::errs() << "--pipeline-options: " << message << "\n";
      return failure();
    });
  });
  if (options.stopAfter != Stage::LLVM)
    exitWithError("--pipeline-options: stop-after is '" +
                  stringifyStage(options.stopAfter) +
                  "': code needs the last stage, 'llvm'");
  options.callerAllocates = true;
}

static LogicalResult runPipeline(ModuleOp module,
                                 const QuantToLLVMOptions &options) {
  PassManager passes(module->getName());
  buildQuantToLLVMPipeline(passes, options);
  if (failed(passes.run(module)))
    return failure();
  return verifyLowered(module);
}

/// The target of the command line, or that of the module, or this machine's
/// plainest processor.
static LogicalResult attachTarget(ModuleOp module, const CommandLine &line) {
  TargetNames names{
      line.triple, line.cpu, llvm::join(line.attributes, ","), {}};
  if (names.triple.empty() && !module->hasAttr(kTargetAttr))
    names.triple = llvm::sys::getProcessTriple();
  return attachTarget(module, names);
}

/// Files that exist in full, or not at all.
static LogicalResult
writeFiles(ArrayRef<std::pair<StringRef, StringRef>> files) {
  SmallVector<std::unique_ptr<llvm::ToolOutputFile>> open;
  for (auto [path, content] : files) {
    std::string reason;
    open.push_back(openOutputFile(path, &reason));
    if (!open.back())
      return fail(Twine(reason));
    llvm::raw_fd_ostream &os = open.back()->os();
    os << content;
    os.flush();
    if (!os.has_error())
      continue;
    reason = os.error().message();
    os.clear_error();
    return fail("cannot write '" + path + "': " + reason);
  }
  for (auto &file : open)
    file->keep();
  return success();
}

/// Values that are no beginning of a name in C, or none at all, and an option
/// that another one contradicts.
static LogicalResult checkValues(const CommandLine &line,
                                 const QuantToLLVMOptions &options) {
  for (const cl::opt<std::string> *option :
       {&line.prefix, &line.triple, &line.cpu})
    if (option->getNumOccurrences() && option->getValue().empty())
      return fail("--" + option->ArgStr + " needs a value");
  StringRef prefix = line.prefix;
  bool isName =
      llvm::all_of(prefix, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  if (!isName || (!prefix.empty() && llvm::isDigit(prefix.front())))
    return fail("--prefix: '" + prefix +
                "' begins no name in C: expected letters, digits and _, and "
                "no digit first");
  std::pair<const cl::opt<std::string> *, StringRef> pairs[] = {
      {&line.triple, options.targetTriple}, {&line.cpu, options.targetCpu}};
  for (auto [option, other] : pairs)
    if (!option->empty() && !other.empty() && option->getValue() != other)
      return fail("--" + option->ArgStr + " is '" + option->getValue() +
                  "', and --pipeline-options says '" + other + "'");
  return success();
}

static LogicalResult compile(const CommandLine &line) {
  QuantToLLVMOptions options;
  parsePipelineOptions(line.pipelineOptions, options);
  if (failed(checkValues(line, options)))
    return failure();
  if (!line.header.empty() && isSameFile(line.header, line.output))
    return fail("-o and --header name the same file, '" +
                line.output.getValue() + "'");
  if (line.optLevel > 3)
    return fail("-O" + Twine(line.optLevel) + ": expected 0 to 3");
  checkInput(line.input);
  checkOutput(line.output);
  if (line.header.getNumOccurrences())
    checkOutput(line.header);
  if (line.input != "-" && isSameFile(line.input, line.output))
    return fail("-o names the input, '" + line.input + "'");
  if (!line.header.empty() && isSameFile(line.input, line.header))
    return fail("--header names the input, '" + line.input + "'");
  DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::qdq::registerAllDialects(registry);
  registerAllToLLVMIRTranslations(registry);
  MLIRContext context(registry);
  context.allowUnregisteredDialects();

  std::string reason;
  std::unique_ptr<llvm::MemoryBuffer> file = openInputFile(line.input, &reason);
  if (!file)
    return fail(Twine(reason));
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(file), {});
  SourceMgrDiagnosticHandler handler(sources, &context);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return failure();

  SmallVector<SourceFunction> functions = collectPublicFunctions(*module);
  if (functions.empty())
    return emitError(module->getLoc(),
                     "no public function with a body to compile");
  if (failed(attachTarget(*module, line)) ||
      failed(runPipeline(*module, options)))
    return failure();
  auto machine = createTargetMachine(
      (*module)->getAttrOfType<LLVM::TargetAttr>(kTargetAttr), line.optLevel);
  if (!machine)
    return fail(machine.takeError());
  auto described = describeFunctions(*module, functions, line.prefix);
  if (failed(described) || failed(addWrappers(*module, *described)) ||
      failed(verify(*module)))
    return failure();

  // The translation folds constants, which depend on the order of bytes.
  (*module)->setAttr(
      LLVM::LLVMDialect::getDataLayoutAttrName(),
      StringAttr::get(
          module->getContext(),
          (*machine)->createDataLayout().getStringRepresentation()));
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> code = translateModuleToLLVMIR(
      *module, llvmContext, llvm::sys::path::filename(line.input));
  if (!code)
    return failure();
  auto bytes = compileModule(*code, **machine, line.optLevel, line.emission);
  if (!bytes)
    return fail(bytes.takeError());

  SmallVector<std::pair<StringRef, StringRef>> files = {{line.output, *bytes}};
  std::string header;
  if (!line.header.empty()) {
    std::string origin =
        ("Made by quant-compile from " + llvm::sys::path::filename(line.input) +
         " for " + (*machine)->getTargetTriple().str() +
         ((*machine)->getTargetCPU().empty()
              ? std::string()
              : ", " + (*machine)->getTargetCPU().str()) +
         ".")
            .str();
    header = printHeader(*described, line.header, origin);
    files.emplace_back(line.header, header);
  }
  return writeFiles(files);
}

/// For a target whose code generator gives up.
static void failInLLVM(void *, const char *reason, bool) {
  (void)fail(Twine(reason));
  exit(1);
}

int mlir::qdq::runQuantCompile(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::install_fatal_error_handler(failInLLVM);
  llvm::InitializeAllTargets();
  llvm::InitializeAllTargetMCs();
  llvm::InitializeAllAsmPrinters();
  llvm::InitializeAllAsmParsers();
  CommandLine line;
  cl::HideUnrelatedOptions(line.category);
  registerAllPasses(); // for their values in errors
  parseCommandLine({argv, size_t(argc)},
                   R"(mlir-qdq: compiles quantized IR ahead of time

  quant-compile model.mlir -o model.o --header model.h -mcpu=native
  quant-compile model.mlir -o model.s --emit=asm --pipeline-options="rounding=floor threads=2"

`quant-opt --help` and docs/Passes.md list the options of quant-to-llvm.
)");
  return failed(compile(line));
}
