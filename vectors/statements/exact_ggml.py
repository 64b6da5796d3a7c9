# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ggml's blocks, element by element: the bits of each field, then exact products and one rounding to f32 (V5).

A block is a list of bytes. The codebooks of IQ1, IQ2 and IQ3 are ggml's, read from its package `gguf`.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Callable, Iterator
from fractions import Fraction

from exact import cast

#: Of a kind: bytes of a block, the offsets of its f16 fields, and its values.
KINDS: dict[str, tuple[int, tuple[int, ...], Callable[[list[int]], Iterator[float]]]] = {}
IQ4 = (-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113)


def block_type(kind: str, size: int, *halves: int):
    def register(function):
        KINDS[kind] = size, halves, function
        return function

    return register


def half(block: list[int], at: int) -> float:
    return struct.unpack("<e", bytes(block[at : at + 2]))[0]


def word(block: list[int], at: int, size: int) -> int:
    return int.from_bytes(bytes(block[at : at + size]), "little")


def signed(byte: int) -> int:
    return byte - 256 if byte > 127 else byte


def nibble(block: list[int], at: int, index: int) -> int:
    """Two in a byte, the low one first."""
    return block[at + index // 2] >> 4 * (index % 2) & 15


def product(*factors: float) -> float:
    """With the sign of a zero."""
    exact = functools.reduce(lambda a, b: a * b, map(Fraction, factors))
    if exact:
        return cast(exact, "f32")
    return functools.reduce(lambda a, b: a * b, map(float, factors))


def difference(d: float, q: int, m: float) -> float:
    """d * q - m."""
    exact = Fraction(d) * q - Fraction(m)
    return cast(exact, "f32") if exact else d * float(q) - m


# --- five bits, and ternary -----------------------------------------------------------------


@block_type("q5_0", 22, 0)
def q5_0(block):
    for i in range(32):
        q = block[6 + i % 16] >> 4 * (i // 16) & 15 | (word(block, 2, 4) >> i & 1) << 4
        yield product(half(block, 0), q - 16)


@block_type("q5_1", 24, 0, 2)
def q5_1(block):
    for i in range(32):
        q = block[8 + i % 16] >> 4 * (i // 16) & 15 | (word(block, 4, 4) >> i & 1) << 4
        yield difference(half(block, 0), q, -half(block, 2))


@block_type("tq1_0", 54, 52)
def tq1_0(block):
    """A byte is a fraction of 256, with the digits of base 3 behind its point."""
    for first, count, digits in ((0, 32, 5), (32, 16, 5), (48, 4, 4)):
        for n in range(digits):
            for byte in block[first : first + count]:
                q = (byte * 3**n % 256) * 3 // 256
                yield product(half(block, 52), q - 1)


@block_type("tq2_0", 66, 64)
def tq2_0(block):
    for i in range(256):
        q = block[32 * (i // 128) + i % 32] >> 2 * (i % 128 // 32) & 3
        yield product(half(block, 64), q - 1)


# --- K --------------------------------------------------------------------------------------


@block_type("q2_k", 84, 80, 82)
def q2_k(block):
    for i in range(256):
        q = block[16 + 32 * (i // 128) + i % 32] >> 2 * (i % 128 // 32) & 3
        scale = block[i // 16]
        yield difference(half(block, 80) * (scale & 15), q, half(block, 82) * (scale >> 4))


@block_type("q3_k", 110, 108)
def q3_k(block):
    for i in range(256):
        low = block[32 + 32 * (i // 128) + i % 32] >> 2 * (i % 128 // 32) & 3
        has_high = block[i % 32] >> i // 32 & 1
        k = i // 16
        scale = block[96 + k % 8] >> 4 * (k // 8) & 15
        scale |= (block[104 + k % 4] >> 2 * (k // 4) & 3) << 4
        yield product(half(block, 108), scale - 32, low - (0 if has_high else 4))


def six_bits(block: list[int], j: int) -> tuple[int, int]:
    """Scale and minimum of a group: the first four whole, the upper bits of the others behind them."""
    s = block[4:16]
    if j < 4:
        return s[j] & 63, s[j + 4] & 63
    return s[j + 4] & 15 | s[j - 4] >> 6 << 4, s[j + 4] >> 4 | s[j] >> 6 << 4


@block_type("q4_k", 144, 0, 2)
def q4_k(block):
    for i in range(256):
        q = block[16 + 32 * (i // 64) + i % 32] >> 4 * (i % 64 // 32) & 15
        scale, minimum = six_bits(block, i // 32)
        yield difference(half(block, 0) * scale, q, half(block, 2) * minimum)


@block_type("q5_k", 176, 0, 2)
def q5_k(block):
    for i in range(256):
        q = block[48 + 32 * (i // 64) + i % 32] >> 4 * (i % 64 // 32) & 15
        q |= (block[16 + i % 32] >> i // 32 & 1) << 4
        scale, minimum = six_bits(block, i // 32)
        yield difference(half(block, 0) * scale, q, half(block, 2) * minimum)


@block_type("q6_k", 210, 208)
def q6_k(block):
    for i in range(256):
        h, k, lane = i // 128, i % 128 // 32, i % 32
        q = block[64 * h + 32 * (k % 2) + lane] >> 4 * (k // 2) & 15
        q |= (block[128 + 32 * h + lane] >> 2 * k & 3) << 4
        yield product(half(block, 208), signed(block[192 + i // 16]), q - 32)


@block_type("q8_k", 292)
def q8_k(block):
    (d,) = struct.unpack("<f", bytes(block[:4]))
    for q in block[4:260]:
        yield product(d, signed(q))


# --- IQ -------------------------------------------------------------------------------------


@block_type("iq4_nl", 18, 0)
def iq4_nl(block):
    for i in range(32):
        yield product(half(block, 0), IQ4[block[2 + i % 16] >> 4 * (i // 16) & 15])


@block_type("iq4_xs", 136, 0)
def iq4_xs(block):
    for i in range(256):
        group, r = divmod(i, 32)
        scale = nibble(block, 4, group) | (word(block, 2, 2) >> 2 * group & 3) << 4
        q = block[8 + 16 * group + r % 16] >> 4 * (r // 16) & 15
        yield product(half(block, 0), scale - 32, IQ4[q])


@functools.cache
def codebook(kind: str) -> list[list[int]]:
    """A row for each index."""
    from gguf import quants

    source = getattr(quants, kind)
    source.init_grid()
    return [[int(v) for v in row] for row in source.grid.reshape(-1, source.grid.shape[-1])]


def with_parity(seven: int) -> int:
    """Eight signs from seven bits: their number is even."""
    return seven | (bin(seven).count("1") & 1) << 7


def _signed_rows(d: float, scale: Fraction, rows: list[list[int]], signs: int) -> Iterator[float]:
    for i, v in enumerate(v for row in rows for v in row):
        yield product(d, scale, -v if signs >> i & 1 else v)


@block_type("iq2_xxs", 66, 0)
def iq2_xxs(block):
    for group in range(8):
        at = 2 + 8 * group
        bits = word(block, at + 4, 4)
        scale = (Fraction(1, 2) + (bits >> 28)) / 4
        for lane in range(4):
            row = codebook("IQ2_XXS")[block[at + lane]]
            yield from _signed_rows(
                half(block, 0), scale, [row], with_parity(bits >> 7 * lane & 127)
            )


@block_type("iq2_xs", 74, 0)
def iq2_xs(block):
    for lane in range(32):
        bits = word(block, 2 + 2 * lane, 2)
        scale = (Fraction(1, 2) + nibble(block, 66, lane // 2)) / 4
        row = codebook("IQ2_XS")[bits & 511]
        yield from _signed_rows(half(block, 0), scale, [row], with_parity(bits >> 9))


@block_type("iq2_s", 82, 0)
def iq2_s(block):
    for lane in range(32):
        index = block[2 + lane] | (block[66 + lane // 4] >> 2 * (lane % 4) & 3) << 8
        scale = (Fraction(1, 2) + nibble(block, 74, lane // 2)) / 4
        yield from _signed_rows(half(block, 0), scale, [codebook("IQ2_S")[index]], block[34 + lane])


@block_type("iq3_xxs", 98, 0)
def iq3_xxs(block):
    grid = codebook("IQ3_XXS")
    for lane in range(32):
        bits = word(block, 66 + 4 * (lane // 4), 4)
        scale = (Fraction(1, 2) + (bits >> 28)) / 2
        rows = [grid[block[2 + 2 * lane]], grid[block[3 + 2 * lane]]]
        yield from _signed_rows(
            half(block, 0), scale, rows, with_parity(bits >> 7 * (lane % 4) & 127)
        )


@block_type("iq3_s", 110, 0)
def iq3_s(block):
    grid = codebook("IQ3_S")
    for lane in range(32):
        index = [
            block[2 + j] | (block[66 + j // 8] >> j % 8 & 1) << 8 for j in (2 * lane, 2 * lane + 1)
        ]
        scale = Fraction(1 + 2 * nibble(block, 106, lane // 4))
        yield from _signed_rows(half(block, 0), scale, [grid[j] for j in index], block[74 + lane])


def _with_delta(d: float, scale: int, row: list[int], is_negative: int) -> Iterator[float]:
    """The codes -1, 0 and 1, an eighth up or down: never 0."""
    for v in row:
        yield product(d, scale, v + Fraction(-1 if is_negative else 1, 8))


@block_type("iq1_s", 50, 0)
def iq1_s(block):
    for lane in range(32):
        bits = word(block, 34 + 2 * (lane // 4), 2)
        row = codebook("IQ1_S")[block[2 + lane] | (bits >> 3 * (lane % 4) & 7) << 8]
        yield from _with_delta(half(block, 0), 2 * (bits >> 12 & 7) + 1, row, bits >> 15)


@block_type("iq1_m", 56)
def iq1_m(block):
    """Four words have three bits for each of four scales, and above them a digit of the f16 of all."""
    words = [word(block, 48 + 2 * i, 2) for i in range(4)]
    bits = sum((w >> 12) << 4 * i for i, w in enumerate(words))
    d = half([bits & 255, bits >> 8], 0)
    for lane in range(32):
        high = block[32 + lane // 2] >> 4 * (lane % 2) & 15
        pair = lane // 2
        scale = 2 * (words[pair // 4] >> 3 * (pair % 4) & 7) + 1
        row = codebook("IQ1_M")[block[lane] | (high & 7) << 8]
        yield from _with_delta(d, scale, row, high >> 3)
