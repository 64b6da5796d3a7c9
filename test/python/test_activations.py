# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Floats that `activations` rounds beside dequantized weights, against NumPy and the gguf package."""

import gguf
import numpy as np
import pytest
from kernels import same
from weight_products import HALVES, as_argument, dequantized, product, random_blocks, write

from mlir_qdq import importers, runtime

Q8_0 = gguf.GGMLQuantizationType.Q8_0


def blocks(x, block):
    """By blocks of `block` along the last dimension, of which the last may be short."""
    padded = np.zeros((len(x), -(-x.shape[1] // block) * block), np.float32)
    padded[:, : x.shape[1]] = x
    parts = padded.reshape(len(x), -1, block)
    scale = np.abs(parts).max(-1, keepdims=True) / np.float32(127)
    codes = np.rint(parts / np.where(scale == 0, np.float32(1), scale))
    return (codes.astype(np.float32) * scale).reshape(padded.shape)[:, : x.shape[1]]


def q8_0(x):
    return gguf.quants.dequantize(gguf.quants.quantize(x, Q8_0), Q8_0)


def hard(random, rows, columns):
    """Ties, zeros of both signs, blocks of zeros, and magnitudes from 1e-3 to 1e3."""
    x = random.standard_normal((rows, columns // 32, 32)).astype(np.float32)
    x *= 10 ** random.uniform(-3, 3, (rows, columns // 32, 1)).astype(np.float32)
    most = np.abs(x).max(-1, keepdims=True)
    halves = (random.integers(-126, 126, x.shape) + 0.5).astype(np.float32)
    x = np.where((np.abs(x) != most) & (random.random(x.shape) < 0.5), halves * (most / np.float32(127)), x)  # fmt: skip
    x[:, 1] = 0
    x[:, 2, ::3] = -0.0
    return x.reshape(rows, columns)


def identity(columns: int, block: int) -> str:
    """x times the identity, whose codes and scales are arguments: x as the product reads it."""
    w, s = f"tensor<{columns}x{columns}x", f"tensor<{columns}x{-(-columns // block)}xf32>"
    y = f"tensor<?x{columns}xf32>"
    return f"""
    func.func @main(%x: {y}, %q: {w}i8>, %s: {s}, %init: {y}) -> {y} {{
      %w = qdq.dequantize %q scale %s block_shape [1, {block}] : ({w}i8>, {s}) -> {w}f32>
      %r = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
        ins(%x, %w : {y}, {w}f32>) outs(%init : {y}) -> {y}
      return %r : {y}
    }}"""


@pytest.mark.parametrize("activations, block, columns", [("blocks", 32, 128), ("blocks", 64, 160), ("q8-0", 64, 128)])  # fmt: skip
def test_rounded_numbers(activations, block, columns):
    random = np.random.default_rng(columns)
    x = hard(random, 5, columns)
    scale = np.ones((columns, -(-columns // block)), np.float32)
    run = runtime.compile(identity(columns, block), activations=activations).main
    got = np.asarray(run(x, np.eye(columns, dtype=np.int8), scale, np.zeros_like(x)))
    expected = q8_0(x) if activations == "q8-0" else blocks(x, block)
    assert same(got, expected + 0.0).all()  # sums begin at 0


@pytest.mark.parametrize(
    "kind, rows, is_argument",
    [(kind, rows, False) for kind in ["Q4_0", "Q4_1", "Q8_0", "Q4_K", "MXFP4"] for rows in (1, 6)]
    + [(kind, 3, True) for kind in HALVES],
)
def test_products_of_q8_0(kind, rows, is_argument, tmp_path):
    """The codes of x are those of ggml's Q8_0, and their products with the weight are added in any order."""
    random, n, k = np.random.default_rng([rows, len(kind)]), 80, 512
    raw = random_blocks(random, kind, n, k, lambda shape: random.uniform(1e-3, 1e-2, shape))
    path, weight = write(tmp_path / "w.gguf", kind, raw), dequantized(kind, raw).astype(np.float64)
    x = random.standard_normal((rows, k), np.float32)
    module = product(importers.gguf.import_file(path), rows, n, k)
    given = [raw.reshape(-1, raw.shape[-1]).view(np.int8)] if is_argument else []
    if is_argument:
        module = as_argument(module)
    run = runtime.compile(module, sum_order="any", activations="q8-0").main
    rounded = q8_0(x).astype(np.float64)
    error = np.abs(np.asarray(run(x, *given)) - rounded @ weight.T)
    assert np.max(error / (np.abs(rounded) @ np.abs(weight.T))) < 3e-7


def test_unknown_format():
    with pytest.raises(ValueError, match="activations"):
        runtime.compile("func.func @f() { return }", activations="q9")
