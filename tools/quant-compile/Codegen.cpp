// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From LLVM IR to what a linker or a reader wants.

#include "Codegen.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::qdq;

llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
mlir::qdq::createTargetMachine(LLVM::TargetAttr attribute, unsigned optLevel) {
  llvm::Triple triple(attribute.getTriple().getValue());
  std::string reason;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, reason);
  if (!target)
    return llvm::createStringError("-mtriple: " + reason);
  if (triple.isGPU())
    return llvm::createStringError("-mtriple: '" + triple.str() +
                                   "' is a GPU, and has no C functions");
  std::string features;
  if (LLVM::TargetFeaturesAttr words = attribute.getFeatures())
    features = words.getFeaturesString();
  // At its lowest level LLVM calls a library, which GCC 12 lacks, to take an
  // argument of bf16.
  auto level = static_cast<llvm::CodeGenOptLevel>(std::max(optLevel, 1u));
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, attribute.getChip(), features, llvm::TargetOptions(),
      llvm::Reloc::PIC_, std::nullopt, level));
  if (!machine)
    return llvm::createStringError("no code is generated for the triple '" +
                                   triple.str() + "'");
  return machine;
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
