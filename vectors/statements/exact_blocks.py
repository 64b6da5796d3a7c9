# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Blocks with scales, and packed weights, over exact rationals: V3, V4 and V5 of README.md, one element at a time."""

from __future__ import annotations

import math
from fractions import Fraction

import exact_ggml
from exact import Conversion, cast, choose_params, divide, multiply

TO_F4 = Conversion(storage="f4E2M1FN", compute="f32")


def mx(row: list[float], storage: str, rule: str, float_overflow: str) -> tuple[list[float], float]:
    """Codes, and their scale."""
    scale, _ = choose_params(row, storage, "symmetric", "f32", "f8E8M0FNU", rule)
    conversion = Conversion(storage=storage, compute="f32", float_overflow=float_overflow)
    return [conversion.quantize(x, scale) for x in row], scale


def largest(row: list[float]) -> float:
    return max([0.0, *(abs(x) for x in row if not math.isnan(x))])


def e4m3_scale(real: float) -> float:
    return cast(min(real, 448.0), "f8E4M3FN") or 1.0


def nvfp4(row: list[float], t: float, division: str) -> tuple[list[float], float]:
    """V3."""
    if division == "exact":
        scale = e4m3_scale(divide(divide(largest(row), 6.0, "f32"), t, "f32"))
        return with_scale(row, scale, t), scale
    g = divide(1.0, t, "f32")
    sixth = divide(1.0, 6.0, "f32")
    scale = e4m3_scale(multiply(multiply(largest(row), sixth, "f32"), g, "f32"))
    k = divide(1.0, multiply(scale, divide(1.0, g, "f32"), "f32"), "f32")
    return [TO_F4.quantize(multiply(x, k, "f32"), 1.0) for x in row], scale


def with_scale(row: list[float], scale: float, t: float) -> list[float]:
    return [TO_F4.quantize(x, multiply(scale, t, "f32")) for x in row]


def four_over_six(row: list[float], t: float) -> tuple[list[float], float]:
    """V4. The errors are exact; rows are finite."""
    best = None
    for end in (6.0, 4.0):
        scale = e4m3_scale(divide(divide(largest(row), end, "f32"), t, "f32"))
        codes = with_scale(row, scale, t)
        factor = Fraction(scale) * Fraction(t)
        error = sum((Fraction(x) - Fraction(q) * factor) ** 2 for x, q in zip(row, codes))
        if best is None or error < best[0]:
            best = error, codes, scale
    return best[1:]


def nvfp4_value(code: float, scale: float, t: float, product: str, element: str) -> float:
    """V3, back."""
    if product == "scales-first":
        return cast(multiply(code, multiply(scale, t, "f32"), "f32"), element)
    return cast(multiply(multiply(code, scale, "f32"), t, "f32"), element)


# --- packed weights: V5 -------------------------------------------------------------------


def nibbles(word: int, bits: int = 32, width: int = 4) -> list[int]:
    """Lowest bits first."""
    return [word >> at & ((1 << width) - 1) for at in range(0, bits, width)]


def half(low: int, high: int) -> float:
    """The f16 of two bytes."""
    bits = low | high << 8
    exponent, fraction = bits >> 10 & 31, bits & 1023
    value = (
        math.ldexp(fraction, -24) if exponent == 0 else math.ldexp(1024 + fraction, exponent - 25)
    )
    return -value if bits >> 15 else value


def ggml_block(kind: str, block: list[int]) -> list[float]:
    if kind in exact_ggml.KINDS:
        return list(exact_ggml.KINDS[kind][2](block))
    if kind == "q8_0":
        d = half(*block[:2])
        return [multiply(float(q - 256 if q > 127 else q), d, "f32") for q in block[2:]]
    header = {"q4_0": 2, "q4_1": 4, "mxfp4": 1}[kind]
    codes = [b & 15 for b in block[header:]] + [b >> 4 for b in block[header:]]
    if kind == "q4_0":
        return [multiply(float(q - 8), half(*block[:2]), "f32") for q in codes]
    if kind == "q4_1":
        d, m = half(*block[:2]), half(*block[2:4])
        return [_sum(multiply(float(q), d, "f32"), m) for q in codes]
    # Twice the value of f4E2M1; code 8 is +0, and the exponent 255 is a number.
    twice = [0, 1, 2, 3, 4, 6, 8, 12]
    signed = [*twice, *(-v for v in twice)]
    return [
        cast(signed[q] * Fraction(2) ** (block[0] - 128), "f32") if signed[q] else 0.0
        for q in codes
    ]


def _sum(product: float, m: float) -> float:
    total = Fraction(product) + Fraction(m)
    return cast(total, "f32") if total else product + m


def value(q: int, z: int, s: float) -> float:
    """(q - z) * s in f32; a zero has the sign of the product."""
    return multiply(float(q - z), s, "f32")


def gptq(
    words: list[list[int]], zeros: list[list[int]], scales, group: int, bits: int, version: int
):
    """[K * bits / 32][N] words along K, zeros [G][N * bits / 32] along N. Version 1 stores z - 1."""
    rows = []
    for k in range(len(words) * 32 // bits):
        g, row = k // group, []
        for n in range(len(words[0])):
            q = nibbles(words[k * bits // 32][n], 32, bits)[k % (32 // bits)]
            z = nibbles(zeros[g][n * bits // 32], 32, bits)[n % (32 // bits)]
            row.append(value(q, (z + (version == 1)) % (1 << bits), scales[g][n]))
        rows.append(row)
    return rows


AWQ = [0, 2, 4, 6, 1, 3, 5, 7]


def awq(words: list[list[int]], zeros: list[list[int]], scales, group: int):
    """[K][N / 8] words along N, nibble i is column AWQ[i]."""
    rows = []
    for k, packed in enumerate(words):
        g, row = k // group, []
        for n in range(8 * len(packed)):
            nibble = AWQ.index(n % 8)
            z = nibbles(zeros[g][n // 8])[nibble]
            row.append(value(nibbles(packed[n // 8])[nibble], z, scales[g][n]))
        rows.append(row)
    return rows


def compressed_tensors(words: list[list[int]], scales, group: int):
    """pack-quantized, symmetric: [N][K / 8] words along K, lowest bits first, stored with offset 8."""
    return [
        [
            value(nibbles(packed[k // 8])[k % 8], 8, scales[n][k // group])
            for k in range(8 * len(packed))
        ]
        for n, packed in enumerate(words)
    ]


def along_k(
    words: list[list[int]], zeros: list[list[int]] | None, scales, group: int, bits: int, word: int
):
    """[N][K * bits / word] words along K, lowest bits first; zeros alike, the middle code without them:
    MatMulNBits (bytes), AWQ gemv (words of 32 bits)."""
    rows = []
    for n, packed in enumerate(words):
        row = []
        for k in range(len(packed) * word // bits):
            g, at = k // group, word // bits
            z = 1 << (bits - 1)
            if zeros:
                z = nibbles(zeros[n][g // at], word, bits)[g % at]
            row.append(value(nibbles(packed[k // at], word, bits)[k % at], z, scales[n][g]))
        rows.append(row)
    return rows


def compressed_tensors_with_zeros(
    words: list[list[int]], zeros: list[list[int]], scales, group: int
):
    """As above; zeros [N / 8][G] words along N, with the offset 8 too."""
    return [
        [
            value(
                nibbles(packed[k // 8])[k % 8],
                nibbles(zeros[n // 8][k // group])[n % 8],
                scales[n][k // group],
            )
            for k in range(8 * len(packed))
        ]
        for n, packed in enumerate(words)
    ]
