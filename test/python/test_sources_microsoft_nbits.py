# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MatMulNBits of ONNX Runtime, against it and against f64.

Sums are rounded, each system in an order of its own: what is compared is the error of the result over the sum of absolute products.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from onnx_graph import Graph, without_trailing

SYSTEM, AGAINST = "ONNX Runtime com.microsoft", "ONNX Runtime, and products in f64"


def codes_of(containers: np.ndarray, bits: int, count: int) -> np.ndarray:
    """The codes in the bytes of each row, low bits first."""
    shifts = np.arange(0, 8, bits)
    codes = (containers.reshape(len(containers), -1, 1) >> shifts) & ((1 << bits) - 1)
    return codes.reshape(len(containers), -1)[:, :count].astype(np.float64)


class Weight:
    """A random weight [rows, columns], in the node's layout and in f64."""

    def __init__(
        self, random, rows, columns, bits=4, block=32, real=np.float32, zeros=None, groups=None
    ):
        blocks = -(-columns // block)
        self.attributes = {"K": columns, "N": rows, "bits": bits, "block_size": block}
        self.codes = random.integers(0, 256, (rows, blocks, block * bits // 8), np.uint8)
        self.scale = random.uniform(0.01, 0.1, (rows, blocks)).astype(real)
        self.zeros = self.groups = None
        middle = np.full((rows, blocks), 2.0 ** (bits - 1))
        if zeros == "packed":
            self.zeros = random.integers(0, 256, (rows, -(-blocks * bits // 8)), np.uint8)
            middle = codes_of(self.zeros, bits, blocks)
        elif zeros == "float":
            self.zeros = random.uniform(0, 15, (rows, blocks)).astype(real)
            middle = self.zeros.astype(np.float64)
        group = np.arange(columns) // block
        if groups:
            group = random.permutation(np.repeat(np.arange(blocks), block)[:columns])
            self.groups = group.astype(np.int32)
        codes = codes_of(self.codes, bits, columns) - middle[:, group]
        self.exact = codes * self.scale.astype(np.float64)[:, group]

    def operands(self, flat=False):
        tensors = [self.codes, self.scale, self.zeros, self.groups]
        if flat:
            tensors[1:3] = (None if t is None else t.ravel() for t in tensors[1:3])
        return tensors


def check(random, weight, shape, *, bias=False, flat=False, constant=True, bound, beside=None, real=np.float32, runs_there=True, profile=None, **attributes):  # fmt: skip
    """Errors below `bound`, and `beside`, if given, for the difference to ONNX Runtime."""
    rows, columns = weight.exact.shape
    x = random.normal(size=(*shape, columns)).astype(real)
    b = random.normal(size=rows).astype(real) if bias else None
    operands = without_trailing([x, *weight.operands(flat), b])
    graph = Graph(21, "com.microsoft")
    graph.add("MatMulNBits", *operands, constant=constant, **weight.attributes, **attributes)
    (ours,) = graph.compiled(**({"profile": profile} if profile else {}))
    exact = x.astype(np.float64) @ weight.exact.T + (0 if b is None else b.astype(np.float64))
    size = abs(x.astype(np.float64)) @ abs(weight.exact.T) + (0 if b is None else abs(b))
    results = [ours, *graph.run_by_onnxruntime()] if runs_there else [ours]
    for result in results:
        assert (result.dtype, result.shape) == (x.dtype, exact.shape)
        assert np.max(abs(result.astype(np.float64) - exact) / size) < bound
    if beside is not None:
        difference = abs(ours.astype(np.float64) - results[1].astype(np.float64))
        assert np.max(difference / size) < beside


CASES = {
    "plain": {},
    "runtime": {"constant": False},
    "flat": {"flat": True, "zeros": "packed"},
    "packed": {"zeros": "packed"},
    "float": {"zeros": "float"},
    "groups": {"groups": True},
    "short": {"columns": 80, "zeros": "packed"},
    "odd": {"columns": 77, "block": 16, "zeros": "packed", "rows": 3},
    "bias": {"bias": True},
    "8 bits": {"bits": 8},
    "8 bits, packed": {"bits": 8, "zeros": "packed"},
    "2 bits": {"bits": 2, "zeros": "packed", "block": 64},
    "2 bits, float": {"bits": 2, "zeros": "float"},
    "row": {"shape": (96,)[:0]},
    "batch": {"shape": (2, 1, 3), "bias": True},
}


@pytest.mark.proves(SYSTEM, "MatMulNBits", against=AGAINST, granularity="block", storage="ui4")
@pytest.mark.parametrize("accuracy", [0, 1])
@pytest.mark.parametrize("case", CASES)
def test_matmul_n_bits(case, accuracy):
    random, how = np.random.default_rng(len(case)), dict(CASES[case])
    made = {k: how.pop(k) for k in ("bits", "block", "zeros", "groups") if k in how}
    weight = Weight(random, how.pop("rows", 8), how.pop("columns", 96), **made)
    shape = how.pop("shape", (5,))
    check(random, weight, shape, **how, bound=1e-6, accuracy_level=accuracy)


@pytest.mark.parametrize("zeros", [None, "float"])
def test_half(zeros):
    """The sum is in f32, and rounded once; ONNX Runtime does the same on this kind of CPU."""
    random = np.random.default_rng(1)
    weight = Weight(random, 8, 96, real=np.float16, zeros=zeros)
    check(random, weight, (5,), bias=True, real=np.float16, bound=1e-3)


def test_bfloat16():
    """Allowed, and no kernel of ONNX Runtime's for CPUs."""
    random = np.random.default_rng(2)
    weight = Weight(random, 8, 96, real=ml_dtypes.bfloat16, zeros="packed")
    check(random, weight, (5,), real=ml_dtypes.bfloat16, bound=8e-3, runs_there=False)


@pytest.mark.parametrize("bits", [2, 4, 8])
@pytest.mark.parametrize("columns", [80, 96, 128])
def test_groups_with_zero_points(bits, columns):
    """By the document, under a profile other than ONNX Runtime's."""
    random = np.random.default_rng([bits, columns])
    weight = Weight(random, 8, columns, bits=bits, groups=True, zeros="packed")
    check(random, weight, (5,), bound=1e-6, runs_there=False, profile="onnx")


@pytest.mark.parametrize("real", [np.float32, np.float16])
@pytest.mark.parametrize("columns", [80, 96, 128])
@pytest.mark.parametrize("constant", [False, True])
def test_groups_with_zero_points_of_onnxruntime(columns, real, constant):
    """Its kernel takes 8 for each of them: docs/Sources.md."""
    random = np.random.default_rng(columns)
    weight = Weight(random, 8, columns, groups=True, zeros="packed", real=real)
    around_8 = codes_of(weight.codes, 4, columns) - 8
    weight.exact = around_8 * weight.scale.astype(np.float64)[:, weight.groups]
    bound = 1e-6 if real == np.float32 else 1e-3
    check(random, weight, (5,), bound=bound, real=real, constant=constant)


@pytest.mark.parametrize("bits", [2, 8])
def test_groups_of_other_bits_with_zero_points(bits):
    """ONNX Runtime has no kernel for 8 bits, and reads 2 bits in another layout: the document alone tells what they are."""
    random = np.random.default_rng(bits)
    weight = Weight(random, 8, 96, bits=bits, groups=True, zeros="packed")
    check(random, weight, (5,), bound=1e-6, runs_there=False)


INTEGER_CASES = ["plain", "packed", "short", "odd", "bias", "8 bits", "8 bits, packed", "2 bits", "row", "batch"]  # fmt: skip


@pytest.mark.proves(SYSTEM, "MatMulNBits, accuracy_level 4", against="ONNX Runtime", granularity="block", storage="ui4")  # fmt: skip
@pytest.mark.parametrize("case", INTEGER_CASES)
def test_integer_product(case):
    """A in i8 by blocks: beside ONNX Runtime's result, which has the same codes of A, and within its distance of f64."""
    random, how = np.random.default_rng(len(case)), dict(CASES[case])
    made = {k: how.pop(k) for k in ("bits", "block", "zeros", "groups") if k in how}
    weight = Weight(random, how.pop("rows", 8), how.pop("columns", 96), **made)
    shape = how.pop("shape", (5,))
    check(random, weight, shape, **how, bound=1e-2, beside=1e-6, accuracy_level=4)


def test_integer_product_of_a_weight_at_run_time():
    """ONNX Runtime packs constant weights only, and computes with others in floats."""
    random = np.random.default_rng(7)
    check(random, Weight(random, 8, 96), (5,), constant=False, bound=1e-2, accuracy_level=4)


NO_INTEGER_CASES = {
    "float": {"zeros": "float"},
    "groups": {"groups": True},
    "2 bits, small blocks": {"bits": 2, "block": 16},
    "2 bits, large blocks": {"bits": 2, "block": 256, "zeros": "packed"},
}


@pytest.mark.parametrize("case", NO_INTEGER_CASES)
def test_what_has_no_integer_product(case):
    """Is computed in floats, by ONNX Runtime as well."""
    random = np.random.default_rng(4)
    weight = Weight(random, 8, 96, **NO_INTEGER_CASES[case])
    check(random, weight, (5,), bound=1e-6, accuracy_level=4)


def test_integer_product_of_half():
    random = np.random.default_rng(5)
    weight = Weight(random, 8, 96, real=np.float16)
    check(random, weight, (5,), real=np.float16, bound=1e-2, beside=1e-3, accuracy_level=4)


def test_integer_product_of_zeros():
    """A block of zeros has a scale of its own, and no division by zero."""
    weight = Weight(np.random.default_rng(6), 8, 96)
    graph = Graph(21, "com.microsoft")
    x = np.zeros((2, 96), np.float32)
    x[1, 40] = 3
    graph.add("MatMulNBits", x, *weight.operands()[:2], accuracy_level=4, **weight.attributes)
    (ours,), (theirs,) = graph.compiled(), graph.run_by_onnxruntime()
    np.testing.assert_allclose(ours, theirs, rtol=1e-6)


def rounded(x, block):
    """x as ONNX Runtime's kernels read it for accuracy 4: the codes of its blocks, and a scale for each element.

    The factor is 127 / magnitude in f32, which is not always 1 / (magnitude / 127).
    """
    rows, columns = x.reshape(-1, x.shape[-1]).shape
    padded = np.zeros((rows, -(-columns // block), block), np.float32)
    padded.reshape(rows, -1)[:, :columns] = x.reshape(rows, columns)
    magnitude = np.abs(padded).max(-1, keepdims=True)
    with np.errstate(divide="ignore"):
        factor = np.where(magnitude == 0, 0, np.float32(127) / magnitude)
    codes = np.rint(padded * factor)
    scale = np.broadcast_to(magnitude / np.float32(127), codes.shape)
    return tuple(a.reshape(rows, -1)[:, :columns].reshape(x.shape) for a in (codes, scale))


def ties(random, rows, columns, block):
    """Numbers half-way between codes, beside the magnitudes that make the scales."""
    x = random.standard_normal((rows, columns // block, block), np.float32)
    magnitude = np.abs(x).max(-1, keepdims=True)
    halves = (random.integers(-126, 126, x.shape) + 0.5).astype(np.float32)
    tied = halves * (magnitude / np.float32(127))
    return np.where(np.abs(x) == magnitude, x, tied).reshape(rows, columns)


@pytest.mark.every_pair
@pytest.mark.parametrize("rows", [1, 2, 5])
@pytest.mark.parametrize("block", [16, 32, 128])
@pytest.mark.parametrize("order", ["sequential", "any"])
def test_codes_of_input(block, rows, order):
    """A weight with one code other than 0 in each row shows the codes of A."""
    random, columns = np.random.default_rng([block, rows]), 2 * block
    weight = Weight(random, columns, columns, block=block)
    codes = np.full((columns, columns), 8, np.uint8)
    np.fill_diagonal(codes, 9)
    weight.codes = (codes[:, ::2] | codes[:, 1::2] << 4).reshape(weight.codes.shape)
    x = ties(random, rows, columns, block)
    expected, scale = rounded(x, block)
    graph = Graph(21, "com.microsoft")
    operands = [weight.codes, np.ones_like(weight.scale)]
    graph.add("MatMulNBits", x, *operands, constant=True, accuracy_level=4, **weight.attributes)
    (ours,), (theirs,) = graph.compiled(sum_order=order), graph.run_by_onnxruntime()
    np.testing.assert_array_equal(np.rint(theirs / scale), expected)
    np.testing.assert_array_equal(np.rint(ours / scale), expected)
    np.testing.assert_allclose(ours, expected * scale, rtol=1e-6)


#: Bits of codes, block, columns, zero points. Blocks of 16 bytes or more are read for many columns at once.
BLOCKED = [
    (4, 16, 96, None), (4, 32, 96, None), (4, 32, 77, "packed"), (4, 128, 384, "packed"),
    (4, 128, 200, None), (4, 256, 512, "packed"), (4, 1024, 1100, "packed"), (2, 64, 192, "packed"), (2, 32, 96, None),
    (8, 16, 96, None), (8, 32, 96, "packed"), (8, 32, 77, None), (8, 128, 200, "packed"), (8, 256, 512, None),
]  # fmt: skip


def with_rows(case):
    """The rows of x too. Every day few with large blocks, whose loops are unrolled: LLVM takes seconds."""
    if case[1] < 128:
        return [(*case, [1, 3, 4, 16, 64])]
    return [(*case, [1, 64]), pytest.param(*case, [3, 4, 16], marks=pytest.mark.exhaustive)]


@pytest.mark.parametrize("bits, block, columns, zeros, rows", sum(map(with_rows, BLOCKED), []))
@pytest.mark.parametrize("sums", [77, 96])
def test_products_of_codes(bits, block, columns, zeros, rows, sums):
    """Products of codes are added as integers: 77 sums are no whole number of vectors, 96 are, of constants."""
    random = np.random.default_rng([bits, block])
    weight = Weight(random, sums, columns, bits=bits, block=block, zeros=zeros)
    check_rounded(random, weight, [(m,) for m in rows])


def check_rounded(random, weight, shapes, real=np.float32, dynamic=False, bound=3e-7, beside=1e-6, **options):  # fmt: skip
    """Beside products with the rounded x in f64, and ONNX Runtime's."""
    columns, block = weight.exact.shape[1], min(weight.attributes["block_size"], 256)
    graph, inputs = Graph(21, "com.microsoft"), []
    for shape in shapes:
        inputs.append(random.standard_normal((*shape, columns)).astype(real))
        operands = without_trailing([inputs[-1], *weight.operands()])
        graph.add("MatMulNBits", *operands, constant=True, dynamic=(0,) if dynamic else (), accuracy_level=4, **weight.attributes)  # fmt: skip
    results = zip(inputs, graph.compiled(**options), graph.run_by_onnxruntime(), strict=True)
    for x, ours, theirs in results:
        codes, scale = rounded(x, block)
        exact = codes.astype(np.float64) * scale
        size = np.abs(exact) @ np.abs(weight.exact.T)
        assert np.max(np.abs(ours - exact @ weight.exact.T) / size) < bound
        assert np.max(np.abs(ours - theirs.astype(np.float64)) / size) < beside


@pytest.mark.every_value
@pytest.mark.parametrize("bits, zeros", [(4, None), (4, "packed"), (8, "packed")])
@pytest.mark.parametrize("threads, sums, columns", [(1, 256, 256), (2, 256, 256), (2, 2048, 1024)])
def test_products_of_codes_of_open_rows(bits, zeros, threads, sums, columns):
    """The columns of the largest are divided among threads, the rows of the others."""
    random = np.random.default_rng(threads)
    weight = Weight(random, sums, columns, bits=bits, zeros=zeros)
    shapes = [(1,), (4,), (7,), (40,)]
    check_rounded(random, weight, shapes, dynamic=True, sum_order="any", threads=threads)


@pytest.mark.parametrize("zero", [0, 255])
@pytest.mark.parametrize("target", ["native", "x86-64-v3"])
@pytest.mark.parametrize("sums", [77, 96])
def test_products_of_extreme_codes(zero, target, sums):
    """Two products of u8 and i8 do not fit in i16: nothing saturates. All numbers are integers, and exact."""
    columns, block, graph = 128, 32, Graph(21, "com.microsoft")
    random = np.random.default_rng(sums)
    codes = np.repeat(np.array([[0], [255]], np.uint8), [sums // 2, sums - sums // 2], axis=0)
    codes = np.repeat(codes, columns, axis=1)
    codes[::3] = random.choice(np.array([0, 255], np.uint8), codes[::3].shape)
    zeros = np.full((sums, columns // block), zero, np.uint8)
    x = np.repeat(np.array([[127], [-127]], np.float32), columns, axis=1)
    operands = [x, codes.reshape(sums, -1, block), np.ones(zeros.shape, np.float32), zeros]
    graph.add("MatMulNBits", *operands, constant=True, accuracy_level=4, K=columns, N=sums, bits=8, block_size=block)  # fmt: skip
    (ours,) = graph.compiled(target_cpu=target)
    np.testing.assert_array_equal(ours, x @ (codes.astype(np.float32) - zero).T)


def test_products_of_codes_of_batches():
    random = np.random.default_rng(8)
    weight = Weight(random, 80, 96, zeros="packed")
    check_rounded(random, weight, [(2, 3, 5)], sum_order="any")


@pytest.mark.parametrize("zeros", [None, "packed"])
def test_products_of_codes_of_half(zeros):
    random = np.random.default_rng(9)
    weight = Weight(random, 80, 96, zeros=zeros, real=np.float16)
    check_rounded(random, weight, [(5,)], np.float16, bound=5e-4, beside=1e-3, sum_order="any")


@pytest.mark.parametrize("vector_bits", [128, 256, 512])
def test_products_of_codes_in_vectors(vector_bits):
    random = np.random.default_rng(vector_bits)
    weight = Weight(random, 83, 160, zeros="packed")
    check_rounded(random, weight, [(6,)], sum_order="any", vector_bits=vector_bits)


def test_integer_contractions_of_accuracy():
    """As a contraction of codes, block by block in their order where no instruction adds products of bytes."""
    random = np.random.default_rng(10)
    weight = Weight(random, 80, 96, zeros="packed")
    check_rounded(random, weight, [(5,)], integer_contractions="profile")
    check_rounded(random, weight, [(5,)], integer_contractions="profile", without="byte-dots")
    check_rounded(random, weight, [(5,)], sum_order="lanes")


@pytest.mark.proves(SYSTEM, "MatMulBnb4", against=AGAINST, granularity="block", storage="ui4")
@pytest.mark.parametrize("kind", [0, 1])
@pytest.mark.parametrize("shape, rows, columns, block", [((5,), 8, 96, 32), ((2, 3), 6, 40, 16), ((1,), 64, 64, 64)])  # fmt: skip
def test_matmul_bnb4(shape, rows, columns, block, kind):
    """The values of the codes are ONNX Runtime's: a product with the identity."""
    attributes = {"block_size": block, "quant_type": kind}
    every = np.array([2 * i << 4 | 2 * i + 1 for i in range(8)], np.uint8)
    graph = Graph(21, "com.microsoft")
    graph.add("MatMulBnb4", np.eye(16, dtype=np.float32), every, np.ones(1, np.float32), K=16, N=1, block_size=16, quant_type=kind)  # fmt: skip
    (ours,), (table,) = graph.compiled(), graph.run_by_onnxruntime()
    np.testing.assert_array_equal(ours, table)

    random = np.random.default_rng(rows)
    codes = random.integers(0, 256, rows * columns // 2, np.uint8)
    absmax = random.uniform(0.01, 1, rows * columns // block).astype(np.float32)
    x = random.normal(size=(*shape, columns)).astype(np.float32)
    graph = Graph(21, "com.microsoft")
    graph.add("MatMulBnb4", x, codes, absmax, constant=(1, 2), K=columns, N=rows, **attributes)
    (ours,), (theirs,) = graph.compiled(), graph.run_by_onnxruntime()
    places = np.stack([codes >> 4, codes & 15], -1).ravel()
    weight = (table.ravel()[places] * absmax.repeat(block)).reshape(rows, columns)
    size = abs(x.astype(np.float64)) @ abs(weight.T.astype(np.float64))
    for result in (ours, theirs):
        assert np.max(abs(result - x.astype(np.float64) @ weight.T.astype(np.float64)) / size) < 1e-6  # fmt: skip
