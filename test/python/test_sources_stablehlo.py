# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""StableHLO's casts, compiled, against a NumPy statement of its specification.

    quantize(x):   clamp(round_to_nearest_even(x / scale + zero_point), storage_min, storage_max)
    dequantize(q): (q - zero_point) * scale

each step in f32 (the profile's choice for narrower expressed types, too); from codes to codes `uniform_quantize` is the one of the other. IREE's own results are recorded
beside the other profiles' vectors (test_profiles.py).
"""

import functools

import ml_dtypes
import numpy as np
import pytest
from mlir import ir

from mlir_qdq import runtime

AGAINST = "NumPy statement of the specification"
proves = functools.partial(pytest.mark.proves, "StableHLO", against=AGAINST)
DTYPES = {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16}
STORAGES = {
    "i8": ("i8", -128, 127), "ui8": ("u8", 0, 255), "i4": ("i4", -8, 7), "i16": ("i16", -(2**15), 2**15 - 1),
    "i8<-127:127>": ("i8<-127:127>", -127, 127),
}  # fmt: skip
SHAPE = (64, 4)


def parameters(storage: str, granularity: str, seed=0):
    """Scales that f16 and bf16 hold, a power of two among them, and zero points."""
    _, lo, hi = STORAGES[storage]
    random = np.random.default_rng(seed)
    count = SHAPE[1] if granularity == "axis" else 1
    scales = random.uniform(0.01, 0.5, count).astype(ml_dtypes.bfloat16)
    scales[0] = 0.25
    return scales.astype(np.float32), random.integers(lo // 2, hi // 2 + 1, count)


def spelled(storage: str, expressed: str, scales, zeros) -> str:
    entries = ", ".join(f"{float(s)!r}:{int(z)}" for s, z in zip(scales, zeros))
    element = STORAGES[storage][0]
    if len(scales) == 1:
        return f"!quant.uniform<{element}:{expressed}, {entries}>"
    return f"!quant.uniform<{element}:{expressed}:1, {{{entries}}}>"


def compiled(text: str):
    with ir.Context() as context:
        context.allow_unregistered_dialects = True
        return runtime.compile(ir.Module.parse(text)).f


def quantize(x, scales, zeros, storage):
    _, lo, hi = STORAGES[storage]
    with np.errstate(all="ignore"):
        real = np.rint(x.astype(np.float32) / scales + zeros.astype(np.float32))
    return np.where(np.isnan(real), lo, np.clip(real, lo, hi)).astype(np.int64)


def dequantize(q, scales, zeros):
    return (q - zeros).astype(np.float32) * scales


def reals(expressed: str, seed=1) -> np.ndarray:
    x = np.random.default_rng(seed).normal(0, 20, SHAPE).astype(DTYPES[expressed])
    x[0] = [0.125, -0.125, 0.375, -0.625]  # halves of the first scale
    x[1] = [np.inf, -np.inf, 60000, -60000]
    x[2] = [0.0, -0.0, np.nan, 1e-7]
    return x


def natural(codes: np.ndarray, storage: str) -> np.ndarray:
    return (
        np.asarray(codes.astype(np.int64))
        if storage != "ui8"
        else codes.view(np.uint8).astype(np.int64)
    )


@pytest.mark.every_pair
@pytest.mark.parametrize("expressed", ["f32", "f16", "bf16"])
@pytest.mark.parametrize("granularity", ["tensor", "axis"])
@pytest.mark.parametrize(
    "storage", [pytest.param(s, marks=proves("uniform_quantize", storage=s)) for s in STORAGES]
)
def test_quantize(storage, granularity, expressed):
    scales, zeros = parameters(storage, granularity)
    q = spelled(storage, expressed, scales, zeros)
    x = reals(expressed)
    f = compiled(f"""
func.func @f(%x: tensor<64x4x{expressed}>) -> tensor<64x4x{q}> {{
  %y = "stablehlo.uniform_quantize"(%x) : (tensor<64x4x{expressed}>) -> tensor<64x4x{q}>
  return %y : tensor<64x4x{q}>
}}""")
    expected = quantize(x, scales, zeros, storage)
    np.testing.assert_array_equal(natural(f(x), storage), expected)


@pytest.mark.parametrize("granularity", ["tensor", "axis"])
@pytest.mark.parametrize(
    "storage",
    [pytest.param(s, marks=proves("uniform_dequantize", storage=s)) for s in ("i8", "ui8", "i16")],
)
def test_dequantize(storage, granularity):
    scales, zeros = parameters(storage, granularity)
    q = spelled(storage, "f32", scales, zeros)
    _, lo, hi = STORAGES[storage]
    codes = np.random.default_rng(3).integers(lo, hi + 1, SHAPE)
    f = compiled(f"""
func.func @f(%x: tensor<64x4x{q}>) -> tensor<64x4xf32> {{
  %y = "stablehlo.uniform_dequantize"(%x) : (tensor<64x4x{q}>) -> tensor<64x4xf32>
  return %y : tensor<64x4xf32>
}}""")
    dtype = {"i8": np.int8, "ui8": np.uint8, "i16": np.int16}[storage]
    np.testing.assert_array_equal(f(codes.astype(dtype)), dequantize(codes, scales, zeros))


@pytest.mark.parametrize("granularity", ["tensor", "axis"])
@pytest.mark.parametrize(
    "storage",
    [
        pytest.param(s, marks=proves("uniform_quantize from codes", storage=s))
        for s in ("i8", "ui8", "i8<-127:127>")
    ],
)
def test_requantize(storage, granularity):
    first, second = parameters("i16", granularity, 4), parameters(storage, granularity, 5)
    source, target = spelled("i16", "f32", *first), spelled(storage, "f32", *second)
    codes = np.random.default_rng(3).integers(-3000, 3000, SHAPE)
    f = compiled(f"""
func.func @f(%x: tensor<64x4x{source}>) -> tensor<64x4x{target}> {{
  %y = "stablehlo.uniform_quantize"(%x) : (tensor<64x4x{source}>) -> tensor<64x4x{target}>
  return %y : tensor<64x4x{target}>
}}""")
    expected = quantize(dequantize(codes, *first), *second, storage)
    np.testing.assert_array_equal(natural(f(codes.astype(np.int16)), storage), expected)
