# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The stored casts against the NumPy reference, against exact rationals one by one, and against ml_dtypes."""

from __future__ import annotations

import random
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from qdq_vectors import casts, wrap
from qdq_vectors.casts import Cast
from qdq_vectors.formats import FLOATS, SOURCES, STORAGE, WIDE

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "statements"))


def inputs(cast: Cast) -> np.ndarray:
    """All of 16 bits; of 32 the vectors, and every 2^18-th pattern; of 64 the vectors."""
    if cast.source in WIDE:
        return cast.patterns
    if cast.source_type.bits == 16:
        return np.arange(1 << 16)
    return np.union1d(cast.patterns, np.arange(0x12345, 1 << 32, 1 << 18))


@pytest.mark.parametrize("to", STORAGE)
@pytest.mark.parametrize("source", SOURCES | WIDE)
def test_numpy_reference(source, to):
    pytest.importorskip("mlir_qdq.reference")
    import reference_casts

    for cast in casts.casts(source=source, to=to):
        patterns = inputs(cast) if cast.fields["rounding"] == "nearest-even" else cast.patterns
        values = wrap.values(patterns, source)
        expected = reference_casts.codes(values, to, cast.fields)
        assert cast.compare(patterns, expected) is None, cast.name


@pytest.mark.parametrize("source", SOURCES | WIDE)
def test_exact_rationals(source):
    """The files hold what the exact statement gives."""
    import exact_casts

    for to, rounding in zip(STORAGE, 3 * casts.ROUNDINGS):
        for cast in casts.casts(source=source, to=to, rounding=rounding):
            if cast.fields.get("overflow") != "wrap":
                found = exact_casts.runs(source, cast.type, cast.fields)
                stored = zip(cast._runs.starts.tolist(), cast._runs.codes.tolist())
                assert found == list(stored), cast.name


def by_distance(value: Fraction, type) -> set[int]:
    """The codes of the nearest values, by looking at all of them."""
    finite = [c for c in range(1 << type.bits) if abs(type.value(c)) < float("inf")]
    nearest = min(abs(Fraction(type.value(c)) - value) for c in finite)
    return {c for c in finite if abs(Fraction(type.value(c)) - value) == nearest}


@pytest.mark.parametrize("to", FLOATS)
def test_nearest_value(to):
    """Under `saturate` the code of a finite value is one of the nearest: no grid, no exponents."""
    cast = casts.cast(f"cast_f32_{FLOATS[to].short}")
    for pattern in random.Random(to).sample(sorted(cast.patterns.tolist()), 60):
        value = SOURCES["f32"].value(pattern)
        if abs(value) < float("inf"):
            assert int(cast.of([pattern])[0]) in by_distance(Fraction(value), FLOATS[to]) | (
                {FLOATS[to].sign_bit} if FLOATS[to].has_zero else set()
            )


@pytest.mark.parametrize("to", FLOATS)
@pytest.mark.parametrize("source", SOURCES)
def test_ml_dtypes(source, to):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    name = {"f8E4M3": "float8_e4m3", "f8E3M4": "float8_e3m4"}.get(to, f"float{to[1:].lower()}")
    name = name.replace("float8e", "float8_e").replace("float6e", "float6_e")
    dtype = getattr(ml_dtypes, name.replace("float4e", "float4_e"), None)
    if dtype is None:
        pytest.skip(f"ml_dtypes has no {to}")
    cast = casts.cast(f"cast_{source}_{FLOATS[to].short}", float_overflow="ieee")
    patterns = inputs(cast)
    x = cast.inputs(patterns)
    x = x.view(ml_dtypes.bfloat16) if source == "bf16" else x
    with np.errstate(all="ignore"):
        # Through float32, which is exact: from float16 and bfloat16 it has rounded twice.
        results = x.astype(np.float32).astype(dtype).view(np.uint8)
        value = x.astype(np.float64)
    # Where ml_dtypes does not do as docs/Semantics.md does: NaN in formats without one (Q6.2), infinities there
    # (Q6.3), zero and subnormals of f8E8M0FNU (Q8.2).
    same = np.ones(len(x), bool)
    if not FLOATS[to].has_zero:
        same = value > 2.0**-125
    elif FLOATS[to].nan == "none":
        same = ~np.isnan(value)
    assert cast.compare(patterns[same], results[same]) is None


@pytest.mark.parametrize("to", STORAGE)
def test_rounding_through_f32_is_seen(to):
    """From f64 a cast that goes through f32 rounds twice: next to a tie it takes the other value."""
    fields = {"rounding": "nearest-even"}
    direct, other = (casts.cast(f"cast_{s}_{STORAGE[to].short}", **fields) for s in ("f64", "f32"))

    def through_f32(x):
        with np.errstate(all="ignore"):
            return other.of(x.astype(np.float32).view(np.uint32))

    found = direct.difference(through_f32)
    assert found and found.differing >= 2


@pytest.mark.parametrize(
    "name",
    [
        "cast_f32_f16-nearest-even-ieee", "cast_f32_bf16-floor-saturate",
        "cast_f64_f16-to-odd-ieee", "cast_f64_bf16-nearest-away-saturate",
    ],
)  # fmt: skip
def test_narrow_is_exact(name):
    """Both ends of every run of the exact statement, so that all inputs have its codes."""
    import exact_casts

    cast = casts.cast(name)
    found = exact_casts.runs(cast.source, cast.type, cast.fields)
    starts, codes = (np.array(column, np.uint64) for column in zip(*found))
    np.testing.assert_array_equal(cast.of(starts), codes)
    np.testing.assert_array_equal(cast.of(starts[1:] - np.uint64(1)), codes[:-1])
    assert cast.of([(1 << cast.source_type.bits) - 1]) == codes[-1]


@pytest.mark.parametrize("source, to", casts.NARROW)
def test_narrow_by_the_reference(source, to):
    reference = pytest.importorskip("mlir_qdq.reference")
    for cast in casts.casts(source=source, to=to):
        values = wrap.values(cast.patterns, source)
        found = reference.quantize(values, np.float64(1), storage=to, semantics=cast.fields)
        assert cast.compare(cast.patterns, found.view(np.uint16)) is None, cast.name


def exact_to_integer(pattern: int, cast: Cast) -> int:
    import exact_casts

    return exact_casts.wrapped(cast.source, cast.type, cast.fields, pattern)


@pytest.mark.parametrize("source", SOURCES)
def test_wrap_is_exact(source):
    draw = random.Random(source)
    for cast in casts.casts(source=source, overflow="wrap", nan="highest"):
        chosen = draw.sample(cast.patterns.tolist(), 200)
        assert cast.of(chosen).tolist() == [exact_to_integer(p, cast) for p in chosen], cast.name


@pytest.mark.parametrize("to", STORAGE)
def test_back(to):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    for cast in casts.casts(source=to):
        dtypes = {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16}
        # float64 holds every value; f8E8M0FNU and f8E5M3FNU need rounding in float16.
        values = np.array(
            [cast.source_type.value(code) for code in cast.patterns.tolist()], np.float64
        )
        with np.errstate(all="ignore"):
            expected = values.astype(dtypes[cast.to])
        assert cast.compare(cast.patterns, expected) is None


def test_back_of_exponents_to_f16():
    """2^16 is beyond f16; 2^-25 is a tie with zero, which is even."""
    values = casts.cast("cast_e8m0fnu_f16").of(np.arange(256))
    assert values[127 + 16] == 0x7C00 and values[127 + 15] == 0x7800
    assert values[127 - 24] == 1 and values[127 - 25] == 0 and values[255] == 0x7E00
