# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tools/verify: emitted code = evaluator = NumPy reference, on all inputs. See docs/Verification.md."""

from __future__ import annotations

import argparse
import itertools
import os
import sys
from pathlib import Path

from . import report
from .cases import GROUPS, Case, takes_long
from .run import run


def _slice(cases: list[Case], every: int) -> list[Case]:
    """Of each group every `every`th case that is quick, and a quarter as many that take 2^32 inputs."""
    kinds = itertools.groupby(sorted(cases, key=_kind), key=_kind)
    return [
        case
        for (_, is_long), same in kinds
        for case in itertools.islice(same, 0, None, 4 * every if is_long else every)
    ]


def _kind(case: Case) -> tuple[int, bool]:
    return list(GROUPS).index(case.group), takes_long(case)


def main() -> int:
    if "--prove" in sys.argv[1:]:
        from proving.__main__ import main as prove

        return prove([argument for argument in sys.argv[1:] if argument != "--prove"])
    parser = argparse.ArgumentParser(prog="tools/verify", description=__doc__)
    parser.add_argument(
        "--group", action="append", choices=GROUPS, help="only this; may be repeated"
    )
    parser.add_argument(
        "--slice",
        type=int,
        metavar="N",
        help="every Nth case of each group, and every 4Nth of those with 2^32 inputs",
    )
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count(), help="processes (default: all cores)"
    )
    parser.add_argument(
        "--scheduler",
        metavar="tcp://HOST:PORT",
        help="of a Dask cluster, in place of processes here",
    )
    parser.add_argument(
        "--state", type=Path, help="file of what is done; a second run goes on from there"
    )
    parser.add_argument(
        "--pointwise", action="store_true", help="all three statements on each f32: an hour a case"
    )
    parser.add_argument(
        "--prove", action="store_true", help="prove instead; --prove --help says what"
    )
    parser.add_argument(
        "--record", action="store_true", help="write the table into docs/Verification.md"
    )
    options = parser.parse_args()

    cases = [case for group in options.group or GROUPS for case in GROUPS[group]()]
    if options.slice:
        cases = _slice(cases, options.slice)
    results = run(cases, options.state, options.jobs, options.pointwise, options.scheduler)
    print("\n" + report.table(results))
    wrong = [result for result in results if result.mismatch]
    for result in wrong:
        print(result.mismatch)
    if wrong:
        return 1
    if len(results) != len(cases):
        print(f"{len(cases) - len(results)} of {len(cases)} cases did not run")
        return 1
    if options.record:
        report.record(results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
