# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The figures of note.typ, out of recorded data and of the tables of docs/.

python figures.py            fails where figures.json has others
python figures.py --write    writes them
"""

from __future__ import annotations

import json
import re
import sys
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
    }


def conventions() -> dict:
    """Codes of docs/Conformance.md that differ from each profile."""
    head, *lines = rows("Conformance.md", "conventions")
    return {"profiles": head[1:], "lines": lines}


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
    }


def proofs() -> dict:
    _, *lines = rows("Verification.md", "proofs")
    ours = [line for line in lines if line[0] == "of these, ours"]
    steps, solved, undecided, unmodelled = (
        sum(number(re.search(r"\d[\d,]*", line[column])[0]) for line in ours)
        for column in (2, 4, 6, 7)
    )
    return {
        "steps": steps,
        "proven": solved,
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
        "floats": len(floats),
        "integers": len(types - floats),
    }


def semantics() -> dict:
    page = (DOCS / "Semantics.md").read_text()
    fields = re.findall(r"(?m)^\| \*\*Q1\.\d+\*\* `([\w-]+)` \| (.*?) \|$", page)
    return {
        "clauses": len(set(re.findall(r"\*\*(Q\d+\.\d+)\*\*", page))),
        "fields": [[name, len(re.findall(r"`[\w-]+`", values))] for name, values in fields],
        "profiles": len(
            re.findall(
                r"(?m)^\| `[\w-]+` \|",
                page.split("## Profiles")[1].split("| field |")[0],
            )
        ),
    }


def upstream() -> dict:
    pages = [page.read_text() for page in (DOCS / "upstream").glob("*/README.md")]
    return {"findings": len(pages), "fixed": sum(", not in 23.1.4 |" in page for page in pages)}


def figures() -> dict:
    made = (scores, conventions, verification, proofs, vectors, semantics, upstream)
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
