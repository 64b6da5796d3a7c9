// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the LLVM dialect to machine code in memory, by way of object files that
// can be kept. Upstream's ExecutionEngine does both in one, takes no objects
// back, and compiles in one thread.

#ifndef QDQ_PYTHON_CODEGENERATION_H
#define QDQ_PYTHON_CODEGENERATION_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"

namespace mlir::qdq {

/// The processor of this machine, its features, and the version of LLVM: what
/// object files depend on beside their module.
std::string describeTarget();

using SymbolAddresses = std::vector<std::pair<std::string, uint64_t>>;

/// A module, ready to be compiled.
class CodeGenerator {
public:
  /// Translates a module of the LLVM dialect. An error if that fails, or if
  /// this machine lacks features of the module's `llvm.target`.
  static llvm::Expected<CodeGenerator> create(ModuleOp module);

  /// Optimizes and compiles for the module's `llvm.target`, or else for this
  /// machine, in up to `numThreads` threads.
  /// `optLevel` is LLVM's, 0 to 3, of the passes and of the code generator.
  /// The functions `_mlir_ciface_*` have entries `_mlir__mlir_ciface_*`, which
  /// take an array of pointers to the arguments, as in ExecutionEngine.
  llvm::Expected<std::vector<std::string>> compile(unsigned numThreads,
                                                   unsigned optLevel);

private:
  CodeGenerator() = default;

  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  LLVM::TargetAttr target;
};

/// Object files in memory, linked with each other, the process, libraries, and
/// addresses of symbols.
class LoadedCode {
public:
  static llvm::Expected<LoadedCode> create(ArrayRef<StringRef> objects,
                                           ArrayRef<std::string> libraries,
                                           const SymbolAddresses &symbols);

  llvm::Expected<uint64_t> lookup(StringRef name);

private:
  std::unique_ptr<llvm::orc::LLJIT> jit;
  /// The first thing that went wrong while code was linked.
  std::shared_ptr<std::string> reported = std::make_shared<std::string>();
};

} // namespace mlir::qdq

#endif // QDQ_PYTHON_CODEGENERATION_H
