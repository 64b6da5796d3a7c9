# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tools/mutate --sources: mistakes in the C++ of the passes, and which test kills each. See docs/Verification.md."""

from __future__ import annotations

import argparse
import json
import os
from concurrent.futures import ThreadPoolExecutor

from . import source_build, source_run
from .source_mistakes import TREE, Mistake, drawn

#: A line each: where, what, and the killer, or why nothing can kill it.
RECORD = TREE / "test" / "conformance" / "source_mutants.jsonl"
#: One of how many mistakes, and which.
RECORDED = (30, 0)


def read_record() -> dict[str, dict]:
    lines = RECORD.read_text().splitlines() if RECORD.exists() else []
    return {entry["key"]: entry for entry in map(json.loads, lines)}


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="tools/mutate --sources", description=__doc__)
    parser.add_argument(
        "--every", type=int, default=RECORDED[0], metavar="N", help="of N mistakes one (30)"
    )
    parser.add_argument(
        "--part", type=int, default=0, metavar="K", help="which, from 0 to N - 1 (0)"
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes")
    parser.add_argument(
        "--only", default="", metavar="FILE", help="mistakes in files with this name"
    )
    parser.add_argument(
        "--survivors", action="store_true", help="only those without a killer so far"
    )
    options = parser.parse_args(arguments)

    record = read_record()
    chosen = source_build.build(drawn(options.every, options.part), options.jobs)
    numbers = json.loads((source_build.MUTANTS / "numbers.json").read_text())
    source_run.prepare()
    source_run.trace(options.jobs)
    reached = source_run.reached()

    wanted = [
        mistake
        for mistake in chosen
        if options.only in mistake.file
        and not (options.survivors and record.get(mistake.key, {}).get("killer"))
    ]

    def attempt(mistake: Mistake) -> str | None:
        number = numbers[mistake.key]
        killer = source_run.killer_of_lit(number, reached.get(number, []))
        print(f"{mistake.file}:{mistake.line}: {killer or 'survives lit'}", flush=True)
        return killer

    with ThreadPoolExecutor(options.jobs) as pool:
        killers = dict(zip((m.key for m in wanted), pool.map(attempt, wanted)))
    open_ = [m for m in wanted if not killers[m.key] and "equivalent" not in record.get(m.key, {})]
    alive = {numbers[m.key]: m for m in open_}
    if alive:
        for number, test in source_run.killers_of_pytest(sorted(alive)).items():
            killers[alive[number].key] = test
    survivors = [m for m in open_ if not killers[m.key]]
    for m in survivors:
        print(f"{m.file}:{m.line}: {m.original} -> {m.mutated} SURVIVES")
    print(f"{len(wanted)} mutants, {len(survivors)} without a killer or a reason")
    if (options.every, options.part) == RECORDED:
        write_record(chosen, killers, record)
    return int(bool(survivors))


def write_record(chosen: list[Mistake], killers: dict[str, str | None], old: dict) -> None:
    with RECORD.open("w") as file:
        for m in chosen:
            entry = {"key": m.key, "file": m.file, "line": m.line, "kind": m.kind}
            entry |= {"original": m.original, "mutated": m.mutated}
            before = old.get(m.key, {})
            killer = killers.get(m.key, before.get("killer"))
            if killer:
                entry["killer"] = killer
            elif "equivalent" in before:
                entry["equivalent"] = before["equivalent"]
            file.write(json.dumps(entry) + "\n")
