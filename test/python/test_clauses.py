# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/Clauses.md: the ids of Semantics.md and of qdq-vectors, examples that hold, and citations that exist."""

import re
import subprocess
import sys
from collections import defaultdict

import numpy as np
import pytest
from build_tree import SOURCE

sys.path.insert(0, str(SOURCE / "vectors"))
from qdq_vectors import clauses  # noqa: E402

ID = re.compile(r"\b[QV]\d+\.\d+\b|(?<![\w-])V\d\b")
PAGE = (SOURCE / "docs" / "Clauses.md").read_text()
SEMANTICS = (SOURCE / "docs" / "Semantics.md").read_text()
#: Lines with an id: rule, example.
ROWS = {
    cells[1].strip(): [cell.strip() for cell in cells[2:4]]
    for line in PAGE.splitlines()
    if len(cells := line.split("|")) == 5 and ID.fullmatch(cells[1].strip())
}
RULES = {name for name in clauses.TEXT if name.startswith("Q")}


def examples(identifier):
    return re.findall(r"`([^`]+)`", ROWS[identifier][1])


@pytest.fixture(scope="module")
def names():
    namespace = {}
    exec(re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)[1], namespace)
    return namespace


def test_one_list_of_rules():
    """Semantics.md defines each id once, and the page states the rules that vectors print."""
    defined = re.findall(r"\*\*(Q\d+\.\d+)\*\*", SEMANTICS)
    defined.remove("Q2.5")  # the example of an id, in the introduction
    assert len(set(defined)) == len(defined)
    assert set(defined) == set(ROWS) == RULES
    assert {name: row[0] for name, row in ROWS.items()} == {n: clauses.TEXT[n] for n in RULES}
    numbers = defaultdict(list)
    for section, number in (name[1:].split(".") for name in ROWS):
        numbers[int(section)].append(int(number))
    assert all(found == list(range(1, len(found) + 1)) for found in numbers.values())
    own = re.findall(r"\*\*(V\d)\*\*", (SOURCE / "vectors" / "README.md").read_text())
    assert own == [name for name in clauses.TEXT if name.startswith("V")]


def test_each_rule_has_formulas():
    """From its id to the next, Semantics.md has code, not only words."""
    _, *parts = re.split(r"\*\*(Q\d+\.\d+)\*\*", SEMANTICS)
    assert [name for name, text in zip(parts[::2], parts[1::2]) if "`" not in text] == []


@pytest.mark.parametrize("identifier", ROWS)
def test_example_holds(identifier, names):
    assert examples(identifier)
    for example in examples(identifier):
        assert np.all(eval(example, names)), example


@pytest.mark.parametrize("identifier", [name for name in ROWS if name.startswith("Q1.")])
def test_field_decides_its_example(identifier, names):
    """Under the default the last example gives another result."""
    example = examples(identifier)[-1]
    default = re.sub(r", semantics=\{.*?\}", "", example)
    assert default != example and not np.all(eval(default, names))


def test_classes_have_every_rule():
    table = PAGE.split("## Conformance classes")[1].split("\n## ")[0]
    assert set(ID.findall(table)) == set(clauses.TEXT)


def test_cited_rules_exist_and_each_is_tested():
    """A citation names a rule, and a test, or a vector, cites each rule."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=SOURCE, capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    cited = defaultdict(set)
    for name in listed:
        file = SOURCE / name
        if file.suffix in (".md", ".cpp", ".h", ".td", ".py", ".mlir", ".json", ".runs", ".values"):
            head = file.read_text(errors="replace")[: 2000 if "/data/casts/" in name else None]
            for identifier in re.findall(r"\bQ\d+\.\d+\b", head):
                cited[identifier].add(name)
            if name.startswith("vectors/"):
                for identifier in re.findall(r"(?<![\w-])V[1-9]\b", head):
                    cited[identifier].add(name)
    assert set(cited) - set(clauses.TEXT) == set()
    tests = ("test/", "vectors/tests/", "vectors/qdq_vectors/data/")
    here = "test/python/test_clauses.py"
    untested = {
        name
        for name in clauses.TEXT
        if not any(file.startswith(tests) and file != here for file in cited[name])
    }
    assert untested == set()


@pytest.mark.parametrize("folder", ["lib/IR", "tools/proving/statements"])
def test_verifiers_and_proofs_cite(folder):
    found = set()
    for file in (SOURCE / folder).iterdir():
        if file.suffix in (".cpp", ".py"):
            found |= set(ID.findall(file.read_text()))
    assert len(found) >= 8, found
