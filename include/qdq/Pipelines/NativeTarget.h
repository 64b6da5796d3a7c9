// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machines whose casts of small floats are known.

#ifndef QDQ_PIPELINES_NATIVETARGET_H
#define QDQ_PIPELINES_NATIVETARGET_H

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

} // namespace mlir::qdq

#endif // QDQ_PIPELINES_NATIVETARGET_H
