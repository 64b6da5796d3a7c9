# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lines, branches and MC/DC of each room of lib/, and the files with most lines that no test reaches.

Reads what `llvm-cov export` prints.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from pathlib import Path

LIB = Path(__file__).resolve().parents[2] / "lib"
KINDS = ("lines", "branches", "mcdc")
WORST = 25


def main() -> int:
    rooms: dict[str, Counter] = defaultdict(Counter)
    missed = []
    for file in json.load(sys.stdin)["data"][0]["files"]:
        path = Path(file["filename"])
        if not path.is_relative_to(LIB):
            continue
        own = path.relative_to(LIB)
        for room in ("/".join(own.parts[:-1][:2]) or ".", "all"):
            for kind in KINDS:
                for what in ("count", "covered"):
                    rooms[room][kind, what] += file["summary"][kind][what]
        lines = file["summary"]["lines"]
        missed.append((lines["count"] - lines["covered"], lines["count"], str(own)))
    print(
        "| room of `lib` | lines | of them reached | branches reached | MC/DC |\n|---|---|---|---|---|"
    )
    for room in sorted(rooms):
        row = rooms[room]
        parts = [f"{_percent(row, kind)}" for kind in KINDS]
        print(f"| {room} | {row['lines', 'count']:,} | {' | '.join(parts)} |")
    print("\nFiles with most lines that are not reached:")
    for count, lines, name in sorted(missed, reverse=True)[:WORST]:
        print(f"{count:5} of {lines:5}  {name}")
    return 0


def _percent(row: Counter, kind: str) -> str:
    count = row[kind, "count"]
    return f"{100 * row[kind, 'covered'] / count:.1f} %" if count else ""


if __name__ == "__main__":
    sys.exit(main())
