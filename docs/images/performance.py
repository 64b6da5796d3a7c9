# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws performance.svg from the first table of Performance.md: a bar for each row.

python docs/images/performance.py
"""

from __future__ import annotations

import re
from pathlib import Path

PICTURE = Path(__file__).with_suffix(".svg")
PAGE = PICTURE.parents[1] / "Performance.md"
LEFT, UNIT, ROW, HEAD = 330, 30, 30, 36


def rows() -> list[tuple[str, float]]:
    """Each task, and how many times as fast as ONNX Runtime it runs."""
    table = re.search(r"(?:^\|.*\n)+", PAGE.read_text(), re.M)[0]
    cells = [line.strip("|").split("|") for line in table.splitlines()[2:]]
    return [(line[0].strip(), float(line[-1])) for line in cells]


def picture() -> str:
    found = rows()
    width = LEFT + round(UNIT * max(times for _, times in found)) + 60
    height = HEAD + ROW * len(found) + 12
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" font-family="system-ui, DejaVu Sans, sans-serif" font-size="13" '
        'fill="#1f2430">',
        f'<rect width="{width}" height="{height}" rx="8" fill="#ffffff"/>',
        f'<text x="{LEFT + UNIT + 6}" y="22">ONNX Runtime = 1</text>',
    ]
    for index, (task, times) in enumerate(found):
        y = HEAD + ROW * index
        bar = round(UNIT * times)
        parts += [
            f'<text x="{LEFT - 8}" y="{y + 17}" text-anchor="end">{task}</text>',
            f'<rect x="{LEFT}" y="{y + 2}" width="{bar}" height="{ROW - 8}" rx="3" fill="#e07426"/>',
            f'<text x="{LEFT + bar + 6}" y="{y + 17}">{times:g} ×</text>',
        ]
    line = LEFT + UNIT
    parts.append(
        f'<line x1="{line}" x2="{line}" y1="10" y2="{height - 8}" stroke="#1f2430" '
        'stroke-dasharray="3 3"/>'
    )
    return "\n".join([*parts, "</svg>"]) + "\n"


if __name__ == "__main__":
    PICTURE.write_text(picture())
