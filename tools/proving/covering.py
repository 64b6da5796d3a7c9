# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Few combinations of choices in which every two of them meet, or every three."""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping, Sequence

Choice = dict[str, object]

#: Rows drawn for each one that is kept.
_DRAWS = 10


def covering(fields: Mapping[str, Sequence], strength: int) -> list[Choice]:
    """Rows in which any `strength` values of different fields meet. The same ones on every run."""
    rng = random.Random(0)
    sizes = [len(values) for values in fields.values()]
    groups = list(itertools.combinations(range(len(sizes)), strength))
    wanted = [
        (group, values)
        for group in groups
        for values in itertools.product(*(range(sizes[i]) for i in group))
    ]
    rng.shuffle(wanted)
    met: set[tuple] = set()
    rows: list[Choice] = []
    for group, values in wanted:
        if (group, values) in met:
            continue
        best, gain = [], -1
        for _ in range(_DRAWS):
            row = [int(rng.random() * size) for size in sizes]
            for i, value in zip(group, values):
                row[i] = value
            new = sum((g, tuple(row[i] for i in g)) not in met for g in groups)
            if new > gain:
                best, gain = row, new
        met.update((g, tuple(best[i] for i in g)) for g in groups)
        rows.append({name: fields[name][i] for name, i in zip(fields, best)})
    return rows
