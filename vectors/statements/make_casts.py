# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes qdq_vectors/data/casts and hashes.json: python statements/make_casts.py

Runs by exact rationals; `agree.py` holds them to the NumPy reference. SHA-256 of all 2^32 outputs in a row, which
takes seconds each, is made for `nearest-even` alone. All rows have the hash of hashes, which skips constant chunks.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import exact_casts as exact  # noqa: E402
import numpy as np  # noqa: E402

from qdq_vectors import runs, wrap  # noqa: E402
from qdq_vectors.casts import rows_of, row_name  # noqa: E402
from qdq_vectors.formats import INTEGERS, SOURCES, STORAGE, TYPES, WIDE  # noqa: E402


def clauses_of(source: str, to: str) -> str:
    """The rules that a file tests."""
    if to in SOURCES:
        return f"{'Q6.5' if STORAGE[source].is_float else 'Q3.1'} Q3.4"
    if to in INTEGERS:
        return "Q1.1 Q1.6 Q1.7 Q2.4 Q2.5 Q2.6"
    special = {"f8E8M0FNU": "Q8.2 V2", "f8E5M3FNU": "Q6.4 V1"}.get(to, "Q6.4")
    return f"Q1.1 Q1.9 Q6.1 Q6.2 Q6.3 {special}"


def write_runs(source: str, to: str) -> None:
    shared: dict[tuple, list[str]] = {}
    for fields in rows_of(to, source):
        if fields.get("overflow") != "wrap":
            found = exact.runs(source, STORAGE[to], fields)
            shared.setdefault(tuple(found), []).append(runs.key_of(fields))
    comment = (
        f"{source} to {to}: the first input of each run, its code; tests {clauses_of(source, to)}"
    )
    bits = TYPES[source].bits
    runs.write(runs.file_of(source, to), comment, ((keys, r) for r, keys in shared.items()), bits)


def write_widenings(to: str) -> None:
    """Every code back, in f32, f16 and bf16."""
    type = STORAGE[to]
    lines = [
        "# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception",
        f"# {to} to {', '.join(SOURCES)}: the code, and its value in each; tests {clauses_of(to, 'f32')}",
    ]
    for code in range(1 << type.bits):
        value = type.value(code)
        words = [f"{exact.widened(value, s):0{s.bits // 4}x}" for s in SOURCES.values()]
        lines.append(" ".join([f"{code:02x}", *words]))
    (runs.DATA / "casts" / f"{to}.values").write_text("\n".join(lines) + "\n")


def wrap_hashes(source: str) -> dict[str, dict[str, str]]:
    """Finite codes of b bits are the low b bits of those of 8, whatever the sign and NaN of the type."""
    rows = [(to, f) for to in INTEGERS for f in rows_of(to) if f["overflow"] == "wrap"]
    found = {}
    for rounding in exact.ROUNDINGS:
        chosen = [(to, f) for to, f in rows if f["rounding"] == rounding]
        keys = {
            (to, f["nan"]): (INTEGERS[to].bits, exact.integer_nan(INTEGERS[to], f["nan"]))
            for to, f in chosen
        }
        hashes = _wrap_hashes(source, rounding, set(keys.values()))
        found |= {row_name(source, to, f): hashes[keys[to, f["nan"]]] for to, f in chosen}
    return found


def _wrap_hashes(source: str, rounding: str, parts: set[tuple[int, int]]) -> dict:
    """Of each (bits, code of no number)."""
    bits, fields = SOURCES[source].bits, {"rounding": rounding, "nan": "zero"}
    trees = {part: hashlib.sha256() for part in parts}
    plain = {}
    constants: dict[tuple[int, int], bytes] = {}

    def constant(code: int, width: int) -> bytes:
        code &= (1 << width) - 1
        if (code, width) not in constants:
            constants[code, width] = runs.digest(np.full(runs.CHUNK, code, np.uint8))
        return constants[code, width]

    for first in range(0, 1 << bits, runs.CHUNK):
        ends = np.array([first, first + runs.CHUNK - 1], np.uint64)
        low, high = np.sort(np.abs(wrap.values(ends, source)))
        if bits == 32 and (0 < low < high < 0.5 or 2**32 <= low < high < np.inf):
            # One step from zero, or a multiple of 2^8.
            code = int(wrap.codes(ends[:1], source, INTEGERS["ui8"], fields)[0])
            digests = {width: constant(code, width) for width in range(2, 9)}
            for part in parts:
                trees[part].update(digests[part[0]])
            continue
        patterns = np.arange(first, first + runs.CHUNK, dtype=np.uint64)
        finite = np.isfinite(wrap.values(patterns, source))
        codes = wrap.codes(patterns, source, INTEGERS["ui8"], fields)
        if finite.all():
            digests = {w: runs.digest(codes & np.uint8((1 << w) - 1)) for w in range(2, 9)}
            for part in parts:
                trees[part].update(digests[part[0]])
            continue
        for width, none in parts:
            chunk = np.where(finite, codes & ((1 << width) - 1), none).astype(np.uint8)
            trees[width, none].update(runs.digest(chunk))
            plain[width, none] = {"sha256": runs.digest(chunk).hex()} if bits == 16 else {}
    return {part: {"tree": trees[part].hexdigest(), **plain[part]} for part in parts}


def hashes(source: str, to: str) -> dict[str, dict[str, str]]:
    bits = SOURCES[source].bits
    by_runs: dict[int, dict[str, str]] = {}
    found = {}
    for key, chosen in runs.read(source, to, bits).items():
        fields = dict(word.split("=") for word in key.split())
        if id(chosen) not in by_runs:
            entry = {"tree": chosen.tree_hash()}
            if bits == 16 or fields["rounding"] == "nearest-even":
                plain = hashlib.sha256()
                for first in range(0, 1 << bits, 1 << min(bits, 24)):
                    plain.update(chosen.span(first, first + (1 << min(bits, 24))))
                entry["sha256"] = plain.hexdigest()
            by_runs[id(chosen)] = entry
        found[row_name(source, to, fields)] = by_runs[id(chosen)]
    return found


def main() -> None:
    for source, to in itertools.product(SOURCES | WIDE, STORAGE):
        write_runs(source, to)
    for to in STORAGE:
        write_widenings(to)
    every = {}
    for source, to in itertools.product(SOURCES, STORAGE):
        print(source, to, flush=True)
        every |= hashes(source, to)
    for source in SOURCES:
        print(source, "wrap", flush=True)
        every |= wrap_hashes(source)
    text = json.dumps(dict(sorted(every.items())), indent=0)
    (runs.DATA / "hashes.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
