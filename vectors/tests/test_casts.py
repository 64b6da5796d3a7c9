# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What somebody finds who holds a cast to the vectors."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
import wrong_casts

import qdq_vectors as vectors
from qdq_vectors import explain, runs, stream
from qdq_vectors.casts import casts
from qdq_vectors.formats import SOURCES

E4M3 = vectors.case("cast_f32_e4m3fn")


def test_right_cast():
    E4M3.check(wrong_casts.to_e4m3)
    assert [c.name for c in vectors.identify(wrong_casts.to_e4m3, "f32", "e4m3fn")] == [E4M3.name]


@pytest.mark.parametrize(
    "convert, first, clause",
    [
        (wrong_casts.flushes_subnormals, 0x3A800001, "Q6.1"),
        (wrong_casts.loses_the_sign_of_zero, 0x80000000, "Q6.4"),
        # 264 lies between 256 and 288: the first input beyond the tie with 240's end.
        (wrong_casts.ends_at_240, 0x43780000, "Q1.1"),
        # Just above the tie of 0 and 2^-9, float16 has the tie, which goes to even.
        (wrong_casts.rounds_twice, 0x3A800001, "Q1.1"),
    ],
)
def test_wrong_cast(convert, first, clause):
    difference = E4M3.difference(convert)
    assert difference.first_at == first
    assert f"{clause}: " in difference.first
    with pytest.raises(vectors.Mismatch, match=f"x = 0x{first:08x}"):
        E4M3.check(convert)


def test_shortest_input():
    def wrong_above_two(x):
        return np.where(x > 2, 0x77, wrong_casts.to_e4m3(x)).astype(np.uint8)

    difference = E4M3.difference(wrong_above_two)
    assert "(2.25)" not in difference.first
    assert len(E4M3.spelled(difference.shortest_at)) <= 2


def test_all_inputs_have_the_codes_of_the_vectors():
    for cast in casts(rounding="nearest-even"):
        np.testing.assert_array_equal(cast.of(cast.patterns), cast.expected)
        first = int(cast.patterns[len(cast.patterns) // 2])
        spanned = cast.span(max(first - 50, 0), first + 1)
        assert spanned[-1] == cast.of([first])[0]


@pytest.mark.parametrize(
    "name", ["cast_f16_e5m2", "cast_bf16_i8", "cast_f16_ui3-floor-wrap-highest"]
)
def test_hashes_of_sixteen_bits(name):
    cast = vectors.case(name)
    outputs = cast.span(0, 1 << 16).tobytes()
    assert cast.hashes["sha256"] == hashlib.sha256(outputs).hexdigest()
    digest = hashlib.sha256(outputs).digest()
    assert cast.hashes["tree"] == hashlib.sha256(digest).hexdigest()
    found = stream.check(cast, lambda a, b: cast.span(a, b))
    assert (found.differing, found.tree) == (0, cast.hashes["tree"])


def test_every_row_has_a_hash():
    for cast in casts():
        if cast.source in ("f32", "f16", "bf16") and cast.to not in ("f16", "bf16"):
            assert "tree" in cast.hashes, cast.name


def test_tree_hash_of_runs():
    """Of chunks that are constant and of others, against the definition."""
    cast = vectors.case("cast_f16_e4m3fn")
    starts = np.array([0, 70000, runs.CHUNK * 3], np.uint64)
    found = runs.Runs(starts, np.array([1, 2, 3], np.uint8), 18)
    codes = found.span(0, 1 << 18)
    assert codes[69999] == 1 and codes[70000] == 2 and codes[-1] == 3
    chunks = [codes[a : a + runs.CHUNK].tobytes() for a in range(0, len(codes), runs.CHUNK)]
    digests = b"".join(hashlib.sha256(chunk).digest() for chunk in chunks)
    assert found.tree_hash() == hashlib.sha256(digests).hexdigest()
    assert cast._runs.tree_hash() == cast.hashes["tree"]


def test_any_nan_is_a_nan():
    cast = vectors.case("cast_f32_e5m2", float_overflow="ieee")
    nan = np.flatnonzero(cast.expected == 0x7E)
    given = cast.expected.copy()
    given[nan] = np.resize([0x7D, 0x7F, 0xFD, 0xFE, 0xFF], nan.size)
    assert cast.compare(cast.patterns, given) is None


def test_results_may_be_signed_or_wide():
    cast = vectors.case("cast_f32_i4")
    signed = (cast.expected.astype(np.int8) << 4) >> 4
    assert cast.compare(cast.patterns, signed) is None
    assert cast.compare(cast.patterns, signed.astype(np.int64)) is None
    half = vectors.case("cast_f16_i4")
    wide = stream.check(half, lambda a, b: ((half.span(a, b) << 4).view(np.int8) >> 4).astype(int))
    assert wide.tree == half.hashes["tree"]
    with pytest.raises(ValueError, match="results of dtype float32, expected codes of 4 bits"):
        cast.compare(cast.patterns, signed.astype(np.float32))


def test_every_input_names_a_clause_of_its_file():
    for cast in casts(rounding="nearest-even"):
        known = {"Q1.1", "Q1.9", "Q6.1", "Q6.2", "Q6.3", "Q6.4"}
        if cast.to not in SOURCES:
            heading = runs.file_of(cast.source, cast.to).read_text().splitlines()[1]
            known = set(heading.split("; tests ")[1].split())
        for pattern in cast.patterns[:: max(1, len(cast.patterns) // 60)].tolist():
            assert set(explain.clauses(cast, pattern)) <= known


@pytest.mark.parametrize(
    "choices, message",
    [
        (dict(name="cast_f32_e4m4"), "unknown type 'e4m4'"),
        (dict(name="cast_bf16_f16"), "no vectors of 'cast_bf16_f16'"),
        (dict(name="f32_to_e4m3"), "expected cast_<source>_<to>"),
        (dict(name="cast_f32_e4m3fn", rounding="up"), "rounding = up: expected one of nearest-even"),
        (dict(name="cast_f32_e4m3fn", nan="zero"), "has no field 'nan': expected rounding, float_overflow"),
    ],
)  # fmt: skip
def test_wrong_names(choices, message):
    with pytest.raises(ValueError, match=message):
        vectors.case(**choices)


def test_back():
    case = vectors.case("cast_e4m3fn_f32")
    case.check(lambda codes: case.of(codes).view(np.float32))
    case = vectors.case("cast_e5m3fnu_f16")
    difference = case.difference(lambda codes: np.minimum(case.of(codes), 0x7BFF))
    # 65536, the first value beyond f16.
    assert difference.first_at == 0xF8 and "Q3.4: " in difference.first
