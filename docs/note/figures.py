# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The figures of note.typ, out of recorded data and of the tables of docs/.

python figures.py            fails where figures.json has others
python figures.py --write    writes them
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parents[1]
DOCS = SOURCE / "docs"


def between(page: str, name: str) -> str:
    text = (DOCS / page).read_text()
    return text.split(f"<!-- {name}: begin -->\n")[1].split(f"<!-- {name}: end -->")[0]


def rows(page: str, name: str) -> list[list[str]]:
    """The cells of the first table there, its head first."""
    lines = [line for line in between(page, name).splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [line for line in cells if not set("".join(line)) <= set("-: ")]


def number(text: str) -> int:
    return int(text.replace(",", ""))


def scores() -> dict:
    """docs/Scores.md's data."""
    files = sorted((SOURCE / "vectors" / "scores" / "results").glob("*.json"))
    records = [json.loads(file.read_text()) for file in files]
    every = [row for record in records for row in record["rows"]]
    systems = [
        {
            "name": record["version"].split(",")[0],
            "operations": len(record["rows"]),
            "agree": sum(row["differing"] == 0 for row in record["rows"]),
            "compared": sum(row["compared"] for row in record["rows"]),
            "differing": sum(row["differing"] for row in record["rows"]),
        }
        for record in records
    ]
    return {
        "systems": len(records),
        "operations": len(every),
        "agree": sum(row["differing"] == 0 for row in every),
        "compared": sum(row["compared"] for row in every),
        "by_system": systems,
        "kinds": kinds(every),
        "clauses": [list(pair) for pair in ranked(clauses(every))[:8]],
        "rules": [
            [field, value, count]
            for field, values in followed(every).items()
            for value, count in ranked(values)
        ],
    }


def ranked(counter: Counter) -> list[tuple[str, int]]:
    return sorted(counter.items(), key=lambda pair: (-pair[1], pair[0]))


def kinds(rows: list[dict]) -> list[list]:
    """Of each kind of input: operations that differ there, and results."""
    operations, results = Counter(), Counter()
    for row in rows:
        for difference in row["differences"]:
            operations[difference["kind"]] += 1
            results[difference["kind"]] += difference["differing"]
    return sorted(
        ([kind, count, results[kind]] for kind, count in operations.items()),
        key=lambda line: (-line[1], line[0]),
    )


def clauses(rows: list[dict]) -> Counter:
    """Operations whose differences cite a clause."""
    found = Counter()
    for row in rows:
        found.update(sorted({c for d in row["differences"] for c in d["clauses"]}))
    return found


def followed(rows: list[dict]) -> dict[str, Counter]:
    """Of operations that one combination alone explains: the values of its fields."""
    found = {name: Counter() for name in ("rounding", "float_overflow", "nan", "order", "division")}
    for row in rows:
        if row["differing"] == 0 and row.get("rules_that_agree", 1) == 1:
            for name, value in row["rules"].items():
                if name in found:
                    found[name][value] += 1
    return found


def conventions() -> dict:
    """Codes that differ from each profile."""
    page = "../test/conformance/Differences.md"
    head, *lines = rows(page, "conventions")
    kinds, *accumulators = rows(page, "requantize-conventions")
    return {
        "profiles": head[1:],
        "lines": lines,
        "classes": len({tuple(line[1:]) for line in lines}),
        "rescales": kinds[1:],
        "accumulators": accumulators,
        "rescale_classes": len({tuple(line[1:]) for line in accumulators}),
    }


def parameters() -> dict:
    """Of dynamic parameters: how many values differ from the text that a system is held to."""
    _, *lines = rows("../test/conformance/Differences.md", "choose-params-scores")
    others = [line for line in lines if "mlir-qdq" not in line[1]]
    return {"lines": [[line[0], line[2], line[5], line[6]] for line in others]}


def contraction() -> dict:
    """docs/Models.md: sums of dequantized tensors behind a compiler that contracts."""
    _, *lines = rows("Models.md", "contraction")
    return {"lines": [line[:3] for line in lines]}


def verification() -> dict:
    head, *lines = rows("Verification.md", "exhaustive")
    mutants = re.search(
        r"kills (\d+) of (\d+) mutants.*?node tests (\d+) of (\d+)",
        between("Verification.md", "mutants"),
        re.DOTALL,
    )
    killed, tried, by_onnx, onnx = map(int, mutants.groups())
    return {
        "groups": [[line[0], line[2], line[3]] for line in lines],
        "inputs": sum(number(line[head.index("inputs compared")]) for line in lines),
        "mismatches": sum(number(line[head.index("mismatches")]) for line in lines),
        "mutants": tried,
        "killed": killed,
        "onnx_mutants": onnx,
        "onnx_killed": by_onnx,
        "missed": [line[1] for line in rows("Verification.md", "mutants")[1:]],
    }


def proofs() -> dict:
    _, *lines = rows("Verification.md", "proofs")
    ours = [line for line in lines if line[0] == "of these, ours"]
    steps, by_terms, solved, undecided, unmodelled = (
        sum(number(re.search(r"\d[\d,]*", line[column])[0]) for line in ours)
        for column in (2, 3, 4, 6, 7)
    )
    return {
        "steps": steps,
        "proven": by_terms + solved,
        "undecided": undecided,
        "unmodelled": unmodelled,
    }


def vectors() -> dict:
    """Sets of rules of casts with a hash of every output."""
    data = SOURCE / "vectors" / "qdq_vectors" / "data"
    hashes = json.loads((data / "hashes.json").read_text())
    types = {file.stem.split("_")[1] for file in (data / "casts").glob("f32_*.runs")}
    floats = {name for name in types if name.startswith("f")}
    return {
        "hashes": len(hashes),
        "cases": sum(
            len(json.loads(file.read_text())["cases"])
            for folder in ("corpus", "blocks")
            for file in (data / folder).rglob("*.json")
        ),
        "floats": len(floats),
        "integers": len(types - floats),
    }


def blocks() -> dict:
    """The scale of a block of E4M3 by its largest magnitude, under each rule, over exact rationals."""
    sys.path[:0] = [str(SOURCE / "vectors" / "statements"), str(SOURCE / "vectors")]
    from exact import choose_params

    rules = ("floor", "even", "fit", "rceil", "ceil")
    lines = []
    for largest in (256.0, 300.0, 460.0, 480.0, 500.0):
        scales = [
            choose_params([largest], "f8E4M3FN", "symmetric", "f32", "f8E8M0FNU", rule)[0]
            for rule in rules
        ]
        lines.append([f"{largest:g}", *(f"{scale:g}" for scale in scales)])
    return {"rules": list(rules), "lines": lines}


def semantics() -> dict:
    page = (DOCS / "Semantics.md").read_text()
    fields = re.findall(r"(?m)^\| \*\*Q1\.\d+\*\* `([\w-]+)` \| (.*?) \|$", page)
    evidence = (SOURCE / "test" / "conformance" / "README.md").read_text()
    head = "| runtime | rule | input | gives |\n|---|---|---|---|\n"
    lines = evidence.split(head)[1].splitlines()
    defaults = {name: re.search(r"`([\w-]+)`", values)[1] for name, values in fields}
    profiles = []
    table = (DOCS / "Profiles.md").read_text().split("## ")[0]
    for name, differs in re.findall(r"(?m)^\| [^|]+ \| `([\w-]+)` \|([^|]*)\|$", table):
        f = defaults | dict(each.split() for each in differs.split(",") if each.strip())
        plain = [f[key] for key in ("order", "rounding", "division", "compute", "subtract")]
        profiles.append([name, *plain, f"{f['overflow']} / {f['nan']}"])
    own = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    for above, line in zip(own, own[1:]):
        line[0] = line[0] or above[0]
    return {
        "own": [line for line in own if len(line) == 4 and line[2]],
        "clauses": len(set(re.findall(r"\*\*(Q\d+\.\d+)\*\*", page))),
        "fields": [[name, len(re.findall(r"`[\w-]+`", values))] for name, values in fields],
        "profiles": len(profiles),
        "rows": profiles,
    }


def upstream() -> dict:
    pages = {page.parent.name: page.read_text() for page in (DOCS / "upstream").glob("*/README.md")}
    seen = {name: re.search(r"(?m)^- seen in: (.*)$", page)[1] for name, page in pages.items()}
    index = (DOCS / "upstream" / "README.md").read_text()
    table = re.findall(r"(?m)^\| \[([\w-]+)\]\([\w-]+/README\.md\) \| (.*) \|(.*)\|$", index)
    patches = len([*(DOCS / "upstream").glob("*/proposal.diff")])
    return {
        "findings": len(pages),
        "patches": patches,
        "fixed": sum("not in 23" in each for each in seen.values()),
        "table": [
            [
                what,
                "no" if "not in 23" in seen[name] else "yes" if "23" in seen[name] else "–",
                "yes" if patch.strip() else "",
            ]
            for name, what, patch in table
        ],
    }


def figures() -> dict:
    made = (
        scores, conventions, parameters, contraction, verification, proofs, vectors, blocks, semantics,
        upstream,
    )  # fmt: skip
    return {function.__name__: function() for function in made}


def main(arguments: list[str]) -> int:
    text = json.dumps(figures(), indent=1, ensure_ascii=False) + "\n"
    recorded = HERE / "figures.json"
    if arguments == ["--write"]:
        recorded.write_text(text)
        return 0
    same = recorded.read_text() == text
    print("" if same else "figures.json is old: python docs/note/figures.py --write")
    return int(not same)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
