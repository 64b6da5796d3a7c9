# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether a stochastic rounding takes the upper neighbour as often as it should (V6), whatever its generator."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from .case import Case, Difference, Mismatch
from .casts import Cast
from .clauses import cite
from .formats import STORAGE, Format, Integer
from .stochastic import Interval, chosen, difference_at, targets

#: Of the upper neighbour. A generator of n bits gives multiples of 2^-n, so 2^-(n + 1) becomes 0 or twice as much.
PROBABILITIES = (
    Fraction(0), Fraction(11, 32), Fraction(21, 32),
    *(Fraction(1, 1 << bits) for bits in range(1, 13)),
    *(1 - Fraction(1, 1 << bits) for bits in range(2, 13)),
)  # fmt: skip
#: Results of one call.
CALL = 1 << 20


def tail(count: np.ndarray, draws: int, probability: np.ndarray) -> np.ndarray:
    """A bound of the two-sided p-value of a binomial count: twice Chernoff's, exp(-draws * divergence)."""
    share = count / draws
    with np.errstate(divide="ignore", invalid="ignore"):
        upper = np.where(share > 0, share * np.log(share / probability), 0.0)
        lower = np.where(share < 1, (1 - share) * np.log((1 - share) / (1 - probability)), 0.0)
    return np.minimum(1.0, 2 * np.exp(-draws * (upper + lower)))


@dataclass(frozen=True)
class Frequencies:
    """Of each element of `case.x`: how many results were the upper neighbour, how many neither of the two, and a
    bound of the p-value of the first count. `difference` is None for a function that passes."""

    case: Frequency
    upper_count: np.ndarray
    other_count: np.ndarray
    p_value: np.ndarray
    difference: Difference | None

    def check(self) -> None:
        if self.difference:
            raise Mismatch(self.difference)


@dataclass(frozen=True)
class Frequency(Case):
    """`draws` roundings of each element of `x`. A right function fails with a probability of at most `rate`."""

    to: str
    draws: int = 1 << 16
    rate: float = 1e-9

    @property
    def name(self) -> str:
        return f"frequency_f32_{self.type.short}"

    @property
    def type(self) -> Format | Integer:
        return STORAGE[self.to]

    @cached_property
    def _inputs(self) -> list[tuple[Interval, Fraction]]:
        return [(each, p) for each in chosen(self.to) for p in PROBABILITIES]

    @cached_property
    def x(self) -> np.ndarray:
        values = [float(each.lower + p * each.unit) for each, p in self._inputs]
        return np.array(values, np.float32)

    @property
    def probability(self) -> tuple[Fraction, ...]:
        return tuple(p for _, p in self._inputs)

    @cached_property
    def lower(self) -> np.ndarray:
        return np.array([each.lower_code for each, _ in self._inputs], np.uint8)

    @cached_property
    def upper(self) -> np.ndarray:
        return np.array([each.upper_code for each, _ in self._inputs], np.uint8)

    def frequencies(self, convert) -> Frequencies:
        """`convert` takes an array of f32, which has `x` many times, and returns codes. It must draw anew in each
        call."""
        # Results that are the upper neighbour, and those that are neither.
        counts = np.zeros((2, len(self.x)), np.int64)
        lower, upper = self._unsigned_zero(self.lower), self._unsigned_zero(self.upper)
        rows = max(1, CALL // len(self.x))
        first, repeats = None, self.draws > rows
        for done in range(0, self.draws, rows):
            x = np.tile(self.x, min(rows, self.draws - done))
            codes = Cast("f32", self.to).canonical(convert(x), x.size)
            codes = self._unsigned_zero(codes).reshape(-1, len(self.x))
            first = codes if first is None else first
            repeats = repeats and np.array_equal(codes, first[: len(codes)])
            counts[0] += (codes == upper).sum(0)
            counts[1] += ((codes != upper) & (codes != lower)).sum(0)
        p_value = tail(counts[0], self.draws, np.array(self.probability, float))
        wrong = np.flatnonzero((p_value < self.rate / len(self.x)) | (counts[1] > 0))

        def shown(at: int) -> str:
            lines = [
                f"  x = {self.x[at]}: {counts[0, at]} of {self.draws} are 0x{self.upper[at]:02x},"
                f" expected probability {self.probability[at]}; p <= {p_value[at]:.2g}",
                f"  {cite('V6')}",
            ]
            if counts[1, at]:
                lines.insert(1, f"  {counts[1, at]} are neither that nor 0x{self.lower[at]:02x}")
            if repeats:
                lines.insert(-1, "  every call gave the same codes")
            return "\n".join(lines)

        difference = difference_at(self.name, self.x, wrong, shown)
        return Frequencies(self, *counts, p_value, difference)

    def _unsigned_zero(self, codes: np.ndarray) -> np.ndarray:
        """The sign of a zero is not what this counts."""
        type = self.type
        if not type.is_float or type.nan == "negative-zero" or not type.sign_bit:
            return codes
        return np.where(codes == type.sign_bit, np.uint8(0), codes)

    def difference(self, convert) -> Difference | None:
        return self.frequencies(convert).difference


def cases(source="f32", to=None, draws=1 << 16, rate=1e-9) -> Iterator[Frequency]:
    if draws < 1 or not 0 < rate < 1:
        raise ValueError(f"draws = {draws}, rate = {rate}: expected 1 or more, and between 0 and 1")
    for name in targets(source, to):
        yield Frequency(name, draws, rate)
