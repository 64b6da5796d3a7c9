# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What no test reaches in lib/, by file: lines, branches with the missing side, conditions of MC/DC.

Reads what `llvm-cov export` prints. Names on the command line choose rooms.
Left out are lines of `llvm_unreachable`, and the default that a switch over all values does not have.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

TREE = Path(__file__).resolve().parents[2]
LIB = TREE / "lib"


class Source:
    """The text of one file, and what its record says."""

    def __init__(self, record: dict):
        self.record = record
        self.lines = Path(record["filename"]).read_text().splitlines()

    def text(self, line: int, column: int, end_line: int, end_column: int) -> str:
        if line == end_line:
            return self.lines[line - 1][column - 1 : end_column - 1]
        parts = [self.lines[line - 1][column - 1 :], *self.lines[line : end_line - 1]]
        parts.append(self.lines[end_line - 1][: end_column - 1])
        return " ".join(part.strip() for part in parts)

    def unreached_lines(self) -> Iterator[int]:
        """Lines whose count is 0, as llvm-cov counts a line: its last region and those that begin on it."""
        count, known, starts = 0, False, defaultdict(list)
        for line, _, value, has_count, is_entry, is_gap in self.record["segments"]:
            starts[line].append((value, has_count, is_entry and not is_gap))
        for number in range(1, len(self.lines) + 1):
            entries = [s for s in starts[number] if s[2] and s[1]]
            wrapped = known
            if wrapped or entries:
                most = max([value for value, _, _ in entries] + ([count] if wrapped else []))
                text = self.lines[number - 1].strip()
                if most == 0 and text not in ("", "}", "};") and not text.startswith("//"):
                    if "llvm_unreachable" not in text:
                        yield number
            if starts[number]:
                count, known = starts[number][-1][0], starts[number][-1][1]

    def unreached_branches(self) -> Iterator[tuple[int, str]]:
        sides: dict[tuple, list[int]] = defaultdict(lambda: [0, 0])
        for *place, true, false, _, _, _ in self.record["branches"]:
            sides[tuple(place)][0] += true
            sides[tuple(place)][1] += false
        for place, (true, false) in sorted(sides.items()):
            before = self.lines[place[0] - 1][: place[1] - 1]
            if true and (false or before.endswith("switch (")):
                continue
            never = "never true" if false else "never false" if true else "never run"
            yield place[0], f"{never}: {self.text(*place)}"

    def uncovered_conditions(self) -> Iterator[tuple[int, str]]:
        best: dict[tuple, list[bool]] = {}
        for record in self.record["mcdc_records"]:
            place, covered = tuple(record[:4]), record[9]
            old = best.get(place, [False] * len(covered))
            best[place] = [a or b for a, b in zip(old, covered)]
        for place, covered in sorted(best.items()):
            missing = [str(i + 1) for i, c in enumerate(covered) if not c]
            if missing:
                yield place[0], f"conditions {', '.join(missing)} of: {self.text(*place)}"


def main() -> int:
    rooms = sys.argv[1:]
    for record in json.load(sys.stdin)["data"][0]["files"]:
        path = Path(record["filename"])
        if not path.is_relative_to(LIB):
            continue
        own = path.relative_to(LIB)
        if rooms and not any(str(own).startswith(room) for room in rooms):
            continue
        source = Source(record)
        rows = [
            (line, "line: " + source.lines[line - 1].strip()) for line in source.unreached_lines()
        ]
        rows += [(line, "branch " + text) for line, text in source.unreached_branches()]
        rows += [(line, "MC/DC " + text) for line, text in source.uncovered_conditions()]
        if rows:
            print(f"{own}: {len(rows)}")
            for line, text in sorted(rows):
                print(f"  {line}: {text}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
