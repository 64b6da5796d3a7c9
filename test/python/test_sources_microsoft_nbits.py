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


@pytest.mark.parametrize("case", ["float", "groups"])
def test_what_has_no_integer_product(case):
    """Is computed in floats, by ONNX Runtime as well."""
    random, how = np.random.default_rng(4), dict(CASES[case])
    weight = Weight(random, 8, 96, **how)
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
