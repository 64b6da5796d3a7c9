# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Comparisons of divisions by a scale: all significands of scales, in chunks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

#: Significands of scales in a case.
CHUNK = 1 << 18


@dataclass(frozen=True)
class Quotients:
    """All scales whose significands lie in one chunk. Without `storage`, the quotients themselves."""

    group: str
    storage: str
    start: int

    @property
    def value(self) -> str:
        return "f32"

    @property
    def key(self) -> str:
        return f"{self.group} {self.storage} {self.start}"


def quotients() -> Iterator[Quotients]:
    """Every significand of a scale, and all x whose quotients are the hardest to round."""
    for start in range(1 << 23, 1 << 24, CHUNK):
        yield Quotients("quotients", "f32", start)


def ties() -> Iterator[Quotients]:
    """Every significand of a scale, and x beside all ties of i8, and some of i16."""
    for storage in ("i8", "i16"):
        for start in range(1 << 23, 1 << 24, CHUNK):
            yield Quotients("codes beside ties", storage, start)
