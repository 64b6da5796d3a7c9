# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Comparisons of requantize: kernels with all choices made, and their multipliers."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from mlir_qdq import reference
from mlir_qdq._mlir_libs._qdq import evaluator
from mlir_qdq.reference.semantics import FIELD_VALUES
from mlir_qdq.reference.types import storage_type

_ROUNDINGS = tuple(r for r in FIELD_VALUES["rounding"] if r != "stochastic")
#: sa, sb, sy: usual ones, powers of two, a product above one, a tiny one, 1/6, and an integer.
_SCALES = (
    (0.0173, 0.0291, 0.311),
    (2.0**-7, 0.5, 2.0**-3),
    (1.7, 0.9, 0.0123),
    (3e-5, 2e-4, 0.9),
    (1.0, 1.0, 6.0),
    (3.0, 1.0, 1.0),
)
_STORAGES = ("i8", "ui8", "i16", "i4", "i32")


@dataclass(frozen=True)
class Rescale:
    """One kernel. `scales` makes the multipliers."""

    group: str
    rescale: str
    input: str
    storage: str
    scales: tuple[float, float, float]
    zero_point: int
    semantics: tuple[tuple[str, str], ...]  # every field

    @property
    def value(self) -> str:
        return self.input

    @property
    def key(self) -> str:
        chosen = ",".join(f"{k}={v}" for k, v in self.semantics if v != FIELD_VALUES[k][0])
        scales = "*".join(f"{s:g}" for s in self.scales)
        return f"{self.group} {self.rescale} {self.storage} {scales} {self.zero_point} {chosen}".strip()

    def real(self) -> Fraction:
        a, b, y = (Fraction(float(np.float32(s))) for s in self.scales)
        return a * b / y

    def parameters(self) -> dict:
        """multipliers, shift, fraction and limit, as NumPy's and Python's numbers."""
        a, b, y = (np.float32(s) for s in self.scales)
        empty = {"shift": None, "fraction": None, "limit": None}
        if self.rescale in ("f32", "f64"):
            return empty | {"multipliers": (np.float32(np.float32(a * b) / y),)}
        if self.rescale == "separate":
            return empty | {"multipliers": (a, b, y)}
        if self.rescale == "qdq":
            return empty | {"multipliers": (np.float32(a * b), y)}
        if self.rescale == "exact":
            storage = storage_type(self.storage)
            reach = max(storage.highest - self.zero_point, self.zero_point - storage.lowest)
            fields = dict(self.semantics)
            (m,), (t,), g, limit = evaluator.exact_multipliers(
                [tuple(map(float, (a, b, y)))],
                2 ** (15 if self.input == "i16" else 31),
                reach,
                fields["rounding"],
                fields["order"],
            )
            fraction = g[0] if g else None
            return {"multipliers": (np.int64(m),), "shift": t, "fraction": fraction, "limit": limit}
        fixed = evaluator.fixed_multiplier(self.rescale, float(a) * float(b) / float(y))
        return empty | {"multipliers": (np.int32(fixed[0]),), "shift": fixed[1]}


def _semantics(**chosen: str) -> tuple[tuple[str, str], ...]:
    return tuple((name, chosen.get(name, values[0])) for name, values in FIELD_VALUES.items())


def _choices(rescale: str) -> Iterator[dict]:
    """Fields that matter to the kind."""
    if rescale.startswith("fixed"):
        yield {}
        return
    for rounding, order in itertools.product(_ROUNDINGS, FIELD_VALUES["order"]):
        yield {"rounding": rounding, "order": order}


def _zero_points(storage: str) -> tuple[int, ...]:
    integer = storage_type(storage)
    return integer.lowest, (integer.lowest + integer.highest + 1) // 2 | 1, integer.highest


def short_accumulators() -> Iterator[Rescale]:
    """Every i16, every kind, rounding, order, storage."""
    for rescale, storage, scales in itertools.product(reference.RESCALES, _STORAGES, _SCALES):
        zero_points = _zero_points(storage)
        for i, fields in enumerate(_choices(rescale)):
            for z in zero_points if not fields else (zero_points[i % 3],):
                yield Rescale(
                    "accumulators of 16 bits",
                    rescale,
                    "i16",
                    storage,
                    scales,
                    z,
                    _semantics(**fields),
                )


def long_accumulators() -> Iterator[Rescale]:
    """Every i32, every kind, the rounding modes of systems, each with both ends and the middle as zero point."""
    for rescale, storage, scales in itertools.product(reference.RESCALES, ("i8", "ui8"), _SCALES):
        for fields, z in itertools.product(_choices(rescale), _zero_points(storage)):
            if fields.get("rounding", "nearest-even") not in ("nearest-even", "nearest-away"):
                continue
            if fields.get("order") == "add-then-round" and z in _zero_points(storage)[::2]:
                continue
            yield Rescale(
                "accumulators of 32 bits", rescale, "i32", storage, scales, z, _semantics(**fields)
            )
