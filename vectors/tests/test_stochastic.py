# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stochastic rounding: the contract against the NumPy reference, and which generators the frequencies find."""

from __future__ import annotations

import itertools
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import wrong_casts

import qdq_vectors as vectors
from qdq_vectors import frequencies, stochastic
from qdq_vectors.formats import STORAGE

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "statements"))


@pytest.mark.parametrize(
    "counter, key, words",
    [
        ("0" * 32, "0" * 16, "6627e8d5e169c58dbc57ac4c9b00dbd8"),
        ("f" * 32, "f" * 16, "408f276d41c83b0ea20bc7c66d5451fd"),
        (
            "243f6a8885a308d313198a2e03707344",
            "a4093822299f31d0",
            "d16cfe0994fdcceb5001e42024126ea1",
        ),
    ],
)
def test_philox(counter, key, words):
    """The known answers of Random123, the library of the paper's authors."""

    def split(text):
        return tuple(int(text[i : i + 8], 16) for i in range(0, len(text), 8))

    assert stochastic.philox4x32_10(split(counter), split(key)) == split(words)


# --- the contract -------------------------------------------------------------------------


@pytest.mark.parametrize("to", STORAGE)
def test_numpy_reference(to):
    pytest.importorskip("mlir_qdq.reference")
    import reference_casts
    from mlir_qdq import reference
    from mlir_qdq.reference import types

    for case in vectors.cases("stochastic", to=to):
        case.check(lambda c: reference_casts.stochastic(c.x, to, c.positions, c.seed))
        if case.first == 0 and (to in types.FLOAT_STORAGE or not case.type.is_float):
            options = {"storage": to, "semantics": {"rounding": "stochastic"}, "seed": case.seed}
            codes = reference.quantize(case.x, np.float32(1), **options)
            case.check(lambda c: codes if case.type.is_float else codes.astype(np.int8))


@pytest.mark.parametrize("to", STORAGE)
def test_inputs(to):
    """Neighbours and probabilities, by looking at all values."""
    type = STORAGE[to]
    finite = {c: type.value(c) for c in range(1 << type.bits) if abs(type.value(c)) < float("inf")}
    for case in (*vectors.cases("stochastic", to=to), *vectors.cases("frequency", to=to)):
        columns = (case.x.tolist(), case.lower.tolist(), case.upper.tolist(), case.probability)
        for x, lower, upper, p in zip(*columns):
            a, b = type.value(lower), type.value(upper)
            assert a == max(v for v in finite.values() if v <= x)
            assert b == min(v for v in finite.values() if v > x)
            assert p == (Fraction(x) - Fraction(a)) / (Fraction(b) - Fraction(a))
    assert (case.x < 0).any() == (min(finite.values()) < 0)


@pytest.mark.parametrize(
    "mistake",
    [
        lambda u, fraction: u <= fraction,
        lambda u, fraction: np.floor(u * 2**23) / 2**23 < fraction,
        lambda u, fraction: 1 - u - 2.0**-24 < fraction,
    ],
    ids=["not less", "23 bits", "from above"],
)
@pytest.mark.parametrize("to", ["f8E5M2", "f4E2M1FN", "i8"])
def test_wrong_comparisons(to, mistake):
    for case in vectors.cases("stochastic", to=to):
        u = np.array([float(stochastic.uniform(int(at), case.seed)) for at in case.positions])
        fraction = np.array(case.probability, float).astype(np.float32)
        codes = np.where(u < fraction, case.upper, case.lower)
        case.check(lambda c: codes)
        wrong = np.where(mistake(u, fraction), case.upper, case.lower)
        difference = case.difference(lambda c: wrong)
        assert f"with seed {case.seed}" in difference.first and "Q7.1: " in difference.first


def test_position_is_64_bits():
    (case,) = vectors.cases("stochastic", to="i8", seed=(1 << 64) - 1)
    low = case.positions & np.uint64(0xFFFFFFFF)
    assert (low != case.positions).any()
    assert (case.of(case.x, low) != case.expected).any()


# --- frequencies --------------------------------------------------------------------------


def rounding(to: str, up):
    """To `to`, up where up(fraction) says so."""
    grid = stochastic.intervals(to)
    lowers = np.array([float(each.lower) for each in grid])
    units = np.array([float(each.unit) for each in grid])
    lower, upper = np.array([(each.lower_code, each.upper_code) for each in grid], np.uint8).T

    def convert(x):
        at = np.searchsorted(lowers, x, side="right") - 1
        fraction = (x.astype(np.float64) - lowers[at]) / units[at]
        return np.where(up(fraction), upper[at], lower[at])

    return convert


def random(seed: int):
    return np.random.default_rng(seed).random


def bits(draw, count: int):
    return lambda shape: np.floor(draw(shape) * 2**count) / 2**count


@pytest.mark.parametrize("to", ["f8E4M3FN", "f8E8M0FNU", "f4E2M1FN", "f8E5M2FNUZ", "ui2", "i8"])
def test_right_generators(to):
    draw = random(3)
    found = vectors.frequency(rounding(to, lambda p: draw(p.shape) < p), to=to)
    found.check()
    assert not found.other_count.any() and found.p_value.min() > 1e-6
    share = found.upper_count / found.case.draws
    np.testing.assert_allclose(share, np.array(found.case.probability, float), atol=0.01)
    few = bits(draw, 24)
    vectors.frequency(rounding(to, lambda p: few(p.shape) < p), to=to, draws=5000).check()


DRAW = random(5)
EIGHT = bits(DRAW, 8)
WRONG = {
    "biased by 1/16": lambda p: DRAW(p.shape) < p + 1 / 16 * (p > 0),
    "biased by 1/50": lambda p: DRAW(p.shape) < p + 1 / 50 * (p > 0),
    "8 bits": lambda p: EIGHT(p.shape) < p,
    "8 bits, fraction cut": lambda p: EIGHT(p.shape) < np.floor(p * 256) / 256,
    "8 bits, half a step": lambda p: EIGHT(p.shape) + 1 / 512 < p,
    "nearest": lambda p: p > 0.5,
    "values move": lambda p: DRAW(p.shape) <= np.maximum(p, 2.0**-14),
    "one draw a call": lambda p: DRAW() < p,
}


@pytest.mark.parametrize("to", ["f8E4M3FN", "i4"])
@pytest.mark.parametrize("name", WRONG)
def test_wrong_generators(name, to):
    found = vectors.frequency(rounding(to, WRONG[name]), to=to)
    assert found.difference and not found.other_count.any()
    with pytest.raises(vectors.Mismatch, match="V6: "):
        found.check()
    assert ("every call gave the same codes" in found.difference.first) == (name == "nearest")


def test_bits_that_draws_find():
    """n bits need 2^(n + 8) draws."""
    for count in (4, 8, 10):
        few = bits(random(count), count)
        convert = rounding("i4", lambda p: few(p.shape) < p)
        assert vectors.frequency(convert, "i4", draws=1 << (count + 8)).difference


def test_other_results():
    draw = random(9)
    right = rounding("f8E4M3FN", lambda p: draw(p.shape) < p)

    def convert(x):
        codes = right(x)
        codes[-1] = 0x7F
        return codes

    found = vectors.frequency(convert, to="f8E4M3FN", draws=8000)
    assert np.flatnonzero(found.other_count).tolist() == [len(found.case.x) - 1]
    assert "are neither that nor 0x7d" in found.difference.first


def test_tail_is_a_bound():
    """At least twice the exact binomial tail."""
    for draws, p in itertools.product(
        (20, 60), (Fraction(1, 2), Fraction(1, 64), Fraction(21, 32))
    ):
        weights = [Fraction(1)]
        for k in range(draws):
            weights.append(weights[-1] * (draws - k) / (k + 1) * p / (1 - p))
        total = sum(weights)
        found = frequencies.tail(np.arange(draws + 1), draws, np.full(draws + 1, float(p)))
        for count in range(draws + 1):
            smaller = min(sum(weights[: count + 1]), sum(weights[count:]))
            assert found[count] >= min(1.0, float(2 * smaller / total)) * (1 - 1e-9)


def test_false_alarms_are_rare():
    """At a rate of 1/10, at most a few of 60 right runs fail."""
    draw = random(11)
    convert = rounding("ui2", lambda p: draw(p.shape) < p)
    runs = [vectors.frequency(convert, "ui2", draws=2000, rate=0.1) for _ in range(60)]
    assert sum(found.difference is not None for found in runs) <= 12


def test_as_test_and_marker(pytester, monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    pytester.makepyfile("""
        import pytest
        import qdq_vectors as vectors
        import wrong_casts

        test_nearest = vectors.as_test(wrong_casts.to_e4m3, "frequency", to="f8E4M3FN", draws=2048)

        @pytest.mark.qdq_vectors("stochastic", to="f8E4M3FN")
        def test_contract(case):
            case.check(lambda case: case.expected)
    """)
    result = pytester.runpytest_inprocess("-p", "qdq_vectors.pytest_plugin", "-p", "no:xdist")
    result.assert_outcomes(passed=len(stochastic.STREAMS), failed=1)
    result.stdout.fnmatch_lines(["*frequency_f32_e4m3fn: * inputs differ", "*V6: *"])
    assert "Traceback" not in result.stdout.str()


@pytest.mark.parametrize(
    "choices, message",
    [
        (dict(source="f16"), "from f16: expected f32"),
        (dict(to="f16"), "no vectors of stochastic rounding to f16"),
        (dict(to="e4m4"), "unknown type 'e4m4'"),
    ],
)
def test_wrong_choices(choices, message):
    for operation in ("stochastic", "frequency"):
        with pytest.raises(ValueError, match=message):
            list(vectors.cases(operation, **choices))


def test_no_draws():
    with pytest.raises(ValueError, match="draws = 0"):
        vectors.frequency(np.rint, to="i8", draws=0)


def test_example_of_the_readme():
    readme = ROOT / "README.md"
    section = readme.read_text().split("## Stochastic rounding\n")[1].split("\n## ")[0]
    example = section.split("```python\n")[1].split("```")[0]
    names: dict = {}
    exec(compile(example, str(readme), "exec"), names)
    assert names["found"].case.draws == 65536
    with pytest.raises(vectors.Mismatch):
        vectors.frequency(lambda x: np.rint(x).astype(np.int8), to="i8").check()
    # The nearest code is one of the two neighbours.
    assert not vectors.frequency(wrong_casts.to_e4m3, to="e4m3fn", draws=2).other_count.any()
