# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Float storage in mlir_qdq.reference against tables of values and the casts of ml_dtypes."""

from __future__ import annotations

import math
from fractions import Fraction

import hypothesis.strategies as st
import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from reference_model import (
    COMPUTE_DTYPES,
    DETERMINISTIC,
    FORMATS,
    LANES,
    Model,
    round_fraction,
    same_float,
)

from mlir_qdq import reference
from mlir_qdq.reference import types as reference_types


NAN = math.nan

FLOAT8_AND_LESS = tuple(
    name for name, type in reference_types.FLOAT_STORAGE.items() if type.dtype.itemsize == 1
)


def code_values(name: str) -> np.ndarray:
    """Every finite value of a format that NumPy decodes, ascending."""
    dtype = reference_types.FLOAT_STORAGE[name].dtype
    values = (
        np.arange(256, dtype=np.uint8)
        .view(dtype)[: 2 ** ml_dtypes.finfo(dtype).bits]
        .astype(np.float64)
    )
    return np.unique(values[np.isfinite(values)])


@pytest.mark.parametrize("name", FLOAT8_AND_LESS)
def test_format_table(name):
    type = reference_types.FLOAT_STORAGE[name]
    values = code_values(name)
    positive = values[values > 0]
    assert type.max_finite == positive[-1]
    assert 2.0 ** (type.min_exponent - type.precision + 1) == positive[0]
    codes = (
        np.arange(2 ** ml_dtypes.finfo(type.dtype).bits, dtype=np.uint8)
        .view(type.dtype)
        .astype(np.float64)
    )
    assert type.has_infinity == np.isinf(codes).any()
    assert type.has_nan == np.isnan(codes).any()
    assert type.has_negative_zero == (np.signbit(codes) & (codes == 0)).any()


def every_value(type: str) -> np.ndarray:
    return np.arange(65536, dtype=np.uint16).view(COMPUTE_DTYPES[type])


@pytest.mark.parametrize("source", ["f16", "bf16"])
@pytest.mark.parametrize("name", FLOAT8_AND_LESS)
def test_nearest_even_is_the_cast_of_ml_dtypes(name, source):
    type = reference_types.FLOAT_STORAGE[name]
    x = every_value(source)
    q = reference.quantize(x, x.dtype.type(1), storage=name, semantics={"float_overflow": "ieee"})
    assert q.dtype == type.dtype
    with np.errstate(invalid="ignore"):  # casting a NaN
        expected = x.astype(np.float32).astype(type.dtype)
    not_nan = ~np.isnan(x.astype(np.float32))
    # An overflow to NaN may carry a sign there; the sign of a NaN is not specified.
    not_nan &= ~np.isnan(expected.astype(np.float32))
    np.testing.assert_array_equal(q[not_nan].view(np.uint8), expected[not_nan].view(np.uint8))
    rest = q[~not_nan].astype(np.float32)
    assert np.isnan(rest).all() if type.has_nan else (rest == type.max_finite).all()


@pytest.mark.parametrize("float_overflow", ["saturate", "ieee"])
@pytest.mark.parametrize("mode", DETERMINISTIC)
@pytest.mark.parametrize("name", FLOAT8_AND_LESS)
def test_float_rounding_chooses_the_right_neighbour(name, mode, float_overflow):
    type = reference_types.FLOAT_STORAGE[name]
    x = every_value("f16")
    values = code_values(name)
    # One more value on each side, as if the exponent went on: the rounding decides with it.
    gap = values[-1] - values[-2]
    values = np.concatenate([[-values[-1] - gap], values, [values[-1] + gap]])
    exact = x.astype(np.float64)
    finite = np.isfinite(exact)
    inside = np.clip(np.where(finite, exact, 0), values[0], values[-1])
    above_index = np.searchsorted(values, inside)
    above = values[above_index]
    below = np.where(above == inside, above, values[np.maximum(above_index - 1, 0)])
    middle = (above + below) / 2
    # Zero has an even code, and its neighbours alternate.
    odd_above = np.abs(above_index - len(values) // 2) % 2 == 1
    toward, away = np.where(inside > 0, below, above), np.where(inside > 0, above, below)
    to_even, to_odd = np.where(odd_above, below, above), np.where(odd_above, above, below)
    nearest = np.where(inside < middle, below, above)
    tie = inside == middle
    expected = {
        "nearest-even": np.where(tie, to_even, nearest),
        "nearest-away": np.where(tie, away, nearest),
        "nearest-up": np.where(tie, above, nearest),
        "nearest-down": np.where(tie, below, nearest),
        "toward-zero": toward,
        "floor": below,
        "ceil": above,
        "away-from-zero": away,
        "to-odd": np.where(below == above, below, to_odd),
    }[mode]
    expected = np.where(below == above, inside, expected)
    over = np.abs(expected) > type.max_finite
    saturated = np.copysign(type.max_finite, exact)
    infinite = np.copysign(np.inf, exact) if type.has_infinity else np.full_like(exact, np.nan)
    if not (type.has_infinity or type.has_nan):
        infinite = saturated
    never = (
        (mode in ("toward-zero", "to-odd"))
        | ((mode == "floor") & (exact > 0))
        | ((mode == "ceil") & (exact < 0))
    )
    if float_overflow == "ieee":
        expected = np.where(over, np.where(never, saturated, infinite), expected)
        expected = np.where(np.isinf(exact), infinite, expected)
    else:
        expected = np.where(over | np.isinf(exact), saturated, expected)
    expected = np.where(np.isnan(exact), np.nan if type.has_nan else type.max_finite, expected)

    q = reference.quantize(
        x,
        np.float16(1),
        storage=name,
        semantics={"rounding": mode, "float_overflow": float_overflow},
    ).astype(np.float64)
    np.testing.assert_array_equal(q, expected)
    zero = q == 0
    np.testing.assert_array_equal(np.signbit(q[zero]), np.signbit(x[zero]) & type.has_negative_zero)


@pytest.mark.parametrize("name", ["f16", "bf16", "f8E5M2", "f4E2M1FN"])
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_float_storage_rounds_f64_once(name, data):
    """Nearest even from f64, beside the ties where a step through f32 would show."""
    type = reference_types.FLOAT_STORAGE[name]
    values = data.draw(st.lists(
        st.builds(
            lambda n, low, e, sign: sign * math.ldexp((2 * n + 1) * 2.0**30 + low, e - 30),
            st.integers(1, 2**type.precision), st.sampled_from([-1, 0, 1]),
            st.integers(-140, 20), st.sampled_from([-1, 1]),
        ),
        min_size=LANES, max_size=LANES,
    ))  # fmt: skip
    q = reference.quantize(np.array(values), np.float64(1), storage=name)
    for value, code in zip(values, q.astype(np.float64)):
        exponent = max(math.frexp(value)[1] - 1, type.min_exponent)
        unit = Fraction(2) ** (exponent - type.precision + 1)
        expected = round_fraction(Fraction(value) / unit, "nearest-even") * unit
        assert Fraction(code) == max(
            -Fraction(type.max_finite), min(Fraction(type.max_finite), expected)
        )


def test_float_storage_stochastic():
    x = np.full(20_000, 2.125, np.float32)  # an eighth of the way from 2 to 3 in f4E2M1FN
    q = reference.quantize(x, 1.0, storage="f4E2M1FN", semantics={"rounding": "stochastic"}).astype(
        np.float32
    )
    assert set(np.unique(q)) == {2, 3}
    assert abs(q.mean() - 2.125) < 0.01
    exact = code_values("f8E4M3FN").astype(np.float32)
    q = reference.quantize(exact, 1.0, storage="f8E4M3FN", semantics={"rounding": "stochastic"})
    np.testing.assert_array_equal(q.astype(np.float32), exact)
    # Below 448 + 32 the draw decides, from 480 on every draw overflows.
    for overflow, beyond in (("saturate", 448.0), ("ieee", np.nan)):
        options = {
            "storage": "f8E4M3FN",
            "semantics": {"rounding": "stochastic", "float_overflow": overflow},
        }
        q = reference.quantize(np.array([440.0, 480.0, 1e9], np.float32), 1.0, **options).astype(
            np.float32
        )
        assert q[0] in (416, 448)
        np.testing.assert_array_equal(q[1:], [beyond, beyond])


def test_float_storage_zero_point_enters_before_rounding():
    x = np.array([-0.0, 1.2, NAN], np.float32)
    q = reference.quantize(x, np.float32(1), ml_dtypes.float4_e2m1fn(0.5), storage="f4E2M1FN")
    np.testing.assert_array_equal(q.astype(np.float32), [0.5, 1.5, 6.0])
    back = reference.dequantize(q, np.float32(2), ml_dtypes.float4_e2m1fn(0.5))
    np.testing.assert_array_equal(back, [0.0, 2.0, 11.0])
    # An integer zero point is a real number like any other beside a float code.
    half = reference.quantize(np.float32(0.5), 1.0, np.int8(1), storage="f8E5M2")
    assert half == 1.5 and reference.dequantize(half, 1.0, np.int8(1)) == 0.5


@pytest.mark.parametrize("name", FLOAT8_AND_LESS)
@pytest.mark.parametrize("result", FORMATS)
def test_dequantize_every_float_code(name, result):
    type = reference_types.FLOAT_STORAGE[name]
    codes = np.arange(2 ** ml_dtypes.finfo(type.dtype).bits, dtype=np.uint8).view(type.dtype)
    y = reference.dequantize(codes, np.float32(0.3), expressed=result)
    zp = reference.dequantize(codes, np.float32(0.3), np.float32(1.1), expressed=result)
    model = Model("f64" if result == "f64" else "f32")
    for k, code in enumerate(codes):
        s, z = float(np.float32(0.3)), float(np.float32(1.1))
        assert same_float(float(y[k]), model.dequantize(float(code), s, None, "stored", result))
        assert same_float(float(zp[k]), model.dequantize(float(code), s, z, "stored", result))


def test_nested_scales_of_eight_bits():
    """f8E8M0FNU: every power of two from 2^-127, and the NaN of 0xFF; f8 scales decode exactly."""
    scale = np.arange(256, dtype=np.uint8).view(ml_dtypes.float8_e8m0fnu)
    y = reference.dequantize(np.full(256, 1, np.int8), scale, axis=0)
    expected = np.ldexp(1.0, np.arange(256) - 127)
    expected[255] = np.nan
    np.testing.assert_array_equal(y.astype(np.float64), expected)
    # The type of x computes: in f16 the scale 2^-20 is subnormal and 2^16 infinite.
    x = np.full(256, 1, np.float16)
    q = reference.quantize(x, scale, storage="i32", axis=0, semantics={"nan": "highest"})
    assert (
        q[127 - 20] == 2**31 - 1 and q[127 - 4] == 16 and q[127 + 16] == 0 and q[255] == 2**31 - 1
    )
    np.testing.assert_array_equal(
        reference.quantize(np.int32([7]), scale[126:127], storage="i8"),
        reference.quantize(np.int32([7]), 0.5, storage="i8"),
    )  # fmt: skip
