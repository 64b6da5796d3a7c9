# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Why an input has its code: its place among the values of the type, and the clause that decides."""

from __future__ import annotations

import math
from bisect import bisect_left
from functools import cache

from .clauses import cite
from .formats import STORAGE


def explain(cast, pattern: int, given: int, expected: int) -> str:
    """A few lines about one input."""
    value = cast.source_type.value(pattern)
    digits = -(-cast.source_type.bits // 4)
    rules = ", ".join(f"{key} = {value}" for key, value in cast.fields.items())
    place, clauses = _widening(cast) if cast.source in STORAGE else _place(cast, value)
    lines = [
        f"  x = 0x{pattern:0{digits}x} ({cast.spelled(pattern)})"
        f" gives {_code(cast.type, given)}, expected {_code(cast.type, expected)}",
        f"  {place}" + (f"; {rules}" if rules else ""),
        *(f"  {cite(clause)}" for clause in clauses),
    ]
    return "\n".join(lines)


def clauses(cast, pattern: int) -> tuple[str, ...]:
    """Those that decide the code of an input."""
    if cast.source in STORAGE:
        return _widening(cast)[1]
    return _place(cast, cast.source_type.value(pattern))[1]


def _code(type, code: int) -> str:
    value = type.value(code)
    text = f"{value:.9g}" if isinstance(value, float) else str(value)
    return f"0x{code:0{-(-type.bits // 4)}x} ({text})"


def _widening(cast) -> tuple[str, tuple[str, ...]]:
    clause = "Q6.5" if cast.source_type.is_float else "Q3.1"
    return f"a code of {cast.source}", (clause, "Q3.4")


def _place(cast, value: float) -> tuple[str, tuple[str, ...]]:
    type = cast.type
    if type.is_float and not type.signed and math.copysign(1, value) < 0 and not math.isnan(value):
        saturates = cast.fields["float_overflow"] == "saturate"
        special = "Q8.2" if not saturates else "V2"
        return f"negative, and {type.name} has no sign", ("V1" if type.has_zero else special,)
    if math.isnan(value):
        return "NaN", ("Q6.2",) if type.is_float else ("Q2.5", "Q1.7")
    if math.isinf(value):
        wraps = cast.fields.get("overflow") == "wrap"
        return "infinite", ("Q6.3", "Q1.9") if type.is_float else ("Q2.5" if wraps else "Q2.6",)
    if type.is_float:
        return _among_floats(type, value)
    below = math.floor(value)
    beyond = not type.lowest <= value <= type.highest
    if value == below:
        place = f"an integer{' beyond the type' if beyond else ''}"
        return place, ("Q2.6", "Q1.6") if beyond else ("Q2.4",)
    place = "halfway between" if value - below == 0.5 else "between"
    rule = ("Q1.1", "Q2.4", "Q2.6") if beyond else ("Q1.1", "Q2.4")
    return f"{place} {below} and {below + 1}", rule


@cache
def _magnitudes(type) -> tuple[float, ...]:
    """The finite ones, ascending."""
    return tuple(type.value(code) for code in range(type.largest + 1))


def _among_floats(type, value: float) -> tuple[str, tuple[str, ...]]:
    if value == 0:
        return f"{'negative ' * (math.copysign(1, value) < 0)}zero", (
            "Q6.4" if type.has_zero else "Q8.2",
        )
    magnitude = abs(value)
    largest = type.value(type.largest)
    rounding = ("Q1.1", "Q6.1") if type.has_zero else ("Q1.1", "Q8.2")
    if magnitude > largest:
        return f"beyond the largest finite value, {largest:.9g}", (*rounding, "Q6.3", "Q1.9")
    values = _magnitudes(type)
    at = bisect_left(values, magnitude)
    upper = values[at]
    if magnitude == upper:
        return f"a value of {type.name}", rounding[1:]
    lower = values[at - 1] if at else 0.0
    place = "halfway between" if magnitude - lower == upper - magnitude else "between"
    sign = "-" if value < 0 else ""
    return f"{place} {sign}{lower:.9g} and {sign}{upper:.9g}", rounding
