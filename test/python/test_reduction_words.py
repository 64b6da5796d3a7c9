# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products with codes that are read in words, in any order: sums that no order rounds, so that every bit is known."""

import ml_dtypes
import numpy as np
import pytest
from test_sub_byte import random_codes

from mlir_qdq import reference, runtime

REAL = dict(f32=np.float32, f16=np.float16, bf16=ml_dtypes.bfloat16)


def source(m, n, k, block, storage, expressed, dynamic):
    """y + x @ w.T, with w [n, k] in blocks along k."""
    rows, sums = ("?", "?") if dynamic else (m, n)
    w = f"tensor<{sums}x{k}x"
    s, x = f"tensor<{sums}x{k // block}x{expressed}>", f"tensor<{rows}x{k}x{expressed}>"
    y = f"tensor<{rows}x{sums}xf32>"
    return f"""
    func.func @main(%w: {w}{storage}>, %s: {s}, %x: {x}, %y: {y}) -> {y} {{
      %d = qdq.dequantize %w scale %s block_shape [1, {block}] : ({w}{storage}>, {s}) -> {w}{expressed}>
      %r = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
        ins(%x, %d : {x}, {w}{expressed}>) outs(%y : {y}) -> {y}
      return %r : {y}
    }}"""


def inputs(m, n, k, block, storage, expressed):
    """Small integers, and scales that are powers of two: at most 2^23 in all, in steps of 1/4."""
    random = np.random.default_rng(n)
    w = random_codes((n, k), storage)
    s = random.choice([0.5, 1, 2], (n, k // block)).astype(REAL[expressed])
    x = random.integers(-8, 9, (m, k)).astype(REAL[expressed])
    y = random.integers(-100, 100, (m, n)).astype(np.float32)
    weight = reference.dequantize(
        w, s, block_shape=[1, block], storage=storage, expressed=REAL[expressed]
    )
    return (w, s, x, y), y + x.astype(np.float64) @ weight.astype(np.float64).T


@pytest.mark.every_pair
@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("m, n", [(1, 16), (5, 37), (16, 20)])
@pytest.mark.parametrize("block", [8, 16, 32, 64, 128, 256, 384])
@pytest.mark.parametrize("storage", ["i4", "ui4", "i2", "ui2", "f4E2M1FN"])
def test_exact_sums(storage, block, m, n, dynamic):
    k = 768
    given, expected = inputs(m, n, k, block, storage, "f32")
    text = source(m, n, k, block, storage, "f32", dynamic)
    got = np.asarray(runtime.compile(text, sum_order="any").main(*given))
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("expressed", ["f16", "bf16"])
@pytest.mark.parametrize("block", [32, 128])
def test_narrow_reals(block, expressed):
    given, expected = inputs(3, 24, 512, block, "i4", expressed)
    text = source(3, 24, 512, block, "i4", expressed, False)
    got = np.asarray(runtime.compile(text, sum_order="any").main(*given))
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("threads", [1, 2])
def test_special_values(threads):
    """An infinity of x reaches the sums with a weight that is not 0, which makes it NaN; a NaN reaches all, and so does one of a scale its row."""
    (w, s, x, y), _ = inputs(3, 20, 256, 32, "i4", "f32")
    w, s = w.copy(), s.copy()
    w[:], w[1] = 3, 0
    s[4, 6] = np.nan
    x[0, 131], x[1, 7] = np.inf, np.nan
    text = source(3, 20, 256, 32, "i4", "f32", False)
    got = np.asarray(runtime.compile(text, sum_order="any", threads=threads).main(w, s, x, y))
    assert np.isposinf(np.delete(got[0], [1, 4])).all() and np.isnan(got[0, [1, 4]]).all()
    assert np.isnan(got[1]).all()
    assert np.isfinite(np.delete(got[2], 4)).all() and np.isnan(got[2, 4])


def test_unaligned_words():
    """Words need no alignment."""
    (w, s, x, y), expected = inputs(2, 16, 256, 32, "i4", "f32")
    codes = np.asarray(w).astype(np.uint8).reshape(-1, 2) & 15
    packed = np.zeros(codes.shape[0] + 3, np.uint8)[3:]
    packed[:] = codes[:, 0] | codes[:, 1] << 4
    text = source(2, 16, 256, 32, "i4", "f32", False)
    got = np.asarray(runtime.compile(text, sum_order="any").main(packed, s, x, y))
    np.testing.assert_array_equal(got, expected)
