# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The arithmetic of mlir_qdq.reference rounds once, and its random numbers are Philox."""

from __future__ import annotations

import math

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from reference_model import BF16, FORMATS, LANES, cast_exact, floats_of, operate, same_float

from mlir_qdq import reference
from mlir_qdq.reference import arithmetic, rounding
from mlir_qdq.reference import types as reference_types


@pytest.mark.parametrize("type", FORMATS)
@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "divide", "fma"])
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_operation_rounds_once(type, name, data):
    value = floats_of(type)
    arity = 3 if name == "fma" else 2
    lanes = data.draw(st.lists(st.tuples(*[value] * arity), min_size=LANES, max_size=LANES))
    if name in ("add", "fma"):  # cancellation
        a, b = lanes[0][:2]
        with np.errstate(all="ignore"):
            lanes.append(
                (a, b, cast_exact(float(-np.float64(a) * np.float64(b)), type))
                if arity == 3
                else (a, -a)
            )
    function = arithmetic.fused_multiply_add if name == "fma" else getattr(arithmetic, name)
    with np.errstate(all="ignore"):
        actual = function(*map(np.array, zip(*lanes)), reference_types.EXPRESSED[type])
    for lane, result in zip(lanes, actual):
        assert same_float(result, operate(name, type, *lane)), (lane, result)


@pytest.mark.parametrize("a, b, c, expected", [
    (1 + 2.0**-30, 1 - 2.0**-30, -1.0, -(2.0**-60)),
    (2.0**-600, 2.0**-600, 1.0, 1.0),
    (2.0**-600, -(2.0**-600), 0.0, -0.0),
    (2.0**600, 2.0**600, -math.inf, -math.inf),
    (1e308, 10.0, -1.7e308, math.inf),
    (1.5 * 2.0**1000, 2.0**23, -(2.0**1023), 2.0**1022),
])  # fmt: skip
def test_fma_in_f64_at_the_edges(a, b, c, expected):
    with np.errstate(all="ignore"):
        actual = arithmetic.fused_multiply_add(*map(np.array, (a, b, c)), reference_types.F64)
    assert same_float(float(actual), expected)


@pytest.mark.parametrize("type", FORMATS)
def test_fma_sees_the_last_bit_beside_a_tie(type):
    """The product lies halfway between two values of the type; c, far below it, decides."""
    precision, lowest, _ = FORMATS[type]
    a, b = 1 + 2.0 ** -(precision // 2), 1 + 2.0 ** -(precision - precision // 2)
    tiny = 2.0**lowest
    lanes = [(sa * a, b, sc * tiny) for sa in (1, -1) for sc in (1, 0, -1)]
    actual = arithmetic.fused_multiply_add(
        *map(np.array, zip(*lanes)), reference_types.EXPRESSED[type]
    )
    assert actual.tolist() == [operate("fma", type, *lane) for lane in lanes]
    assert len(set(np.abs(actual))) == 2


@pytest.mark.parametrize("type", ["f16", "bf16", "f32"])
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_cast_rounds_once(type, data):
    precision = FORMATS[type][0]
    # Just beside a tie of the narrow type, where rounding through a third type goes wrong.
    beside_tie = st.builds(
        lambda m, low, e: math.ldexp(((2**precision + m) * 2 + 1) * 2.0**20 + low, e),
        st.integers(0, 2**precision - 1), st.sampled_from([-1, 0, 1]), st.integers(-180, 120),
    )  # fmt: skip
    values = data.draw(
        st.lists(st.one_of(floats_of("f64"), beside_tie), min_size=LANES, max_size=LANES)
    )
    with np.errstate(all="ignore"):
        actual = rounding.cast(np.array(values), reference_types.EXPRESSED[type])
    for value, result in zip(values, actual):
        assert same_float(result, cast_exact(value, type)), (value, result)


def test_cast_agrees_with_numpy_where_numpy_rounds_once():
    random = np.random.default_rng(0)
    bits = random.integers(0, 2**64, 100_000, np.uint64, endpoint=False)
    exponent = random.uniform(-30, 20, 100_000)
    value = np.concatenate([bits.view(np.float64), 2.0**exponent * random.choice([-1, 1], 100_000)])
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(
            rounding.cast(value, reference_types.F16), value.astype(np.float16).astype(np.float64)
        )
        single = value.astype(np.float32)
        np.testing.assert_array_equal(
            rounding.cast(single.astype(np.float64), reference_types.BF16),
            single.astype(BF16).astype(np.float64),
        )


def test_philox_known_answers():
    """Vectors that come with Random123."""
    ones = 0xFFFFFFFF
    for counter, key, expected in (
        ((0, 0, 0, 0), (0, 0), "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
        ((ones, ones, ones, ones), (ones, ones), "408f276d 41c83b0e a20bc7c6 6d5451fd"),
        (
            (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
            (0xA4093822, 0x299F31D0),
            "d16cfe09 94fdcceb 5001e420 24126ea1",
        ),
    ):
        assert (
            " ".join(f"{int(word):08x}" for word in reference.philox4x32_10(counter, key))
            == expected
        )


def test_stochastic_draws_beside_the_fraction():
    """The fraction, in units of the last place for float storage, is rounded to the compute type, to f32 for narrower ones."""
    step = 2.0**-24
    value, uniform = np.array([-1.5 * step]), np.array([1 - 2 * step])
    # 1 - 1.5 steps is a tie of f32 and becomes 1 - 2 steps, not above the draw.
    assert rounding.round_stochastically(value, uniform, reference_types.F32) == -1
    assert rounding.round_stochastically(value, uniform, reference_types.F64) == 0

    f4 = reference_types.FLOAT_STORAGE["f4E2M1FN"]  # 0.5 is its last place around 0
    f32, f64 = reference_types.F32, reference_types.F64
    for value, uniform, compute, expected in (
        (0.25, 0.5, f64, 0.0),
        (0.25, 0.5 - step, f64, 0.5),
        (-0.75 * step, 1 - 2 * step, f32, -0.5),
        (-0.75 * step, 1 - 2 * step, f64, 0.0),
        (-0.5 * (step - 2.0**-77), 1 - step, f64, -0.5),  # the fraction is rounded to the draw
        (-0.5 * (step - 2.0**-52), 1 - step, f64, 0.0),
    ):
        result = rounding.round_to_precision(
            np.array([value]), f4, "stochastic", np.array([uniform]), compute
        )
        assert result == expected
