# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases in parallel processes, with a file of what is already done."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import multiprocessing
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache, partial
from pathlib import Path

import mlir_qdq

from . import accumulators, divisions, intervals, pointwise
from .cases import Case, covers_all_f32, takes_long
from .pointwise import Mismatch
from .quotients import Quotients
from .rescales import Rescale
from .statements import Emitted

#: Cases compiled together: one module each, so that the JIT's start-up is shared.
_BATCH = 24
#: Cases that are compiled and compared in a way of their own.
_OWN = {Rescale: accumulators, Quotients: divisions}


@dataclass(frozen=True)
class Result:
    key: str
    group: str
    inputs: int
    seconds: float
    mismatch: str | None = None


@cache
def code_version() -> str:
    """A hash of what is verified: a file of results holds for this only."""
    package = Path(mlir_qdq.__file__).parent
    files = sorted(
        [
            *package.rglob("*.so"),
            *(package / "reference").glob("*.py"),
            *Path(__file__).parent.glob("*.py"),
        ]
    )
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def _verify(batch: list[Case], is_pointwise: bool) -> list[Result]:
    try:
        own = _OWN.get(type(batch[0]))
        emitted = own.Emitted(batch) if own else Emitted(batch)
    except Exception as error:  # those of MLIR do not travel between processes
        raise RuntimeError(
            f"{batch[0].key} and what follows it does not compile: {error}"
        ) from None
    results = []
    for case in batch:
        start, inputs, mismatch = time.monotonic(), 0, None
        try:
            if own:
                inputs = own.verify(case, emitted)
            elif covers_all_f32(case):
                inputs = intervals.verify(case, emitted, is_pointwise)
            else:
                inputs = pointwise.verify(case, emitted)
        except Mismatch as error:
            mismatch = str(error)
        results.append(Result(case.key, case.group, inputs, time.monotonic() - start, mismatch))
        if mismatch:
            break
    return results


def _batches(cases: list[Case]) -> Iterator[list[Case]]:
    for _, same in itertools.groupby(
        cases, key=lambda case: (case.group, case.value, case.storage)
    ):
        same = list(same)
        size = 1 if takes_long(same[0]) else _BATCH
        yield from (same[i : i + size] for i in range(0, len(same), size))


def _verify_elsewhere(batch: list[Case], is_pointwise: bool, version: str) -> list[Result]:
    if code_version() != version:
        raise RuntimeError(f"a worker has version {code_version()} of the code: expected {version}")
    return _verify(batch, is_pointwise)


def _in_processes(
    batches: list[list[Case]], is_pointwise: bool, jobs: int
) -> Iterator[list[Result]]:
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        yield from pool.imap_unordered(partial(_verify, is_pointwise=is_pointwise), batches)


def _on_cluster(
    batches: list[list[Case]], is_pointwise: bool, address: str
) -> Iterator[list[Result]]:
    """Dask gives what a lost worker had begun to another one."""
    from distributed import Client, as_completed

    with Client(address) as client:
        futures = client.map(
            partial(_verify_elsewhere, is_pointwise=is_pointwise, version=code_version()),
            batches,
            pure=False,
        )
        for future in as_completed(futures):
            yield future.result()
            future.release()


def run(
    cases: list[Case],
    state: Path | None,
    jobs: int,
    is_pointwise: bool,
    scheduler: str | None = None,
) -> list[Result]:
    """Results of all cases, or up to the first that differs. `state` is read, and appended to."""
    version = code_version() + "-pointwise" * is_pointwise
    results = _read(state, version, {case.key for case in cases})
    done = {result.key for result in results}
    batches = list(_batches([case for case in cases if case.key not in done]))
    start = time.monotonic()
    if scheduler:
        arriving = _on_cluster(batches, is_pointwise, scheduler)
    else:
        arriving = _in_processes(batches, is_pointwise, jobs)
    with contextlib.closing(arriving):
        for new in arriving:
            results += new
            if state is not None:
                with state.open("a") as file:
                    file.writelines(
                        json.dumps({"version": version, **asdict(r)}) + "\n" for r in new
                    )
            _progress(len(results), len(cases), time.monotonic() - start)
            if any(result.mismatch for result in new):
                break
    return results


def _read(state: Path | None, version: str, keys: set[str]) -> list[Result]:
    if state is None or not state.exists():
        return []
    entries = (json.loads(line) for line in state.read_text().splitlines())
    ours = (
        e for e in entries if e.pop("version") == version and e["key"] in keys and not e["mismatch"]
    )
    return list({e["key"]: Result(**e) for e in ours}.values())


def _progress(done: int, total: int, seconds: float) -> None:
    if sys.stderr.isatty():
        bar = "#" * (40 * done // total)
        print(
            f"\r[{bar:<40}] {done} of {total}, {seconds:.0f} s", end="", file=sys.stderr, flush=True
        )
