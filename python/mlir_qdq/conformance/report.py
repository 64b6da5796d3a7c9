# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scores as text, Markdown and JSON, and into a page that holds those of other runs."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from ..reference import PROFILES, RESCALES
from .case import spaced
from .files import GROUPS, topics
from .implementations import KNOWN
from .score import EVERY_FIELD, Difference, Score, Tally

BEGIN, END = "<!-- {}: begin -->\n", "<!-- {}: end -->\n"


def _percent(tally: Tally) -> str:
    """Of values that agree: 100 % is all of them, never a rounded one."""
    if not tally.values:
        return "–"
    if not tally.differing:
        return "100 %"
    return f"{min(99.99, 100 * (1 - tally.differing / tally.values)):.2f} %"


def _row(cells) -> str:
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |\n"


def score_rows(score: Score) -> list[list[str]]:
    t = score.total
    return [
        [score.implementation, score.version, score.held_to, f"{t.taken} of {t.cases}", f"{t.equal}", f"{t.values:,}",
         f"{t.differing:,}", _percent(t)]
    ]  # fmt: skip


def topic_rows(score: Score) -> list[list[str]]:
    """Values that agree, of the cases that it takes; one column a topic."""
    cells = (_percent(score.topics.get(t, Tally())) for t in topics(score.group))
    return [[score.implementation, *cells]]


def convention_rows(score: Score) -> list[list[str]]:
    if not score.conventions:
        return []
    return [[score.implementation, *(f"{count:,}" for count in score.conventions.values())]]


def difference_rows(score: Score) -> list[list[str]]:
    kind = GROUPS[score.group]
    rows = []
    for d in score.differences:
        operands = [d.operands.get(name, "–") for name in kind.OPERANDS]
        of = [d.of] * (len(kind.RESULTS) > 1)
        first = [d.implementation, d.operation, d.types, _kind(score, d)]
        rows.append([*first, *operands, *of, d.result, d.expected])
    return rows


def _kind(score: Score, difference: Difference) -> str:
    """Where every field was asked for, with what was asked for."""
    if score.held_to != EVERY_FIELD:
        return difference.kind
    return f"{difference.kind}, under {difference.semantics}"


def refusal_rows(score: Score) -> list[list[str]]:
    refused = sorted(score.refused.items(), key=lambda item: -item[1])
    return [[score.implementation, count, reason] for reason, count in refused]


_ROWS = {
    "scores": score_rows, "topics": topic_rows, "conventions": convention_rows, "differences": difference_rows,
    "refusals": refusal_rows,
}  # fmt: skip


def _heads(table: str, group: str) -> list[str]:
    if table == "scores":
        return ["implementation", "version", "held to", "cases taken", "all equal", "values", "differ", "agree"]  # fmt: skip
    if table == "topics":
        return ["implementation", *topics(group)]
    if table == "conventions":
        return ["implementation", *(RESCALES if group == "requantize" else PROFILES)]
    if table == "refusals":
        return ["implementation", "cases", "refused, because of"]
    kind = GROUPS[group]
    operands = [spaced(name) for name in kind.OPERANDS]
    of = ["result"] * (len(kind.RESULTS) > 1)
    return ["implementation", "operation", "types", "kind", *operands, *of, "gives", "expected"]


def _title(table: str, group: str) -> str:
    return table if group == "conversions" else f"{group}-{table}"


def _tables(scores: list[Score]):
    """(title, heads, rows) of all that have a row."""
    for group in GROUPS:
        of_group = [score for score in scores if score.group == group]
        for table, rows_of in _ROWS.items():
            if rows := [row for score in of_group for row in rows_of(score)]:
                yield _title(table, group), _heads(table, group), rows


def _table(heads: list[str], lines) -> str:
    return _row(heads) + "|" + "---|" * len(heads) + "\n" + "".join(lines)


def markdown(scores: list[Score]) -> str:
    return "\n".join(
        f"## {title.capitalize()}\n\n{_table(heads, map(_row, rows))}"
        for title, heads, rows in _tables(scores)
    )


def text(scores: list[Score]) -> str:
    parts = []
    for title, heads, rows in _tables(scores):
        lines = [heads, *([str(cell) for cell in row] for row in rows)]
        widths = [max(len(line[column]) for line in lines) for column in range(len(heads))]
        # Prose may be long, and stands last.
        parts.append(f"{title}:\n")
        for line in lines:
            cells = "  ".join(cell.ljust(width) for cell, width in zip(line, widths))
            parts.append(f"  {cells.rstrip()}\n")
        parts.append("\n")
    return "".join(parts).rstrip("\n") + "\n"


def as_json(scores: list[Score]) -> str:
    return json.dumps([asdict(score) for score in scores], indent=1)


def _order(name: str) -> int:
    return list(KNOWN).index(name) if name in KNOWN else len(KNOWN)


def merged(page: str, scores: list[Score]) -> str:
    """The page with the rows of these implementations, between the marks of each table, in place of their old ones."""
    for group in GROUPS:
        of_group = [score for score in scores if score.group == group]
        for table, rows_of in _ROWS.items():
            rows = [_row(row) for score in of_group for row in rows_of(score)]
            names = {score.implementation for score in of_group}
            page = _replaced(page, _title(table, group), _heads(table, group), rows, names)
    return page


def _replaced(page: str, title: str, heads: list[str], rows: list[str], names: set[str]) -> str:
    begin, end = BEGIN.format(title), END.format(title)
    if begin not in page or not names:
        return page
    before, rest = page.split(begin)
    old, after = rest.split(end)
    kept = [line + "\n" for line in old.splitlines()[2:] if _first(line) not in names]
    # Stable: rows of one stay in order.
    rows = sorted(kept + rows, key=lambda line: _order(_first(line)))
    return before + begin + _table(heads, rows) + end + after


def _first(line: str) -> str:
    return line.split("|")[1].strip()


def write(path: Path, scores: list[Score]) -> None:
    path.write_text(merged(path.read_text(), scores))
