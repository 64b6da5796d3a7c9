# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The record of a mutation run, and its summary in docs/Verification.md."""

from __future__ import annotations

import json
from pathlib import Path

from .mutants import MUTANTS

_TREE = Path(__file__).resolve().parents[2]
RECORD = _TREE / "test" / "conformance" / "mutants.json"
PAGE = _TREE / "docs" / "Verification.md"
_BEGIN, _END = "<!-- mutants: begin -->\n", "<!-- mutants: end -->\n"


def table(record: dict) -> str:
    """Markdown: the scores, and the mutants that ONNX's node tests run without noticing."""
    alive = [mutant for mutant in MUTANTS if _survives(record[mutant.name]["onnx"])]
    lines = [
        f"The corpus kills {_score(record, 'corpus')} mutants that it runs, ONNX's node tests {_score(record, 'onnx')}.",
        "",
        "| mutant that ONNX's node tests miss | mistake | node tests that run it |",
        "|---|---|---|",
        *(f"| `{m.name}` | {m.mistake} | {record[m.name]['onnx']['tried']} |" for m in alive),
    ]
    return "\n".join([*lines, ""])


def _survives(result: dict) -> bool:
    return bool(result["tried"]) and result["killer"] is None


def _score(record: dict, suite: str) -> str:
    met = [result[suite] for result in record.values() if result[suite]["tried"]]
    return f"{sum(result['killer'] is not None for result in met)} of {len(met)}"


def page_with(record: dict, page: str) -> str:
    """The page, with the table of `record` between its marks."""
    before, _, rest = page.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    return before + _BEGIN + table(record) + _END + after


def write_record(record: dict) -> None:
    RECORD.write_text(json.dumps(record, indent=1) + "\n")
    if len(record) == len(MUTANTS):
        PAGE.write_text(page_with(record, PAGE.read_text()))
