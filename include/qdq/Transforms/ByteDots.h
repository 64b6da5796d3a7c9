// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The instructions that multiply bytes.

#ifndef QDQ_TRANSFORMS_BYTEDOTS_H
#define QDQ_TRANSFORMS_BYTEDOTS_H

namespace mlir::qdq {

/// What adds four products of bytes to an i32 in one instruction. None: sums of
/// products of bytes stay loops. VNNI: x86's `vpdpbusd` (AVX512-VNNI, or
/// AVX-VNNI with 256 bits).
enum class ByteDots { None, VNNI };

} // namespace mlir::qdq

#endif // QDQ_TRANSFORMS_BYTEDOTS_H
