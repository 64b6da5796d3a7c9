# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""qdq-integer-contractions: quantized results of sums in blocks, and of sums to which reals are added
(Q5.2)."""

from dataclasses import dataclass, field

import ml_dtypes
import numpy as np
import pytest
from integer_products import compiled, literal, rewritten, run_together

from mlir_qdq import reference

SIZES = dict(b=2, m=3, n=4)
#: The operands by their dimensions: matmul, transposed, batch, matvec.
FORMS = ["mk,kn", "mk,nk", "bmk,bkn", "mk,k"]
#: The extent, and the lengths of the blocks of a and b (0: one scale for all).
BLOCKS = [(64, 0, 32), (40, 0, 16), (64, 32, 32), (7, 8, 2), (24, 4, 6), (50, 8, 12), (48, 16, 0)]
DTYPES = {"ui8": np.uint8, "i8": np.int8, "i4": ml_dtypes.int4}
RANGES = {"ui8": (0, 256), "i8": (-128, 128), "i4": (-8, 8)}


def kind(shape, element) -> str:
    return f"tensor<{''.join(f'{n}x' for n in shape)}{element}>"


@dataclass
class Operand:
    """Codes, scales and zero points, and what of them belongs to one k."""

    dims: str
    storage: str
    length: int
    codes: np.ndarray
    scale: np.ndarray
    zero: np.ndarray
    blocks: list[int] = field(default_factory=list)

    def at(self, values: np.ndarray, k: int) -> np.ndarray:
        return values.take(k // self.length, self.dims.index("k")) if self.length else values

    def code(self, k: int) -> np.ndarray:
        """Less the zero point, without k."""
        return self.codes.take(k, self.dims.index("k")).astype(np.int64) - self.at(self.zero, k)

    def beside(self, values: np.ndarray, result: str) -> np.ndarray:
        """Of a k: spread along the result."""
        dims = self.dims.replace("k", "")
        if values.ndim == 0:
            return values.reshape((1,) * len(result))
        sizes = dict(zip(dims, values.shape))
        return values.reshape([sizes.get(d, 1) for d in result])


def operand(random, dims, storage, length, k, few_bits) -> Operand:
    shape = [k if d == "k" else SIZES[d] for d in dims]
    grid, blocks = (), []
    if length:
        grid = tuple(-(-k // length) if d == "k" else SIZES[d] for d in dims)
        blocks = [length if d == "k" else 1 for d in dims]
    scale = random.uniform(0.01, 1, grid).astype(np.float32)
    if few_bits:  # f16 in f32
        scale = scale.astype(np.float16).astype(np.float32)
    codes, zero = (random.integers(*RANGES[storage], s).astype(np.int64) for s in (shape, grid))
    return Operand(dims, storage, length, codes, np.asarray(scale), np.asarray(zero), blocks)


class Program:
    def __init__(self, form, k, length_a, length_b, seed, *, constants, few_bits=False, output="i8", relu=False, bias=None):  # fmt: skip
        random = np.random.default_rng(seed)
        a, b = form.split(",")
        self.result = "".join(d for d in "bmn" if d in form)
        self.a = operand(random, a, "ui8", length_a, k, few_bits)
        self.b = operand(random, b, "i4", length_b, k, few_bits)
        self.shape = [SIZES[d] for d in self.result]
        self.k, self.output, self.relu, self.constants = k, output, relu, constants
        self.scale = np.float32(random.uniform(0.5, 1) * 60 * k**0.5)
        self.zero = DTYPES[output](random.integers(*RANGES[output]))
        self.bias = None
        if bias is not None:
            self.bias = (random.normal(size=self.shape[-1:]) * self.scale * 30).astype(bias)
        self.arguments = []

    def text(self) -> str:
        lines, heads = [], []

        def define(name, value, element, constant):
            typed = kind(value.shape, element)
            if constant:
                lines.append(f"%{name} = arith.constant dense<{literal(value)}> : {typed}")
            else:
                heads.append(f"%{name}: {typed}")
                self.arguments.append(value)
            return typed

        reals = []
        for name, q in (("a", self.a), ("b", self.b)):
            dtype = DTYPES[q.storage]
            codes = define(name, q.codes.astype(dtype), q.storage, False)
            scale = define(f"{name}s", q.scale, "f32", self.constants)
            zero = define(f"{name}z", q.zero.astype(dtype), q.storage, False)
            where = f" block_shape {q.blocks}" if q.blocks else ""
            reals.append(kind(q.codes.shape, "f32"))
            lines.append(
                f"%{name}d = qdq.dequantize %{name} scale %{name}s zero_point %{name}z{where} : "
                f"({codes}, {scale}, {zero}) -> {reals[-1]}"
            )
        ty, loops = kind(self.shape, "f32"), ", ".join(self.result + "k")
        maps = ", ".join(
            f"affine_map<({loops}) -> ({', '.join(d)})>" for d in (self.a.dims, self.b.dims, self.result)
        )  # fmt: skip
        scale = define("ys", np.asarray(self.scale), "f32", self.constants)
        zero = define("yz", np.asarray(self.zero), self.output, self.constants)
        lines += [
            f"%zero = arith.constant dense<0.0> : {ty}",
            f"%r0 = linalg.contract indexing_maps = [{maps}] ins(%ad, %bd : {', '.join(reals)}) outs(%zero : {ty}) -> {ty}",
        ]
        last = "r0"
        if self.bias is not None:
            element = "f16" if self.bias.dtype == np.float16 else "f32"
            typed = define("bias", self.bias, element, False)
            wide = kind(self.bias.shape, "f32")
            if element == "f16":
                lines.append(f"%wide = arith.extf %bias : {typed} to {wide}")
            lines += [
                f"%e = tensor.empty() : {ty}",
                f"%rows = linalg.broadcast ins(%{'wide' if element == 'f16' else 'bias'} : {wide}) outs(%e : {ty}) "
                f"dimensions = {list(range(len(self.shape) - 1))}",
                f"%r1 = arith.addf %r0, %rows : {ty}",
            ]
            last = "r1"
        if self.relu:
            lines.append(f"%r2 = arith.maximumf %{last}, %zero : {ty}")
            last = "r2"
        code = kind(self.shape, self.output)
        lines.append(f"%y = qdq.quantize %{last} scale %ys zero_point %yz : ({ty}, {scale}, {zero}) -> {code}")  # fmt: skip
        body = "\n      ".join(lines)
        return f"""
    func.func @main({", ".join(heads)}) -> {code} {{
      {body}
      return %y : {code}
    }}"""

    def parts(self):
        """The sums of the blocks [blocks, ...], and the scales there."""
        lengths = [q.length for q in (self.a, self.b) if q.length]
        step = int(np.gcd.reduce(lengths)) if lengths else self.k
        a, b, sums, scales = self.a, self.b, [], [[], []]
        for begin in range(0, self.k, step):
            total = np.zeros(self.shape, np.int64)
            for k in range(begin, min(begin + step, self.k)):
                total += np.broadcast_to(
                    a.beside(a.code(k), self.result) * b.beside(b.code(k), self.result), self.shape
                )
            sums.append(total)
            for q, found in zip((a, b), scales):
                own = q.beside(q.at(q.scale, begin), self.result)
                found.append(np.broadcast_to(own, self.shape))
        found = (np.array(s if q.length else s[:1], np.float32) for q, s in zip((a, b), scales))
        return np.array(sums), *found

    def expected(self, rescale) -> np.ndarray:
        acc, sa, sb = self.parts()
        codes = reference.requantize_blocks(
            acc,
            (sa, sb, self.scale),
            self.zero,
            rescale=rescale,
            storage=self.output,
            bias=None if self.bias is None else np.broadcast_to(self.bias.astype(np.float32), acc.shape[1:]),
        )  # fmt: skip
        return np.maximum(codes, self.zero) if self.relu else codes

    def check(self, function, rescale):
        got, expected = np.asarray(function(*self.arguments)), self.expected(rescale)
        assert self.relu or len(np.unique(expected)) > 1
        np.testing.assert_array_equal(got, expected)


@pytest.mark.every_value
@pytest.mark.parametrize("rescale", ["f32", "f64", "separate", "exact"])
@pytest.mark.parametrize("form", FORMS)
def test_constant_scales(form, rescale):
    """`exact`: the code of the real number, whose scales are no power of two."""
    programs = [
        Program(form, *blocks, i, constants=True, few_bits=True, output=["i8", "ui8"][i % 2], relu=i % 3 == 0)
        for i, blocks in enumerate(BLOCKS)
    ]  # fmt: skip
    texts, functions = run_together([program.text() for program in programs], rescale=rescale)
    for text, function, program in zip(texts, functions, programs):
        assert "qdq.dequantize" not in text
        assert ("qdq.requantize" in text) == (rescale == "exact")
        assert f"{program.k}xf32" not in text  # no float copy of an operand
        program.check(function, rescale)


@pytest.mark.every_value
@pytest.mark.parametrize("rescale", ["f32", "f64", "separate"])
@pytest.mark.parametrize("form", FORMS[:2])
def test_scales_at_run_time(form, rescale):
    for i, blocks in enumerate(BLOCKS):
        program = Program(form, *blocks, i, constants=False)
        text = rewritten(program.text(), rescale=rescale)
        assert "qdq.dequantize" not in text
        program.check(compiled(text), rescale)


@pytest.mark.every_value
@pytest.mark.parametrize("bias", [np.float32, np.float16])
@pytest.mark.parametrize("blocks", [(40, 0, 0), *BLOCKS[:3]])
def test_bias_of_reals(blocks, bias):
    """Added in f32 before the scale of the result: `separate` alone has it."""
    for i in range(4):
        program = Program("mk,kn", *blocks, i, constants=i % 2 == 0, bias=bias, relu=i == 2)
        text = rewritten(program.text(), rescale="separate")
        assert "qdq.dequantize" not in text
        program.check(compiled(text), "separate")


@pytest.mark.parametrize("rescale", ["f32", "f64", "separate"])
def test_one_block_is_no_block(rescale):
    """The definition for blocks is that of a whole sum where there is one."""
    random = np.random.default_rng(0)
    acc = random.integers(-(2**30), 2**30, 20000)
    sa, sb, sy = (random.uniform(0.001, 2, acc.shape).astype(np.float32) for _ in range(3))
    sy *= 2**24
    whole = reference.requantize(acc, (sa, sb, sy), None, np.int8(3), rescale=rescale, storage="i8", block_shape=(1,))  # fmt: skip
    blocks = reference.requantize_blocks(acc[None], (sa, sb, sy), np.int8(3), rescale=rescale, storage="i8")  # fmt: skip
    np.testing.assert_array_equal(whole, blocks)
