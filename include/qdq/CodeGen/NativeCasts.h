// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Casts of small floats as the instructions of a target.

#ifndef QDQ_CODEGEN_NATIVECASTS_H
#define QDQ_CODEGEN_NATIVECASTS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::qdq {

/// The machines whose casts of small floats `qdq-native-casts` knows;
/// docs/Targets.md says which. SM89 and SM100A are NVIDIA's of these compute
/// capabilities and later ones, GFX… AMD's, AVX10_2 x86's, FP8 is AArch64 with
/// FEAT_FP8, Zvfofp8min RISC-V with it and vectors of at least 128 bits.
enum class NativeTarget {
  None,
  SM89,
  SM100A,
  GFX942,
  GFX950,
  GFX1200,
  AVX10_2,
  FP8,
  Zvfofp8min
};

/// Patterns that make instructions of `target` of `arith` casts from and to
/// floats of fewer than 16 bits, on scalars and vectors of fixed size, where
/// these have the same result for every input. AMD's become `arith.scaling_*`,
/// or stay, for `convert-arith-to-amdgpu`. Others are left. For drivers that do
/// not fold.
void populateNativeCastsPatterns(RewritePatternSet &patterns,
                                 NativeTarget target,
                                 PatternBenefit benefit = 1);

} // namespace mlir::qdq

#endif // QDQ_CODEGEN_NATIVECASTS_H
