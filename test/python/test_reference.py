# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mlir_qdq.reference against exact rationals, integers and tables of values.

The oracles here share no code with the reference: `Model` is the page
docs/Semantics.md once more, one element at a time, over `fractions.Fraction`.
"""

from __future__ import annotations

import math
import subprocess
import sys
from dataclasses import dataclass
from fractions import Fraction

import hypothesis.strategies as st
import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings

from mlir_qdq import reference
from mlir_qdq.reference import arithmetic, rounding
from mlir_qdq.reference import types as reference_types

BF16 = ml_dtypes.bfloat16
COMPUTE_DTYPES = {"f16": np.float16, "bf16": BF16, "f32": np.float32, "f64": np.float64}
BITS_DTYPE = {"f16": np.uint16, "bf16": np.uint16, "f32": np.uint32, "f64": np.uint64}
NEAREST = ("nearest-even", "nearest-away", "nearest-up", "nearest-down")
DIRECTED = ("toward-zero", "floor", "ceil", "away-from-zero", "to-odd")
DETERMINISTIC = NEAREST + DIRECTED

# Significand bits (the implicit one counts), exponent of the smallest normal, of the largest.
FORMATS = {"f16": (11, -14, 15), "bf16": (8, -126, 127), "f32": (24, -126, 127), "f64": (53, -1022, 1023)}


# ---------------------------------------------------------------- the oracle


def round_fraction(value: Fraction, mode: str) -> int:
    """`value` to an integer, from the definition of each mode."""
    below, above = math.floor(value), math.ceil(value)
    if below == above:
        return below
    toward, away = (below, above) if value > 0 else (above, below)
    if mode in NEAREST:
        if value - below != Fraction(1, 2):
            return below if value - below < Fraction(1, 2) else above
        tie = {"nearest-away": away, "nearest-up": above, "nearest-down": below}
        return tie.get(mode, below if below % 2 == 0 else above)
    if mode == "to-odd":
        return below if below % 2 else above
    return {"toward-zero": toward, "floor": below, "ceil": above, "away-from-zero": away}[mode]


def narrow(value: Fraction, type: str) -> float:
    """`value` to nearest even in `type`, infinite beyond it."""
    precision, lowest, highest = FORMATS[type]
    if value == 0:
        return 0.0
    magnitude = abs(value)
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if Fraction(2) ** exponent > magnitude:
        exponent -= 1
    unit = Fraction(2) ** (max(exponent, lowest) - precision + 1)
    rounded = round_fraction(magnitude / unit, "nearest-even") * unit
    narrowed = math.inf if rounded >= Fraction(2) ** (highest + 1) else float(rounded)
    return narrowed if value > 0 else -narrowed


def cast_exact(value, type: str) -> float:
    value = value if isinstance(value, int) else float(value)
    if isinstance(value, float) and (not math.isfinite(value) or value == 0):
        return value
    return narrow(Fraction(value), type)


def operate(name: str, type: str, *operands: float) -> float:
    """One IEEE operation in `type`: exact, rounded once."""
    wide = [np.float64(v) for v in operands]
    exact = {
        "add": lambda a, b: a + b,
        "subtract": lambda a, b: a - b,
        "multiply": lambda a, b: a * b,
        "divide": lambda a, b: a / b,
        "fma": lambda a, b, c: a * b + c,
    }[name]
    with np.errstate(all="ignore"):
        machine = exact(*wide)
    if name == "fma" and not math.isfinite(operands[2]) and all(map(math.isfinite, operands[:2])):
        return operands[2]
    if not all(map(math.isfinite, operands)) or (name == "divide" and operands[1] == 0):
        return float(machine)
    result = narrow(exact(*map(Fraction, operands)), type)
    # An exact zero has the sign that the machine's operation gives it.
    return math.copysign(result, machine) if result == 0 else result


UNDEFINED = object()


@dataclass
class Model:
    """docs/Semantics.md for one element; every argument an int or a float."""

    compute: str
    rounding: str = "nearest-even"
    order: str = "round-then-add"
    division: str = "exact"
    subtract: str = "wide"
    overflow: str = "saturate"
    nan: str = "lowest"
    fusion: str = "none"

    def semantics(self) -> dict:
        return dict(vars(self))

    def round(self, value: float, uniform: Fraction):
        """An int, or the value itself where it is not finite."""
        if not math.isfinite(value):
            return value
        if self.rounding != "stochastic":
            return round_fraction(Fraction(value), self.rounding)
        below = math.floor(value)
        fraction = narrow(Fraction(value) - below, "f64" if self.compute == "f64" else "f32")
        return below + (uniform < Fraction(fraction))

    def quantize(self, x, s, z, domain, bits, signed, clamp, uniform=Fraction(0)):
        c = self.compute
        lowest, highest = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
        low, high = clamp or (lowest, highest)
        xc, sc = cast_exact(x, c), cast_exact(s, c)
        if z is not None and domain == "expressed":
            xc, z = operate("subtract", c, xc, cast_exact(z, c)), None
        if self.division == "exact":
            r = operate("divide", c, xc, sc)
        else:
            k = operate("divide", c, 1.0, sc)
            r = operate("multiply", c, xc, k)

        if z is None:
            value, addend = r, 0
        elif self.order == "round-then-add" and isinstance(z, int):
            value, addend = r, z
        elif self.fusion == "fma" and self.division == "reciprocal":
            value, addend = operate("fma", c, xc, k, cast_exact(z, c)), 0
        else:
            value, addend = operate("add", c, r, cast_exact(z, c)), 0

        def clamped(code):
            return max(low, min(high, code))

        if math.isnan(value) or (math.isinf(value) and self.overflow == "wrap"):
            if self.nan == "undefined":
                return low if self.overflow == "saturate" else UNDEFINED
            if self.nan == "highest":
                return high
            if self.nan == "zero" or (self.nan == "zero-point" and z is None):
                return clamped(0)
            if self.nan == "zero-point":
                if isinstance(z, int):
                    return clamped(z)
                zero = self.round(cast_exact(z, c), uniform)
                return low if math.isnan(zero) else int(clamped(zero))
            return low
        v = self.round(value, uniform) + addend
        if self.overflow == "wrap":
            v %= 1 << bits
            v -= (1 << bits) if v > highest else 0
        elif self.overflow == "undefined" and not lowest <= v <= highest:
            return UNDEFINED
        return int(clamped(v))

    def dequantize(self, q, s, z, domain, result):
        c = self.compute
        bias = None
        if z is not None and domain == "expressed":
            z, bias = None, cast_exact(z, c)
        if z is None:
            d = cast_exact(q, c)
        elif isinstance(z, int) and isinstance(q, int) and self.subtract == "wide":
            d = cast_exact(q - z, c)
        elif isinstance(z, int) and isinstance(q, int) and self.subtract == "wrap32":
            d = cast_exact((q - z + 2**31) % 2**32 - 2**31, c)
        else:
            d = operate("subtract", c, cast_exact(q, c), cast_exact(z, c))
        sc = cast_exact(s, c)
        if bias is None:
            p = operate("multiply", c, d, sc)
        elif self.fusion == "fma":
            p = operate("fma", c, d, sc, bias)
        else:
            p = operate("add", c, operate("multiply", c, d, sc), bias)
        return cast_exact(p, result)


# ---------------------------------------------------------------- strategies


def floats_of(type: str) -> st.SearchStrategy[float]:
    """Values of a type: any bit pattern, and values near ties and bounds of storage."""
    dtype, bits = COMPUTE_DTYPES[type], BITS_DTYPE[type]

    def to_value(v):
        with np.errstate(all="ignore"):
            return float(np.asarray(v).astype(dtype))

    patterns = st.integers(0, int(np.iinfo(bits).max)).map(lambda b: float(np.asarray(b, bits).view(dtype)))
    halves = st.integers(-1100, 1100).map(lambda n: to_value(n / 2))
    edges = st.sampled_from([2.0**k for k in (-24, -14, -1, 0, 3, 4, 7, 8, 15, 16, 24, 31, 32, 40)])
    near_edges = st.builds(lambda e, d, s: to_value(s * (e + d)), edges, st.sampled_from([-1.5, -1, -0.5, 0, 0.5, 1]), st.sampled_from([-1, 1]))
    special = st.sampled_from([0.0, -0.0, math.inf, -math.inf, math.nan])
    return st.one_of(patterns, halves, near_edges, special)


def scales_of(type: str) -> st.SearchStrategy[float]:
    dtype = COMPUTE_DTYPES[type]
    simple = st.sampled_from([1.0, 0.5, 2.0, 0.1, 0.3, 3.0, 1 / 255, 0.007, 117.0, 2.0**-14, 2.0**-20])
    return st.one_of(simple.map(lambda v: float(np.asarray(v).astype(dtype))), floats_of(type))


def semantics_for(type: str, rounding=DETERMINISTIC) -> st.SearchStrategy[Model]:
    values = reference.semantics.FIELD_VALUES
    return st.builds(
        Model,
        st.just(type),
        st.sampled_from(rounding),
        *(st.sampled_from(values[f]) for f in ("order", "division", "subtract", "overflow", "nan", "fusion")),
    )


LANES = 6
integer_storages = st.tuples(st.sampled_from([1, 2, 3, 4, 5, 8, 12, 16, 24, 31, 32]), st.booleans())


def same_float(actual: float, expected: float) -> bool:
    """Equal, with the sign of a zero; any NaN is a NaN."""
    if math.isnan(expected):
        return math.isnan(actual)
    return actual == expected and math.copysign(1, actual) == math.copysign(1, expected)


# ---------------------------------------------------------------- arithmetic


@pytest.mark.parametrize("type", FORMATS)
@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "divide", "fma"])
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_operation_rounds_once(type, name, data):
    value = floats_of(type)
    arity = 3 if name == "fma" else 2
    lanes = data.draw(st.lists(st.tuples(*[value] * arity), min_size=LANES, max_size=LANES))
    if name in ("add", "fma"):  # cancellation and sticky bits beyond any draw
        a, b = lanes[0][:2]
        with np.errstate(all="ignore"):
            lanes.append((a, b, cast_exact(float(-np.float64(a) * np.float64(b)), type)) if arity == 3 else (a, -a))
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


@pytest.mark.parametrize("type", ["f16", "bf16", "f32"])
@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_cast_rounds_once(type, data):
    precision = FORMATS[type][0]
    # Just beside a tie of the narrow type, where rounding through a third type goes wrong.
    beside_tie = st.builds(
        lambda m, low, e: math.ldexp(((2**precision + m) * 2 + 1) * 2.0**20 + low, e),
        st.integers(0, 2**precision - 1), st.sampled_from([-1, 0, 1]), st.integers(-180, 120),
    )  # fmt: skip
    values = data.draw(st.lists(st.one_of(floats_of("f64"), beside_tie), min_size=LANES, max_size=LANES))
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
            rounding.cast(single.astype(np.float64), reference_types.BF16), single.astype(BF16).astype(np.float64)
        )


# ---------------------------------------------------------------- integer storage


@pytest.mark.parametrize("mode", DETERMINISTIC)
def test_every_f16_value_rounds_as_integers_say(mode):
    bits = np.arange(65536, dtype=np.uint16).view(np.float16)
    x = bits[np.isfinite(bits)]
    units = np.round(x.astype(np.float64) * 2**24).astype(np.int64)  # every f16 is a multiple of 2^-24
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
        q = reference.quantize(x, np.float16(1), storage=storage, semantics={"rounding": mode, "overflow": "wrap"})
        span = high - low + 1
        np.testing.assert_array_equal(q.astype(np.int64), (below + up - low) % span + low)


@pytest.mark.parametrize("compute", FORMATS)
@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_quantize_to_integers(compute, data):
    model = data.draw(semantics_for(compute))
    bits, signed = data.draw(integer_storages)
    x_type, scale_type = data.draw(st.sampled_from(list(FORMATS))), data.draw(st.sampled_from(list(FORMATS)))
    x = data.draw(st.lists(floats_of(x_type), min_size=LANES, max_size=LANES))
    s = data.draw(st.lists(scales_of(scale_type), min_size=LANES, max_size=LANES))
    domain = data.draw(st.sampled_from(["stored", "stored", "expressed"]))
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    clamp = data.draw(st.none() | st.tuples(st.integers(low, high), st.integers(low, high)).map(sorted).map(tuple))
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
        np.array(x, np.int32), np.float32(s), storage="i16", semantics=model.semantics(), return_defined=True
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
    ([300.0, -129.0, 1e30, INF, NAN], None, {"overflow": "wrap", "nan": "zero"}, [44, 127, 0, 0, 0]),
    ([127.0], np.int8(1), {"overflow": "wrap"}, [-128]),
    # A tie and an odd zero point: 2.5 rounds to 2 and becomes 3; 3.5 rounds to 4.
    ([2.5], np.int8(1), {}, [3]),
    ([2.5], np.int8(1), {"order": "add-then-round"}, [4]),
])  # fmt: skip
def test_named_values(x, zero_point, semantics, expected):
    q = reference.quantize(np.array(x, np.float32), np.float32(1), zero_point, storage="i8", semantics=semantics)
    np.testing.assert_array_equal(q, expected)


def test_wide_bounds_hold_in_narrow_compute_types():
    """i32 in f32 and ui16 in f16: the bounds are not values of the compute type."""
    x = np.array([2.0**31, -(2.0**31), 2147483520.0, 2.0**32, INF], np.float32)
    q = reference.quantize(x, np.float32(1), storage="i32")
    np.testing.assert_array_equal(q, [2**31 - 1, -(2**31), 2147483520, 2**31 - 1, 2**31 - 1])
    q = reference.quantize(x, np.float32(1), np.uint32(2**32 - 1), storage="ui32")
    np.testing.assert_array_equal(q, np.array([2**32 - 1, 2**31 - 1, 2**32 - 1, 2**32 - 1, 2**32 - 1], np.uint32))
    half = np.array([65504, INF, -1], np.float16)
    q = reference.quantize(half, np.float16(1), np.uint16(65535), storage="ui16")
    np.testing.assert_array_equal(q, np.array([65535, 65535, 65534], np.uint16))


def test_undefined_says_where():
    x = np.array([1, 127, 128, -128, -129, INF, NAN], np.float32)

    def defined(**semantics):
        return reference.quantize(x, 1.0, storage="i8", semantics=semantics, return_defined=True)[1].tolist()

    assert defined() == [True] * 7
    assert defined(nan="undefined") == [True] * 7  # saturation takes a NaN to the lowest code
    assert defined(overflow="undefined") == [True, True, False, True, False, False, True]
    assert defined(overflow="undefined", nan="undefined") == [True, True, False, True, False, False, False]
    assert defined(overflow="wrap", nan="undefined") == [True, True, True, True, True, False, False]
    # A narrowed range clamps after the conversion: only the type's range decides.
    q, mask = reference.quantize(x, 1.0, storage="i8", clamp=(-8, 7), profile="mlir22", return_defined=True)
    assert mask.tolist() == [True, True, False, True, False, False, False]
    assert q[mask].tolist() == [1, 7, -8]


@settings(max_examples=150, deadline=None)
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
        expected = model.quantize(x[k], float(np.float32(0.3)), z, "stored", 16, True, None, uniform)
        assert expected is UNDEFINED if not defined.flat[k] else int(q.flat[k]) == expected


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
        assert " ".join(f"{int(word):08x}" for word in reference.philox4x32_10(counter, key)) == expected


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


# ---------------------------------------------------------------- float storage

FLOAT8_AND_LESS = tuple(name for name, type in reference_types.FLOAT_STORAGE.items() if type.dtype.itemsize == 1)


def code_values(name: str) -> np.ndarray:
    """Every finite value of a format that NumPy decodes, ascending."""
    dtype = reference_types.FLOAT_STORAGE[name].dtype
    values = np.arange(256, dtype=np.uint8).view(dtype)[: 2 ** ml_dtypes.finfo(dtype).bits].astype(np.float64)
    return np.unique(values[np.isfinite(values)])


@pytest.mark.parametrize("name", FLOAT8_AND_LESS)
def test_format_table(name):
    type = reference_types.FLOAT_STORAGE[name]
    values = code_values(name)
    positive = values[values > 0]
    assert type.max_finite == positive[-1]
    assert 2.0 ** (type.min_exponent - type.precision + 1) == positive[0]
    codes = np.arange(2 ** ml_dtypes.finfo(type.dtype).bits, dtype=np.uint8).view(type.dtype).astype(np.float64)
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
        x, np.float16(1), storage=name, semantics={"rounding": mode, "float_overflow": float_overflow}
    ).astype(np.float64)
    np.testing.assert_array_equal(q, expected)
    zero = q == 0
    np.testing.assert_array_equal(np.signbit(q[zero]), np.signbit(x[zero]) & type.has_negative_zero)


@pytest.mark.parametrize("name", ["f16", "bf16", "f8E5M2", "f4E2M1FN"])
@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_float_storage_rounds_f64_once(name, data):
    """Nearest even from f64, beside the ties where a step through f32 would show."""
    type = reference_types.FLOAT_STORAGE[name]
    values = data.draw(st.lists(
        st.builds(
            lambda n, low, e, sign: sign * math.ldexp((2 * n + 1) * 2.0**30 + low, e - 30),
            st.integers(1, 2**type.precision), st.sampled_from([-1, 0, 1]), st.integers(-140, 20), st.sampled_from([-1, 1]),
        ),
        min_size=LANES, max_size=LANES,
    ))  # fmt: skip
    q = reference.quantize(np.array(values), np.float64(1), storage=name)
    for value, code in zip(values, q.astype(np.float64)):
        exponent = max(math.frexp(value)[1] - 1, type.min_exponent)
        unit = Fraction(2) ** (exponent - type.precision + 1)
        expected = round_fraction(Fraction(value) / unit, "nearest-even") * unit
        assert Fraction(code) == max(-Fraction(type.max_finite), min(Fraction(type.max_finite), expected))


def test_float_storage_stochastic():
    x = np.full(20_000, 2.125, np.float32)  # an eighth of the way from 2 to 3 in f4E2M1FN
    q = reference.quantize(x, 1.0, storage="f4E2M1FN", semantics={"rounding": "stochastic"}).astype(np.float32)
    assert set(np.unique(q)) == {2, 3}
    assert abs(q.mean() - 2.125) < 0.01
    exact = code_values("f8E4M3FN").astype(np.float32)
    q = reference.quantize(exact, 1.0, storage="f8E4M3FN", semantics={"rounding": "stochastic"})
    np.testing.assert_array_equal(q.astype(np.float32), exact)
    # Below 448 + 32 the draw decides, from 480 on every draw overflows.
    for overflow, beyond in (("saturate", 448.0), ("ieee", np.nan)):
        options = {"storage": "f8E4M3FN", "semantics": {"rounding": "stochastic", "float_overflow": overflow}}
        q = reference.quantize(np.array([440.0, 480.0, 1e9], np.float32), 1.0, **options).astype(np.float32)
        assert q[0] in (416, 448)
        np.testing.assert_array_equal(q[1:], [beyond, beyond])


def test_float_storage_zero_point_enters_before_rounding():
    x = np.array([-0.0, 1.2, NAN], np.float32)
    q = reference.quantize(x, np.float32(1), ml_dtypes.float4_e2m1fn(0.5), storage="f4E2M1FN")
    np.testing.assert_array_equal(q.astype(np.float32), [0.5, 1.5, 6.0])
    back = reference.dequantize(q, np.float32(2), ml_dtypes.float4_e2m1fn(0.5))
    np.testing.assert_array_equal(back, [0.0, 2.0, 11.0])


# ---------------------------------------------------------------- dequantize


@pytest.mark.parametrize("compute", FORMATS)
@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_dequantize_integers(compute, data):
    model = data.draw(semantics_for(compute))
    bits, signed = data.draw(integer_storages)
    storage = reference.storage_type(f"{'i' if signed else 'ui'}{bits}")
    scale_type, result = data.draw(st.sampled_from(list(FORMATS))), data.draw(st.sampled_from(list(FORMATS)))
    codes = st.one_of(
        st.integers(storage.lowest, storage.highest), st.sampled_from([storage.lowest, storage.highest])
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
    assert q[127 - 20] == 2**31 - 1 and q[127 - 4] == 16 and q[127 + 16] == 0 and q[255] == 2**31 - 1
    np.testing.assert_array_equal(
        reference.quantize(np.int32([7]), scale[126:127], storage="i8"), reference.quantize(np.int32([7]), 0.5, storage="i8")
    )  # fmt: skip


# ---------------------------------------------------------------- granularity


@pytest.mark.parametrize("shape, block_shape", [
    ((4, 6), (1, 3)), ((4, 6), (2, 4)), ((5, 7), (0, 4)), ((5, 7), (3, 0)), ((3, 4, 5), (1, 2, 5)),
    ((3,), (8,)), ((0, 4), (2, 2)), ((3, 0), (0, 0)), ((), ()),
])  # fmt: skip
def test_blocks_share_parameters_by_index(shape, block_shape):
    parameter_shape = tuple(-(-d // b) if b else 1 for d, b in zip(shape, block_shape))
    random = np.random.default_rng(1)
    scale = random.uniform(0.5, 2, parameter_shape).astype(np.float32)
    zero_point = random.integers(-5, 5, parameter_shape).astype(np.int8)
    x = random.uniform(-100, 100, shape).astype(np.float32)
    q = reference.quantize(x, scale, zero_point, storage="i8", block_shape=block_shape)
    y = reference.dequantize(q, scale, zero_point, block_shape=block_shape)
    assert q.shape == y.shape == shape and isinstance(q, np.ndarray) and isinstance(y, np.ndarray)
    for index in np.ndindex(shape):
        group = tuple(i // b if b else 0 for i, b in zip(index, block_shape))
        assert q[index] == reference.quantize(x[index], scale[group], zero_point[group], storage="i8")
        assert y[index] == reference.dequantize(q[index], scale[group], zero_point[group])


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -3])
def test_axis_is_the_block_of_one(axis):
    shape = (2, 3, 4)
    random = np.random.default_rng(2)
    scale = random.uniform(0.5, 2, shape[axis]).astype(np.float32)
    zero_point = random.integers(0, 9, shape[axis]).astype(np.uint8)
    x = random.uniform(-100, 100, shape).astype(np.float32)
    block_shape = tuple(int(k == axis % 3) for k in range(3))
    blocked = [n if b else 1 for n, b in zip(shape, block_shape)]
    np.testing.assert_array_equal(
        reference.quantize(x, scale, zero_point, storage="ui8", axis=axis),
        reference.quantize(
            x, scale.reshape(blocked), zero_point.reshape(blocked), storage="ui8", block_shape=block_shape
        ),
    )


def test_one_zero_point_for_all_scales():
    x = np.ones((2, 3), np.float32)
    scale = np.array([0.5, 0.25], np.float32)
    np.testing.assert_array_equal(
        reference.quantize(x, scale, np.int8(3), storage="i8", axis=0), [[5, 5, 5], [7, 7, 7]]
    )


@pytest.mark.parametrize("arguments, message", [
    ({"scale": np.ones(3, np.float32)}, r"scale has shape \(3,\), expected \(\)"),
    ({"scale": np.ones(3, np.float32), "axis": 0}, r"shape \(3,\), expected \(4,\).*axis = 0"),
    ({"scale": np.ones(6, np.float32), "axis": 2}, r"axis = 2 is outside \[-2, 1\]"),
    ({"scale": np.ones((4, 2), np.float32), "block_shape": (1, 4, 1)}, "has 3 entries.* 2 dimensions"),
    ({"scale": np.ones((4, 3), np.float32), "block_shape": (1, 4)}, r"\(4, 3\), expected \(4, 2\)"),
    ({"scale": np.ones((4, 2), np.float32), "block_shape": (1, -4)}, "negative"),
    ({"scale": np.ones(4, np.float32), "axis": 0, "block_shape": (1, 0)}, "exclude"),
    ({"scale": np.ones(4, np.float32), "axis": 0, "zero_point": np.zeros(5, np.int8)}, r"zero point has shape \(5,\)"),
    ({"scale": np.int8(1)}, "scale has dtype int8"),
    ({"zero_point": np.int64(2**40)}, "does not fit 32 bits"),
    ({"storage": "i33"}, "i33"),
    ({"storage": "f8E9M9"}, "f8E9M9"),
    ({"storage": "f4E2M1FN", "clamp": (0, 1)}, "narrows integer storage"),
    ({"clamp": (-200, 7)}, r"\[-200, 7\].*\[-128, 127\]"),
    ({"x": np.ones((4, 6), np.int64)}, "int64"),
    ({"zero_point_domain": "elsewhere"}, "elsewhere"),
    ({"semantics": {"rounding": "nearest"}}, "nearest-even, nearest-away"),
    ({"semantics": {"round": "floor"}}, "round"),
    ({"semantics": "#qdq.semantic<rounding = floor>"}, "is not a"),
    ({"profile": "tensorrt"}, "unknown profile 'tensorrt'"),
])  # fmt: skip
def test_errors_name_the_numbers(arguments, message):
    arguments = {"x": np.ones((4, 6), np.float32), "scale": np.float32(1), "storage": "i8"} | arguments
    with pytest.raises(ValueError, match=message):
        reference.quantize(**arguments)


def test_codes_must_fit_their_storage():
    with pytest.raises(ValueError, match=r"codes -5 to 3 do not fit storage si3"):
        reference.dequantize(np.array([-5, 3], np.int8), 1.0, storage="i3")
    with pytest.raises(ValueError, match="float32"):
        reference.dequantize(np.ones(2, np.float32), 1.0)
    with pytest.raises(ValueError, match="float8_e4m3fn"):
        reference.dequantize(np.ones(2, np.uint8), 1.0, storage="f8E4M3FN")
    assert reference.dequantize(np.array([-4, 3], np.int8), 1.0, storage="i3").tolist() == [-4, 3]


@pytest.mark.parametrize("storage, dtype", [
    ("i8", np.int8), ("si8", np.int8), ("ui8", np.uint8), ("i4", ml_dtypes.int4), ("ui2", ml_dtypes.uint2),
    ("i3", np.int8), ("ui5", np.uint8), ("i12", np.int16), ("ui31", np.uint32), ("i32", np.int32),
    (ml_dtypes.uint4, ml_dtypes.uint4), (np.int16, np.int16), ("bf16", BF16), ("f16", np.float16),
    (ml_dtypes.float6_e3m2fn, ml_dtypes.float6_e3m2fn),
])  # fmt: skip
def test_result_dtype(storage, dtype):
    q = reference.quantize(np.float32([1, 0]), 1.0, storage=storage)
    assert q.dtype == dtype and q.astype(np.float32).tolist() == [1, 0]


# ---------------------------------------------------------------- semantics and profiles


def test_semantics_from_text_mapping_and_attribute():
    class Attribute:
        def __str__(self):
            return "#qdq.semantics<rounding = floor, float_overflow = ieee>"

    expected = reference.Semantics(rounding="floor", float_overflow="ieee")
    of = reference.Semantics.of
    assert of(Attribute()) == of("#qdq.semantics<rounding=floor,float-overflow=ieee>") == expected
    assert of({"rounding": "floor", "float-overflow": "ieee"}) == of(expected) == expected
    assert of("#qdq.semantics<>") == of("#qdq.semantics") == of({}) == of(None) == reference.Semantics()
    assert of({"order": "add_then_round"}).order == "add-then-round"


# The columns of the profile table of the design, in the words of the table's fields.
PROFILE_TABLE = """
onnx             round-then-add nearest-even exact      auto      auto      wide   saturate  lowest    none
ort              round-then-add nearest-even exact      f32       f32       wrap32 saturate  lowest    none
quant            add-then-round nearest-even exact      expressed expressed float  saturate  lowest    none
mlir22           add-then-round toward-zero  exact      expressed expressed float  undefined undefined none
stablehlo        add-then-round nearest-even exact      f32       f32       wrap32 saturate  lowest    none
onednn           add-then-round nearest-even reciprocal f32       f32       float  saturate  lowest    none
quark            round-then-add nearest-even exact      f32       f32       wide   saturate  lowest    none
pmx              add-then-round nearest-even exact      scale     scale     wide   wrap      lowest    none
torch            add-then-round nearest-even reciprocal f32       f32       wrap32 saturate  highest   fma
torch-decomposed round-then-add nearest-even reciprocal f32       expressed float  saturate  zero      none
tflite           round-then-add nearest-away exact      f32       f32       wide   saturate  lowest    none
xnnpack          round-then-add nearest-even reciprocal f32       f32       wide   saturate  highest   none
"""


def test_profile_table():
    rows = [line.split() for line in PROFILE_TABLE.split("\n") if line]
    assert [row[0] for row in rows] == list(reference.PROFILES)
    for name, *row in rows:
        profile = reference.PROFILES[name]
        s = profile.semantics
        computed = [profile.quantize_compute, profile.dequantize_compute]
        assert [s.order, s.rounding, s.division, *computed, s.subtract, s.overflow, s.nan, s.fusion] == row


def test_profiles_differ_where_the_systems_do():
    x = np.float32([2.5, 0.5, NAN, 300])
    codes = {name: reference.quantize(x, 1.0, np.int8(1), storage="i8", profile=name).tolist() for name in reference.PROFILES}
    assert codes["onnx"] == codes["ort"] == codes["quark"] == [3, 1, -128, 127]
    assert codes["quant"] == codes["stablehlo"] == codes["onednn"] == [4, 2, -128, 127]
    assert codes["mlir22"][:2] == [3, 1]
    assert codes["torch"] == [4, 2, 127, 127]
    assert codes["torch-decomposed"] == [3, 1, 0, 127]
    assert codes["tflite"] == [4, 2, -128, 127]
    assert codes["xnnpack"] == [3, 1, 127, 127]
    assert codes["pmx"][3] == 45  # 301 modulo 256


def test_reciprocal_and_fused_multiply_show():
    """In f32 1 / 0.1f is 10 after rounding, 0.1f is above a tenth: 0.35f / 0.1f is below the tie."""
    x, s = np.float32(0.35), np.float32(0.1)
    assert x / s < 3.5 or x / s == 3.5
    assert reference.quantize(x, s, storage="i8", profile="xnnpack") == np.rint(x * (np.float32(1) / s))
    random = np.random.default_rng(3)
    x = (random.integers(-400, 400, 20_000) / 2).astype(np.float32) * np.float32(0.07)
    s, k = np.float32(0.07), np.float32(1) / np.float32(0.07)
    two = np.clip(np.rint(x * k + np.float32(3)), -128, 127)
    one = np.clip(np.rint((x.astype(np.float64) * k + 3).astype(np.float32)), -128, 127)
    onednn = reference.quantize(x, s, np.int8(3), storage="i8", profile="onednn")
    torch = reference.quantize(x, s, np.int8(3), storage="i8", profile="torch")
    np.testing.assert_array_equal(onednn, two)
    np.testing.assert_array_equal(torch, one)
    assert (two != one).any() and (onednn != reference.quantize(x, s, np.int8(3), storage="i8", profile="quant")).any()


def test_explicit_fields_go_on_top_of_a_profile():
    x = np.float32([2.7, -2.7])
    q = reference.quantize(x, 1.0, np.int8(1), storage="i8", profile="quant", semantics={"rounding": "floor"})
    assert q.tolist() == [3, -2]
    # `precision` of ONNX: 1000.4 / 1 in f16 is 1000.5.
    x = np.float32([1000.4])
    up = {"rounding": "nearest-away"}
    assert reference.quantize(x, np.float32(1), storage="i16", profile="onnx", semantics=up) == 1000
    assert reference.quantize(x, np.float32(1), storage="i16", profile="onnx", semantics=up | {"compute": "f16"}) == 1001


def test_compute_auto():
    x = np.float32([1000.4])
    up = {"rounding": "nearest-away"}
    assert reference.quantize(x, np.float16(1), storage="i16", semantics=up) == 1001  # of the scale
    assert reference.quantize(np.float16(x), np.float32(1), storage="i16", semantics=up) == 1001  # already in x
    assert reference.quantize(x, ml_dtypes.float8_e8m0fnu(1), storage="i16", semantics=up) == 1000  # of x
    # dequantize: f32 unless the scale or the result is f64.
    q = np.int32([2**24 + 1])
    assert reference.dequantize(q, np.float32(1)) == 2**24
    assert reference.dequantize(q, np.float32(1), expressed="f64") == 2**24 + 1
    assert reference.dequantize(q, np.float16(1), expressed=np.float16) == np.inf
    assert reference.dequantize(q, np.float32(1), expressed="f64", profile="ort") == 2**24


def test_dequantize_subtraction_domains():
    q, z = np.int32([2**31 - 1]), np.int32(-(2**31))
    options = {"expressed": "f64", "storage": "i32"}
    assert reference.dequantize(q, 1.0, z, semantics={"subtract": "wide"}, **options) == 2**32 - 1
    assert reference.dequantize(q, 1.0, z, semantics={"subtract": "wrap32"}, **options) == -1
    narrow_float = {"subtract": "float", "compute": "f16"}
    assert np.isnan(reference.dequantize(np.uint16([65535]), np.float16(1), np.uint16(65535), semantics=narrow_float))


# ---------------------------------------------------------------- choose_params


def test_choose_params_of_a_range():
    scale, zero_point = reference.choose_params(np.float32([-1, 0, 3, NAN]), storage="ui8")
    assert scale == np.float32(4) / np.float32(255) and scale.dtype == np.float32 and scale.shape == ()
    assert zero_point == 64 and zero_point.dtype == np.uint8
    scale, zero_point = reference.choose_params(np.float32([-1, 0, 3]), storage="i8", mode="symmetric")
    assert scale == np.float32(3) / np.float32(127) and zero_point == 0
    scale, zero_point = reference.choose_params(np.float32([-1, 3]), storage="ui4", mode="symmetric")
    assert scale == np.float32(3) / np.float32(7) and zero_point == 8


@pytest.mark.parametrize("mode", ["asymmetric", "symmetric"])
@pytest.mark.parametrize("x", [[], [0.0], [-0.0, 0.0], [NAN], [5.0, 5.0], [-5.0], [INF], [-INF, INF]])
def test_choose_params_is_safe(x, mode):
    scale, zero_point = reference.choose_params(np.array(x, np.float32), storage="i8", mode=mode)
    assert scale > 0 and -128 <= zero_point <= 127
    if not np.any(np.nan_to_num(x)):
        assert scale == 1 and zero_point == (-128 if mode == "asymmetric" else 0)


@pytest.mark.parametrize("options", [
    {"axis": 0}, {"axis": -1}, {"block_shape": (2, 3)}, {"block_shape": (0, 4)}, {"block_shape": (1, 0)},
])  # fmt: skip
def test_choose_params_groups(options):
    x = np.random.default_rng(4).normal(size=(5, 7)).astype(np.float32)
    x[1, 2] = np.nan
    scale, zero_point = reference.choose_params(x, storage="i8", **options)
    rows = options.get("block_shape", (1, 0) if options.get("axis") == 0 else (0, 1))
    rows = [b or d for b, d in zip(rows, x.shape)]
    for index in np.ndindex(-(-5 // rows[0]), -(-7 // rows[1])):
        part = x[tuple(slice(i * b, (i + 1) * b) for i, b in zip(index, rows))]
        one_scale, one_zero = reference.choose_params(part, storage="i8")
        flat = index if "block_shape" in options else (max(index),)
        assert scale[flat] == one_scale and zero_point[flat] == one_zero
    q = reference.quantize(np.nan_to_num(x), scale, zero_point, storage="i8", **options)
    y = reference.dequantize(q, scale, zero_point, **options)
    assert np.abs(y - np.nan_to_num(x)).max() <= scale.max() * 1.001


def test_choose_params_computes_in_the_scale_type():
    x = np.float32([-1.1, 2.3])
    scale, _ = reference.choose_params(x, storage="i8", scale_type="bf16")
    lo, hi = x.astype(BF16)
    assert scale == (hi - lo) / BF16(255) and scale.dtype == BF16
    with pytest.raises(ValueError, match="f8E4M3FN"):
        reference.choose_params(x, storage="f8E4M3FN")


# ---------------------------------------------------------------- the package


def test_import_needs_neither_mlir_nor_compiled_code():
    program = (
        "import sys; sys.modules['mlir'] = None; import mlir_qdq.reference as r; "
        "assert not [m for m in sys.modules if m.startswith('mlir_qdq._mlir_libs')]; print(r.quantize(2.5, 1.0, storage='i8'))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stdout.strip() == "2", done.stderr


def test_empty_and_rank_zero():
    for shape in ((0,), (0, 3), (2, 0)):
        q = reference.quantize(np.zeros(shape, np.float32), 1.0, storage="i4", semantics={"rounding": "stochastic"})
        assert q.shape == shape and reference.dequantize(q, 1.0).shape == shape
        assert reference.quantize(np.zeros(shape), np.ones(shape[0]), storage="i4", axis=0).shape == shape
    assert reference.quantize(np.float32(3), np.float32([2]), storage="i8").shape == ()


def test_a_million_elements_is_quick():
    x = np.random.default_rng(5).normal(size=(1024, 1024)).astype(np.float32)
    q = reference.quantize(x, np.float32(0.02), np.int8(3), storage="i8")
    expected = np.clip(np.rint(x / np.float32(0.02)) + 3, -128, 127)
    np.testing.assert_array_equal(q, expected)
