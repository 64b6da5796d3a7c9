# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Obligations in parallel, and the table of what became of them."""

from __future__ import annotations

import gc
import json
import multiprocessing
import os
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from .decide import PROVEN, REFUTED, UNDECIDED, Decider
from .obligations import UNSUPPORTED, Obligation, Result, discharge

_decider: Decider | None = None


def _start(seconds: float) -> None:
    global _decider
    os.nice(10)
    # Terms have no cycles; each obligation of a pass collects what it leaves.
    gc.disable()
    _decider = Decider(seconds)


def _one(obligation: Obligation) -> tuple[Obligation, list[Result]]:
    assert _decider is not None
    return obligation, discharge(obligation, _decider)


def run(
    obligations: Sequence[Obligation], jobs: int, seconds: float, state: Path | None = None
) -> list[Result]:
    """`state` keeps what is settled, a line each: another run does the rest."""
    rows = _rows(state, obligations) if state else []
    settled = {row["obligation"] for row in rows}
    results = [Result(**row | {"by": Counter(row["by"])}) for row in rows if "status" in row]
    rest = [o for o in obligations if _key(o) not in settled]
    with open(state or os.devnull, "a") as file:
        for obligation, found in _discharged(rest, jobs, seconds):
            # An obligation without a step leaves a line, too.
            lines = [vars(result) for result in found] or [{"obligation": _key(obligation)}]
            file.write("".join(json.dumps(line) + "\n" for line in lines))
            file.flush()
            results += map(_shown, found)
    return results


def _key(obligation: Obligation) -> str:
    return f"{obligation.group}: {obligation.name}"


def _rows(state: Path, obligations: Sequence[Obligation]) -> list[dict]:
    wanted = set(map(_key, obligations))
    rows = map(json.loads, state.read_text().splitlines()) if state.exists() else ()
    return [row for row in rows if row["obligation"] in wanted]


def _discharged(obligations: Sequence[Obligation], jobs: int, seconds: float):
    if jobs == 1:
        decider = Decider(seconds)
        yield from ((obligation, discharge(obligation, decider)) for obligation in obligations)
        return
    with multiprocessing.get_context("spawn").Pool(jobs, _start, (seconds,)) as pool:
        yield from pool.imap_unordered(_one, obligations)


def _shown(result: Result) -> Result:
    if sys.stderr.isatty():
        print(f"\r\033[K{result.status} {result.name[:100]}", end="", file=sys.stderr, flush=True)
    return result


def table(results: Sequence[Result]) -> str:
    """A row for each group, as docs/Verification.md has them."""
    lines = [
        "| group | obligations | proven by terms alone | with a solver | refuted | not decided | not modelled | CPU seconds |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for group in dict.fromkeys(result.group for result in results):
        rows = [result for result in results if result.group == group]
        proven = [row for row in rows if row.status == PROVEN]
        by_terms = sum(set(row.by) <= {"terms"} for row in proven)
        counts = [sum(row.status == s for row in rows) for s in (REFUTED, UNDECIDED, UNSUPPORTED)]
        seconds = sum(row.seconds for row in rows)
        cells = [len(rows), by_terms, len(proven) - by_terms, *counts, round(seconds)]
        lines.append(f"| {group} | {' | '.join(map(str, cells))} |")
    return "\n".join(lines)
