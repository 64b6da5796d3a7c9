# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scores as text, Markdown and JSON, and into a page that holds those of other runs."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from .. import reference
from .cases import topics
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
    return [[score.implementation, *(_percent(score.topics.get(t, Tally())) for t in topics())]]


def convention_rows(score: Score) -> list[list[str]]:
    if not score.conventions:
        return []
    return [[score.implementation, *(f"{count:,}" for count in score.conventions.values())]]


def difference_rows(score: Score) -> list[list[str]]:
    return [
        [d.implementation, d.operation, d.types, _kind(score, d), d.x, d.scale, d.zero_point or "–", d.result, d.expected]
        for d in score.differences
    ]  # fmt: skip


def _kind(score: Score, difference: Difference) -> str:
    """Where every field was asked for, with what was asked for."""
    if score.held_to != EVERY_FIELD:
        return difference.kind
    return f"{difference.kind}, under {difference.semantics}"


def refusal_rows(score: Score) -> list[list[str]]:
    refused = sorted(score.refused.items(), key=lambda item: -item[1])
    return [[score.implementation, count, reason] for reason, count in refused]


#: Title, heads and rows of each table.
TABLES = {
    "scores": (
        ("implementation", "version", "held to", "cases taken", "all equal", "values", "differ", "agree"), score_rows,
    ),
    "conventions": (("implementation", *reference.PROFILES), convention_rows),
    "differences": (
        ("implementation", "operation", "types", "kind", "x", "scale", "zero point", "gives", "expected"), difference_rows,
    ),
    "topics": (("implementation", *topics()), topic_rows),
    "refusals": (("implementation", "cases", "refused, because of"), refusal_rows),
}  # fmt: skip


def _table(name: str, rows) -> str:
    heads = TABLES[name][0]
    return _row(heads) + "|" + "---|" * len(heads) + "\n" + "".join(map(_row, rows))


def markdown(scores: list[Score]) -> str:
    parts = []
    for name, (_, rows_of) in TABLES.items():
        rows = [row for score in scores for row in rows_of(score)]
        if rows:
            parts.append(f"## {name.capitalize()}\n\n{_table(name, rows)}")
    return "\n".join(parts)


def text(scores: list[Score]) -> str:
    parts = []
    for name in ("scores", "topics", "conventions", "differences", "refusals"):
        heads, rows_of = TABLES[name]
        rows = [[str(c) for c in row] for score in scores for row in rows_of(score)]
        if not rows:
            continue
        lines = [list(heads), *rows]
        widths = [max(len(line[column]) for line in lines) for column in range(len(heads))]
        # What is said in words may be long, and stands last.
        parts.append(f"{name}:\n")
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
    names = {score.implementation for score in scores}
    for name, (_, rows_of) in TABLES.items():
        begin, end = BEGIN.format(name), END.format(name)
        if begin not in page:
            continue
        before, rest = page.split(begin)
        old, after = rest.split(end)
        kept = [line + "\n" for line in old.splitlines()[2:]]
        kept = [line for line in kept if _first(line) not in names]
        rows = kept + [_row(row) for score in scores for row in rows_of(score)]
        rows.sort(key=lambda line: _order(_first(line)))  # stable: rows of one stay in order
        heads = TABLES[name][0]
        table = _row(heads) + "|" + "---|" * len(heads) + "\n" + "".join(rows)
        page = before + begin + table + end + after
    return page


def _first(line: str) -> str:
    return line.split("|")[1].strip()


def write(path: Path, scores: list[Score]) -> None:
    path.write_text(merged(path.read_text(), scores))
