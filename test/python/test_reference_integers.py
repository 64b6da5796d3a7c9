# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integer storage in mlir_qdq.reference against exact integers and rationals."""

from __future__ import annotations

import math
from fractions import Fraction

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from reference_model import (
    COMPUTE_DTYPES,
    DETERMINISTIC,
    FORMATS,
    LANES,
    UNDEFINED,
    Model,
    floats_of,
    integer_storages,
    same_float,
    scales_of,
    semantics_for,
)

from mlir_qdq import reference


@pytest.mark.parametrize("mode", DETERMINISTIC)
def test_every_f16_value_rounds_as_integers_say(mode):
    bits = np.arange(65536, dtype=np.uint16).view(np.float16)
    x = bits[np.isfinite(bits)]
    units = np.round(x.astype(np.float64) * 2**24).astype(
        np.int64
    )  # every f16 is a multiple of 2^-24
    below, rest = units >> 24, units & (2**24 - 1)
    tie, above_tie, inexact, negative = rest == 2**23, rest > 2**23, rest > 0, units < 0
    up = {
        "nearest-even": above_tie | (tie & (below % 2 == 1)),
        "nearest-away": above_tie | (tie & ~negative),
        "nearest-up": above_tie | tie,
        "nearest-down": above_tie,
        "toward-zero": inexact & negative,
        "floor": np.zeros_like(tie),
        "ceil": inexact,
        "away-from-zero": inexact & ~negative,
        "to-odd": inexact & (below % 2 == 0),
    }[mode]
    q = reference.quantize(x, np.float16(1), storage="i32", semantics={"rounding": mode})
    np.testing.assert_array_equal(q, below + up)
    for storage, low, high in (("i8", -128, 127), ("ui4", 0, 15), ("si3", -4, 3)):
        q = reference.quantize(x, np.float16(1), storage=storage, semantics={"rounding": mode})
        np.testing.assert_array_equal(q.astype(np.int64), np.clip(below + up, low, high))
        q = reference.quantize(
            x, np.float16(1), storage=storage, semantics={"rounding": mode, "overflow": "wrap"}
        )
        span = high - low + 1
        np.testing.assert_array_equal(q.astype(np.int64), (below + up - low) % span + low)


@pytest.mark.parametrize("compute", FORMATS)
@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_quantize_to_integers(compute, data):
    model = data.draw(semantics_for(compute))
    bits, signed = data.draw(integer_storages)
    x_type, scale_type = (
        data.draw(st.sampled_from(list(FORMATS))),
        data.draw(st.sampled_from(list(FORMATS))),
    )
    x = data.draw(st.lists(floats_of(x_type), min_size=LANES, max_size=LANES))
    s = data.draw(st.lists(scales_of(scale_type), min_size=LANES, max_size=LANES))
    domain = data.draw(st.sampled_from(["stored", "stored", "expressed"]))
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    clamp = data.draw(
        st.none() | st.tuples(st.integers(low, high), st.integers(low, high)).map(sorted).map(tuple)
    )
    kind = data.draw(st.sampled_from(["none", "integer", "wide integer", "float"]))
    z_type = data.draw(st.sampled_from(list(FORMATS)))
    z = [None] * LANES
    zero_point = None
    if kind == "float" or (domain == "expressed" and kind != "none"):
        z = data.draw(st.lists(floats_of(z_type), min_size=LANES, max_size=LANES))
        zero_point = np.array(z).astype(COMPUTE_DTYPES[z_type])
    elif kind != "none":
        span = (low, high) if kind == "integer" else (-(2**31), 2**31 - 1)
        z = data.draw(st.lists(st.integers(*span), min_size=LANES, max_size=LANES))
        zero_point = np.array(z, np.int64)

    q, defined = reference.quantize(
        np.array(x).astype(COMPUTE_DTYPES[x_type]),
        np.array(s).astype(COMPUTE_DTYPES[scale_type]),
        zero_point,
        storage=f"{'si' if signed else 'ui'}{bits}",
        axis=0,
        semantics=model.semantics(),
        clamp=clamp,
        zero_point_domain=domain,
        return_defined=True,
    )
    for k in range(LANES):
        expected = model.quantize(x[k], s[k], z[k], domain, bits, signed, clamp)
        assert defined[k] == (expected is not UNDEFINED), (k, expected)
        if expected is not UNDEFINED:
            assert int(q[k]) == expected, (k, x[k], s[k], z[k])
        elif clamp:
            assert clamp[0] <= int(q[k]) <= clamp[1]


@pytest.mark.parametrize("compute", FORMATS)
@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_quantize_i32_converts_with_one_rounding(compute, data):
    model = data.draw(semantics_for(compute))
    x = data.draw(st.lists(st.integers(-(2**31), 2**31 - 1), min_size=LANES, max_size=LANES))
    s = data.draw(scales_of("f32"))
    q, defined = reference.quantize(
        np.array(x, np.int32),
        np.float32(s),
        storage="i16",
        semantics=model.semantics(),
        return_defined=True,
    )
    for k in range(LANES):
        expected = model.quantize(x[k], s, None, "stored", 16, True, None)
        assert expected is UNDEFINED if not defined[k] else int(q[k]) == expected


INF, NAN = math.inf, math.nan


@pytest.mark.parametrize("x, zero_point, semantics, expected", [
    # Infinities and 3e9 saturate to their own side whatever the zero point is.
    ([INF, -INF, 3e9, -3e9], np.int8(-100), {}, [127, -128, 127, -128]),
    ([INF, -INF, 3e9, -3e9], np.int8(100), {}, [127, -128, 127, -128]),
    ([NAN], np.int8(5), {}, [-128]),
    ([NAN], np.int8(5), {"nan": "highest"}, [127]),
    ([NAN], np.int8(5), {"nan": "zero"}, [0]),
    ([NAN], np.int8(5), {"nan": "zero-point"}, [5]),
    ([NAN], np.int32(1000), {"nan": "zero-point"}, [127]),
    ([NAN], None, {"nan": "zero-point"}, [0]),
    ([NAN], np.float32(2.5), {"nan": "zero-point"}, [2]),
    ([NAN], np.float32(2.5), {"nan": "zero-point", "rounding": "ceil"}, [3]),
    ([1.0], np.float32(NAN), {"nan": "zero-point"}, [-128]),
    # 300 is 44 modulo 256; an infinity has no residue.
    ([300.0, -129, 1e30, INF, NAN], None, {"overflow": "wrap", "nan": "zero"}, [44, 127, 0, 0, 0]),
    ([127.0], np.int8(1), {"overflow": "wrap"}, [-128]),
    # A tie and an odd zero point: 2.5 rounds to 2 and becomes 3; 3.5 rounds to 4.
    ([2.5], np.int8(1), {}, [3]),
    ([2.5], np.int8(1), {"order": "add-then-round"}, [4]),
])  # fmt: skip
def test_named_values(x, zero_point, semantics, expected):
    q = reference.quantize(
        np.array(x, np.float32), np.float32(1), zero_point, storage="i8", semantics=semantics
    )
    np.testing.assert_array_equal(q, expected)


def test_wide_bounds_hold_in_narrow_compute_types():
    """i32 in f32 and ui16 in f16: the bounds are not values of the compute type."""
    x = np.array([2.0**31, -(2.0**31), 2147483520.0, 2.0**32, INF], np.float32)
    q = reference.quantize(x, np.float32(1), storage="i32")
    np.testing.assert_array_equal(q, [2**31 - 1, -(2**31), 2147483520, 2**31 - 1, 2**31 - 1])
    q = reference.quantize(x, np.float32(1), np.uint32(2**32 - 1), storage="ui32")
    np.testing.assert_array_equal(
        q, np.array([2**32 - 1, 2**31 - 1, 2**32 - 1, 2**32 - 1, 2**32 - 1], np.uint32)
    )
    half = np.array([65504, INF, -1], np.float16)
    q = reference.quantize(half, np.float16(1), np.uint16(65535), storage="ui16")
    np.testing.assert_array_equal(q, np.array([65535, 65535, 65534], np.uint16))


def test_undefined_says_where():
    x = np.array([1, 127, 128, -128, -129, INF, NAN], np.float32)

    def defined(**semantics):
        return reference.quantize(x, 1.0, storage="i8", semantics=semantics, return_defined=True)[
            1
        ].tolist()

    assert defined() == [True] * 7
    assert defined(nan="undefined") == [True] * 7  # saturation takes a NaN to the lowest code
    assert defined(overflow="undefined") == [True, True, False, True, False, False, True]
    assert defined(overflow="undefined", nan="undefined") == [
        True,
        True,
        False,
        True,
        False,
        False,
        False,
    ]
    assert defined(overflow="wrap", nan="undefined") == [True, True, True, True, True, False, False]
    # A narrowed range clamps after the conversion: only the type's range decides.
    q, mask = reference.quantize(
        x, 1.0, storage="i8", clamp=(-8, 7), profile="mlir22", return_defined=True
    )
    assert mask.tolist() == [True, True, False, True, False, False, False]
    assert q[mask].tolist() == [1, 7, -8]


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_stochastic(data):
    compute = data.draw(st.sampled_from(list(FORMATS)))
    model = data.draw(semantics_for(compute, rounding=("stochastic",)))
    seed = data.draw(st.integers(0, 2**64 - 1))
    x = data.draw(st.lists(floats_of(compute), min_size=LANES, max_size=LANES))
    z = data.draw(st.none() | floats_of("f32"))
    q, defined = reference.quantize(
        np.array(x).astype(COMPUTE_DTYPES[compute]).reshape(2, 3),
        np.float32(0.3),
        None if z is None else np.float32(z),
        storage="i16",
        semantics=model.semantics(),
        seed=seed,
        return_defined=True,
    )
    for k in range(LANES):
        word = int(reference.philox4x32_10((k, 0, 0, 0), (seed & 0xFFFFFFFF, seed >> 32))[0])
        uniform = Fraction(word >> 8, 2**24)
        expected = model.quantize(
            x[k], float(np.float32(0.3)), z, "stored", 16, True, None, uniform
        )
        assert expected is UNDEFINED if not defined.flat[k] else int(q.flat[k]) == expected


def test_stochastic_is_unbiased_and_repeats():
    x = np.full((64, 1024), 2.25, np.float32)
    options = {"storage": "i8", "semantics": {"rounding": "stochastic"}}
    q = reference.quantize(x, 1.0, seed=7, **options)
    assert set(np.unique(q)) == {2, 3}
    assert abs(q.mean() - 2.25) < 0.01
    np.testing.assert_array_equal(q, reference.quantize(x, 1.0, seed=7, **options))
    assert (q != reference.quantize(x, 1.0, seed=8, **options)).any()
    integers = np.arange(-128, 128, dtype=np.float32)
    np.testing.assert_array_equal(reference.quantize(integers, 1.0, **options), integers)


@pytest.mark.parametrize("compute", FORMATS)
@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_dequantize_integers(compute, data):
    model = data.draw(semantics_for(compute))
    bits, signed = data.draw(integer_storages)
    storage = reference.storage_type(f"{'i' if signed else 'ui'}{bits}")
    scale_type, result = (
        data.draw(st.sampled_from(list(FORMATS))),
        data.draw(st.sampled_from(list(FORMATS))),
    )
    codes = st.one_of(
        st.integers(storage.lowest, storage.highest),
        st.sampled_from([storage.lowest, storage.highest]),
    )
    q = data.draw(st.lists(codes, min_size=LANES, max_size=LANES))
    s = data.draw(st.lists(scales_of(scale_type), min_size=LANES, max_size=LANES))
    domain = data.draw(st.sampled_from(["stored", "stored", "expressed"]))
    kind = data.draw(st.sampled_from(["none", "integer", "wide integer", "float"]))
    z, zero_point = [None] * LANES, None
    if kind == "float" or (domain == "expressed" and kind != "none"):
        z_type = data.draw(st.sampled_from(list(FORMATS)))
        z = data.draw(st.lists(floats_of(z_type), min_size=LANES, max_size=LANES))
        zero_point = np.array(z).astype(COMPUTE_DTYPES[z_type])
    elif kind != "none":
        span = (storage.lowest, storage.highest) if kind == "integer" else (-(2**31), 2**31 - 1)
        z = data.draw(st.lists(st.integers(*span), min_size=LANES, max_size=LANES))
        zero_point = np.array(z, np.int64)
    y = reference.dequantize(
        np.array(q, np.int64).astype(storage.dtype),
        np.array(s).astype(COMPUTE_DTYPES[scale_type]),
        zero_point,
        storage=storage,
        expressed=result,
        axis=-1,
        semantics=model.semantics(),
        zero_point_domain=domain,
    )
    assert y.dtype == COMPUTE_DTYPES[result]
    for k in range(LANES):
        expected = model.dequantize(q[k], s[k], z[k], domain, result)
        assert same_float(float(y[k]), expected), (k, q[k], s[k], z[k])


def test_dequantize_subtraction_domains():
    q, z = np.int32([2**31 - 1]), np.int32(-(2**31))
    options = {"expressed": "f64", "storage": "i32"}
    assert reference.dequantize(q, 1.0, z, semantics={"subtract": "wide"}, **options) == 2**32 - 1
    assert reference.dequantize(q, 1.0, z, semantics={"subtract": "wrap32"}, **options) == -1
    narrow_float = {"subtract": "float", "compute": "f16"}
    assert np.isnan(
        reference.dequantize(
            np.uint16([65535]), np.float16(1), np.uint16(65535), semantics=narrow_float
        )
    )


@pytest.mark.parametrize("result", ["f16", "bf16", "f32", "f64"])
def test_bias_fused_and_not(result):
    """y = q * s + z of a zero point in the expressed domain, one rounding or two."""
    random = np.random.default_rng(7)
    q = random.integers(-(2**15), 2**15, 300).astype(np.int16)
    s = random.uniform(0.5, 2, 300).astype(np.float32)
    z = random.uniform(-1e4, 1e4, 300).astype(np.float32)
    values = {}
    for fusion in ("none", "fma"):
        values[fusion] = reference.dequantize(
            q, s, z, axis=0, expressed=result, semantics={"fusion": fusion},
            zero_point_domain="expressed",
        )  # fmt: skip
        model = Model("f64" if result == "f64" else "f32", fusion=fusion)
        for k in range(300):
            expected = model.dequantize(int(q[k]), float(s[k]), float(z[k]), "expressed", result)
            assert same_float(float(values[fusion][k]), expected)
    if result == "f32":
        assert (values["none"] != values["fma"]).any()
