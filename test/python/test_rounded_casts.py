# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Casts of integers to bf16, and arith.truncf with a rounding mode, beside exact rational numbers."""

from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from mlir_qdq import runtime

#: Bits of the significand, the smallest exponent of a normal number.
FORMATS = {"bf16": (8, -126), "f16": (11, -14), "f32": (24, -126)}
DTYPES = {"bf16": ml_dtypes.bfloat16, "f16": np.float16, "f32": np.float32}
MODES = ("to_nearest_even", "to_nearest_away", "downward", "upward", "toward_zero")


def rounded(value: Fraction, to: str, mode: str) -> Fraction:
    """`value` in the format `to`, of unbounded range."""
    digits, least = FORMATS[to]
    if value == 0:
        return value
    exponent = least
    while abs(value) >= Fraction(2) ** (exponent + 1):
        exponent += 1
    unit = Fraction(2) ** (exponent - digits + 1)
    low = value // unit
    rest = value / unit - low
    up = {
        "to_nearest_even": rest > Fraction(1, 2) or (rest == Fraction(1, 2) and low % 2 == 1),
        "to_nearest_away": rest > Fraction(1, 2) or (rest == Fraction(1, 2) and value > 0),
        "downward": False,
        "upward": rest > 0,
        "toward_zero": rest > 0 and value < 0,
    }[mode]
    return (low + up) * unit


@pytest.mark.parametrize("op", ["sitofp", "uitofp"])
@pytest.mark.parametrize("source", ["i32", "i64"])
def test_integers(op, source):
    width, signed = int(source[1:]), op == "sitofp"
    random = np.random.default_rng(0)
    numbers = [0, 1, 255, 257, 1077936129, 16842753, 2**24 + 1, 2**31 - 1]
    for top in range(9, width - 1):
        tie = 2**top + 2 ** (top - 8)
        numbers += [tie - 1, tie, tie + 1, int(random.integers(2**top, 2 ** (top + 1)))]
    numbers = [n for n in numbers if n < 2 ** (width - signed)]
    numbers += [-n for n in numbers] if signed else [2**width - 1, 2**width - 2 ** (width - 9)]
    x = np.array(numbers, f"{'i' if signed else 'u'}{width // 8}")
    text = f"""
      func.func @f(%x: tensor<?x{source}>) -> tensor<?xbf16> {{
        %r = arith.{op} %x : tensor<?x{source}> to tensor<?xbf16>
        return %r : tensor<?xbf16>
      }}"""
    found = runtime.compile(text).f(x.view(f"i{width // 8}"))
    expected = [float(rounded(Fraction(n), "bf16", "to_nearest_even")) for n in numbers]
    np.testing.assert_array_equal(np.asarray(found).astype(np.float64), expected)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "source, to", [("f64", "f32"), ("f64", "f16"), ("f32", "f16"), ("f32", "bf16")]
)
def test_modes(source, to, mode):
    digits, least = FORMATS[to]
    one = 2.0 ** (1 - digits)
    numbers = [
        1.0,
        1 + one,
        1 + one / 2,
        1 + one / 2 + one / 64,
        1 + one / 64,
        1 - one / 8,
        1.75 * one,
    ]
    numbers += [1 + 3 * one / 2, 2 - one / 2, 2.0**least * one, 2.0**least * (1 + one / 2)]
    x = np.array(numbers, DTYPES.get(source, np.float64))
    x = np.concatenate([x, -x])
    text = f"""
      func.func @f(%x: tensor<?x{source}>) -> tensor<?x{to}> {{
        %r = arith.truncf %x {mode} : tensor<?x{source}> to tensor<?x{to}>
        return %r : tensor<?x{to}>
      }}"""
    found = np.asarray(runtime.compile(text).f(x)).astype(np.float64)
    expected = [float(rounded(Fraction(float(v)), to, mode)) for v in x]
    np.testing.assert_array_equal(found, expected)
    special = np.asarray(
        runtime.compile(text).f(np.array([np.inf, -np.inf, np.nan, -0.0], x.dtype))
    )
    assert np.isposinf(special[0]) and np.isneginf(special[1]) and np.isnan(special[2])
    assert special[3] == 0 and np.signbit(special[3])
