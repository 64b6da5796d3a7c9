// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From LLVM IR to what a linker or a reader wants.

#ifndef QDQ_TOOLS_QUANTCOMPILE_CODEGEN_H
#define QDQ_TOOLS_QUANTCOMPILE_CODEGEN_H

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

namespace mlir::qdq {

enum class Emission { Object, Assembly, LLVM, Bitcode };

/// The processor to compile for.
struct TargetSelection {
  /// Empty: this machine's.
  std::string triple;
  /// A name of LLVM's, `native`, or empty for the plainest of the triple.
  std::string cpu;
  /// `+avx2`, `-fma`: on top of what the processor has.
  std::vector<std::string> attributes;
  /// 0 to 3.
  unsigned optLevel = 3;
};

/// An error names the triple, processor or attribute that LLVM does not know.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(const TargetSelection &selection);

/// True if the target multiplies bytes of unsigned and signed vectors of this
/// many bits in one instruction: `byte-dots=vnni`.
bool hasVNNI(const llvm::TargetMachine &machine, int64_t vectorBits);

/// True if the target is known to convert f16 from and to f32 itself. LLVM
/// calls a function of the compiler's library where it does not.
bool hasF16Casts(const llvm::TargetMachine &machine);

/// True for x86 with an instruction for `math.fma`: `expand-divisions`. Nothing
/// was measured elsewhere.
bool hasFMA(const llvm::TargetMachine &machine);

/// True for x86 with packs and permutations of 512 bits: `saturating-packs`,
/// `lane-permutations`.
bool hasAVX512BW(const llvm::TargetMachine &machine);

/// True for x86 with shifts of words by bytes, of all sizes: `multishifts`.
bool hasAVX512VBMI(const llvm::TargetMachine &machine);

/// True for x86 with an instruction for f16 to f32: `through-f16`. Nothing was
/// measured elsewhere.
bool hasF16C(const llvm::TargetMachine &machine);

/// Sets the module's triple and layout, optimizes it as the JIT does, and gives
/// the bytes of what `emission` says.
llvm::Expected<std::string> compileModule(llvm::Module &module,
                                          llvm::TargetMachine &machine,
                                          unsigned optLevel, Emission emission);

} // namespace mlir::qdq

#endif // QDQ_TOOLS_QUANTCOMPILE_CODEGEN_H
