// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Codes of fewer than 8 bits: one in each byte, or packed, row-major with the
// first code in the lowest bits.

#ifndef QDQ_PYTHON_RUNTIME_BITPACKING_H
#define QDQ_PYTHON_RUNTIME_BITPACKING_H

#include <cstddef>
#include <cstdint>

namespace mlir::qdq::python {

/// The bytes of `count` packed codes.
inline size_t getPackedSize(size_t count, unsigned bits) {
  return (count * bits + 7) / 8;
}

/// Packs the low `bits` (1 to 7) of each of `count` bytes. The bits behind the
/// last code are 0.
void packCodes(const uint8_t *codes, size_t count, unsigned bits,
               uint8_t *packed);

/// The reverse of `packCodes`. `isSigned` fills each byte with the sign of its
/// code, and with 0 otherwise.
void unpackCodes(const uint8_t *packed, size_t count, unsigned bits,
                 bool isSigned, uint8_t *codes);

/// True if each byte, signed or not, is in the range of an integer of so many
/// bits.
bool codesFit(const uint8_t *codes, size_t count, unsigned bits, bool isSigned);

} // namespace mlir::qdq::python

#endif // QDQ_PYTHON_RUNTIME_BITPACKING_H
