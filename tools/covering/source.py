# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What counts in a file of lib/: lines, sides of branches, conditions of MC/DC, each with whether a test
reaches it.

Instances of a template, and the programs that contain a function, count together: a side is reached if it
is in one of them. llvm-cov's own summary takes the best instance. Left out is what says of itself that it
cannot run: lines of `llvm_unreachable`, cases of a switch that only leave it for that line, and the default
that a switch over all values does not have.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

LIB = Path(__file__).resolve().parents[2] / "lib"
#: Ops and types of MLIR 23, which no program of this build has: tools/check-ecosystem mlir-23 tests them.
NEWER_MLIR = (
    "Conversion/TOSAToQDQ/BlockConvolution.cpp",
    "Conversion/TOSAToQDQ/BlockMovement.cpp",
    "Conversion/TOSAToQDQ/BlockScaledType.cpp",
    "Conversion/QuantizedTypes/Quantiles.cpp",
)

#: First line and column, last line and column.
Place = tuple[int, int, int, int]


class Source:
    """The text of one file, and what its record of `llvm-cov export` says."""

    def __init__(self, record: dict):
        self.record = record
        self.name = str(Path(record["filename"]).relative_to(LIB))
        self.lines = Path(record["filename"]).read_text().splitlines()
        self.unreachable = set(_unreachable_lines(self.lines))

    def text(self, place: Place) -> str:
        line, column, end_line, end_column = place
        if line == end_line:
            return self.lines[line - 1][column - 1 : end_column - 1]
        parts = [self.lines[line - 1][column - 1 :], *self.lines[line : end_line - 1]]
        parts.append(self.lines[end_line - 1][: end_column - 1])
        return " ".join(part.strip() for part in parts)

    def counted_lines(self) -> Iterator[tuple[int, bool]]:
        """As llvm-cov counts a line: by its last region and those that begin on it."""
        count, known, starts = 0, False, defaultdict(list)
        for line, _, value, has_count, is_entry, is_gap in self.record["segments"]:
            starts[line].append((value, has_count, is_entry and not is_gap))
        for number in range(1, len(self.lines) + 1):
            entries = [s for s in starts[number] if s[2] and s[1]]
            if (known or entries) and number not in self.unreachable:
                most = max([value for value, _, _ in entries] + ([count] if known else []))
                yield number, most > 0
            if starts[number]:
                count, known = starts[number][-1][0], starts[number][-1][1]

    def branches(self) -> Iterator[tuple[Place, dict[str, bool]]]:
        """The sides, "true" and "false"."""
        sides: dict[Place, list[int]] = defaultdict(lambda: [0, 0])
        for *place, true, false, _, _, _ in self.record["branches"]:
            sides[tuple(place)][0] += true
            sides[tuple(place)][1] += false
        for place, (true, false) in sorted(sides.items()):
            if place[0] in self.unreachable:
                continue
            is_switch = self.lines[place[0] - 1][: place[1] - 1].endswith("switch (")
            yield place, {"true": true > 0} | ({} if is_switch else {"false": false > 0})

    def conditions(self) -> Iterator[tuple[Place, list[bool]]]:
        """Of each decision."""
        best: dict[Place, list[bool]] = {}
        for record in self.record["mcdc_records"]:
            place, covered = tuple(record[:4]), record[9]
            old = best.get(place, [False] * len(covered))
            best[place] = [a or b for a, b in zip(old, covered)]
        yield from sorted(best.items())


def _unreachable_lines(lines: list[str]) -> Iterator[int]:
    """Numbers from 1 on."""
    texts = [line.strip() for line in lines]
    for i, text in enumerate(texts):
        if "llvm_unreachable" not in text:
            continue
        yield i + 1
        label = i - 1
        if texts[i - 2 : i] == ["break;", "}"]:
            label = i - 3
            if _is_label(texts[label]):
                yield i - 1
        while _is_label(texts[label]):
            yield label + 1
            label -= 1


def _is_label(text: str) -> bool:
    return text.startswith(("case ", "default:")) and text.endswith(":")


def sources(file: TextIO) -> Iterator[Source]:
    """Of lib/, from what `llvm-cov export` prints."""
    for record in json.load(file)["data"][0]["files"]:
        if Path(record["filename"]).is_relative_to(LIB):
            source = Source(record)
            if source.name not in NEWER_MLIR:
                yield source
