# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lines, branches and MC/DC of each room of lib/, and the files with most branches that no test reaches.

Reads what `llvm-cov export` prints.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict

from .source import Source, sources

KINDS = ("lines", "branches", "conditions")
WORST = 25
#: Of docs/Verification.md, by the beginning of a path.
GROUPS = {
    "Numerics": "Numerics",
    "IR": "IR",
    "Conversion/QDQTo": "Conversion to `arith` and `linalg`",
    "Conversion": "Conversion of sources",
    "Transforms": "Transforms",
    "CodeGen": "CodeGen",
}


def main() -> int:
    rooms: dict[str, Counter] = defaultdict(Counter)
    groups: dict[str, Counter] = {name: Counter() for name in (*GROUPS.values(), "all")}
    missed = []
    for source in sources(sys.stdin):
        counts = _counts(source)
        rooms["/".join(source.name.split("/")[:-1][:2]) or "."].update(counts)
        group = next((name for start, name in GROUPS.items() if source.name.startswith(start)), "")
        for name in filter(None, (group, "all")):
            groups[name].update(counts)
        left = [counts[kind, "all"] - counts[kind, "reached"] for kind in KINDS]
        missed.append((left[1], left[0], source.name))
    for rows in (dict(sorted(rooms.items())), groups):
        print("| room of `lib` | lines | branches | MC/DC |\n|---|---|---|---|")
        for name, counts in rows.items():
            print(f"| {name} | {' | '.join(_percent(counts, kind) for kind in KINDS)} |")
        print()
    print("Sides of branches, and lines, that are not reached:")
    for branches, lines, name in sorted(missed, reverse=True)[:WORST]:
        print(f"{branches:5} {lines:5}  {name}")
    return 0


def _counts(source: Source) -> Counter:
    """Of each kind: all, and those that are reached."""
    reached = {
        "lines": [is_reached for _, is_reached in source.counted_lines()],
        "branches": [r for _, sides in source.branches() for r in sides.values()],
        "conditions": [r for _, covered in source.conditions() for r in covered],
    }
    counts: Counter = Counter()
    for kind, found in reached.items():
        counts[kind, "all"], counts[kind, "reached"] = len(found), sum(found)
    return counts


def _percent(counts: Counter, kind: str) -> str:
    total = counts[kind, "all"]
    return f"{100 * counts[kind, 'reached'] / total:.1f} %" if total else ""


if __name__ == "__main__":
    sys.exit(main())
