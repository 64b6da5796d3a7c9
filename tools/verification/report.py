# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of a run, on the terminal and in docs/Verification.md."""

from __future__ import annotations

import datetime
import subprocess
from pathlib import Path

from .run import Result

PAGE = Path(__file__).parents[2] / "docs" / "Verification.md"
_BEGIN, _END = "<!-- exhaustive: begin -->\n", "<!-- exhaustive: end -->\n"


def table(results: list[Result]) -> str:
    lines = [
        "| group | kernels | inputs compared | mismatches | CPU seconds |",
        "|---|---|---|---|---|",
    ]
    groups = dict.fromkeys(result.group for result in results)
    for group in groups:
        mine = [result for result in results if result.group == group]
        inputs, seconds = sum(r.inputs for r in mine), sum(r.seconds for r in mine)
        wrong = sum(r.mismatch is not None for r in mine)
        lines.append(f"| {group} | {len(mine)} | {inputs:,} | {wrong} | {seconds:.0f} |")
    return "\n".join(lines) + "\n"


def record(results: list[Result]) -> None:
    """Replaces the record in docs/Verification.md."""
    commit = subprocess.run(
        ["git", "rev-parse", "--short=12", "HEAD"],
        cwd=PAGE.parent,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    text = f"Full run of {datetime.date.today()}, on commit {commit}:\n\n{table(results)}"
    page = PAGE.read_text()
    before, rest = page.split(_BEGIN)
    PAGE.write_text(before + _BEGIN + text + _END + rest.split(_END)[1])
