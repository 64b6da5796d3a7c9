# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GatherBlockQuantized of ONNX Runtime, compiled, bit by bit beside it."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from onnx_graph import Graph, without_trailing

from mlir_qdq import runtime
from mlir_qdq.importers.onnx import import_model

SYSTEM = "ONNX Runtime com.microsoft"
DTYPES = {
    "i4": ml_dtypes.int4, "ui4": ml_dtypes.uint4, "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2, "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
}  # fmt: skip
#: The table's rows by index: from both ends, twice, and beyond both.
INDICES = [0, 4, -1, 2, 2, -5, 5, -6, 10**9, -(10**9)]


def codes(random, storage, shape):
    dtype = DTYPES[storage]
    if storage.startswith("f8"):
        return random.integers(0, 256, shape).astype(np.uint8).view(dtype)
    info = ml_dtypes.iinfo(dtype)
    return random.integers(info.min, info.max, shape, endpoint=True).astype(dtype)


def add(graph, data, indices, scales, zero_points=None, dynamic=False, **attributes):
    operands = without_trailing([data, indices, scales, zero_points])
    constant = tuple(p for p in range(len(operands)) if p != 1)
    graph.add("GatherBlockQuantized", *operands, constant=constant, dynamic=dynamic, **attributes)


def check(graph, **options):
    graph.check(graph.run_by_onnxruntime(), **options)


def scales_of(random, shape, dtype=np.float32):
    return np.asarray(random.uniform(0.01, 2, shape)).astype(dtype)


@pytest.mark.proves(SYSTEM, "GatherBlockQuantized", against="ONNX Runtime", granularity="block", storage="ui2, ui4, ui8")  # fmt: skip
@pytest.mark.parametrize("bits", [2, 4, 8])
def test_bytes(bits):
    """Codes in bytes along the last dimension, with short last blocks and bytes of zero points that are not full."""
    random, graph = np.random.default_rng(bits), Graph(21, "com.microsoft")
    for columns, block in ((16, 16), (48, 16), (64, 32), (80, 32), (8, 128)):
        blocks = -(-columns // block)
        for real in (np.float32, np.float16):
            data = random.integers(0, 256, (5, columns * bits // 8), np.uint8)
            zeros = random.integers(0, 256, (5, -(-blocks * bits // 8)), np.uint8)
            for zero_points in (None, zeros):
                add(graph, data, np.array(INDICES), scales_of(random, (5, blocks), real), zero_points, bits=bits, block_size=block)  # fmt: skip
    check(graph)


@pytest.mark.parametrize("shape", [(), (1,), (0,), (3,), (2, 3), (1, 2, 2)])
def test_shapes_of_indices(shape):
    random, graph = np.random.default_rng(7), Graph(21, "com.microsoft")
    data = random.integers(0, 256, (5, 3, 8), np.uint8)
    for dtype in (np.int64, np.int32):
        for dynamic in (False, (1,)):
            indices = random.integers(-5, 5, shape).astype(dtype)
            zeros = random.integers(0, 256, (5, 3, 1), np.uint8)
            add(graph, data, indices, scales_of(random, (5, 3, 1)), zeros, dynamic=dynamic, quantize_axis=2, block_size=16)  # fmt: skip
    check(graph)


@pytest.mark.proves(SYSTEM, "GatherBlockQuantized", against="ONNX Runtime", granularity="block", storage="i4, ui4")  # fmt: skip
@pytest.mark.parametrize("storage", ["i4", "ui4"])
def test_axes(storage):
    """Every pair of axes, the same one too, counted from both ends."""
    random, graph = np.random.default_rng(3), Graph(21, "com.microsoft")
    for gather_axis in range(-3, 3):
        for quantize_axis in range(3):
            shape = [5, 6, 7]
            shape[gather_axis] = 5
            shape[quantize_axis] = 5 if quantize_axis == gather_axis % 3 else 40
            blocks = list(shape)
            blocks[quantize_axis] = -(-shape[quantize_axis] // 16)
            zeros = codes(random, storage, blocks)
            for zero_points in (None, zeros):
                add(graph, codes(random, storage, shape), np.array([[1, -1], [9, 0]]), scales_of(random, blocks), zero_points, gather_axis=gather_axis, quantize_axis=quantize_axis, block_size=16)  # fmt: skip
    check(graph)


@pytest.mark.proves(SYSTEM, "GatherBlockQuantized", against="ONNX Runtime", granularity="block", storage="f8E4M3FN, f8E4M3FNUZ, f8E5M2, f8E5M2FNUZ")  # fmt: skip
@pytest.mark.parametrize("storage", [name for name in DTYPES if name.startswith("f8")])
def test_floats(storage):
    """Every code; scales for all rows, for blocks, and for the whole dimension."""
    random, graph = np.random.default_rng(5), Graph(21, "com.microsoft")
    every = np.arange(256, dtype=np.uint8).view(DTYPES[storage]).reshape(4, 64)
    for shape, block in (((4, 4), 16), ((1, 2), 32), ((4, 1), 0), ((1, 1), 0)):
        for real in (np.float32, np.float16):
            add(graph, every, np.array([3, 1, -4, 0, 2, 7]), scales_of(random, shape, real), block_size=block)  # fmt: skip
    check(graph)


def test_empty_tables():
    """A table without rows gives zeros for all indices, one without columns nothing."""
    graph = Graph(21, "com.microsoft")
    add(graph, np.zeros((0, 8), np.uint8), np.array([0, 3]), np.zeros((0, 1), np.float32), block_size=16)  # fmt: skip
    add(graph, np.zeros((3, 0), np.uint8), np.array([0, 2]), np.zeros((3, 0), np.float32), block_size=16)  # fmt: skip
    zeros = [np.zeros((2, 16), np.float32), np.zeros((2, 0), np.float32)]
    graph.check(zeros)


def test_bfloat16_scales():
    """Allowed, and no kernel of ONNX Runtime's for CPUs: the product in f32, rounded once."""
    random, graph = np.random.default_rng(9), Graph(21, "com.microsoft")
    data = random.integers(0, 256, (5, 16), np.uint8)
    scales = scales_of(random, (5, 2), ml_dtypes.bfloat16)
    add(graph, data, np.array([4, 0, -2]), scales, block_size=16)
    nibbles = np.stack([data & 15, data >> 4], axis=-1).reshape(5, 32).astype(np.float32) - 8
    exact = nibbles * np.repeat(scales.astype(np.float32), 16, axis=1)
    (got,) = (runtime.compile(import_model(graph.model())).graph(*graph.arrays.values()),)
    np.testing.assert_array_equal(
        np.asarray(got).view(np.uint16),
        exact.astype(ml_dtypes.bfloat16)[[4, 0, 3]].view(np.uint16),
    )
