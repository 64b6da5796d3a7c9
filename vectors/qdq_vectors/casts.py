# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Casts: f32, f16, bf16 and f64 to small floats and integers, and back to the first three; f32 and f64 to
f16 and bf16."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

import numpy as np

from . import narrow, runs, wrap
from .case import Case, Difference
from .explain import explain
from .formats import FLOATS, SOURCES, STORAGE, TYPES, WIDE, Format, Integer, type_of

ROUNDINGS = (
    "nearest-even", "nearest-away", "nearest-up", "nearest-down", "toward-zero", "floor", "ceil",
    "away-from-zero", "to-odd",
)  # fmt: skip
FIELDS = {
    "rounding": ROUNDINGS,
    "float_overflow": ("saturate", "ieee"),
    "overflow": ("saturate", "wrap"),
    "nan": ("lowest", "highest", "zero", "zero-point"),
}


#: Pairs whose codes `narrow` computes.
NARROW = (("f32", "f16"), ("f32", "bf16"), ("f64", "f16"), ("f64", "bf16"))


def fields_of(to: str, source: str = "f32") -> tuple[str, ...]:
    """Those that have a part in a cast to that type."""
    if to in FLOATS or (source, to) in NARROW:
        return "rounding", "float_overflow"
    return ("rounding", "overflow", "nan") if to in STORAGE else ()


def rows_of(to: str, source: str = "f32") -> Iterator[dict[str, str]]:
    names = fields_of(to, source)
    for values in itertools.product(*(FIELDS[name] for name in names)):
        # Hashes hold the codes of `wrap`, and there are none of 2^64 inputs.
        if source not in WIDE or "wrap" not in values:
            yield dict(zip(names, values))


def row_name(source: str, to: str, fields: dict[str, str]) -> str:
    """cast_f32_e4m3fn-nearest-even-saturate"""
    return "-".join([f"cast_{type_of(source).short}_{type_of(to).short}", *fields.values()])


@lru_cache(maxsize=None)
def _hashes() -> dict[str, dict[str, str]]:
    return json.loads((runs.DATA / "hashes.json").read_text())


@dataclass(frozen=True)
class Cast(Case):
    """One cast under one set of rules. Inputs are patterns; `x` has them in the dtype of the source."""

    source: str
    to: str
    fields: dict[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return row_name(self.source, self.to, self.fields)

    @property
    def function(self) -> str:
        """The name without its rules: cast_f32_e4m3fn."""
        return row_name(self.source, self.to, {})

    @property
    def source_type(self) -> Format | Integer:
        return TYPES[self.source]

    @property
    def type(self) -> Format | Integer:
        return TYPES[self.to]

    # --- all inputs -----------------------------------------------------------------------

    def span(self, first: int, last: int) -> np.ndarray:
        """The codes of the patterns first, ..., last - 1."""
        found = self._runs
        return found.span(first, last) if found else self._computed(np.arange(first, last))

    def of(self, patterns) -> np.ndarray:
        """The code of each pattern."""
        patterns = np.asarray(patterns)
        found = self._runs
        return found.of(patterns) if found else self._computed(patterns)

    @property
    def _runs(self) -> runs.Runs | None:
        if (
            self.source in STORAGE
            or self.to not in STORAGE
            or self.fields.get("overflow") == "wrap"
        ):
            return None
        found = runs.read(self.source, self.to, self.source_type.bits)
        return found[runs.key_of(self.fields)]

    def _computed(self, patterns: np.ndarray) -> np.ndarray:
        if self.to not in STORAGE and self.source not in STORAGE:
            return narrow.codes(patterns, self.source_type, self.type, self.fields)
        if self.source in SOURCES:
            return wrap.codes(patterns, self.source, self.type, self.fields)
        return _values(self.source)[self.to][patterns]

    @property
    def hashes(self) -> dict[str, str]:
        """`tree`, and where it was made `sha256`, of the outputs of all inputs: README.md."""
        return _hashes().get(self.name, {})

    # --- the separating ones --------------------------------------------------------------

    @cached_property
    def patterns(self) -> np.ndarray:
        """Inputs on which any two rules for these types part, in the order of their patterns."""
        return _separating(self.source, self.to)

    @cached_property
    def x(self) -> np.ndarray:
        return self.inputs(self.patterns)

    def inputs(self, patterns: np.ndarray) -> np.ndarray:
        """In the dtype of the source: float32, float16; bf16 and codes are bits."""
        dtype = {"f64": np.float64, "f32": np.float32, "f16": np.float16}.get(self.source)
        bits = patterns.astype(f"u{-(-self.source_type.bits // 8)}")
        return bits.view(dtype) if dtype else bits

    @cached_property
    def expected(self) -> np.ndarray:
        return self.of(self.patterns)

    # --- holding something to them --------------------------------------------------------

    def canonical(self, results, count: int) -> np.ndarray:
        """Codes as the vectors hold them, from the array that a cast returned."""
        array, bits = np.asarray(results).reshape(-1), self.type.bits
        if array.size != count:
            raise ValueError(f"{self.name}: {array.size} results of {count} inputs")
        width = 1 if bits <= 8 else bits // 8
        if array.dtype.itemsize == width:
            array = array.view(f"u{width}")
        elif array.dtype.kind not in "iu":
            raise ValueError(
                f"{self.name}: results of dtype {array.dtype}, expected codes of {bits} bits in uint{8 * width}"
            )
        array = (array & np.array((1 << bits) - 1, array.dtype)).astype(f"u{width}")
        return _one_nan(array, self.type)

    def difference(self, convert) -> Difference | None:
        """Where `convert`, from an array of inputs to one of codes, leaves the expected ones."""
        return self.compare(self.patterns, convert(self.x.copy()))

    def compare(self, patterns: np.ndarray, results) -> Difference | None:
        given = self.canonical(results, len(patterns))
        expected = self.of(patterns)
        wrong = np.flatnonzero(given != expected)
        if not wrong.size:
            return None
        shortest = min(wrong, key=lambda index: (len(self.spelled(int(patterns[index]))), index))

        def shown(index) -> str:
            return explain(self, int(patterns[index]), int(given[index]), int(expected[index]))

        return Difference(
            self.name, len(patterns), wrong.size, shown(wrong[0]), shown(shortest),
            int(patterns[wrong[0]]), int(patterns[shortest]),
        )  # fmt: skip

    def spelled(self, pattern: int) -> str:
        """The fewest digits that tell the input apart."""
        x = self.inputs(np.array([pattern]))[0]
        if self.source not in ("f64", "f32", "f16"):
            return f"{self.source_type.value(pattern):.9g}"
        return str(x).removesuffix(".0")


def _one_nan(codes: np.ndarray, type: Format | Integer) -> np.ndarray:
    """Every NaN as the one that vectors hold."""
    if not type.is_float or type.nan_code is None:
        return codes
    if type.nan == "ieee":
        nan = (codes & ~np.array(type.sign_bit, codes.dtype)) > type.infinity
        return np.where(nan, np.array(type.nan_code, codes.dtype), codes)
    if type.nan == "all-ones" and type.signed:
        return np.where(codes == (type.nan_code | type.sign_bit), np.uint8(type.nan_code), codes)
    return codes


@lru_cache(maxsize=None)
def _values(code_type: str) -> dict[str, np.ndarray]:
    """Of each code its value, in each of f32, f16 and bf16."""
    lines = (runs.DATA / "casts" / f"{code_type}.values").read_text().splitlines()
    rows = [[int(word, 16) for word in line.split()] for line in lines if line[0] != "#"]
    columns = np.array(rows, np.uint32).T
    return {
        name: column.astype(f"u{SOURCES[name].bits // 8}")
        for name, column in zip(SOURCES, columns[1:])
    }


@lru_cache(maxsize=None)
def _separating(source: str, to: str) -> np.ndarray:
    type = TYPES[source]
    count = 1 << type.bits
    if (source, to) in NARROW:
        found = narrow.separating(type, TYPES[to])
        return found if type.bits == 64 else found.astype(np.int64)
    if source in STORAGE:
        return np.arange(count)
    every = {id(r): r for r in runs.read(source, to, type.bits).values()}.values()
    # Patterns of 64 bits wrap, and others that do are beyond the count.
    starts = np.unique(np.concatenate([r.starts for r in every])).astype(np.uint64)
    # Ties lie beside the starts of some rule, and double roundings beside ties.
    near = (starts[:, None] + np.arange(-2, 3).astype(np.uint64)).reshape(-1)
    middles = starts[:-1] + (starts[1:] - starts[:-1]) // np.uint64(2)
    sign, fraction_bits, infinity = type.sign_bit, type.fraction_bits, type.infinity
    exponents = np.arange(0, infinity + 1, 1 << fraction_bits, dtype=np.uint64)
    quiet = infinity | (1 << fraction_bits >> 1)
    one = np.uint64(1)
    ends = np.array([0, 1, quiet, quiet + 1, sign - 1], np.uint64)
    half = np.concatenate([exponents, exponents + one, exponents - one, ends])
    found = np.concatenate([near, middles, half, np.uint64(sign) + half])
    if not STORAGE[to].is_float:
        halves = _pattern_of(np.arange(4 << STORAGE[to].bits) / 2, source)
        found = np.concatenate([found, halves, np.uint64(sign) + halves])
    found = np.unique(found[found <= np.uint64(count - 1)])
    return found if type.bits == 64 else found.astype(np.int64)


def _pattern_of(value: np.ndarray, source: str) -> np.ndarray:
    """Of values that the source holds; bf16 drops bits of others."""
    if source == "f16":
        return value.astype(np.float16).view(np.uint16).astype(np.uint64)
    if source == "f64":
        return value.astype(np.float64).view(np.uint64)
    bits = value.astype(np.float32).view(np.uint32).astype(np.uint64)
    return bits >> np.uint64(16) if source == "bf16" else bits


def cast(name: str, **fields: str) -> Cast:
    """By its name in C headers, with the rules in it or as arguments: cast("cast_f32_e4m3fn", rounding="floor").
    Rules that are left out are the defaults of Semantics.md."""
    words, _, rules = name.partition("-")
    parts = words.split("_")
    if len(parts) != 3 or parts[0] != "cast":
        raise ValueError(f"unknown cast '{name}': expected cast_<source>_<to>, as cast_f32_e4m3fn")
    source, to = (type_of(part).name for part in parts[1:])
    if ((source in STORAGE) == (to in STORAGE) or to in WIDE) and (source, to) not in NARROW:
        raise ValueError(
            f"no vectors of '{name}': expected one of {', '.join(SOURCES | WIDE)} on one side, or f32 or f64 to f16 or bf16"
        )
    _check(source, to, fields)
    rows = list(rows_of(to, source))
    if rules:
        rows = [row for row in rows if "-".join(row.values()) == rules]
    chosen = [row for row in rows if fields.items() <= row.items()]
    if not chosen:
        raise ValueError(f"{name} has no rules '{rules}' with {fields}")
    return Cast(source, to, chosen[0])


def _check(source: str, to: str, fields: dict) -> None:
    for key, value in fields.items():
        if key not in fields_of(to, source):
            known = ", ".join(fields_of(to, source)) or "none"
            raise ValueError(f"a cast to {to} has no field '{key}': expected {known}")
        if value not in FIELDS[key]:
            raise ValueError(f"{key} = {value}: expected one of {', '.join(FIELDS[key])}")


def casts(source=None, to=None, **fields) -> Iterator[Cast]:
    """All that have these types and rules; without any, all."""
    wanted_source, wanted_to = (t and type_of(t).name for t in (source, to))
    for key, value in fields.items():
        if value not in FIELDS.get(key, ()):
            raise ValueError(f"{key} = {value}: expected {FIELDS.get(key, ', '.join(FIELDS))}")
    pairs = [
        *itertools.product(SOURCES | WIDE, STORAGE),
        *itertools.product(STORAGE, SOURCES),
        *NARROW,
    ]
    for a, b in pairs:
        if (wanted_source or a) != a or (wanted_to or b) != b:
            continue
        if set(fields) - set(fields_of(b, a)):
            continue
        for row in rows_of(b, a):
            if all(row[key] == value for key, value in fields.items()):
                yield Cast(a, b, row)
