// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of bytes as the vector.contract ops that have instructions.

#ifndef QDQ_LIB_CODEGEN_DOTS_BYTECONTRACTIONS_H
#define QDQ_LIB_CODEGEN_DOTS_BYTECONTRACTIONS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::qdq {

/// On a contraction of unsigned and signed bytes, two or four a lane: the sum
/// of the first two products of a lane fits in i16, and that of the others.
inline constexpr llvm::StringLiteral kFitsI16Attr = "qdq.fits_i16";

/// As many products of unsigned integers of `bits` bits and of signed bytes fit
/// in i16, in pairs.
inline int64_t getMostInI16(unsigned bits) {
  int64_t pair = 2 * llvm::maxUIntN(bits) * -llvm::minIntN(8);
  return pair == 0 ? INT64_MAX : llvm::maxIntN(16) / pair;
}

/// A vector of bytes, and how they are extended.
struct ByteFactor {
  Value bytes;
  bool isSigned;
};

/// Adds as many products to each of `sums`, i32 or i16, as `lhs` and `rhs` have
/// bytes for it, modulo 2^32 or 2^16: the `vector.contract` that
/// `qdq-codegen-lower-byte-dots` knows. `fitsI16`: see `kFitsI16Attr`.
Value addByteProducts(ImplicitLocOpBuilder &b, Value sums, ByteFactor lhs,
                      ByteFactor rhs, bool fitsI16 = false);

/// Adds two of `halves`, i16, to each of `sums`, i32.
Value addHalves(ImplicitLocOpBuilder &b, Value sums, Value halves);

/// Adds the products of vectors of codes, unsigned bytes of at most `most`, and
/// of signed bytes to each of `sums`, i32, four a vector. Codes are truncated
/// to as many bits as `most` has, which tells the instructions for pairs how
/// many products fit in i16, and those without mixed signs that codes have any
/// sign.
Value addCodeProducts(ImplicitLocOpBuilder &b, Value sums,
                      ArrayRef<Value> codes, ArrayRef<Value> signedBytes,
                      int64_t most);

} // namespace mlir::qdq

#endif // QDQ_LIB_CODEGEN_DOTS_BYTECONTRACTIONS_H
