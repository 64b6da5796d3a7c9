# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The record of a mutation run, and its table in docs/Verification.md."""

from __future__ import annotations

import json
from pathlib import Path

from .mutants import MUTANTS

_TREE = Path(__file__).resolve().parents[2]
RECORD = _TREE / "test" / "conformance" / "mutants.json"
PAGE = _TREE / "docs" / "Verification.md"
_BEGIN, _END = "<!-- mutants: begin -->\n", "<!-- mutants: end -->\n"


def table(record: dict) -> str:
    """Markdown, with the scores below."""
    lines = [
        "| mutant | mistake | killed in the corpus by | killed in ONNX's node tests by |",
        "|---|---|---|---|",
    ]
    for mutant in MUTANTS:
        cells = (_cell(record[mutant.name][suite]) for suite in ("corpus", "onnx"))
        lines.append(f"| `{mutant.name}` | {mutant.mistake} | {' | '.join(cells)} |")
    lines += [
        "",
        f"Killed: {_score(record, 'corpus')} by the corpus, {_score(record, 'onnx')} by ONNX's node tests.",
    ]
    return "\n".join([*lines, ""])


def _cell(result: dict) -> str:
    if result["killer"]:
        return f"`{result['killer']}`"
    return f"survives {result['tried']}" if result["tried"] else "not met"


def _score(record: dict, suite: str) -> str:
    met = [result[suite] for result in record.values() if result[suite]["tried"]]
    return f"{sum(result['killer'] is not None for result in met)} of the {len(met)} that it meets"


def page_with(record: dict, page: str) -> str:
    """The page, with the table of `record` between its marks."""
    before, _, rest = page.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    return before + _BEGIN + table(record) + _END + after


def write_record(record: dict) -> None:
    RECORD.write_text(json.dumps(record, indent=1) + "\n")
    if len(record) == len(MUTANTS):
        PAGE.write_text(page_with(record, PAGE.read_text()))
