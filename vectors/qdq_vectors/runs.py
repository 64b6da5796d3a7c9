# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A whole cast as runs: the input patterns at which its code changes. README.md has the format of the files."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

DATA = Path(__file__).with_name("data")
#: Outputs of this many inputs have one digest in the hash of a whole run.
CHUNK = 1 << 16


@dataclass(frozen=True)
class Runs:
    """`codes[i]` for the patterns from `starts[i]` to `starts[i + 1]`. The first start is 0."""

    starts: np.ndarray
    codes: np.ndarray
    bits: int

    def of(self, patterns: np.ndarray) -> np.ndarray:
        """The code of each pattern."""
        # As the starts are: a mixture of signs would be compared as floats.
        patterns = np.asarray(patterns).astype(np.uint64)
        return self.codes[np.searchsorted(self.starts, patterns, side="right") - 1]

    def span(self, first: int, last: int) -> np.ndarray:
        """The codes of the patterns first, first + 1, ..., last - 1."""
        first, last = np.uint64(first), np.uint64(last)
        a = int(np.searchsorted(self.starts, first, side="right")) - 1
        b = int(np.searchsorted(self.starts, last, side="left"))
        edges = np.concatenate([[first], self.starts[a + 1 : b], [last]])
        return np.repeat(self.codes[a:b], np.diff(edges).astype(np.int64))

    def tree_hash(self) -> str:
        """SHA-256 of the SHA-256 digests of all chunks."""
        firsts = np.arange(0, 1 << self.bits, CHUNK)
        codes = self.of(firsts)
        mixed = set((self.starts[self.starts % CHUNK != 0] // CHUNK).tolist())
        constant = {int(code): digest(np.full(CHUNK, code, np.uint8)) for code in np.unique(codes)}
        whole = hashlib.sha256()
        for index, code in enumerate(codes.tolist()):
            first = index * CHUNK
            is_mixed = index in mixed
            whole.update(digest(self.span(first, first + CHUNK)) if is_mixed else constant[code])
        return whole.hexdigest()


def digest(codes: np.ndarray) -> bytes:
    return hashlib.sha256(codes.tobytes()).digest()


def file_of(source: str, to: str) -> Path:
    return DATA / "casts" / f"{source}_{to}.runs"


def key_of(fields: dict[str, str]) -> str:
    return " ".join(f"{name}={value}" for name, value in fields.items())


@lru_cache(maxsize=None)
def read(source: str, to: str, bits: int) -> dict[str, Runs]:
    """The runs of one file by their fields, as `key_of` spells them."""
    found: dict[str, Runs] = {}
    keys: list[str] = []
    starts: list[int] = []
    codes: list[int] = []

    def close():
        runs = Runs(np.array(starts, np.uint64), np.array(codes, np.uint8), bits)
        found.update(dict.fromkeys(keys, runs))
        for each in (keys, starts, codes):
            each.clear()

    for line in file_of(source, to).read_text().splitlines():
        if line.startswith("@"):
            if starts:
                close()
            keys.append(line[2:])
        elif not line.startswith("#"):
            start, code = line.split()
            starts.append(int(start, 16))
            codes.append(int(code, 16))
    close()
    return found


def write(path: Path, comment: str, rows: Iterable[tuple[list[str], list[tuple[int, int]]]], bits):
    lines = ["# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception", f"# {comment}"]
    for keys, runs in rows:
        lines += [f"@ {key}" for key in keys]
        lines += [f"{start:0{bits // 4}x} {code:02x}" for start, code in runs]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")
