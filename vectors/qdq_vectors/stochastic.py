# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`rounding = stochastic` (Q7.1) from f32, over Python integers and rationals."""

from __future__ import annotations

import bisect
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np

from .case import Case, Difference
from .casts import Cast
from .clauses import cite
from .formats import STORAGE, Format, Integer, type_of

#: Seed and first position of each case: high words of both, and a carry into the high word of the position.
STREAMS = ((0, 0), ((1 << 40) + 7, 0), ((1 << 64) - 1, (1 << 32) - 10))
_MASK = (1 << 32) - 1


def philox4x32_10(counter: tuple[int, ...], key: tuple[int, int]) -> tuple[int, ...]:
    """Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for step in range(10):
        high0, low0 = divmod(0xD2511F53 * c0, 1 << 32)
        high1, low1 = divmod(0xCD9E8D57 * c2, 1 << 32)
        key0, key1 = (k0 + step * 0x9E3779B9) & _MASK, (k1 + step * 0xBB67AE85) & _MASK
        c0, c1, c2, c3 = high1 ^ c1 ^ key0, low1, high0 ^ c3 ^ key1, low0
    return c0, c1, c2, c3


def uniform(position: int, seed: int) -> Fraction:
    """`u` of Q7.1: a multiple of 2^-24 in [0, 1)."""
    words = philox4x32_10((position & _MASK, position >> 32, 0, 0), (seed & _MASK, seed >> 32))
    return Fraction(words[0] >> 8, 1 << 24)


@dataclass(frozen=True)
class Interval:
    """Two neighbouring values of a type, with their codes."""

    lower: Fraction
    upper: Fraction
    lower_code: int
    upper_code: int

    @property
    def unit(self) -> Fraction:
        return self.upper - self.lower

    @property
    def bits(self) -> int:
        """The largest n <= 24 for which f32 holds every multiple of 2^-n of the unit between the two."""
        inner = min(abs(self.lower), abs(self.upper))
        if inner == 0:
            return 24
        exponent = inner.numerator.bit_length() - inner.denominator.bit_length()
        ulp = Fraction(2) ** (max(exponent, -126) - 23)
        return min(24, (self.unit / ulp).numerator.bit_length() - 1)

    def code(self, x: Fraction, u: Fraction) -> int:
        fraction = (x - self.lower) / self.unit
        if fraction > Fraction(1, 2):
            # As f32 has it. Only one of a value in (-1/2, 0) is inexact; Python rounds a tie to even.
            fraction = Fraction(round(fraction * (1 << 24)), 1 << 24)
        return self.upper_code if u < fraction else self.lower_code


@lru_cache(maxsize=None)
def intervals(to: str) -> tuple[Interval, ...]:
    """All between finite values, in their order."""
    type = STORAGE[to]
    bits = range(1 << type.bits)
    # Of two zeros the last one stays: that of the sign bit, for negative values.
    below = _values(type, (c for c in bits if type.value(c) <= 0))
    above = _values(type, (c for c in reversed(bits) if type.value(c) >= 0))
    pairs = [*zip(below, below[1:]), *zip(above, above[1:])]
    return tuple(Interval(a, b, code_a, code_b) for (a, code_a), (b, code_b) in pairs)


def _values(type: Format | Integer, codes) -> list[tuple[Fraction, int]]:
    finite = (c for c in codes if abs(type.value(c)) < float("inf"))
    return sorted({Fraction(type.value(c)): c for c in finite}.items())


def chosen(to: str) -> list[Interval]:
    """Both ends, both sides of zero, and some between: all of a type with few values."""
    every = intervals(to)
    last = len(every) - 1
    indices = {0, last, *range(0, last, max(1, last // 5))}
    indices |= {i for i, each in enumerate(every) if 0 in (each.lower, each.upper)}
    return [every[i] for i in sorted(indices)]


def interval_of(to: str, x: Fraction) -> Interval:
    """The one that has `x`; its lower end is its own."""
    every = intervals(to)
    index = bisect.bisect_right([each.lower for each in every], x) - 1
    if index < 0 or x > every[-1].upper:
        raise ValueError(f"{float(x)} does not lie between two values of {to}")
    return every[index]


@dataclass(frozen=True)
class Stochastic(Case):
    """Element i of `x` is at position `positions[i]` of its tensor. `lower` and `upper` are the codes of its
    neighbours, `probability` that of the upper one before it is a multiple of 2^-24."""

    to: str
    seed: int
    first: int

    source = "f32"

    @property
    def name(self) -> str:
        return f"stochastic_f32_{self.type.short}-{self.seed}-{self.first}"

    @property
    def type(self) -> Format | Integer:
        return STORAGE[self.to]

    @cached_property
    def x(self) -> np.ndarray:
        found: list[float] = []
        for each in chosen(self.to):
            steps = 1 << each.bits
            for kind in ("equal", "above", "equal", "above", "half", "value", "below"):
                # `u` as the fraction goes down, a fraction one step above goes up.
                equal = int(uniform(self.first + len(found), self.seed) * steps)
                step = {"half": steps // 2, "value": 0, "below": steps - 1}.get(kind, equal)
                step += kind == "above" and step < steps - 1
                found.append(float(each.lower + each.unit * Fraction(step, steps)))
            if 0 in (each.lower, each.upper):
                # Beyond the 24 bits: a fraction below every u but 0, and one that f32 rounds to 1.
                side = 1 if each.lower == 0 else -1
                found.append(float(side * each.unit / (1 << 30)))
        return np.array(found, np.float32)

    @cached_property
    def positions(self) -> np.ndarray:
        return np.arange(self.first, self.first + len(self.x), dtype=np.uint64)

    @cached_property
    def _intervals(self) -> list[Interval]:
        return [interval_of(self.to, Fraction(x)) for x in self.x.tolist()]

    @property
    def lower(self) -> np.ndarray:
        return np.array([each.lower_code for each in self._intervals], np.uint8)

    @property
    def upper(self) -> np.ndarray:
        return np.array([each.upper_code for each in self._intervals], np.uint8)

    @property
    def probability(self) -> tuple[Fraction, ...]:
        pairs = zip(self.x.tolist(), self._intervals)
        return tuple((Fraction(x) - each.lower) / each.unit for x, each in pairs)

    @cached_property
    def expected(self) -> np.ndarray:
        return self.of(self.x, self.positions)

    def of(self, x, positions) -> np.ndarray:
        """The code of each value at its position, under the seed of the case."""
        codes = [
            interval_of(self.to, Fraction(value)).code(Fraction(value), uniform(at, self.seed))
            for value, at in zip(np.asarray(x).tolist(), np.asarray(positions).tolist())
        ]
        return np.array(codes, np.uint8)

    def difference(self, convert) -> Difference | None:
        """`convert` takes the case: its `x`, `positions` (`first` and on) and `seed`."""
        given = Cast("f32", self.to).canonical(convert(self), len(self.x))
        wrong = np.flatnonzero(given != self.expected)
        return difference_at(self.name, self.x, wrong, lambda at: self._shown(at, given[at]))

    def _shown(self, at: int, given: int) -> str:
        u = uniform(int(self.positions[at]), self.seed)
        return (
            f"  x = {self.x[at]} at position {self.positions[at]} with seed {self.seed}"
            f" gives 0x{given:02x}, expected 0x{self.expected[at]:02x}\n"
            f"  u = {u}, probability of 0x{self.upper[at]:02x}: {self.probability[at]}\n"
            f"  {cite('Q7.1')}"
        )


def difference_at(name: str, x: np.ndarray, wrong: np.ndarray, shown) -> Difference | None:
    """Of the elements `wrong` of `x` the first, and the one with the fewest digits."""
    if not wrong.size:
        return None
    first, shortest = int(wrong[0]), int(min(wrong, key=lambda at: len(str(x[at]))))
    return Difference(name, len(x), wrong.size, shown(first), shown(shortest), first, shortest)


def targets(source: str, to: str | None) -> list[str]:
    if type_of(source).name != "f32":
        raise ValueError(f"no vectors of stochastic rounding from {source}: expected f32")
    found = list(STORAGE) if to is None else [type_of(to).name]
    if found[0] not in STORAGE:
        raise ValueError(f"no vectors of stochastic rounding to {to}")
    return found


def cases(source="f32", to=None, seed=None) -> Iterator[Stochastic]:
    for name in targets(source, to):
        for each, first in STREAMS:
            if seed in (None, each):
                yield Stochastic(name, each, first)
