// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Codes of fewer than 8 bits, eight at a time: eight codes are one word of 64
// bits, and `bits` bytes when packed. Packing halves the gaps in three steps:
// between bytes, between pairs, between fours; unpacking goes the other way.

#include "BitPacking.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

using namespace mlir::qdq::python;

/// `value` in each field of `width` bits.
static constexpr uint64_t repeat(uint64_t value, unsigned width) {
  uint64_t word = 0;
  for (unsigned at = 0; at < 64; at += width)
    word |= value << at;
  return word;
}

static constexpr uint64_t lowest(unsigned bits) {
  return ~uint64_t(0) >> (64 - bits);
}

/// Moves the upper half of each field of `width` bits, which holds `bits` bits,
/// down to the lower half's.
template <unsigned bits, unsigned width>
static uint64_t join(uint64_t word) {
  constexpr uint64_t low = repeat(lowest(bits), width);
  constexpr unsigned gap = width / 2 - bits;
  return (word & low) | ((word >> gap) & (low << bits));
}

template <unsigned bits, unsigned width>
static uint64_t split(uint64_t word) {
  constexpr uint64_t low = repeat(lowest(bits), width);
  constexpr unsigned gap = width / 2 - bits;
  return (word & low) | ((word & (low << bits)) << gap);
}

/// Eight bytes to `8 * bits` bits.
template <unsigned bits>
static uint64_t packWord(uint64_t codes) {
  return join<4 * bits, 64>(join<2 * bits, 32>(join<bits, 16>(codes)));
}

template <unsigned bits, bool isSigned>
static uint64_t unpackWord(uint64_t packed) {
  uint64_t codes =
      split<bits, 16>(split<2 * bits, 32>(split<4 * bits, 64>(packed)));
  if constexpr (isSigned) {
    // All bits above a sign: a shift by one less loses the sign's own bit.
    uint64_t signs = codes & repeat(uint64_t(1) << (bits - 1), 8);
    codes |= (signs << (8 - bits + 1)) - (signs << 1);
  }
  return codes;
}

// Words are little-endian; so are all machines that compiled code runs on.
// Away from the end a whole word is moved, of which only `bits` bytes count.
template <unsigned bits>
static inline __attribute__((always_inline)) void
packAll(const uint8_t *codes, size_t count, uint8_t *packed) {
  size_t size = getPackedSize(count, bits), from = 0, to = 0;
  for (; to + 8 <= size && from + 8 <= count; from += 8, to += bits) {
    uint64_t word;
    std::memcpy(&word, codes + from, 8);
    word = packWord<bits>(word);
    std::memcpy(packed + to, &word, 8);
  }
  for (; from < count; from += 8, to += bits) {
    uint64_t word = 0;
    std::memcpy(&word, codes + from, std::min<size_t>(8, count - from));
    word = packWord<bits>(word);
    std::memcpy(packed + to, &word, std::min<size_t>(bits, size - to));
  }
}

template <unsigned bits, bool isSigned>
static inline __attribute__((always_inline)) void
unpackAll(const uint8_t *packed, size_t count, uint8_t *codes) {
  size_t size = getPackedSize(count, bits), from = 0, to = 0;
  for (; from + 8 <= size && to + 8 <= count; from += bits, to += 8) {
    uint64_t word;
    std::memcpy(&word, packed + from, 8);
    word = unpackWord<bits, isSigned>(word);
    std::memcpy(codes + to, &word, 8);
  }
  for (; to < count; from += bits, to += 8) {
    uint64_t word = 0;
    std::memcpy(&word, packed + from, std::min<size_t>(bits, size - from));
    word = unpackWord<bits, isSigned>(word);
    std::memcpy(codes + to, &word, std::min<size_t>(8, count - to));
  }
}

/// Calls `function` with the width as a constant.
template <typename Function>
static inline __attribute__((always_inline)) void withWidth(unsigned bits,
                                                            Function function) {
  switch (bits) {
  case 1:
    return function(std::integral_constant<unsigned, 1>());
  case 2:
    return function(std::integral_constant<unsigned, 2>());
  case 3:
    return function(std::integral_constant<unsigned, 3>());
  case 4:
    return function(std::integral_constant<unsigned, 4>());
  case 5:
    return function(std::integral_constant<unsigned, 5>());
  case 6:
    return function(std::integral_constant<unsigned, 6>());
  case 7:
    return function(std::integral_constant<unsigned, 7>());
  }
}

void mlir::qdq::python::packCodes(const uint8_t *codes, size_t count,
                                  unsigned bits, uint8_t *packed) {
  withWidth(bits, [&](auto width) { packAll<width()>(codes, count, packed); });
}

void mlir::qdq::python::unpackCodes(const uint8_t *packed, size_t count,
                                    unsigned bits, bool isSigned,
                                    uint8_t *codes) {
  withWidth(bits, [&](auto width) {
    if (isSigned)
      unpackAll<width(), true>(packed, count, codes);
    else
      unpackAll<width(), false>(packed, count, codes);
  });
}

bool mlir::qdq::python::codesFit(const uint8_t *codes, size_t count,
                                 unsigned bits, bool isSigned) {
  uint8_t offset = isSigned ? 1u << (bits - 1) : 0, outside = 0;
  for (size_t k = 0; k < count; ++k)
    outside |= static_cast<uint8_t>(codes[k] + offset) >> bits;
  return !outside;
}
