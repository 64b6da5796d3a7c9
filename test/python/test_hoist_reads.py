# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scales and zero points that are read before loops: ranks, sizes of none, tails, threads, prefetches, against the NumPy reference."""

import itertools

import numpy as np
import pytest
from kernels import Kernel, same

from mlir_qdq import runtime

SHAPES = [(), (0,), (130,), (3, 0), (0, 40), (5, 64), (7, 33), (2, 3, 67), (2, 0, 3, 5), (2, 1, 2, 3, 70)]  # fmt: skip


def check(compiled, kernels, random) -> None:
    for i, kernel in enumerate(kernels):
        given = [a for a in kernel.arguments(random) if a is not None]
        with np.errstate(all="ignore"):
            expected, defined = kernel.expected(*given)
        found = compiled[f"f{i}"](*given)
        assert same(np.asarray(found), expected, defined).all(), kernel


@pytest.mark.parametrize("options", [{}, {"stream_bytes": 1}, {"threads": 2}, {"without": "saturating-packs"}])  # fmt: skip
@pytest.mark.parametrize("operation", ["dequantize", "quantize"])
def test_shapes(operation, options):
    random = np.random.default_rng(0)
    kernels = [
        Kernel(operation, storage, "f32", "f32", shape, zero_point=zero, axis=axis, dynamic=dynamic)
        for shape, (storage, zero), dynamic in itertools.product(SHAPES, [("i8", None), ("ui8", "ui8")], [False, True])
        for axis in {None, *range(len(shape))}
    ]  # fmt: skip
    text = "".join(kernel.text(f"f{i}") for i, kernel in enumerate(kernels))
    check(runtime.compile(text, **options), kernels, random)


@pytest.mark.parametrize("storage", ["i4", "i8", "f8E4M3FN"])
def test_blocks(storage):
    random = np.random.default_rng(1)
    kernels = [
        Kernel(operation, storage, "f32", "f32", (6, columns), block_shape=(1, 32), dynamic=dynamic)
        for operation, columns, dynamic in itertools.product(["dequantize", "quantize"], [0, 64, 90, 96], [False, True])
    ]  # fmt: skip
    text = "".join(kernel.text(f"f{i}") for i, kernel in enumerate(kernels))
    for options in ({}, {"stream_bytes": 1}):
        check(runtime.compile(text, **options), kernels, random)
