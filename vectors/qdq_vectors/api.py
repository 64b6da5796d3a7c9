# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions of the package."""

from __future__ import annotations

from collections.abc import Iterator

from . import arrays, frequencies, stochastic
from .case import Case
from .casts import Cast, cast, casts
from .frequencies import Frequencies

OPERATIONS = {
    "cast": casts,
    "stochastic": stochastic.cases,
    "frequency": frequencies.cases,
} | {name: arrays.cases_of(name) for name in arrays.RESULTS}


def cases(operation: str, **choices) -> Iterator[Case]:
    """Every case with these choices: cases("cast", to="f8E4M3FN", rounding="nearest-even")."""
    if operation not in OPERATIONS:
        raise ValueError(
            f"unknown operation '{operation}': expected one of {', '.join(OPERATIONS)}"
        )
    return OPERATIONS[operation](**choices)


def case(name: str, **choices) -> Cast:
    """One cast by its name in C headers: case("cast_f32_e4m3fn", rounding="floor")."""
    return cast(name, **choices)


def identify(convert, source: str, to: str) -> list[Cast]:
    """The rules for these types that `convert` follows on every vector."""
    results = None
    found = []
    for each in casts(source=source, to=to):
        if results is None:
            results = convert(each.x.copy())
        if each.compare(each.patterns, results) is None:
            found.append(each)
    return found


def frequency(convert, to: str, draws: int = 1 << 16, rate: float = 1e-9) -> Frequencies:
    """How often `convert`, from an array of f32 to one of codes, takes the upper neighbour, and if that is too
    often or too seldom. A right `convert` fails with a probability of at most `rate`."""
    (case,) = frequencies.cases(to=to, draws=draws, rate=rate)
    return case.frequencies(convert)


def as_test(convert, operation: str, **choices):
    """A test for pytest, one for each case: test_mine = as_test(convert, "cast", to="f8E4M3FN")."""
    import pytest

    chosen = list(cases(operation, **choices))
    if not chosen:
        raise ValueError(f"no vectors of {operation} with {choices}")

    @pytest.mark.parametrize("case", chosen, ids=[each.name for each in chosen])
    def test(case):
        __tracebackhide__ = True
        case.check(convert)

    return test
