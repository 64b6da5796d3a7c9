# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GGUF's block types whose codes are places in tables: a value, or the values of a group."""

from __future__ import annotations

import numpy as np

from ._gguf_types import Block, _block_type
from ._weights import Value

#: Of IQ4_NL and IQ4_XS, from ggml.
_IQ4 = np.array([-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113], np.int8)


def _shifted(f: Block, exponent: Value, mantissa: Value, bits: int) -> Value:
    """A small float over its smallest number: a subnormal's exponent is 1, without the leading bit."""
    normal = f.binary("minui", exponent, 1)
    leading = f.binary("shli", normal, bits)
    place = f.binary("subi", exponent, normal)
    return f.binary("shli", f.binary("ori", leading, mantissa), place)


def _e2m1_twice(f: Block, codes: Value) -> Value:
    """Twice the values of f4E2M1FN, as integers: there is one zero."""
    code = f.cast("extui", codes, "i8")
    magnitude = f.binary("andi", code, 7)
    size = _shifted(f, f.binary("shrui", magnitude, 1), f.binary("andi", magnitude, 1), 1)
    sign = f.binary("shrui", code, 3)
    # -n is the complement of n, and 1.
    complement = f.binary("xori", size, f.binary("subi", f.splat(0, sign.shape, "i8"), sign))
    return f.binary("addi", complement, sign)


def _e8m0_halves(f: Block, codes: Value) -> Value:
    """2^(e - 128): the scale for `_e2m1_twice`. The two smallest are subnormals."""
    e = f.cast("extui", codes, "i32")
    normal = f.binary("shli", f.binary("subi", e, 1), 23)
    subnormal = f.binary("shli", f.splat(1 << 21, e.shape, "i32"), f.binary("minui", e, 1))
    bits = f.select(f.compare("ult", e, 2), subnormal, normal)
    return f.cast("bitcast", bits, "f32")


def _ue4m3_halves(f: Block, codes: Value) -> Value:
    """Half of an f8E4M3FN without a sign, whose NaN counts as 0."""
    code = f.cast("extui", codes, "i32")
    exponent = f.binary("andi", f.binary("shrui", code, 3), 15)
    count = _shifted(f, exponent, f.binary("andi", code, 7), 3)
    count = f.select(f.compare("eq", code, 127), f.splat(0, code.shape, "i32"), count)
    return f.binary("mulf", f.cast("sitofp", count, "f32"), "0.0009765625")


@_block_type(39, "MXFP4", 32, 17)
def _mxfp4(f: Block) -> Value:
    return f.dequantize(_e2m1_twice(f, f.nibbles(1, 32, "i4")), _e8m0_halves(f, f.bytes(0, 1)))


@_block_type(40, "NVFP4", 64, 36)
def _nvfp4(f: Block) -> Value:
    """Four rows of 16 codes, each with its scale."""
    codes = f.reshape(f.nibbles(4, 64, "i4", run=8), (4 * f.count, 16))
    scales = f.reshape(f.bytes(0, 4), (4 * f.count, 1))
    return f.dequantize(_e2m1_twice(f, codes), _ue4m3_halves(f, scales))


@_block_type(20, "IQ4_NL", 32, 18)
def _iq4_nl(f: Block) -> Value:
    return f.dequantize(f.lookup(f.table(_IQ4, "i8"), f.nibbles(2, 32, "i4")), f.half(0))


@_block_type(23, "IQ4_XS", 256, 136)
def _iq4_xs(f: Block) -> Value:
    """(d (sc - 32)) q"""
    scales = f.join([(f.field(4, 4, 8, "i4"), 0), (f.field(2, 2, 8, "i2"), 4)])
    scale = f.dequantize(scales, f.half(0), zero_point=f.number(32))
    return f.dequantize(f.lookup(f.table(_IQ4, "i8"), f.nibbles(8, 256, "i4")), scale)


@_block_type(34, "TQ1_0", 256, 54)
def _tq1_0(f: Block) -> Value:
    """d (q - 1): a byte is a fraction of 256, and each q its next digit to the base 3."""

    def digits(at: int, count: int, powers: int) -> Value:
        byte = np.arange(256)
        table = np.stack([(byte * 3**power % 256) * 3 // 256 for power in range(powers)])
        parts = [f.lookup(f.table(row.astype(np.int8), "i8"), f.bytes(at, count)) for row in table]
        return f.concatenate(parts)

    codes = f.concatenate([digits(0, 32, 5), digits(32, 16, 5), digits(48, 4, 4)])
    return f.dequantize(codes, f.half(52), zero_point=f.number(1))


# --- grids ------------------------------------------------------------------------


def _grid(name: str) -> np.ndarray:
    """The codebook of a type, from the package `gguf`, which is the one place where it can be had."""
    try:
        from gguf import quants
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"the codebook of {name} needs the package 'gguf': pip install 'mlir-qdq[gguf]'"
        ) from error
    kind = getattr(quants, name)
    kind.init_grid()
    return kind.grid.reshape(kind.grid_shape).astype(np.int8)


def _signs(bits: np.ndarray) -> np.ndarray:
    """Eight signs for each byte of them."""
    return (1 - 2 * (bits[:, None] >> np.arange(8) & 1)).astype(np.int8)


def _seven_bit_signs() -> np.ndarray:
    """The eighth sign makes the number of negative ones even."""
    code = np.arange(128)
    return _signs(code | (np.bitwise_count(code) & 1) << 7)


def _grouped(f: Block, name: str, index: Value, signs: Value | None, scale: Value) -> Value:
    """scale (grid[index] signs), eight signs a byte or looked up already."""
    codes = f.lookup(f.table(_grid(name), "i8"), index)
    codes = f.reshape(codes, (f.count, 256))
    if signs is not None:
        codes = f.binary("muli", codes, f.reshape(signs, (f.count, 256)))
    return f.dequantize(codes, scale)


def _odd(f: Block, code: Value) -> Value:
    """2 code + 1, as i8."""
    wide = code if code.element == "i8" else f.cast("extui", code, "i8")
    return f.binary("ori", f.binary("shli", wide, 1), 1)


def _scaled(f: Block, d: Value, codes: Value, factor: float) -> Value:
    """(d factor) codes, where neither product is rounded."""
    wide = f.cast("extf", d, "f32")
    return f.dequantize(codes, f.binary("mulf", wide, f"{factor:e}"))


def _signs_and_scale(f: Block, words: Value) -> tuple[Value, Value]:
    """Words of four codes of seven bits, for eight signs each, and one of four bits; bytes of them."""
    count = words.shape[-1] // 4
    rows = f.reshape(words, (f.count * count, 4))
    signs = f.unpack(rows, "bits = 7, axis = 1, block = 4, record = 4", 4, "i7")
    scale = f.columns(f.unpack(rows, "bits = 4, axis = 1", 8, "i4"), 7, 1)
    looked_up = f.lookup(f.table(_seven_bit_signs(), "i8"), signs)
    return looked_up, f.reshape(scale, (f.count, count))


def _sign_bytes(f: Block, at: int) -> Value:
    return f.lookup(f.table(_signs(np.arange(256)), "i8"), f.bytes(at, 32))


@_block_type(16, "IQ2_XXS", 256, 66)
def _iq2_xxs(f: Block) -> Value:
    """Eight times four bytes of places and a word of signs; d (sc + 1/2) / 4."""
    halves = f.reshape(f.bytes(2, 64), (f.count, 8, 8))
    index = f.reshape(f.columns(halves, 0, 4), (f.count, 32))
    signs, scale = _signs_and_scale(f, f.reshape(f.columns(halves, 4, 4), (f.count, 32)))
    scale = _scaled(f, f.half(0), _odd(f, scale), 1 / 8)
    return _grouped(f, "IQ2_XXS", index, signs, scale)


@_block_type(17, "IQ2_XS", 256, 74)
def _iq2_xs(f: Block) -> Value:
    words = f.field(2, 16, 32, "i16")
    signs = f.lookup(f.table(_seven_bit_signs(), "i8"), f.binary("shrui", words, 9))
    scale = _scaled(f, f.half(0), _odd(f, f.field(66, 4, 16, "i4")), 1 / 8)
    return _grouped(f, "IQ2_XS", f.binary("andi", words, 511), signs, scale)


@_block_type(22, "IQ2_S", 256, 82)
def _iq2_s(f: Block) -> Value:
    index = f.join([(f.bytes(2, 32), 0), (f.field(66, 2, 32, "i2"), 8)], "i16")
    scale = _scaled(f, f.half(0), _odd(f, f.field(74, 4, 16, "i4")), 1 / 8)
    return _grouped(f, "IQ2_S", index, _sign_bytes(f, 34), scale)


@_block_type(18, "IQ3_XXS", 256, 98)
def _iq3_xxs(f: Block) -> Value:
    signs, scale = _signs_and_scale(f, f.bytes(66, 32))
    scale = _scaled(f, f.half(0), _odd(f, scale), 1 / 4)
    return _grouped(f, "IQ3_XXS", f.bytes(2, 64), signs, scale)


@_block_type(21, "IQ3_S", 256, 110)
def _iq3_s(f: Block) -> Value:
    index = f.join([(f.bytes(2, 64), 0), (f.field(66, 1, 64, "i1"), 8)], "i16")
    scale = _scaled(f, f.half(0), _odd(f, f.field(106, 4, 8, "i4")), 1)
    return _grouped(f, "IQ3_S", index, _sign_bytes(f, 74), scale)


def _shifted_grid(name: str) -> np.ndarray:
    """8 (grid + 1/8), then 8 (grid - 1/8)."""
    grid = _grid(name)
    return np.concatenate([8 * grid + 1, 8 * grid - 1]).astype(np.int8)


@_block_type(19, "IQ1_S", 256, 50)
def _iq1_s(f: Block) -> Value:
    """d (2 sc + 1) (grid ± 1/8), a word for 32 values: four times three bits of a place, sc, sign."""
    words = f.field(34, 16, 8, "i16")
    upper = f.unpack(words, "bits = 3, axis = 1, block = 4, record = 1", 32, "i3")
    scale = _odd(f, f.cast("trunci", f.binary("andi", f.binary("shrui", words, 12), 7), "i8"))
    sign = f.reshape(f.binary("shrui", words, 15), (f.count, 8))
    each = f.lookup(f.table(np.repeat(np.arange(2), 4).reshape(2, 4).astype(np.int8), "i8"), sign)
    index = f.join([(f.bytes(2, 32), 0), (upper, 8), (f.reshape(each, (f.count, 32)), 11)], "i16")
    codes = f.lookup(f.table(_shifted_grid("IQ1_S"), "i8"), index)
    codes = f.reshape(codes, (f.count, 256))
    return f.dequantize(codes, _scaled(f, f.half(0), scale, 1 / 8))


@_block_type(29, "IQ1_M", 256, 56)
def _iq1_m(f: Block) -> Value:
    """As IQ1_S; d lies in the upper four bits of four words, which hold three codes of scales each."""
    nibbles = f.columns(f.field(48, 4, 16, "i4"), 3, 4, step=4)
    parts = [(f.columns(nibbles, i, 1), 4 * i) for i in range(4)]
    d = f.cast("bitcast", f.join(parts, "i16"), "f16")
    words = f.field(48, 16, 4, "i16")
    scales = f.unpack(words, "bits = 3, axis = 1, block = 4, record = 1", 16, "i3")
    high = f.field(32, 4, 32, "i4")
    index = f.join(
        [(f.bytes(0, 32), 0), (high, 8)], "i16"
    )  # the sign follows the three bits of the place: 8 + 3 = 11
    codes = f.lookup(f.table(_shifted_grid("IQ1_M"), "i8"), index)
    codes = f.reshape(codes, (f.count, 256))
    return f.dequantize(codes, _scaled(f, d, _odd(f, scales), 1 / 8))
