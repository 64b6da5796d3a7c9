# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of proofs.md, made from the marks `proves` of the tests.

python test/python/sources_table.py --write    writes it
"""

import argparse
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
PAGE = TESTS / "proofs.md"
HEADER = (
    "| system | operation | granularity | storage | against | test |\n|---|---|---|---|---|---|\n"
)


@dataclass(frozen=True, order=True)
class Row:
    system: str
    operation: str
    granularity: str
    against: str
    test: str


def _listed(item, mark, name: str) -> list[str]:
    """What the mark says of `name`, else the test's parameter, else the attribute of a parameter."""
    given = mark.kwargs.get(name)
    parameters = item.callspec.params if hasattr(item, "callspec") else {}
    if given is None:
        given = parameters.get(name)
    if given is None:
        given = next((getattr(p, name) for p in parameters.values() if hasattr(p, name)), None)
    if given is None:
        raise pytest.UsageError(f"{item.nodeid}: the mark `proves` finds no `{name}`")
    listed = given.split(",") if isinstance(given, str) else given
    return [str(entry).strip() for entry in listed]


#: The tests of a session, also those that do not run.
ITEMS = pytest.StashKey[list[pytest.Item]]()


def rows_of(items: list[pytest.Item]) -> dict[Row, list[str]]:
    """The rows, each with its storage types in the order of the tests."""
    rows = defaultdict(dict)
    for item in items:
        for mark in item.iter_markers("proves"):
            system, operation = mark.args
            name = f"{item.path.relative_to(TESTS)}::{item.originalname}"
            for granularity in _listed(item, mark, "granularity"):
                row = Row(system, operation, granularity, mark.kwargs["against"], name)
                rows[row].update(dict.fromkeys(_listed(item, mark, "storage")))
    return {row: list(types) for row, types in sorted(rows.items())}


class _Collector:
    def pytest_collection_finish(self, session):
        self.items = session.items


def collect() -> dict[Row, list[str]]:
    """The rows. Imports every test file: best in a process of its own."""
    collector = _Collector()
    status = pytest.main(
        ["--collect-only", "-m", "", "-qq", "-p", "no:cacheprovider", "--no-summary", str(TESTS)],
        plugins=[collector],
    )
    if status != 0:
        raise SystemExit(f"collection failed: {status}")
    return rows_of(collector.items)


def _link(test: str) -> str:
    file, name = test.split("::")
    return f"[{name}]({file})"


def table(rows: dict[Row, list[str]]) -> str:
    """A line for the operations of a system that share granularities, storage and comparison."""
    granularities = defaultdict(list)
    for row, types in rows.items():
        key = (row.system, row.operation, ", ".join(types), row.against, row.test)
        granularities[key].append(row.granularity)
    lines = defaultdict(list)
    for (system, operation, types, against, test), listed in granularities.items():
        lines[system, ", ".join(listed), types, against].append((operation, _link(test)))
    text = HEADER
    for (system, *cells), proofs in lines.items():
        operations, links = ("; ".join(dict.fromkeys(column)) for column in zip(*proofs))
        text += f"| {' | '.join([system, operations, *cells, links])} |\n"
    return text


def replace_table(page: str, new: str) -> str:
    return page.split(HEADER)[0] + new


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="into proofs.md; else prints it")
    arguments = parser.parse_args()
    out, sys.stdout = sys.stdout, sys.stderr
    new = table(collect())
    sys.stdout = out
    if arguments.write:
        PAGE.write_text(replace_table(PAGE.read_text(), new))
    else:
        print(new, end="")


if __name__ == "__main__":
    main()
