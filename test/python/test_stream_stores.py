# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stores past the caches: the same results at every address, size and type; nothing beside them is written."""

import ml_dtypes
import numpy as np
import pytest

from mlir_qdq import runtime

#: As the run sees them: of the second, no row but the first begins at a multiple of 16 bytes.
SHAPES = [(8, 64), (5, 67), (1, 16), (3, 15), (0, 64)]


def shifted(shape, dtype, offset: int):
    """An array whose first byte is `offset` bytes past a multiple of 64, and the bytes of its memory around it."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    memory = np.full(size + 192, 0xA5, np.uint8)
    start = -memory.ctypes.data % 64 + 64 + offset
    return memory[start : start + size].view(dtype).reshape(shape), memory


def check(compiled, x, parameters, expected):
    size = expected.dtype.itemsize
    for offset in {0, size, 8, 16, 32, 64 - size}:
        out, memory = shifted(expected.shape, expected.dtype, offset)
        around = memory.copy()
        compiled.f(x, *parameters, out=out)
        assert out.tobytes() == expected.tobytes()
        out.view(np.uint8)[...] = around[0]
        np.testing.assert_array_equal(memory, around)


@pytest.mark.every_pair
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("sizes", ["static", "dynamic"])
@pytest.mark.parametrize("real", [np.float16, ml_dtypes.bfloat16, np.float32, np.float64])
def test_dequantize(shape, sizes, real):
    name = {"float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64"}[
        np.dtype(real).name
    ]
    x = np.arange(np.prod(shape)).astype(np.int8).reshape(shape)
    spelled = "x".join(map(str, shape)) if sizes == "static" else "?x?"
    compiled = runtime.compile(
        f"func.func @f(%x: tensor<{spelled}xi8>, %s: {name}) -> tensor<{spelled}x{name}> {{\n"
        f"  %y = qdq.dequantize %x scale %s : (tensor<{spelled}xi8>, {name}) -> tensor<{spelled}x{name}>\n"
        f"  return %y : tensor<{spelled}x{name}>\n}}",
        stream_bytes=1,
    )
    check(compiled, x, [real(0.5)], (x.astype(np.float64) * 0.5).astype(real))


@pytest.mark.every_pair
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("sizes", ["static", "dynamic"])
@pytest.mark.parametrize("storage", [np.int8, np.uint16])
def test_quantize(shape, sizes, storage):
    name = {"int8": "i8", "uint16": "ui16"}[np.dtype(storage).name]
    x = np.linspace(-70, 70, int(np.prod(shape)), dtype=np.float32).reshape(shape)
    x.reshape(-1)[3:6] = [np.nan, np.inf, -np.inf][: x.size]
    spelled = "x".join(map(str, shape)) if sizes == "static" else "?x?"
    compiled = runtime.compile(
        f"func.func @f(%x: tensor<{spelled}xf32>, %s: f32) -> tensor<{spelled}x{name}> {{\n"
        f"  %y = qdq.quantize %x scale %s : (tensor<{spelled}xf32>, f32) -> tensor<{spelled}x{name}>\n"
        f"  return %y : tensor<{spelled}x{name}>\n}}",
        stream_bytes=1,
    )
    bounds = np.iinfo(storage)
    codes = np.nan_to_num(np.rint(x.astype(np.float64) / 0.25), nan=-np.inf)
    check(compiled, x, [np.float32(0.25)], np.clip(codes, bounds.min, bounds.max).astype(storage))


@pytest.mark.parametrize("threads", [1, 2])
def test_packed_blocks(threads):
    """i4 in blocks of 32: two codes a byte, the first one low."""
    random = np.random.default_rng(0)
    x = random.integers(0, 256, 64 * 32, np.uint8)
    s = random.uniform(0.1, 2, (64, 2)).astype(np.float32)
    compiled = runtime.compile(
        "func.func @f(%x: tensor<64x64xi4>, %s: tensor<64x2xf32>) -> tensor<64x64xf32> {\n"
        "  %y = qdq.dequantize %x scale %s block_shape [1, 32] : (tensor<64x64xi4>, tensor<64x2xf32>) -> tensor<64x64xf32>\n"
        "  return %y : tensor<64x64xf32>\n}",
        stream_bytes=1,
        threads=threads,
    )
    nibbles = np.stack([x & 15, x >> 4], -1).astype(np.int8).reshape(64, 2, 32)
    codes = np.where(nibbles > 7, nibbles - 16, nibbles).astype(np.float32)
    check(compiled, x, [s], (codes * s[..., None]).reshape(64, 64))


def test_requantized_chain():
    """A result that a later loop reads at once."""
    compiled = runtime.compile(
        "func.func @f(%x: tensor<?xf32>, %s: f32) -> tensor<?xf32> {\n"
        "  %q = qdq.quantize %x scale %s : (tensor<?xf32>, f32) -> tensor<?xi8>\n"
        "  %y = qdq.dequantize %q scale %s : (tensor<?xi8>, f32) -> tensor<?xf32>\n"
        "  return %y : tensor<?xf32>\n}",
        stream_bytes=1,
    )
    x = np.linspace(-100, 100, 1000, dtype=np.float32)
    codes = np.clip(np.rint(x / 0.5), -128, 127).astype(np.int8)
    check(compiled, x, [np.float32(0.5)], np.float32(0.5) * codes)
