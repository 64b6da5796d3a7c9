# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of codes with block floating point: what x becomes, against NumPy, sums that nothing rounds, and numbers that it cannot hold."""

import itertools

import ml_dtypes
import numpy as np
import pytest
from mlir import ir
from target_features import has
from test_reduction_words import inputs, source

from mlir_qdq import runtime

BLOCK = 32


@pytest.fixture(autouse=True)
def _machine():
    if not has("avx2"):
        pytest.skip("no AVX2 here: lit checks the IR")


def run(text, *arguments, **options):
    return np.asarray(runtime.compile(text, block_floating_point=True, **options).main(*arguments))


def in_blocks(x, block=BLOCK):
    """Numbers as the pass says: multiples of 2^-22 of the power of two in the largest of a block, or of the next one if that is less than a 128th away."""
    parts = x.astype(np.float64).reshape(*x.shape[:-1], -1, block)
    largest = np.abs(parts).max(axis=-1, keepdims=True)
    power = np.exp2(np.floor(np.log2(np.where(largest == 0, 1, largest))))
    unit = np.where(largest < power * (2 - 2**-6), power, 2 * power) * 2.0**-22
    return (np.rint(parts / unit) * unit).reshape(x.shape)


def through_identity(x, code=1, **options):
    """x [m, k] times `code` times a unit matrix."""
    m, k = x.shape
    w = (code * np.eye(k)).astype(ml_dtypes.int4)
    s, y = np.ones((k, k // BLOCK), np.float32), np.zeros((m, k), np.float32)
    return run(source(m, k, k, BLOCK, "i4", "f32", False), w, s, x, y, **options)


@pytest.mark.every_value
@pytest.mark.parametrize("m, n", [(1, 64), (2, 101)])
@pytest.mark.parametrize("block", [8, 16, 32, 64, 128, 256, 384, 768])
@pytest.mark.parametrize("storage", ["i4", "ui4", "i2", "ui2", "f4E2M1FN"])
@pytest.mark.parametrize("vector_bits", [512, 256])
def test_exact_sums(storage, block, m, n, vector_bits):
    given, expected = inputs(m, n, 768, block, storage, "f32")
    text = source(m, n, 768, block, storage, "f32", False)
    np.testing.assert_array_equal(run(text, *given, vector_bits=vector_bits), expected)


@pytest.mark.parametrize("storage", ["i4", "ui4"])
def test_largest_sums(storage):
    """Every code and every integer as large as can be: a lane of i32 has room."""
    k = 256
    for code in (-8, 7) if storage == "i4" else (15,):
        for x in (1.984375, -1.984375, 1.98437488079071044921875, 1.9999998807907104):
            w = np.full((64, k), code).astype(ml_dtypes.int4 if code < 8 else ml_dtypes.uint4)
            s = np.ones((64, k // 32), np.float32)
            xs, y = np.full((1, k), x, np.float32), np.zeros((1, 64), np.float32)
            got = run(source(1, 64, k, 32, storage, "f32", False), w, s, xs, y)
            # Lanes are added up in f32.
            np.testing.assert_allclose(got, in_blocks(xs)[0, 0] * k * code, rtol=2e-7)


@pytest.mark.parametrize("code", [1, -1, -8, 4])
def test_rounding(code):
    """Each number by itself: a block of every size of headroom, ties, and digits that carry."""
    random = np.random.default_rng(8 + code)
    x = random.standard_normal((2, 512)).astype(np.float32)
    x[:, ::7] *= np.exp2(random.integers(-30, 1, x[:, ::7].shape)).astype(np.float32)
    ends = [1, 1.98, 2 - 2**-6, np.nextafter(np.float32(2 - 2**-6), np.float32(0)), 2 - 2**-23]
    digits = [127, 128, 129, 255, 256, 32639, 32640, 32767, 32768, 0x7F7F7F - 0x400000, 3]
    for row, sign in enumerate((1, -1)):
        x[row, 0 : 32 * len(ends) : 32] = [sign * end for end in ends]
        x[row, 192] = 1
        x[row, 193 : 193 + len(digits)] = np.float32(digits) * sign * np.float32(2.0**-22)
        x[row, 224] = 1
        x[row, 225:240] = np.arange(1, 31, 2) * sign * np.float32(2.0**-23)
    np.testing.assert_array_equal(through_identity(x, code), code * in_blocks(x))


def test_random_sums():
    """The error of x is a part of the largest number in its block; sums add what f32 adds."""
    random = np.random.default_rng(5)
    k, n = 1024, 64
    w = random.integers(-8, 8, (n, k)).astype(ml_dtypes.int4)
    s = random.uniform(1e-3, 1e3, (n, k // 32)).astype(np.float32)
    x = random.standard_normal((2, k)) * np.exp2(random.integers(-20, 20, (2, k)))
    x, y = x.astype(np.float32), random.standard_normal((2, n)).astype(np.float32)
    got = run(source(2, n, k, 32, "i4", "f32", False), w, s, x, y)
    weight = w.astype(np.float64) * np.repeat(s.astype(np.float64), 32, axis=1)
    largest = np.repeat(np.abs(x.reshape(2, -1, 32)).max(-1), 32, axis=1).astype(np.float64)
    bound = 2**-22.9 * largest @ np.abs(weight).T
    terms = np.abs(x).astype(np.float64) @ np.abs(weight).T + np.abs(y)
    error = np.abs(got - (y + x.astype(np.float64) @ weight.T))
    assert (error <= bound + 40 * 2.0**-24 * terms).all()


@pytest.mark.parametrize("exponent", [-100, 0, 119])
def test_ends_of_range(exponent):
    """The smallest and the largest blocks that are held."""
    x = np.zeros((1, 128), np.float32)
    x[0, :3] = np.ldexp(np.float32([1, 2.0**-23, 3 * 2.0**-23]), exponent)
    x[0, 63] = np.ldexp(np.float32(2 - 2**-23), exponent) if exponent > -100 else 0
    np.testing.assert_array_equal(through_identity(x), in_blocks(x))


@pytest.mark.parametrize("x", [2.0**120 - 2.0**96, 2.0**120 - 2.0**114 - 2.0**97])
def test_largest_terms(x):
    """What a lane adds up is a number of f32 before it is scaled, too."""
    w = np.full((64, 128), 15).astype(ml_dtypes.uint4)
    s, y = np.full((64, 4), 2.0**-20, np.float32), np.zeros((1, 64), np.float32)
    xs = np.full((1, 128), x, np.float32)
    got = run(source(1, 64, 128, 32, "ui4", "f32", False), w, s, xs, y)
    np.testing.assert_allclose(got, in_blocks(xs)[0, 0] * 128 * 15 * 2.0**-20, rtol=2e-7)


@pytest.mark.parametrize("outside", [2.0**120, np.inf, -np.inf, np.nan, 2.0**-101, 2.0**-149])
def test_outside(outside):
    """A number that is not held, anywhere: the sums of floats."""
    random = np.random.default_rng(1)
    x = random.standard_normal((2, 128)).astype(np.float32)
    x[1, 64:96] = 0
    x[1, 77] = outside
    w = random.integers(1, 8, (64, 128)).astype(ml_dtypes.int4)
    s = random.uniform(0.5, 1, (64, 4)).astype(np.float32)
    y = np.zeros((2, 64), np.float32)
    text = source(2, 64, 128, 32, "i4", "f32", False)
    got, plain = run(text, w, s, x, y), runtime.compile(text, sum_order="any").main(w, s, x, y)
    np.testing.assert_array_equal(got.view(np.uint32), np.asarray(plain).view(np.uint32))
    if not abs(outside) < np.inf:
        np.testing.assert_array_equal(got[1], np.full(64, outside, np.float32))
        assert np.isfinite(got[0]).all()


def test_special_scales():
    """NaN and infinities of scales reach the sums of their rows."""
    (w, s, x, y), expected = inputs(1, 64, 256, 32, "i4", "f32")
    s, w = s.copy(), np.asarray(w).copy()
    s[3, 5], s[9, 0] = np.nan, np.inf
    w[9, :32] = np.where(x[0, :32] < 0, -1, 1)  # a sum above 0
    got = run(source(1, 64, 256, 32, "i4", "f32", False), w, s, x, y)
    assert np.isnan(got[0, 3]) and np.isposinf(got[0, 9])
    others = np.delete(np.arange(64), [3, 9])
    np.testing.assert_array_equal(got[0, others], expected[0, others])


def test_zeros():
    given = list(inputs(2, 64, 256, 32, "i4", "f32")[0])
    given[2] = np.zeros_like(given[2])
    np.testing.assert_array_equal(run(source(2, 64, 256, 32, "i4", "f32", False), *given), given[3])


@pytest.mark.parametrize("narrow", ["f16", "bf16", "f8E8M0FNU"])
def test_narrow_scales(narrow):
    """Scales that the body widens, each with its block."""
    k, n = 256, 64
    dtype = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f8E8M0FNU": ml_dtypes.float8_e8m0fnu}
    random = np.random.default_rng(3)
    w = random.integers(-8, 8, (n, k)).astype(ml_dtypes.int4)
    s = np.exp2(random.integers(-2, 3, (n, k // 32))).astype(dtype[narrow])
    x = random.integers(-8, 9, k).astype(np.float32)
    text = f"""
    func.func @main(%w: tensor<{n}x{k}xi4>, %s: tensor<{n}x{k // 32}x{narrow}>, %x: tensor<{k}xf32>, %y: tensor<{n}xf32>) -> tensor<{n}xf32> {{
      %d = qdq.dequantize %w scale %s block_shape [1, 32] : (tensor<{n}x{k}xi4>, tensor<{n}x{k // 32}x{narrow}>) -> tensor<{n}x{k}xf32>
      %r = linalg.matvec ins(%d, %x : tensor<{n}x{k}xf32>, tensor<{k}xf32>) outs(%y : tensor<{n}xf32>) -> tensor<{n}xf32>
      return %r : tensor<{n}xf32>
    }}"""
    weight = w.astype(np.float64) * np.repeat(s.astype(np.float64), 32, axis=1)
    got = run(text, w, s, x, np.zeros(n, np.float32))
    np.testing.assert_array_equal(got, weight @ x.astype(np.float64))


@pytest.mark.parametrize("zero_point", [0, 5, 8, 15])
def test_constant_zero_point(zero_point):
    k, n = 256, 64
    random = np.random.default_rng(zero_point)
    w = random.integers(0, 16, (n, k)).astype(ml_dtypes.uint4)
    s = np.exp2(random.integers(-2, 3, (n, k // 32))).astype(np.float32)
    x = random.integers(-8, 9, k).astype(np.float32)
    text = f"""
    func.func @main(%w: tensor<{n}x{k}xui4>, %s: tensor<{n}x{k // 32}xf32>, %x: tensor<{k}xf32>, %y: tensor<{n}xf32>) -> tensor<{n}xf32> {{
      %z = arith.constant dense<{zero_point}> : tensor<{n}x{k // 32}xui4>
      %d = qdq.dequantize %w scale %s zero_point %z block_shape [1, 32] : (tensor<{n}x{k}xui4>, tensor<{n}x{k // 32}xf32>, tensor<{n}x{k // 32}xui4>) -> tensor<{n}x{k}xf32>
      %r = linalg.matvec ins(%d, %x : tensor<{n}x{k}xf32>, tensor<{k}xf32>) outs(%y : tensor<{n}xf32>) -> tensor<{n}xf32>
      return %r : tensor<{n}xf32>
    }}"""
    weight = (w.astype(np.float64) - zero_point) * np.repeat(s.astype(np.float64), 32, axis=1)
    got = run(text, w, s, x, np.zeros(n, np.float32))
    np.testing.assert_array_equal(got, weight @ x.astype(np.float64))


def with_zero_points(m, n, k, block, storage="ui4", element=None):
    weight, blocks = f"tensor<{n}x{k}x", f"tensor<{n}x{k // block}x"
    x, y, zero_point = f"tensor<{m}x{k}xf32>", f"tensor<{m}x{n}xf32>", element or storage
    domain = " in <expressed>" if element == "f32" else ""
    return f"""
    func.func @main(%w: {weight}{storage}>, %s: {blocks}f32>, %z: {blocks}{zero_point}>, %x: {x}) -> {y} {{
      %d = qdq.dequantize %w scale %s zero_point %z{domain} block_shape [1, {block}] : ({weight}{storage}>, {blocks}f32>, {blocks}{zero_point}>) -> {weight}f32>
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : {y}
      %f = linalg.fill ins(%zero : f32) outs(%e : {y}) -> {y}
      %r = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
        ins(%x, %d : {x}, {weight}f32>) outs(%f : {y}) -> {y}
      return %r : {y}
    }}"""


def codes_and_zero_points(random, n, k, block, storage):
    low, high = {"ui4": (0, 16), "i4": (-8, 8), "ui2": (0, 4)}[storage]
    dtype = {"ui4": ml_dtypes.uint4, "i4": ml_dtypes.int4, "ui2": ml_dtypes.uint2}[storage]
    w, z = random.integers(low, high, (n, k)), random.integers(low, high, (n, k // block))
    return w.astype(dtype), z.astype(dtype), w - np.repeat(z, block, 1)


@pytest.mark.every_value
@pytest.mark.parametrize("m, n", [(1, 64), (2, 101)])
@pytest.mark.parametrize("block", [8, 16, 32, 64, 128, 256])
@pytest.mark.parametrize("storage", ["ui4", "i4", "ui2"])
@pytest.mark.parametrize("vector_bits", [512, 256])
def test_zero_points(storage, block, m, n, vector_bits):
    """A zero point for each block, given at run time: sums that nothing rounds."""
    random, k = np.random.default_rng(block + m), 768
    w, z, differences = codes_and_zero_points(random, n, k, block, storage)
    s = np.exp2(random.integers(-1, 2, (n, k // block))).astype(np.float32)
    x = random.integers(-8, 9, (m, k)).astype(np.float32)
    expected = x.astype(np.float64) @ (differences * np.repeat(s.astype(np.float64), block, 1)).T
    got = run(with_zero_points(m, n, k, block, storage), w, s, z, x, vector_bits=vector_bits)
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("code, zero_point", [(15, 0), (0, 15)])
def test_farthest_zero_points(code, zero_point):
    """A lane of i32 has room for every difference, of numbers as large as can be."""
    n, k = 64, 256
    w, z = np.full((n, k), code), np.full((n, k // 32), zero_point)
    s, x = np.ones((n, k // 32), np.float32), np.full((1, k), 1.98437488079071044921875, np.float32)
    text = with_zero_points(1, n, k, 32)
    got = run(text, w.astype(ml_dtypes.uint4), s, z.astype(ml_dtypes.uint4), x)
    expected = in_blocks(x)[0, 0] * k * (code - zero_point)
    np.testing.assert_allclose(got, np.full((1, n), expected), rtol=2e-7)


def test_error_of_zero_points():
    """The bound is that of the differences: codes equal to their zero points add nothing."""
    random, n, k = np.random.default_rng(6), 64, 1024
    w, z, differences = codes_and_zero_points(random, n, k, 32, "ui4")
    w[0], differences[0] = np.repeat(z[0], 32), 0
    s = random.uniform(1e-3, 1e3, (n, k // 32)).astype(np.float32)
    x = (random.standard_normal((2, k)) * np.exp2(random.integers(-20, 20, (2, k)))).astype(np.float32)  # fmt: skip
    got = run(with_zero_points(2, n, k, 32), w, s, z, x)
    assert (got[:, 0] == 0).all()
    weight = differences * np.repeat(s.astype(np.float64), 32, axis=1)
    exact, terms = x.astype(np.float64) @ weight.T, np.abs(x.astype(np.float64)) @ np.abs(weight).T
    largest = np.repeat(np.abs(x.reshape(2, -1, 32)).max(-1), 32, axis=1).astype(np.float64)
    bound = 2**-22.9 * largest @ np.abs(weight).T
    assert (np.abs(got - exact) <= bound + 40 * 2.0**-24 * terms).all()


@pytest.mark.parametrize("block", [16, 32, 128])
def test_bias(block):
    """A float that is added to each scaled code: exactly, and with the error of its own products."""
    random, n, k = np.random.default_rng(block), 70, 512
    w = random.integers(0, 16, (n, k)).astype(ml_dtypes.uint4)
    text = with_zero_points(2, n, k, block, element="f32")
    kernel = runtime.compile(text, block_floating_point=True).main
    for is_exact in (True, False):
        x = random.integers(-8, 9, (2, k)) if is_exact else random.standard_normal((2, k))
        s, z = (
            np.exp2(random.integers(-2, 3, (n, k // block))) if is_exact
            else random.uniform(-1, 1, (n, k // block)) for _ in range(2)
        )  # fmt: skip
        x, s, z = (array.astype(np.float32) for array in (x, s, z))
        wide = lambda array: np.repeat(array.astype(np.float64), block, 1)  # noqa: E731
        scaled, bias, reals = w.astype(np.float64) * wide(s), wide(z), x.astype(np.float64)
        exact, got = reals @ (scaled + bias).T, np.asarray(kernel(w, s, z, x))
        if is_exact:
            np.testing.assert_array_equal(got, exact)
            continue
        size = np.abs(scaled) + np.abs(bias)
        largest = np.repeat(np.abs(x.reshape(2, -1, block)).max(-1), block, axis=1)
        bound = (2**-22.9 * largest + 40 * 2.0**-24 * np.abs(reals)) @ size.T
        assert (np.abs(got - exact) <= bound).all()


@pytest.mark.parametrize("special", [np.nan, np.inf])
def test_special_biases(special):
    random, n, k = np.random.default_rng(0), 64, 256
    w = random.integers(0, 16, (n, k)).astype(ml_dtypes.uint4)
    s, z = np.ones((n, 8), np.float32), np.ones((n, 8), np.float32)
    z[5, 3] = special
    x = random.integers(1, 9, (1, k)).astype(np.float32)
    got = run(with_zero_points(1, n, k, 32, element="f32"), w, s, z, x)
    np.testing.assert_array_equal(got[0, 5], np.float32(special))
    assert np.isfinite(np.delete(got[0], 5)).all()


def test_every_float():
    """All codes of f4E2M1FN in a block of f8E8M0FNU, each by a unit vector of the reals with digits that are not zero."""
    k, n = 128, 64
    w = np.tile(np.arange(16, dtype=np.uint8).view(ml_dtypes.float4_e2m1fn), (n, k // 16))
    s = np.exp2(np.arange(n * 4).reshape(n, 4) % 40 - 20).astype(ml_dtypes.float8_e8m0fnu)
    text = f"""
    func.func @main(%w: tensor<{n}x{k}xf4E2M1FN>, %s: tensor<{n}x4xf8E8M0FNU>, %x: tensor<{k}xf32>, %y: tensor<{n}xf32>) -> tensor<{n}xf32> {{
      %d = qdq.dequantize %w scale %s block_shape [1, 32] : (tensor<{n}x{k}xf4E2M1FN>, tensor<{n}x4xf8E8M0FNU>) -> tensor<{n}x{k}xf32>
      %r = linalg.matvec ins(%d, %x : tensor<{n}x{k}xf32>, tensor<{k}xf32>) outs(%y : tensor<{n}xf32>) -> tensor<{n}xf32>
      return %r : tensor<{n}xf32>
    }}"""
    kernel = runtime.compile(text, block_floating_point=True).main
    for position in range(32, 64):
        x = np.zeros(k, np.float32)
        x[position] = -1.2345678806304932
        weight = w[:, position].astype(np.float64) * s[:, 1].astype(np.float64)
        expected = (weight * in_blocks(x)[position]).astype(np.float32)
        np.testing.assert_array_equal(kernel(w, s, x, np.zeros(n, np.float32)), expected)


def test_batches():
    """A weight, and a row, for each batch."""
    random = np.random.default_rng(4)
    w = random.integers(-8, 8, (3, 64, 128)).astype(ml_dtypes.int4)
    s = np.exp2(random.integers(-2, 3, (3, 64, 4))).astype(np.float32)
    x = random.integers(-8, 9, (3, 1, 128)).astype(np.float32)
    text = """
    #x = affine_map<(b, m, n, k) -> (b, m, k)>
    #w = affine_map<(b, m, n, k) -> (b, n, k)>
    #y = affine_map<(b, m, n, k) -> (b, m, n)>
    func.func @main(%w: tensor<3x64x128xi4>, %s: tensor<3x64x4xf32>, %x: tensor<3x1x128xf32>, %y: tensor<3x1x64xf32>) -> tensor<3x1x64xf32> {
      %d = qdq.dequantize %w scale %s block_shape [1, 1, 32] : (tensor<3x64x128xi4>, tensor<3x64x4xf32>) -> tensor<3x64x128xf32>
      %r = linalg.batch_matmul indexing_maps = [#x, #w, #y] ins(%x, %d : tensor<3x1x128xf32>, tensor<3x64x128xf32>) outs(%y : tensor<3x1x64xf32>) -> tensor<3x1x64xf32>
      return %r : tensor<3x1x64xf32>
    }"""
    weight = w.astype(np.float64) * np.repeat(s.astype(np.float64), 32, axis=2)
    expected = np.einsum("bmk,bnk->bmn", x.astype(np.float64), weight)
    np.testing.assert_array_equal(run(text, w, s, x, np.zeros((3, 1, 64), np.float32)), expected)


@pytest.mark.parametrize("n", [0, 1, 64, 300])
def test_dynamic_rows_of_weights(n):
    (w, s, x, y), expected = inputs(1, n, 256, 32, "i4", "f32")
    text = """
    func.func @main(%w: tensor<?x256xi4>, %s: tensor<?x8xf32>, %x: tensor<256xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
      %d = qdq.dequantize %w scale %s block_shape [1, 32] : (tensor<?x256xi4>, tensor<?x8xf32>) -> tensor<?x256xf32>
      %r = linalg.matvec ins(%d, %x : tensor<?x256xf32>, tensor<256xf32>) outs(%y : tensor<?xf32>) -> tensor<?xf32>
      return %r : tensor<?xf32>
    }"""
    np.testing.assert_array_equal(run(text, w, s, x[0], y[0]), expected[0])


@pytest.mark.optimized
@pytest.mark.parametrize("m, n", [(1, 1024), (1, 96), (2, 96), (2, 300)])
def test_threads(m, n):
    """The bits do not depend on the threads: a part of few sums is what the whole is."""
    random = np.random.default_rng(7)
    k = 8192
    w = random.integers(-8, 8, (n, k)).astype(ml_dtypes.int4)
    s = random.uniform(0.1, 1, (n, k // 32)).astype(np.float32)
    x, y = random.standard_normal((m, k), np.float32), np.zeros((m, n), np.float32)
    text = source(m, n, k, 32, "i4", "f32", False)
    one, two, three = (run(text, w, s, x, y, threads=count) for count in (1, 2, 3))
    np.testing.assert_array_equal(one.view(np.uint32), two.view(np.uint32))
    np.testing.assert_array_equal(one.view(np.uint32), three.view(np.uint32))


def test_few_sums_in_a_thread():
    """A thread with fewer than 64 sums adds floats."""
    given, expected = inputs(1, 96, 8192, 32, "i4", "f32")
    text = source(1, 96, 8192, 32, "i4", "f32", False)
    np.testing.assert_array_equal(run(text, *given, threads=2), expected)


@pytest.mark.parametrize("doubled", ["integer", "scale"])
def test_long_body(doubled):
    """Each value of a body is looked at once: 24 doublings would be 2^24 ways to where they start."""
    names = [f"%{doubled}", *(f"%v{i}" for i in range(1, 25))]
    add, element = ("addi", "i32") if doubled == "integer" else ("addf", "f32")
    doublings = [f"{b} = arith.{add} {a}, {a} : {element}" for a, b in itertools.pairwise(names)]
    last = {"integer": "%integer", "scale": "%scale", doubled: names[-1]}
    text = f"""
    #x = affine_map<(n, b, byte, slot) -> (b, byte, slot)>
    #w = affine_map<(n, b, byte, slot) -> (n, b, byte)>
    #s = affine_map<(n, b, byte, slot) -> (n, b)>
    #y = affine_map<(n, b, byte, slot) -> (n)>
    func.func @main(%x: tensor<8x16x2xf32>, %w: tensor<64x8x16xi8>, %s: tensor<64x8xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {{
      %four = arith.constant 4 : index
      %r = linalg.generic {{indexing_maps = [#x, #w, #s, #y], iterator_types = ["parallel", "reduction", "reduction", "reduction"]}}
          ins(%x, %w, %s : tensor<8x16x2xf32>, tensor<64x8x16xi8>, tensor<64x8xf32>) outs(%y : tensor<64xf32>) {{
      ^bb0(%in: f32, %bytes: i8, %scale: f32, %out: f32):
        %slot = linalg.index 3 : index
        %0 = arith.muli %slot, %four : index
        %amount = arith.index_castui %0 : index to i8
        %1 = arith.shrui %bytes, %amount : i8
        %code = arith.trunci %1 : i8 to i4
        %integer = arith.extsi %code : i4 to i32
        {chr(10).join(doublings)}
        %2 = arith.sitofp {last["integer"]} : i32 to f32
        %3 = arith.mulf %2, {last["scale"]} : f32
        %4 = arith.mulf %in, %3 fastmath<reassoc,contract> : f32
        %5 = arith.addf %out, %4 fastmath<reassoc,contract> : f32
        linalg.yield %5 : f32
      }} -> tensor<64xf32>
      return %r : tensor<64xf32>
    }}"""
    random = np.random.default_rng(2)
    w = random.integers(-8, 8, (64, 8, 16, 2))
    s = np.exp2(random.integers(-2, 3, (64, 8))).astype(np.float32)
    x = random.integers(-8, 9, (8, 16, 2)).astype(np.float32)
    packed = ((w[..., 0] & 15) | (w[..., 1] & 15) << 4).astype(np.uint8).view(np.int8)
    expected = 2.0**24 * np.einsum("bik,nbik,nb->n", x.astype(np.float64), w, s)
    np.testing.assert_array_equal(run(text, x, packed, s, np.zeros(64, np.float32)), expected)


#: The end of a function of 64 sums: the product of %in and %real.
SUM = """%term = arith.mulf %in, %real fastmath<reassoc> : f32
        %sum = arith.addf %out, %term fastmath<reassoc> : f32
        linalg.yield %sum : f32
      } -> tensor<64xf32>
      return %r : tensor<64xf32>
    }"""


def test_long_codes():
    """A wide code that no vector multiplies is refused for its first two values: all 256, for each of 200 ops, would be 10^7."""
    random, n = np.random.default_rng(3), 64
    names = ["%byte", *(f"%v{i}" for i in range(200))]
    ops = zip(itertools.cycle(["muli", "xori"]), itertools.pairwise(names))
    lines = [f"{b} = arith.{op} {a}, %by : i8" for op, (a, b) in ops]
    text = f"""
    #x = affine_map<(n, k) -> (k)>
    #w = affine_map<(n, k) -> (n, k)>
    #y = affine_map<(n, k) -> (n)>
    func.func @main(%x: tensor<128xf32>, %w: tensor<64x128xi8>, %y: tensor<64xf32>) -> tensor<64xf32> {{
      %r = linalg.generic {{indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "reduction"]}}
          ins(%x, %w : tensor<128xf32>, tensor<64x128xi8>) outs(%y : tensor<64xf32>) {{
      ^bb0(%in: f32, %byte: i8, %out: f32):
        %by = arith.constant 37 : i8
        {chr(10).join(lines)}
        %wide = arith.extui {names[-1]} : i8 to i32
        %three = arith.constant 3 : i32
        %times = arith.muli %wide, %three : i32
        %real = arith.uitofp %times : i32 to f32
        {SUM}"""
    w = random.integers(0, 256, (n, 128))
    x = random.integers(-8, 9, 128).astype(np.float32)
    got = run(text, x, w.astype(np.uint8).view(np.int8), np.zeros(n, np.float32))
    for _ in range(100):
        w = w * 37 % 256 ^ 37
    np.testing.assert_array_equal(got, 3 * w @ x.astype(np.float64))


def test_without_the_instructions():
    with pytest.raises(ir.MLIRError, match="block-floating-point: the target has no dot products"):
        run("func.func @f() { return }", target_cpu="ivybridge")


@pytest.mark.parametrize("word", [8, 16])
@pytest.mark.parametrize("loop", ["byte", "bit"])
def test_bits_of_words(word, loop):
    """A bit of a word beside four bits of a byte: of the next word for each eight codes, or of a word for each code."""
    random, n = np.random.default_rng(word), 64
    low = random.integers(0, 16, (n, 4, 8, 8)).astype(np.int8)
    high = random.integers(0, 2**word, (n, 4, 8)).astype(f"u{word // 8}")
    x, y = random.integers(-8, 9, (4, 8, 8)).astype(np.float32), np.zeros(n, np.float32)
    text = f"""
    #x = affine_map<(n, b, byte, bit) -> (b, byte, bit)>
    #low = affine_map<(n, b, byte, bit) -> (n, b, byte, bit)>
    #high = affine_map<(n, b, byte, bit) -> (n, b, {loop})>
    #y = affine_map<(n, b, byte, bit) -> (n)>
    func.func @main(%x: tensor<4x8x8xf32>, %low: tensor<64x4x8x8xi8>, %high: tensor<64x4x8xi{word}>, %y: tensor<64xf32>) -> tensor<64xf32> {{
      %r = linalg.generic {{indexing_maps = [#x, #low, #high, #y], iterator_types = ["parallel", "reduction", "reduction", "reduction"]}}
          ins(%x, %low, %high : tensor<4x8x8xf32>, tensor<64x4x8x8xi8>, tensor<64x4x8xi{word}>) outs(%y : tensor<64xf32>) {{
      ^bb0(%in: f32, %lower: i8, %word: i{word}, %out: f32):
        %place = linalg.index 3 : index
        %bit = qdq.extract_field %word slots(%place) strides [1] : (i{word}, index) -> i1
        %fifth = arith.extui %bit : i1 to i8
        %four = arith.constant 4 : i8
        %upper = arith.shli %fifth, %four : i8
        %code = arith.ori %lower, %upper : i8
        %nibbles = arith.constant 31 : i8
        %five = arith.andi %code, %nibbles : i8
        %real = arith.uitofp %five : i8 to f32
        {SUM}"""
    words = high[..., None] if loop == "byte" else high[:, :, None]
    codes = low + 16 * (words >> np.arange(8, dtype=high.dtype) & 1).astype(np.int64)
    expected = np.einsum("bwi,nbwi->n", x.astype(np.float64), codes)
    np.testing.assert_array_equal(run(text, x, low, high.view(f"i{word // 8}"), y), expected)


def test_scale_of_second_result():
    random, n = np.random.default_rng(2), 64
    w = random.integers(-8, 8, (n, 4, 64)).astype(np.int8)
    s = random.integers(1, 9, (n, 4)).astype(np.int32)
    x, y = random.integers(-8, 9, (4, 64)).astype(np.float32), np.zeros(n, np.float32)
    text = """
    #x = affine_map<(n, b, byte) -> (b, byte)>
    #w = affine_map<(n, b, byte) -> (n, b, byte)>
    #s = affine_map<(n, b, byte) -> (n, b)>
    #y = affine_map<(n, b, byte) -> (n)>
    func.func @main(%x: tensor<4x64xf32>, %w: tensor<64x4x64xi8>, %s: tensor<64x4xi32>, %y: tensor<64xf32>) -> tensor<64xf32> {
      %r = linalg.generic {indexing_maps = [#x, #w, #s, #y], iterator_types = ["parallel", "reduction", "reduction"]}
          ins(%x, %w, %s : tensor<4x64xf32>, tensor<64x4x64xi8>, tensor<64x4xi32>) outs(%y : tensor<64xf32>) {
      ^bb0(%in: f32, %byte: i8, %by: i32, %out: f32):
        %code = arith.trunci %byte : i8 to i4
        %real = arith.sitofp %code : i4 to f32
        %times = arith.constant 0x40000000 : i32
        %low, %high = arith.mului_extended %by, %times : i32
        %scale = arith.uitofp %high : i32 to f32
        %weight = arith.mulf %real, %scale : f32
        %term = arith.mulf %in, %weight fastmath<reassoc> : f32
        %sum = arith.addf %out, %term fastmath<reassoc> : f32
        linalg.yield %sum : f32
      } -> tensor<64xf32>
      return %r : tensor<64xf32>
    }"""
    expected = np.einsum("bk,nbk,nb->n", x.astype(np.float64), w, s // 4)
    np.testing.assert_array_equal(run(text, x, w, s, y), expected)
