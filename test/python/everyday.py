# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rows of a product that run every day. The marks `every_pair` and `every_value` ask for it.

    @pytest.mark.every_pair
    @pytest.mark.parametrize("storage", ["i4", "i8"])
    @pytest.mark.parametrize("axis", [0, 1, None])
    @pytest.mark.parametrize("constant", [False, True])
    def test_product(storage, axis, constant): ...

Any two values of different parameters meet in a row of every day, or each value is in one. The
other rows get the mark `exhaustive`.
"""

import itertools
from collections.abc import Iterable

import pytest

#: How many values meet, by mark.
TOGETHER = {"every_value": 1, "every_pair": 2}


def choose(rows: Iterable[tuple], together: int) -> set[tuple]:
    """Few rows, the same each time, in which all meet that meet in any: a greedy cover."""
    meetings = {row: set(itertools.combinations(enumerate(row), together)) for row in rows}
    missing, chosen = set().union(*meetings.values()), set()
    while missing:
        best = max(meetings, key=lambda row: len(meetings[row] & missing))
        missing -= meetings[best]
        chosen.add(best)
    return chosen


def mark_others(items: list[pytest.Item]) -> None:
    """Marks what is not of every day. `items` are in the order of the tests."""
    rows = [item for item in items if hasattr(item, "callspec")]
    for _, same in itertools.groupby(rows, key=lambda item: item.nodeid.partition("[")[0]):
        same = list(same)
        for name, together in TOGETHER.items():
            if same[0].get_closest_marker(name):
                _mark_others(same, together)


def _mark_others(items: list[pytest.Item], together: int) -> None:
    # The same object is the same value; not every value can be hashed.
    rows = [tuple(map(id, item.callspec.params.values())) for item in items]
    chosen = choose(rows, together)
    for item, row in zip(items, rows):
        if row not in chosen:
            item.add_marker("exhaustive")
