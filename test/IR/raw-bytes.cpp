// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiles if bytes of integers have their places in both orders: no test runs
// on a big-endian host.

#include "qdq/IR/RawBytes.h"
#include <cstdint>

using llvm::endianness;
using mlir::qdq::getBitOfByte;

/// The integer in `bytes`.
template <unsigned numBytes>
static constexpr uint64_t read(const uint8_t (&bytes)[numBytes],
                               endianness order) {
  uint64_t bits = 0;
  for (unsigned i = 0; i < numBytes; ++i)
    bits |= uint64_t(bytes[i]) << getBitOfByte(i, numBytes, order);
  return bits;
}

static_assert(read({0x80}, endianness::little) == 0x80);
static_assert(read({0x80}, endianness::big) == 0x80);
static_assert(read({0x12, 0x34}, endianness::little) == 0x3412);
static_assert(read({0x12, 0x34}, endianness::big) == 0x1234);
static_assert(read({1, 2, 3, 4, 5, 6, 7, 8}, endianness::big) ==
              0x0102030405060708);
static_assert(getBitOfByte(0, 4) ==
              (endianness::native == endianness::big ? 24 : 0));
