# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes qdq_vectors/data/blocks by exact rationals: python statements/make_blocks.py [folder]"""

from __future__ import annotations

import math
import random
import struct
import sys
from pathlib import Path

import exact_blocks as exact
import exact_ggml
import topics
from arrays import Array, decode
from exact import FORMATS, cast
from make_corpus import DATA, Writer

OUTPUT = DATA.with_name("blocks")
#: Of the tensor: a largest value of 3.7, a power of two, and a third.
TENSOR_SCALES = tuple(cast(t, "f32") for t in (3.7 / 2688, 0.0009765625, 1 / 3))


def add(writer: Writer, name: str, operation: str, arrays: dict[str, Array], **choices) -> None:
    entry = {"name": name, "operation": operation, **choices}
    writer.cases.append(entry | writer._entries(name, arrays))


def matrix(element: str, rows: list[list]) -> Array:
    return Array.of(element, (len(rows), len(rows[0])), [v for row in rows for v in row])


def vector(element: str, values: list) -> Array:
    return Array.of(element, len(values), values)


def scalar(element: str, value) -> Array:
    return Array.of(element, (), [value])


def mx(writer: Writer) -> None:
    first = next(topics.blocks())["x"]
    rows = [list(first.values[i : i + 32]) for i in range(0, len(first.values), 32)]
    for storage in ("f8E4M3FN", "f8E5M2", "f6E2M3FN", "f6E3M2FN", "f4E2M1FN"):
        for rule in ("floor", "rceil", "ceil", "even", "fit"):
            overflows = ("saturate", "ieee") if FORMATS[storage].has_nan else ("saturate",)
            for overflow in overflows:
                found = [exact.mx(row, storage, rule, overflow) for row in rows]
                codes, scales = zip(*found)
                add(
                    writer, f"{storage}-{rule}-{overflow}", "block_quantize",
                    {"x": first, "codes": matrix(storage, codes), "scale": vector("f8E8M0FNU", scales)},
                    format="mx", block=32, power_of_two=rule, float_overflow=overflow,
                )  # fmt: skip


#: Between the values of f4E2M1FN.
MIDDLES = (0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0)


def near(value: float, draw: random.Random) -> float:
    rounded = cast(value, "f32")
    return draw.choice([rounded, *topics.neighbours(rounded, "f32")])


def near_ties(t: float, draw: random.Random) -> list[float]:
    """A block whose scale is near a tie, or whose elements are."""
    code = draw.randrange(0x20, 0x7E)
    scale = decode(code, "f8E4M3FN")
    if draw.random() < 0.3:
        scale = (scale + decode(code + 1, "f8E4M3FN")) / 2
    row = [near(6 * scale * t, draw)]
    ties = [draw.choice((1, -1)) * draw.choice(MIDDLES) * scale * t for _ in range(15)]
    return row + [near(tie, draw) for tie in ties]


def separating_blocks(t: float, draw: random.Random) -> list[list[float]]:
    """Those whose scale or codes depend on the division first, then some that do not."""
    drawn = [near_ties(t, draw) for _ in range(120)]
    drawn.sort(key=lambda row: exact.nvfp4(row, t, "exact") == exact.nvfp4(row, t, "reciprocal"))
    rows = drawn[:28]
    rows += [[cast(draw.gauss(0, 100 * t), "f32") for _ in range(16)] for _ in range(8)]
    ends = [cast(v * t, "f32") for v in (2688, 3000, 6 * 2.0**-9, 6 * 2.0**-10, 6 * 2.0**-11, 1.75)]
    return rows + [[v, -v] * 8 for v in (*ends, 0.0)]


def nvfp4(writer: Writer) -> None:
    draw = random.Random(5)
    for index, t in enumerate(TENSOR_SCALES):
        finite = separating_blocks(t, draw)
        special = [*finite, [math.nan] + [t] * 15, [math.inf] + [t] * 15, [math.nan] * 16]
        for division in ("exact", "reciprocal"):
            _nvfp4_quantize(
                writer, f"quantize-{index}-{division}", special, t,
                [exact.nvfp4(row, t, division) for row in special], division=division,
            )  # fmt: skip
        _nvfp4_quantize(
            writer, f"quantize-{index}-four-over-six", finite, t,
            [exact.four_over_six(row, t) for row in finite], division="exact", adaptive="four-over-six",
        )  # fmt: skip
        codes = [decode(code, "f4E2M1FN") for code in range(16)]
        scales = [decode(code, "f8E4M3FN") for code in range(127)]
        for element in ("f32", "f16", "bf16"):
            for product in ("scales-first", "codes-first"):
                values = [
                    [exact.nvfp4_value(q, s, t, product, element) for q in codes] for s in scales
                ]
                add(
                    writer, f"dequantize-{index}-{product}-{element}", "block_dequantize",
                    {
                        "x": matrix("f4E2M1FN", [codes] * len(scales)), "scale": vector("f8E4M3FN", scales),
                        "tensor_scale": scalar("f32", t), "result": matrix(element, values),
                    },
                    format="nvfp4", block=16, product=product,
                )  # fmt: skip


def _nvfp4_quantize(writer, name, rows, t, found, element="f32", **choices) -> None:
    codes, scales = zip(*found)
    add(
        writer, name, "block_quantize",
        {
            "x": matrix(element, rows), "tensor_scale": scalar("f32", t),
            "codes": matrix("f4E2M1FN", codes), "scale": vector("f8E4M3FN", scales),
        },
        format="nvfp4", block=16, **choices,
    )  # fmt: skip


#: f16: 0.1, -0.1, subnormals, the largest, 1, and both zeros.
HALVES = (0x2E66, 0xAE66, 0x0001, 0x83FF, 0x7BFF, 0x3C00, 0x0000, 0x8000)


def set_half(block: list[int], at: int, bits: int) -> None:
    block[at : at + 2] = [bits & 255, bits >> 8]


def ggml(writer: Writer, kind: str, blocks: list[list[int]]) -> None:
    values = [exact.ggml_block(kind, block) for block in blocks]
    arrays = {"words": matrix("ui8", blocks), "result": matrix("f32", values)}
    add(writer, f"ggml-{kind}", "unpack", arrays, format=f"ggml-{kind}")


def ggml_fields(writer: Writer) -> None:
    """Blocks whose fields lie apart: five bits, ternary, K and IQ."""
    draw = random.Random(8)
    for kind, (size, halves, _) in exact_ggml.KINDS.items():
        blocks = []
        for index in range(8):
            block = [draw.randrange(256) for _ in range(size)]
            for at in halves:
                set_half(block, at, HALVES[(index + at) % 8])
            if kind == "q8_k":
                block[:4] = struct.pack("<f", draw.choice((0.1, -1e-45, 3e38, 2.0**-126)))
            if kind == "iq1_m":
                for digit in range(4):
                    byte = block[49 + 2 * digit] & 15
                    block[49 + 2 * digit] = byte | (HALVES[index] >> 4 * digit & 15) << 4
            blocks.append(block)
        ggml(writer, kind, blocks)


def weights(writer: Writer) -> None:
    draw = random.Random(6)
    for kind, size, header in (("q4_0", 18, 2), ("q4_1", 20, 4), ("q8_0", 34, 2), ("mxfp4", 17, 1)):
        blocks = []
        for index in range(16):
            block = [draw.randrange(256) for _ in range(size)]
            for at in range(0, header - 1, 2):
                set_half(block, at, HALVES[(index + at) % 8])
            if kind == "mxfp4":
                block[0] = (0, 1, 2, 127, 128, 129, 254, 255)[index % 8]
            blocks.append(block)
        ggml(writer, kind, blocks)

    def words(rows: int, columns: int) -> list[list[int]]:
        return [[draw.randrange(1 << 32) for _ in range(columns)] for _ in range(rows)]

    def scales(rows: int, columns: int) -> list[list[float]]:
        return [[cast(draw.uniform(-0.1, 0.1), "f16") for _ in range(columns)] for _ in range(rows)]

    for bits in (2, 4, 8):
        for version in (1, 2):
            K, N, group = 64, 16, 32
            packed, zeros, s = words(K * bits // 32, N), words(2, N * bits // 32), scales(2, N)
            # A stored zero point of all ones is 0 in version 1.
            zeros[0][0] = (1 << 32) - 1
            values = exact.gptq(packed, zeros, s, group, bits, version)
            _packed(
                writer, f"gptq-v{version}-{bits}", packed, zeros, s, values,
                format="gptq", version=version, bits=bits, group=group,
            )  # fmt: skip
    packed, zeros, s = words(64, 2), words(2, 2), scales(2, 16)
    values = exact.awq(packed, zeros, s, 32)
    _packed(writer, "awq-gemm", packed, zeros, s, values, format="awq-gemm", bits=4, group=32)
    packed, s = words(16, 8), scales(16, 2)
    values = exact.compressed_tensors(packed, s, 32)
    _packed(
        writer, "compressed-tensors", packed, None, s, values,
        format="compressed-tensors", bits=4, group=32,
    )  # fmt: skip


def more_weights(writer: Writer) -> None:
    """Codes along K with zero points of their own."""
    draw = random.Random(9)

    def words(rows: int, columns: int, bits: int = 32) -> list[list[int]]:
        return [[draw.randrange(1 << bits) for _ in range(columns)] for _ in range(rows)]

    N, K, group = 16, 128, 32
    scales = [[cast(draw.uniform(-0.1, 0.1), "f16") for _ in range(K // group)] for _ in range(N)]
    packed, zeros = words(N, K // 8), words(N, 1)
    _packed(
        writer, "awq-gemv", packed, zeros, scales, exact.along_k(packed, zeros, scales, group, 4, 32),
        format="awq-gemv", bits=4, group=group,
    )  # fmt: skip
    packed, zeros = words(N, K // 8), words(N // 8, K // group)
    values = exact.compressed_tensors_with_zeros(packed, zeros, scales, group)
    _packed(
        writer, "compressed-tensors-zeros", packed, zeros, scales, values,
        format="compressed-tensors-zeros", bits=4, group=group,
    )  # fmt: skip
    for bits in (4, 8):
        packed = words(N, K * bits // 8, 8)
        for zeros in (words(N, K // group * bits // 8, 8), None):
            _packed(
                writer, f"matmulnbits-{bits}{'-zeros' if zeros else ''}", packed, zeros, scales,
                exact.along_k(packed, zeros, scales, group, bits, 8), "ui8",
                format="matmulnbits", bits=bits, group=group,
            )  # fmt: skip


def mx_halves(writer: Writer) -> None:
    """MX from f16 and bf16: blocks of their own values, which f32 holds."""
    first = next(topics.blocks())["x"]
    for element in ("f16", "bf16"):
        rows = []
        for i in range(0, len(first.values), 32):
            row = [cast(v, element) for v in first.values[i : i + 32]]
            if [str(v) for v in row] not in [[str(v) for v in other] for other in rows]:
                rows.append(row)
        for storage in ("f8E4M3FN", "f8E5M2", "f6E2M3FN", "f6E3M2FN", "f4E2M1FN"):
            for rule in ("floor", "rceil", "ceil", "even", "fit"):
                codes, scales = zip(*(exact.mx(row, storage, rule, "saturate") for row in rows))
                add(
                    writer, f"{element}-{storage}-{rule}", "block_quantize",
                    {
                        "x": matrix(element, rows), "codes": matrix(storage, codes),
                        "scale": vector("f8E8M0FNU", scales),
                    },
                    format="mx", block=32, power_of_two=rule, float_overflow="saturate",
                )  # fmt: skip


def nvfp4_halves(writer: Writer) -> None:
    """NVFP4 from f16 and bf16."""
    for element in ("f16", "bf16"):
        draw = random.Random(f"nvfp4 {element}")
        t = TENSOR_SCALES[0]
        rows = [[cast(v, element) for v in row] for row in separating_blocks(t, draw)]
        for division in ("exact", "reciprocal"):
            _nvfp4_quantize(
                writer, f"{element}-{division}", rows, t,
                [exact.nvfp4(row, t, division) for row in rows], element, division=division,
            )  # fmt: skip
        _nvfp4_quantize(
            writer, f"{element}-four-over-six", rows, t,
            [exact.four_over_six(row, t) for row in rows], element,
            division="exact", adaptive="four-over-six",
        )  # fmt: skip


def _packed(writer, name, packed, zeros, scales, values, word="ui32", **choices) -> None:
    arrays = {"words": matrix(word, packed), "scale": matrix("f16", scales)}
    if zeros:
        arrays["zero_point"] = matrix(word, zeros)
    add(writer, name, "unpack", arrays | {"result": matrix("f32", values)}, **choices)


def main(folder: Path) -> None:
    for topic in (mx, mx_halves, nvfp4, nvfp4_halves, weights, more_weights, ggml_fields):
        folder.mkdir(parents=True, exist_ok=True)
        writer = Writer(folder, topic.__name__.replace("_", "-"), "make_blocks.py")
        topic(writer)
        writer.save()
        print(f"{writer.topic}: {len(writer.cases)} cases, {len(writer.files)} arrays")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else OUTPUT)
