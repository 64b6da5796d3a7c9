# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws profiles.svg: how many codes two profiles disagree on, of the inputs of Conformance.md that tell conventions apart.

python docs/images/profiles.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mlir_qdq.conformance import differs
from mlir_qdq.conformance.score import convention_case
from mlir_qdq.reference import PROFILES

PICTURE = Path(__file__).with_suffix(".svg")
CELL, LEFT, TOP = (58, 30), 144, 112


def counts() -> dict[tuple[str, str], int]:
    """Where x / s is below 2^31, and both define a code."""
    case = convention_case()
    cases = {name: case.under(name) for name in PROFILES}
    where = case.promised()
    for one in cases.values():
        where = where & one.defined
    return {
        (a, b): int((differs(cases[a].result.array, cases[b]) & where).sum())
        for a in PROFILES
        for b in PROFILES
    }


def colour(count: int, most: int) -> str:
    """White for none, else from pale to strong orange."""
    if not count:
        return "#eaf5ea"
    share = np.sqrt(count / most)
    pale, strong = np.array([255, 242, 226]), np.array([224, 116, 38])
    red, green, blue = (int(v) for v in pale + (strong - pale) * share)
    return f"#{red:02x}{green:02x}{blue:02x}"


def picture() -> str:
    found = counts()
    most = max(found.values())
    names = list(PROFILES)
    width, height = LEFT + CELL[0] * len(names) + 36, TOP + CELL[1] * len(names) + 8
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="system-ui, DejaVu Sans, sans-serif" font-size="13" fill="#1f2430">',
        f'<rect width="{width}" height="{height}" rx="8" fill="#ffffff"/>',
    ]
    for index, name in enumerate(names):
        y = TOP + CELL[1] * index
        x = LEFT + CELL[0] * index + CELL[0] / 2
        parts.append(f'<text x="{LEFT - 8}" y="{y + 20}" text-anchor="end">{name}</text>')
        parts.append(f'<text transform="translate({x + 4} {TOP - 8}) rotate(-40)">{name}</text>')
        for column, other in enumerate(names):
            count = found[name, other]
            left = LEFT + CELL[0] * column
            parts.append(
                f'<rect x="{left + 1}" y="{y + 1}" width="{CELL[0] - 2}" height="{CELL[1] - 2}" rx="4" fill="{colour(count, most)}">'
                f"<title>{name} and {other}: {count}</title></rect>"
            )
            if name != other:
                text = f"{count:,}" if count else "same"
                parts.append(
                    f'<text x="{left + CELL[0] / 2}" y="{y + 20}" text-anchor="middle">{text}</text>'
                )
    return "\n".join([*parts, "</svg>"]) + "\n"


if __name__ == "__main__":
    PICTURE.write_text(picture())
