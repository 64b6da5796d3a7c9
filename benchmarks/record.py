# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results of a benchmark: a line of text each, and of JSON in the file that QDQ_BENCH_RECORD names, for run.py."""

import json
import os

_titles = []


def record(title: str, unit: str, name: str, values: dict[str, float]) -> None:
    """`values`: a figure for each way to do what `name` says, in `unit`; "ratio" has none.

    title: says what all rows of a table share. It is printed where it changes.
    """
    if _titles[-1:] != [title]:
        print(f"{title}, {unit}", flush=True)
        _titles.append(title)
    figures = "  ".join(f"{way} {_round(value):>7}" for way, value in values.items())
    print(f"  {name:44} {figures}", flush=True)
    path = os.environ.get("QDQ_BENCH_RECORD")
    if path:
        with open(path, "a", encoding="utf-8") as file:
            row = {"title": title, "unit": unit, "name": name, "values": values}
            print(json.dumps(row), file=file)


def _round(value: float) -> str:
    """Three significant digits."""
    text = f"{value:.3g}"
    return f"{value:.0f}" if "e+" in text else text
