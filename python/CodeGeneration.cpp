// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the LLVM dialect to machine code in memory, by way of object files.

#include "CodeGeneration.h"
#include "ScratchMemory.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/OpenMP/OpenMPToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "qdq/Support/MLIRVersion.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/ExecutionEngine/Orc/MapperJITLinkMemoryManager.h"
#include "llvm/ExecutionEngine/Orc/MemoryMapper.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/Transforms/IPO/DeadArgumentElimination.h"
#include "llvm/Transforms/Utils/SplitModule.h"

using namespace mlir;
using namespace mlir::qdq;

/// A part of fewer instructions is not worth a thread.
static constexpr unsigned kLeastInstructions = 1000;

/// Memory that an object may need beyond its size: pages, stubs and addresses.
static constexpr size_t kSpareBytes = 1 << 16;

/// A machine for this process: with `target`, that processor.
static llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
makeTarget(LLVM::TargetAttr target,
           llvm::CodeGenOptLevel level = llvm::CodeGenOptLevel::Aggressive) {
  static bool isReady = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)isReady;
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  if (target) {
    builder->setCPU(target.getChip().str());
    builder->getFeatures() = llvm::SubtargetFeatures();
    if (LLVM::TargetFeaturesAttr words = target.getFeatures())
      for (StringAttr word : words.getFeatures())
        builder->getFeatures().AddFeature(word);
  }
  builder->setCodeGenOptLevel(level);
  builder->setRelocationModel(llvm::Reloc::PIC_);
  builder->setCodeModel(llvm::CodeModel::Small);
  return builder->createTargetMachine();
}

/// Fails if code for `target` has instructions that this machine lacks.
static llvm::Error checkRuns(LLVM::TargetAttr target,
                             const llvm::TargetMachine &machine) {
  llvm::Triple host(llvm::sys::getProcessTriple());
  if (llvm::Triple(target.getTriple().getValue()).getArch() != host.getArch())
    return llvm::createStringError("the target is '" +
                                   target.getTriple().str() +
                                   "', and this machine '" + host.str() + "'");
  std::unique_ptr<llvm::MCSubtargetInfo> info(
      machine.getTarget().createMCSubtargetInfo(
          machine.getTargetTriple(), machine.getTargetCPU(),
          machine.getTargetFeatureString()));
  llvm::StringMap<bool> own = llvm::sys::getHostCPUFeatures();
  for (const auto &known : info->getAllProcessorFeatures()) {
    StringRef name = getFeatureName(known);
    auto it = own.find(name);
    if (it != own.end() && !it->second && info->hasFeature(known.Value))
      return llvm::createStringError("the target has '" + name +
                                     "', and this machine does not");
  }
  return llvm::Error::success();
}

std::string mlir::qdq::describeTarget() {
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder) {
    llvm::consumeError(builder.takeError());
    return QDQ_CODE_GENERATION " " LLVM_VERSION_STRING;
  }
  return (llvm::Twine(QDQ_CODE_GENERATION " " LLVM_VERSION_STRING " ") +
          builder->getTargetTriple().str() + " " + builder->getCPU() + " " +
          builder->getFeatures().getString())
      .str();
}

/// Adds an entry that takes an array of pointers to the arguments.
static void addEntry(llvm::Function &function) {
  llvm::IRBuilder<> b(function.getContext());
  auto *type = llvm::FunctionType::get(b.getVoidTy(), b.getPtrTy(), false);
  auto *entry = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage,
                                       "_mlir_" + function.getName(),
                                       function.getParent());
  b.SetInsertPoint(llvm::BasicBlock::Create(b.getContext(), "", entry));
  SmallVector<llvm::Value *> arguments;
  for (auto [index, argument] : llvm::enumerate(function.args())) {
    llvm::Value *place =
        b.CreateConstGEP1_64(b.getPtrTy(), entry->getArg(0), index);
    arguments.push_back(
        b.CreateLoad(argument.getType(), b.CreateLoad(b.getPtrTy(), place)));
  }
  b.CreateCall(&function, arguments);
  b.CreateRetVoid();
}

llvm::Expected<CodeGenerator> CodeGenerator::create(ModuleOp module) {
  registerBuiltinDialectTranslation(*module.getContext());
  registerLLVMDialectTranslation(*module.getContext());
  registerOpenMPDialectTranslation(*module.getContext());
  CodeGenerator generator;
  generator.context = std::make_unique<llvm::LLVMContext>();
  generator.module = translateModuleToLLVMIR(module, *generator.context);
  if (!generator.module)
    return llvm::createStringError("cannot translate to LLVM IR");
  generator.target = module->getAttrOfType<LLVM::TargetAttr>(
      LLVM::LLVMDialect::getTargetAttrName());
  auto target = makeTarget(generator.target);
  if (!target)
    return target.takeError();
  if (generator.target)
    if (llvm::Error error = checkRuns(generator.target, **target))
      return error;
  generator.module->setTargetTriple((*target)->getTargetTriple());
  generator.module->setDataLayout((*target)->createDataLayout());
  for (llvm::Function &function : llvm::make_early_inc_range(*generator.module))
    if (!function.isDeclaration() &&
        function.getName().starts_with("_mlir_ciface_"))
      addEntry(function);
  return generator;
}

static llvm::Expected<std::string> compilePart(llvm::Module &module,
                                               LLVM::TargetAttr attribute,
                                               llvm::CodeGenOptLevel level) {
  // At its lowest level LLVM takes an argument of bf16 by way of f32, and
  // flushes it: docs/upstream/x86-bf16-copies.
  auto target =
      makeTarget(attribute, std::max(level, llvm::CodeGenOptLevel::Less));
  if (!target)
    return target.takeError();
  auto optimize = makeOptimizingTransformer(static_cast<unsigned>(level),
                                            /*sizeLevel=*/0, target->get());
  if (llvm::Error error = optimize(&module))
    return error;
  auto object = llvm::orc::SimpleCompiler(**target)(module);
  if (!object)
    return object.takeError();
  return (*object)->getBuffer().str();
}

static void removeDeadArguments(llvm::Module &module) {
  llvm::PassBuilder builder;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  llvm::DeadArgumentEliminationPass().run(module, modules);
}

llvm::Expected<std::vector<std::string>>
CodeGenerator::compile(unsigned numThreads, unsigned optLevel) {
  std::optional<llvm::CodeGenOptLevel> level =
      llvm::CodeGenOpt::getLevel(optLevel);
  if (!level)
    return llvm::createStringError("no optimization level " +
                                   llvm::Twine(optLevel));
  unsigned numEntries = 0, numOutlined = 0;
  for (llvm::Function &function : *module) {
    numEntries += function.getName().starts_with("_mlir__mlir_ciface_");
    numOutlined += function.hasLocalLinkage() &&
                   function.hasFnAttribute(llvm::Attribute::NoInline);
  }
  // More parts than threads, since some take longer than others.
  unsigned numParts =
      std::min({std::max(numEntries, numOutlined), 4 * numThreads,
                module->getInstructionCount() / kLeastInstructions});
  std::vector<std::string> objects;
  if (numThreads < 2 || numParts < 2) {
    auto object = compilePart(*module, target, *level);
    if (!object)
      return object.takeError();
    objects.push_back(std::move(*object));
    return objects;
  }

  // While calls of internal functions are known: most parts of a memref's
  // descriptor have no use in the function.
  removeDeadArguments(*module);
  // Threads need contexts of their own, and get them by way of bitcode.
  std::vector<SmallString<0>> parts;
  llvm::SplitModule(
      *module, numParts,
      [&](std::unique_ptr<llvm::Module> part) {
        llvm::raw_svector_ostream stream(parts.emplace_back());
        llvm::WriteBitcodeToFile(*part, stream);
      },
      /*PreserveLocals=*/numEntries >= numParts);
  objects.resize(parts.size());
  std::vector<std::string> errors(parts.size());
  auto run = [&](size_t index) -> llvm::Error {
    llvm::LLVMContext own;
    auto part = llvm::parseBitcodeFile(
        llvm::MemoryBufferRef(parts[index], "part"), own);
    if (!part)
      return part.takeError();
    return compilePart(**part, target, *level).moveInto(objects[index]);
  };
  llvm::DefaultThreadPool pool(llvm::hardware_concurrency(numThreads));
  for (size_t index = 0; index < parts.size(); ++index)
    pool.async([&, index] { errors[index] = llvm::toString(run(index)); });
  pool.wait();
  for (const std::string &error : errors)
    if (!error.empty())
      return llvm::createStringError(error);
  return objects;
}

/// Links in pieces of `bytes` of memory. Objects in one piece reach each other
/// by 32 bits, also where the process has used the memory between two pieces.
static llvm::Expected<std::unique_ptr<llvm::orc::ObjectLayer>>
createLinkingLayer(llvm::orc::ExecutionSession &session, size_t bytes) {
  using namespace llvm::orc;
  auto memory =
      MapperJITLinkMemoryManager::CreateWithMapper<InProcessMemoryMapper>(
          bytes);
  if (!memory)
    return memory.takeError();
  return std::make_unique<ObjectLinkingLayer>(session, std::move(*memory));
}

llvm::Expected<LoadedCode> LoadedCode::create(ArrayRef<StringRef> objects,
                                              ArrayRef<std::string> libraries,
                                              const SymbolAddresses &symbols) {
  auto target = makeTarget({}); // LLJIT, too, needs the native target
  if (!target)
    return target.takeError();
  size_t bytes = 0;
  for (StringRef object : objects)
    bytes += object.size() + kSpareBytes;
  auto jit = llvm::orc::LLJITBuilder()
                 .setObjectLinkingLayerCreator(
                     // LLVM 23 passes a memory manager, too.
                     [bytes](llvm::orc::ExecutionSession &session, auto &&...) {
                       return createLinkingLayer(session, bytes);
                     })
                 .create();
  if (!jit)
    return jit.takeError();
  using Generator = llvm::orc::DynamicLibrarySearchGenerator;
  char prefix = (*jit)->getDataLayout().getGlobalPrefix();
  llvm::orc::JITDylib &code = (*jit)->getMainJITDylib();
  auto getSymbol = [](auto *function) {
    return llvm::orc::ExecutorSymbolDef(
        llvm::orc::ExecutorAddr::fromPtr(function),
        llvm::JITSymbolFlags::Exported);
  };
  llvm::orc::SymbolMap known = {
      {(*jit)->mangleAndIntern("malloc"), getSymbol(&python::allocateScratch)},
      {(*jit)->mangleAndIntern("free"), getSymbol(&python::freeScratch)}};
  for (const auto &[name, address] : symbols)
    known[(*jit)->mangleAndIntern(name)] = llvm::orc::ExecutorSymbolDef(
        llvm::orc::ExecutorAddr(address), llvm::JITSymbolFlags::Exported);
  if (llvm::Error error =
          code.define(llvm::orc::absoluteSymbols(std::move(known))))
    return std::move(error);
  for (const std::string &library : libraries) {
    auto generator = Generator::Load(library.c_str(), prefix);
    if (!generator)
      return generator.takeError();
    code.addGenerator(std::move(*generator));
  }
  auto generator = Generator::GetForCurrentProcess(prefix);
  if (!generator)
    return generator.takeError();
  code.addGenerator(std::move(*generator));
  for (StringRef object : objects)
    if (llvm::Error error = (*jit)->addObjectFile(
            llvm::MemoryBuffer::getMemBufferCopy(object, "qdq")))
      return std::move(error);
  LoadedCode loaded;
  // A lookup's own error does not name the symbols that are missing.
  (*jit)->getExecutionSession().setErrorReporter(
      [reported = loaded.reported](llvm::Error error) {
        std::string said = llvm::toString(std::move(error));
        if (reported->empty())
          *reported = said;
      });
  loaded.jit = std::move(*jit);
  return loaded;
}

llvm::Expected<uint64_t> LoadedCode::lookup(StringRef name) {
  auto address = jit->lookup(name);
  if (!address) {
    llvm::Error error = address.takeError();
    if (reported->empty())
      return std::move(error);
    llvm::consumeError(std::move(error));
    return llvm::createStringError(*reported);
  }
  return address->getValue();
}
