# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of docs/Scores.md and Systems.md, out of results/.

python page.py             fails where the pages have others
python page.py --write     writes them
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGES = {"summary": HERE.parents[1] / "docs" / "Scores.md", "systems": HERE / "Systems.md"}


def records() -> list[dict]:
    return [json.loads(file.read_text()) for file in sorted((HERE / "results").glob("*.json"))]


def issues() -> list[dict]:
    """{"system", "operation": a regular expression, "kind", "issue"}"""
    return json.loads((HERE / "issues.json").read_text())


def issue_of(system: str, operation: str, kind: str) -> str:
    for each in issues():
        same = each["system"] == system and each.get("kind", kind) == kind
        if same and re.fullmatch(each["operation"], operation):
            name = re.sub(r"https://github.com/(.+)/(?:issues|pull)/(\d+)", r"\1#\2", each["issue"])
            return f"[{name}]({each['issue']})"
    return ""


def words(rules: dict) -> str:
    return ", ".join(value for value in rules.values() if isinstance(value, str))


def table(head: list[str], rows: list[list]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def summary() -> str:
    rows = []
    for record in records():
        agree = sum(row["differing"] == 0 for row in record["rows"])
        compared = sum(row["compared"] for row in record["rows"])
        differing = sum(row["differing"] for row in record["rows"])
        link = f"[{record['system']}](../vectors/scores/Systems.md#{record['system']})"
        count = len(record["rows"])
        rows.append(
            [link, record["version"], f"{agree} of {count}", f"{compared:,}", f"{differing:,}"]
        )
    return table(["system", "version", "operations that agree", "results", "differ"], rows)


def split(operation: str) -> tuple[str, str, str] | None:
    """The types of a cast, and what its name adds."""
    found = re.fullmatch(r"(\w+) to (\w+)(.*)", operation)
    return found and found.groups()


WIDE = ("f32", "f16", "bf16")


def compressed(operations: list[str]) -> str:
    """f32, f16, bf16 to f8E4M3FN, f8E5M2: one item for casts of the same types on one side."""
    by_small: dict[tuple, list[str]] = {}
    others = []
    for operation in operations:
        types = split(operation)
        if not types:
            others.append(operation)
            continue
        source, to, note = types
        widens = to in WIDE
        small, wide = (source, to) if widens else (to, source)
        by_small.setdefault((widens, small, note), []).append(wide)
    by_wide: dict[tuple, list[str]] = {}
    for (widens, small, note), wides in by_small.items():
        by_wide.setdefault((widens, ", ".join(wides), note), []).append(small)
    items = [
        (f"{', '.join(smalls)} to {wides}" if widens else f"{wides} to {', '.join(smalls)}")
        + (f" ({note.lstrip(', ')})" if note else "")
        for (widens, wides, note), smalls in by_wide.items()
    ]
    return "; ".join([*items, *others])


def merged(rows: list[dict]) -> list[tuple[str, list[str]]]:
    """Operations that agree, by the rules that they follow."""
    by_rules: dict[str, list[str]] = {}
    for row in rows:
        rules = words(row["rules"]) or "the values of the codes"
        by_rules.setdefault(rules, []).append(row["operation"])
    return list(by_rules.items())


def lines_of(rows: list[dict]) -> list[tuple[dict, dict]]:
    """Differences; those of f16 and bf16 only where f32 has none of the same kind."""
    found = [(row, each) for row in rows for each in row["differences"]]
    of_f32 = {
        (split(row["operation"]), each["kind"])
        for row, each in found
        if "f32" in (split(row["operation"]) or ())
    }

    def is_repeated(row: dict, each: dict) -> bool:
        types = split(row["operation"])
        if not types or "f32" in types:
            return False
        as_f32 = tuple("f32" if part in WIDE else part for part in types)
        return (as_f32, each["kind"]) in of_f32

    return [line for line in found if not is_repeated(*line)]


def section(record: dict) -> str:
    text = f"## {record['system']}\n\n"
    agree = [row for row in record["rows"] if not row["differing"]]
    for rules, operations in merged(agree):
        text += f"- agrees, {rules}: {compressed(operations)}\n"
    text += "\n" * bool(agree)
    rows = [
        [
            row["operation"], words(row["rules"]) or "values", each["kind"],
            f"{each['differing']:,} of {row['compared']:,}", each["input"], each["gives"],
            each["expected"], ", ".join(each["clauses"]),
            issue_of(record["system"], row["operation"], each["kind"]),
        ]
        for row, each in lines_of(record["rows"])
    ]  # fmt: skip
    head = ["operation", "closest rules", "kind", "differ", "shortest input", "gives"]
    head += ["expected", "clauses", "issue"]
    return text + (table(head, rows) + "\n" if rows else "")


def pages() -> dict[Path, str]:
    """Each page, with its table made anew."""
    tables = {
        "summary": summary(),
        "systems": "".join(map(section, records())).rstrip("\n") + "\n",
    }
    made = {}
    for name, page in PAGES.items():
        begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->"
        before, rest = page.read_text().split(begin)
        made[page] = before + begin + tables[name] + end + rest.split(end)[1]
    return made


def main(arguments: list[str]) -> int:
    changed = {page: text for page, text in pages().items() if text != page.read_text()}
    for page, text in changed.items():
        if arguments == ["--write"]:
            page.write_text(text)
        else:
            print(f"{page} has other tables than results/: python vectors/scores/page.py --write")
    return int(bool(changed) and arguments != ["--write"])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
