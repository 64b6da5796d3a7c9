// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The processor that code is generated for, by LLVM's tables.

#include "qdq/CodeGen/TargetInfo.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "qdq/Support/MLIRVersion.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace mlir::qdq;

static constexpr StringLiteral kWithoutAttr = "qdq.without";

static constexpr std::pair<Strategy, StringLiteral> kStrategies[] = {
    {Strategy::ByteDots, "byte-dots"},
    {Strategy::LookupTables, "lookup-tables"},
    {Strategy::NativeCasts, "native-casts"},
    {Strategy::Reciprocals, "reciprocals"},
    {Strategy::SaturatingPacks, "saturating-packs"},
    {Strategy::StreamStores, "stream-stores"},
    {Strategy::ThroughF16, "through-f16"}};

using Subtarget = std::unique_ptr<llvm::MCSubtargetInfo>;

/// LLVM's description of a processor, or an error at `module`.
static FailureOr<Subtarget> lookUp(ModuleOp module, const llvm::Triple &triple,
                                   StringRef cpu,
                                   ArrayRef<StringRef> features) {
  static bool isReady = [] {
    llvm::InitializeAllTargetInfos();
    llvm::InitializeAllTargetMCs();
    return true;
  }();
  (void)isReady;
  std::string reason;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, reason);
  if (!target)
    return emitError(module.getLoc()) << "target triple: " << reason;
  Subtarget plain(target->createMCSubtargetInfo(triple, "", ""));
  if (!plain)
    return emitError(module.getLoc())
           << "target triple: no code is generated for '" << triple.str()
           << "'";
  // LLVM prints a warning for a name that it does not know, and goes on.
  if (!cpu.empty() && !plain->isCPUStringValid(cpu))
    return emitError(module.getLoc())
           << "target cpu: '" << cpu << "' is not a processor of '"
           << triple.str() << "': see llc -mtriple=" << triple.str()
           << " -mcpu=help";
  for (StringRef feature : features) {
    StringRef name = feature;
    bool hasSign = name.consume_front("+") || name.consume_front("-");
    auto isNamed = [&](const auto &known) {
      return name == getFeatureName(known);
    };
    if (!hasSign || llvm::none_of(plain->getAllProcessorFeatures(), isNamed))
      return emitError(module.getLoc())
             << "target feature: '" << feature
             << "' is not + or - and a feature of '" << triple.str()
             << "': see llc -mtriple=" << triple.str() << " -mattr=help";
  }
  return Subtarget(
      target->createMCSubtargetInfo(triple, cpu, llvm::join(features, ",")));
}

/// Features that this machine has beyond its processor's name, or lacks. Not
/// AMX, for which a program asks.
static SmallVector<std::string>
getHostDifference(const llvm::MCSubtargetInfo &named) {
  SmallVector<std::string> features;
  llvm::StringMap<bool> machine = llvm::sys::getHostCPUFeatures();
  for (const auto &known : named.getAllProcessorFeatures()) {
    StringRef name = getFeatureName(known);
    auto it = machine.find(name);
    if (it != machine.end() && !name.starts_with("amx-") &&
        it->second != named.hasFeature(known.Value))
      features.push_back((it->second ? "+" : "-") + name.str());
  }
  return features;
}

/// The attribute of `names`, with `native` resolved.
static FailureOr<LLVM::TargetAttr>
getTarget(ModuleOp module, const TargetNames &names, LLVM::TargetAttr given) {
  llvm::Triple host(llvm::sys::getProcessTriple());
  llvm::Triple triple = host;
  if (!names.triple.empty())
    triple = llvm::Triple(llvm::Triple::normalize(names.triple));
  else if (given)
    triple = llvm::Triple(given.getTriple().getValue());
  std::string cpu = names.cpu;
  SmallVector<std::string> own;
  if (cpu == "native") {
    if (triple.getArch() != host.getArch())
      return emitError(module.getLoc())
             << "target cpu: 'native' is for '" << host.str() << "', not for '"
             << triple.str() << "'";
    cpu = llvm::sys::getHostCPUName().str();
    FailureOr<Subtarget> named = lookUp(module, triple, cpu, {});
    if (failed(named))
      return failure();
    own = getHostDifference(**named);
  } else if (cpu.empty() && triple.isRISCV64() && triple.isOSLinux()) {
    // The base of Linux distributions.
    own = {"+m", "+a", "+f", "+d", "+c"};
  }
  SmallVector<StringRef> features(own.begin(), own.end());
  StringRef(names.features)
      .split(features, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  if (failed(lookUp(module, triple, cpu, features)))
    return failure();
  MLIRContext *context = module.getContext();
  return LLVM::TargetAttr::get(
      context, StringAttr::get(context, triple.str()),
      StringAttr::get(context, cpu),
      features.empty() ? LLVM::TargetFeaturesAttr()
                       : LLVM::TargetFeaturesAttr::get(context, features));
}

static bool isStrategy(StringRef name) {
  return llvm::is_contained(llvm::make_second_range(kStrategies), name);
}

static std::string listStrategies() {
  return llvm::join(llvm::make_second_range(kStrategies), ", ");
}

LogicalResult mlir::qdq::attachTarget(ModuleOp module,
                                      const TargetNames &names) {
  StringRef attribute = LLVM::LLVMDialect::getTargetAttrName();
  module.getContext()->getOrLoadDialect<LLVM::LLVMDialect>();
  if (!names.triple.empty() || !names.cpu.empty() || !names.features.empty()) {
    FailureOr<LLVM::TargetAttr> target = getTarget(
        module, names, module->getAttrOfType<LLVM::TargetAttr>(attribute));
    if (failed(target))
      return failure();
    module->setAttr(attribute, *target);
  }
  SmallVector<StringRef> without;
  StringRef(names.without)
      .split(without, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef name : without)
    if (!isStrategy(name))
      return emitError(module.getLoc())
             << "without: '" << name << "' is not a strategy: expected one of "
             << listStrategies();
  if (!without.empty())
    module->setAttr(kWithoutAttr, Builder(module).getStrArrayAttr(without));
  return TargetInfo::get(module);
}

static bool hasFma(const llvm::MCSubtargetInfo &info) {
  return !info.getTargetTriple().isX86() || info.checkFeatures("+fma") ||
         info.checkFeatures("+avx512f");
}

static bool hasF16Casts(const llvm::MCSubtargetInfo &info) {
  const llvm::Triple &triple = info.getTargetTriple();
  if (triple.isX86())
    return info.checkFeatures("+f16c") || info.checkFeatures("+avx512f");
  if (triple.isRISCV())
    return info.checkFeatures("+zfhmin");
  if (triple.isARM())
    return info.checkFeatures("+fp16");
  return triple.isAArch64() || triple.isGPU();
}

static bool hasWideByteDots(const llvm::MCSubtargetInfo &info) {
  return info.checkFeatures("+avx512vnni,+avx512vl");
}

static ByteDots findByteDots(const llvm::MCSubtargetInfo &info) {
  if (info.getTargetTriple().isAArch64()) {
    if (!info.checkFeatures("+dotprod"))
      return ByteDots::None;
    return info.checkFeatures("+i8mm") ? ByteDots::NEONI8MM
                                       : ByteDots::NEONDotProd;
  }
  if (!info.getTargetTriple().isX86() || !info.checkFeatures("+avx2"))
    return ByteDots::None;
  return hasWideByteDots(info) || info.checkFeatures("+avxvnni")
             ? ByteDots::X86VNNI
             : ByteDots::X86Pairs;
}

/// The widest vectors of products of bytes.
static int64_t getByteDotBits(const llvm::MCSubtargetInfo &info) {
  if (info.getTargetTriple().isAArch64())
    return 128;
  bool isWide = findByteDots(info) == ByteDots::X86VNNI
                    ? hasWideByteDots(info)
                    : info.checkFeatures("+avx512bw");
  return isWide ? 512 : 256;
}

static NativeTarget findNativeCasts(const llvm::MCSubtargetInfo &info) {
  const llvm::Triple &triple = info.getTargetTriple();
  if (triple.isX86() && info.checkFeatures("+avx10.2"))
    return NativeTarget::AVX10_2;
  if (triple.isAArch64() && info.checkFeatures("+fp8"))
    return NativeTarget::FP8;
  if (triple.isRISCV64() &&
      info.checkFeatures("+experimental-zvfofp8min,+zvfbfmin,+zvl128b"))
    return NativeTarget::Zvfofp8min;
  return NativeTarget::None;
}

/// True if the strategy gains on such a processor. Of most, only x86 was
/// measured.
static bool applies(Strategy strategy, const llvm::MCSubtargetInfo &info) {
  if (strategy == Strategy::NativeCasts)
    return findNativeCasts(info) != NativeTarget::None;
  if (strategy == Strategy::ByteDots)
    return findByteDots(info) != ByteDots::None;
  if (!info.getTargetTriple().isX86())
    return false;
  switch (strategy) {
  case Strategy::Reciprocals:
    // Vectors of 256 bits are divided faster than they are corrected.
    return info.checkFeatures("+avx512f");
  case Strategy::LookupTables:
  case Strategy::SaturatingPacks:
    return info.checkFeatures("+avx512bw");
  case Strategy::StreamStores:
    return true;
  case Strategy::ByteDots:
  case Strategy::NativeCasts:
    break;
  case Strategy::ThroughF16:
    return hasF16Casts(info);
  }
  llvm_unreachable("unknown Strategy");
}

FailureOr<TargetInfo> TargetInfo::get(Operation *op) {
  StringRef name = LLVM::LLVMDialect::getTargetAttrName();
  while (op && !op->hasAttr(name))
    op = op->getParentOp();
  auto module = dyn_cast_if_present<ModuleOp>(op);
  TargetInfo target;
  if (!module)
    return target;
  auto named = dyn_cast<LLVM::TargetAttr>(module->getAttr(name));
  if (!named)
    return emitError(module.getLoc())
           << "llvm.target is " << module->getAttr(name)
           << ": expected #llvm.target<triple = \"...\", chip = \"...\">";
  SmallVector<StringRef> features;
  if (LLVM::TargetFeaturesAttr words = named.getFeatures())
    for (StringAttr word : words.getFeatures())
      features.push_back(word);
  FailureOr<Subtarget> info =
      lookUp(module, llvm::Triple(named.getTriple().getValue()),
             named.getChip(), features);
  if (failed(info))
    return failure();
  Attribute listed = module->getAttr(kWithoutAttr);
  auto without = dyn_cast_or_null<ArrayAttr>(listed);
  auto isNamed = [](Attribute word) {
    auto name = dyn_cast<StringAttr>(word);
    return name && isStrategy(name);
  };
  if (listed && !(without && llvm::all_of(without, isNamed)))
    return emitError(module.getLoc())
           << kWithoutAttr << " is " << listed
           << ": expected an array of strings, each one of "
           << listStrategies();
  for (auto [strategy, name] : kStrategies) {
    auto word = StringAttr::get(module.getContext(), name);
    target.strategies[strategy] =
        applies(strategy, **info) &&
        !(without && llvm::is_contained(without, word));
  }
  if (target.uses(Strategy::ByteDots)) {
    target.byteDotBits = ::getByteDotBits(**info);
    target.byteDots = findByteDots(**info);
    // Linux gives tiles to programs that ask for them: a processor that has
    // them is not enough.
    if (target.byteDots == ByteDots::X86VNNI && target.byteDotBits == 512 &&
        (*info)->getTargetTriple().isArch64Bit() &&
        (*info)->checkFeatures("+amx-tile,+amx-int8") &&
        llvm::is_contained(features, "+amx-int8"))
      target.byteDots = ByteDots::X86AMX;
    bool isX86 = (*info)->getTargetTriple().isX86();
    target.vectorRegisters =
        isX86 && !(*info)->checkFeatures("+avx512f") ? 16 : 32;
  }
  target.nativeCasts = findNativeCasts(**info);
  target.f16Casts = ::hasF16Casts(**info);
  target.fma = ::hasFma(**info);
  return target;
}
