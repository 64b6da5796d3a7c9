# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What every case can do: give inputs, and hold a callable to its expected results."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Difference:
    """Results that are not the expected ones. `first` and `shortest` are inputs in words, with the clause that
    says why; `first_at` and `shortest_at` are their patterns or indices."""

    case: str
    compared: int
    differing: int
    first: str
    shortest: str
    first_at: int
    shortest_at: int

    def __str__(self) -> str:
        lines = [f"{self.case}: {self.differing} of {self.compared} inputs differ"]
        lines += ["first:", self.first]
        if self.shortest_at != self.first_at:
            lines += ["shortest:", self.shortest]
        return "\n".join(lines)


class Mismatch(AssertionError):
    """A callable left the expected results. `difference` is the `Difference`."""

    def __init__(self, difference: Difference):
        super().__init__(str(difference))
        self.difference = difference


class Case:
    """One operation under one set of rules."""

    name: str

    def difference(self, convert) -> Difference | None:
        raise NotImplementedError

    def check(self, convert) -> None:
        """Raises `Mismatch` if a result of `convert` is not the expected one."""
        found = self.difference(convert)
        if found:
            raise Mismatch(found)
