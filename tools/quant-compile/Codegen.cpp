// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From LLVM IR to what a linker or a reader wants.

#include "Codegen.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"

using namespace mlir::qdq;

/// Says which name LLVM does not know; it would only warn, or go on without.
static llvm::Error checkNames(const llvm::Target &target,
                              const llvm::Triple &triple, llvm::StringRef cpu,
                              llvm::ArrayRef<std::string> attributes) {
  std::unique_ptr<llvm::MCSubtargetInfo> info(
      target.createMCSubtargetInfo(triple, "", ""));
  if (!info)
    return llvm::createStringError("no code is generated for the triple '" +
                                   triple.str() + "'");
  if (!cpu.empty() && !info->isCPUStringValid(cpu))
    return llvm::createStringError(
        "-mcpu: '" + cpu.str() + "' is not a processor of '" + triple.str() +
        "': see llc -mtriple=" + triple.str() + " -mcpu=help");
  for (const std::string &attribute : attributes) {
    llvm::StringRef name = attribute;
    bool hasSign = name.consume_front("+") || name.consume_front("-");
    bool isKnown =
        llvm::any_of(info->getAllProcessorFeatures(),
                     [&](const auto &known) { return name == known.Key; });
    if (!hasSign || !isKnown)
      return llvm::createStringError(
          "-mattr: '" + attribute + "' is not + or - and a feature of '" +
          triple.str() + "': see llc -mtriple=" + triple.str() +
          " -mattr=help");
  }
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
mlir::qdq::createTargetMachine(const TargetSelection &selection) {
  llvm::Triple host(llvm::sys::getProcessTriple());
  llvm::Triple triple = host;
  if (!selection.triple.empty())
    triple = llvm::Triple(llvm::Triple::normalize(selection.triple));
  std::string reason;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, reason);
  if (!target)
    return llvm::createStringError("-mtriple: " + reason);
  if (triple.isGPU())
    return llvm::createStringError("-mtriple: '" + triple.str() +
                                   "' is a GPU, and has no C functions");

  std::string cpu = selection.cpu;
  llvm::SubtargetFeatures features;
  if (cpu == "native") {
    if (triple.getArch() != host.getArch())
      return llvm::createStringError("-mcpu=native is for '" + host.str() +
                                     "', not for '" + triple.str() + "'");
    cpu = llvm::sys::getHostCPUName().str();
    for (const auto &[name, isOn] : llvm::sys::getHostCPUFeatures())
      features.AddFeature(name, isOn);
  }
  if (llvm::Error error =
          checkNames(*target, triple, cpu, selection.attributes))
    return error;
  // What Linux runs on, as the system's compilers have it.
  if (triple.isRISCV64() && triple.isOSLinux() && cpu.empty())
    for (llvm::StringRef letter : {"+m", "+a", "+f", "+d", "+c"})
      features.AddFeature(letter);
  for (const std::string &attribute : selection.attributes)
    features.AddFeature(attribute);

  // At its lowest level LLVM calls a library, which GCC 12 lacks, to take an
  // argument of bf16.
  auto level =
      static_cast<llvm::CodeGenOptLevel>(std::max(selection.optLevel, 1u));
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, cpu, features.getString(), llvm::TargetOptions(),
      llvm::Reloc::PIC_, std::nullopt, level));
  if (!machine)
    return llvm::createStringError("no code is generated for the triple '" +
                                   triple.str() + "'");
  return machine;
}

bool mlir::qdq::hasVNNI(const llvm::TargetMachine &machine,
                        int64_t vectorBits) {
  if (!machine.getTargetTriple().isX86())
    return false;
  const llvm::MCSubtargetInfo *info = machine.getMCSubtargetInfo();
  return info->checkFeatures("+avx512vnni,+avx512vl") ||
         (vectorBits <= 256 && info->checkFeatures("+avxvnni"));
}

bool mlir::qdq::hasF16Casts(const llvm::TargetMachine &machine) {
  const llvm::Triple &triple = machine.getTargetTriple();
  auto has = [&](llvm::StringRef features) {
    return machine.getMCSubtargetInfo()->checkFeatures(features);
  };
  if (triple.isAArch64())
    return true;
  if (triple.isX86())
    return has("+f16c") || has("+avx512f");
  if (triple.isRISCV())
    return has("+zfhmin");
  return triple.isARM() && has("+fp16");
}

bool mlir::qdq::hasFMA(const llvm::TargetMachine &machine) {
  const llvm::MCSubtargetInfo *info = machine.getMCSubtargetInfo();
  return machine.getTargetTriple().isX86() &&
         (info->checkFeatures("+fma") || info->checkFeatures("+avx512f"));
}

bool mlir::qdq::hasF16C(const llvm::TargetMachine &machine) {
  return machine.getTargetTriple().isX86() && hasF16Casts(machine);
}

bool mlir::qdq::hasAVX512BW(const llvm::TargetMachine &machine) {
  return machine.getTargetTriple().isX86() &&
         machine.getMCSubtargetInfo()->checkFeatures("+avx512bw");
}

bool mlir::qdq::hasAVX512VBMI(const llvm::TargetMachine &machine) {
  return machine.getTargetTriple().isX86() &&
         machine.getMCSubtargetInfo()->checkFeatures("+avx512vbmi,+avx512vl");
}

llvm::Expected<std::string>
mlir::qdq::compileModule(llvm::Module &module, llvm::TargetMachine &machine,
                         unsigned optLevel, Emission emission) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  if (llvm::Error error = mlir::makeOptimizingTransformer(
          optLevel, /*sizeLevel=*/0, &machine)(&module))
    return error;

  llvm::SmallString<0> bytes;
  llvm::raw_svector_ostream os(bytes);
  switch (emission) {
  case Emission::LLVM:
    module.print(os, nullptr);
    break;
  case Emission::Bitcode:
    llvm::WriteBitcodeToFile(module, os);
    break;
  case Emission::Assembly:
  case Emission::Object: {
    auto type = emission == Emission::Object
                    ? llvm::CodeGenFileType::ObjectFile
                    : llvm::CodeGenFileType::AssemblyFile;
    llvm::legacy::PassManager passes;
    if (machine.addPassesToEmitFile(passes, os, nullptr, type))
      return llvm::createStringError(
          "LLVM cannot write such a file for the triple '" +
          machine.getTargetTriple().str() + "'");
    passes.run(module);
    break;
  }
  }
  return bytes.str().str();
}
