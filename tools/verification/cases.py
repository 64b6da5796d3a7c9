# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Comparisons: groups of cases, each an operation with all choices made."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from mlir_qdq.reference.semantics import FIELD_VALUES
from mlir_qdq.reference.types import storage_type

from .quotients import Quotients, quotients, ties
from .rescales import Rescale, long_accumulators, short_accumulators

ROUNDINGS = FIELD_VALUES["rounding"]
INTEGERS = ("i2", "ui2", "i3", "ui3", "i4", "ui4", "i8", "ui8", "i16", "ui16")
SMALL_FLOATS = (
    "f8E4M3FN", "f8E4M3FNUZ", "f8E5M2", "f8E5M2FNUZ", "f8E4M3", "f8E3M4", "f6E2M3FN", "f6E3M2FN", "f4E2M1FN",
)  # fmt: skip
HALVES = ("f16", "bf16")
#: The rounding modes of `arith`.
TRUNCF_MODES = {
    "nearest-even": "to_nearest_even",
    "nearest-away": "to_nearest_away",
    "toward-zero": "toward_zero",
    "floor": "downward",
    "ceil": "upward",
}
SEED = 2026


@dataclass(frozen=True)
class Case:
    """One kernel. `value` is the type of x or of the result, the one that is not storage.

    A `cast` is an `arith.truncf` alone: what quantize is with a scale of one and `float_overflow = ieee`.
    """

    group: str
    operation: str  # "quantize", "dequantize", "cast"
    value: str
    storage: str
    scale: str
    zero_point: str | None
    semantics: tuple[tuple[str, str], ...]  # every field
    parameters: tuple[tuple[float, int | None], ...]  # (scale, zero point), one after the other

    @property
    def key(self) -> str:
        """Names the case in the file of results."""
        chosen = ",".join(f"{k}={v}" for k, v in self.semantics if v != FIELD_VALUES[k][0])
        return f"{self.group} {self.operation} {self.value} {self.storage} {chosen}".strip()

    @property
    def rounding(self) -> str:
        return dict(self.semantics)["rounding"]


def _semantics(**chosen: str) -> tuple[tuple[str, str], ...]:
    return tuple((name, chosen.get(name, values[0])) for name, values in FIELD_VALUES.items())


def _zero_points(storage: str) -> tuple[int, ...]:
    """Both ends of the storage, and an odd one near the middle."""
    integer = storage_type(storage)
    middle = (integer.lowest + integer.highest + 1) // 2
    return tuple(dict.fromkeys((integer.lowest, middle | 1, integer.highest)))


def halves_to_integers() -> Iterator[Case]:
    """Every f16 and bf16, every integer storage of up to 16 bits, every rounding, order and division."""
    scales = (1.0, 0.0999, 0.75, 6e-8, 48.0)
    choices = itertools.product(
        HALVES, INTEGERS, ROUNDINGS, FIELD_VALUES["order"], FIELD_VALUES["division"]
    )
    for value, storage, rounding, order, division in choices:
        semantics = _semantics(rounding=rounding, order=order, division=division)
        parameters = tuple(itertools.product(scales, _zero_points(storage)))
        yield Case(
            "halves to integers", "quantize", value, storage, value, storage, semantics, parameters
        )


def halves_to_floats() -> Iterator[Case]:
    """Every f16 and bf16, every float storage, every rounding, both kinds of overflow."""
    choices = itertools.product(
        HALVES, (*SMALL_FLOATS, *HALVES), ROUNDINGS, FIELD_VALUES["float_overflow"]
    )
    for value, storage, rounding, overflow in choices:
        semantics = _semantics(rounding=rounding, float_overflow=overflow, compute="f32")
        parameters = ((1.0, None), (0.0999, None))
        yield Case(
            "halves to floats", "quantize", value, storage, value, None, semantics, parameters
        )


def codes() -> Iterator[Case]:
    """Every code of every storage of up to 16 bits, in every type, every way to subtract."""
    reals = ("f16", "bf16", "f32", "f64")
    choices = itertools.product(INTEGERS, reals, reals, FIELD_VALUES["subtract"])
    for storage, value, compute, subtract in choices:
        semantics = _semantics(compute=compute, subtract=subtract)
        parameters = tuple(itertools.product((1.0, 0.0999, 6e-8, 48.0), _zero_points(storage)))
        yield Case(
            "codes to reals", "dequantize", value, storage, "f32", storage, semantics, parameters
        )
    for storage, value, compute in itertools.product((*SMALL_FLOATS, *HALVES), reals, reals):
        semantics = _semantics(compute=compute)
        parameters = ((1.0, None), (0.0999, None))
        yield Case(
            "codes to reals", "dequantize", value, storage, "f32", None, semantics, parameters
        )


def _deterministic() -> tuple[str, ...]:
    return tuple(r for r in ROUNDINGS if r != "stochastic")


def f32_to_integers() -> Iterator[Case]:
    """Every f32 to i8, ui8 and i4, under every rounding that does not draw."""
    choices = itertools.product(
        ("i8", "ui8", "i4"), _deterministic(), FIELD_VALUES["order"], FIELD_VALUES["division"]
    )
    for storage, rounding, order, division in choices:
        semantics = _semantics(rounding=rounding, order=order, division=division, compute="f32")
        parameters = ((0.0999, _zero_points(storage)[1]),)
        yield Case(
            "f32 to integers", "quantize", "f32", storage, "f32", storage, semantics, parameters
        )


def f32_to_floats() -> Iterator[Case]:
    """Every f32 to every float storage, under every rounding that does not draw, both kinds of overflow."""
    choices = itertools.product(
        (*SMALL_FLOATS, *HALVES), _deterministic(), FIELD_VALUES["float_overflow"]
    )
    for storage, rounding, overflow in choices:
        semantics = _semantics(rounding=rounding, float_overflow=overflow, compute="f32")
        yield Case(
            "f32 to floats", "quantize", "f32", storage, "f32", None, semantics, ((1.0, None),)
        )


def casts() -> Iterator[Case]:
    """Every f16, bf16 and f32 through `arith.truncf` to every small float, in every rounding mode that it can spell."""
    formats = (*SMALL_FLOATS, "f8E8M0FNU")
    for value, storage, rounding in itertools.product((*HALVES, "f32"), formats, TRUNCF_MODES):
        semantics = _semantics(rounding=rounding, float_overflow="ieee", compute="f32")
        yield Case("casts", "cast", value, storage, value, None, semantics, ((1.0, None),))


GROUPS = {
    "halves to integers": halves_to_integers,
    "halves to floats": halves_to_floats,
    "codes to reals": codes,
    "f32 to integers": f32_to_integers,
    "f32 to floats": f32_to_floats,
    "casts": casts,
    "accumulators of 16 bits": short_accumulators,
    "accumulators of 32 bits": long_accumulators,
    "quotients": quotients,
    "codes beside ties": ties,
}


def covers_all_f32(case: Case) -> bool:
    return case.operation != "dequantize" and case.value == "f32"


def takes_long(case: Case | Rescale | Quotients) -> bool:
    """True for kernels that run on 2^32 inputs."""
    if isinstance(case, Quotients):
        return False
    return case.input == "i32" if isinstance(case, Rescale) else covers_all_f32(case)
