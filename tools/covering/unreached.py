# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What no test reaches in lib/, by file: lines, branches with the missing side, conditions of MC/DC.

Reads what `llvm-cov export` prints. Names on the command line choose rooms.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from .source import Source, sources


def main() -> int:
    rooms = sys.argv[1:]
    for source in sources(sys.stdin):
        if rooms and not any(source.name.startswith(room) for room in rooms):
            continue
        if rows := sorted(_rows(source)):
            print(f"{source.name}: {len(rows)}")
            for line, text in rows:
                print(f"  {line}: {text}")
    return 0


def _rows(source: Source) -> Iterator[tuple[int, str]]:
    for line, is_reached in source.counted_lines():
        text = source.lines[line - 1].strip()
        if not is_reached and text not in ("", "}", "};") and not text.startswith("//"):
            yield line, f"line: {text}"
    for place, sides in source.branches():
        missing = [side for side, is_reached in sides.items() if not is_reached]
        if missing:
            never = f"never {missing[0]}" if len(missing) < len(sides) else "never run"
            yield place[0], f"branch {never}: {source.text(place)}"
    for place, covered in source.conditions():
        missing = [str(i) for i, is_covered in enumerate(covered, 1) if not is_covered]
        if missing:
            yield place[0], f"MC/DC conditions {', '.join(missing)} of: {source.text(place)}"


if __name__ == "__main__":
    sys.exit(main())
