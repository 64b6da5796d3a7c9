// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The instructions that multiply bytes and add the products.

#ifndef QDQ_CODEGEN_BYTEDOTS_H
#define QDQ_CODEGEN_BYTEDOTS_H

namespace mlir::qdq {

/// Instructions that add products of bytes to lanes of i32.
enum class ByteDots {
  None,
  /// vpmaddubsw and vpmaddwd of SSSE3 to AVX512-BW: two products, of unsigned
  /// and signed bytes whose sum fits in i16, or of i16.
  X86Pairs,
  /// vpdpbusd of AVX512-VNNI and AVX-VNNI: four products of unsigned and signed
  /// bytes.
  X86VNNI,
  /// The same in vectors; tdpbssd, tdpbsud, tdpbusd, tdpbuud of AMX-INT8 in
  /// tiles of 16 rows and 16 columns, 64 products for each sum.
  X86AMX,
  /// sdot and udot of FEAT_DotProd: four products of bytes of one signedness.
  NEONDotProd,
  /// These and usdot of FEAT_I8MM: four products.
  NEONI8MM
};

/// True if bytes of one signedness are multiplied as they are; by AMX in tiles.
inline bool multipliesSameSigns(ByteDots dots) {
  return dots == ByteDots::X86AMX || dots == ByteDots::NEONDotProd ||
         dots == ByteDots::NEONI8MM;
}

/// True if unsigned and signed bytes are multiplied as they are.
inline bool multipliesMixedSigns(ByteDots dots) {
  return dots != ByteDots::NEONDotProd;
}

} // namespace mlir::qdq

#endif // QDQ_CODEGEN_BYTEDOTS_H
