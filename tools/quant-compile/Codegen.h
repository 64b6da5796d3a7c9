// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From LLVM IR to what a linker or a reader wants.

#ifndef QDQ_TOOLS_QUANTCOMPILE_CODEGEN_H
#define QDQ_TOOLS_QUANTCOMPILE_CODEGEN_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

namespace mlir::qdq {

enum class Emission { Object, Assembly, LLVM, Bitcode };

/// LLVM's code generator for the processor that `llvm.target` names. An error
/// for one that generates no code for C functions.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(LLVM::TargetAttr target, unsigned optLevel);

/// Sets the module's triple and layout, optimizes it as the JIT does, and gives
/// the bytes of what `emission` says.
llvm::Expected<std::string> compileModule(llvm::Module &module,
                                          llvm::TargetMachine &machine,
                                          unsigned optLevel, Emission emission);

} // namespace mlir::qdq

#endif // QDQ_TOOLS_QUANTCOMPILE_CODEGEN_H
