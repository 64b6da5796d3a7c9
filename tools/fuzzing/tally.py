# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts of all runs of the fuzzers, by target, in a file that the next run continues.

python -m fuzzing.tally FILE TARGET EXECUTIONS FINDINGS    adds to it, for programs in C++
"""

from __future__ import annotations

import fcntl
import json
import sys
from pathlib import Path


class Tally:
    """A target's row. Several processes may add to one file, but one target has one process."""

    def __init__(self, path: Path | None, target: str):
        self._path, self._target = path, target

    def next_seed(self) -> int:
        """The first seed that no earlier run has drawn."""
        if self._path is None or not self._path.exists() or not self._path.stat().st_size:
            return 0
        return json.loads(self._path.read_text()).get(self._target, {}).get("executions", 0)

    def add(self, executions: int, findings: int, **others: int) -> None:
        if self._path is None:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with open(self._path, "a+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            rows = json.loads(file.read() or "{}")
            row = rows.setdefault(self._target, {})
            for key, count in {"executions": executions, "findings": findings, **others}.items():
                row[key] = row.get(key, 0) + count
            file.truncate(0)
            file.write(json.dumps(dict(sorted(rows.items())), indent=1) + "\n")


if __name__ == "__main__":
    _, path, target, executions, findings = sys.argv
    Tally(Path(path), target).add(int(executions), int(findings))
