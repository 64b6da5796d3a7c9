# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tools/verify: emitted code = evaluator = NumPy reference, on all inputs. See docs/Verification.md."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from . import report
from .cases import GROUPS, Case, takes_long
from .run import run


def _slice(cases: list[Case]) -> list[Case]:
    """A fixed part for tools/check: every 17th case that is quick, every 61st that takes 2^32 inputs."""
    quick = [case for case in cases if not takes_long(case)]
    long = [case for case in cases if takes_long(case)]
    return quick[::17] + long[::61]


def main() -> int:
    parser = argparse.ArgumentParser(prog="tools/verify", description=__doc__)
    parser.add_argument(
        "--group", action="append", choices=GROUPS, help="only this; may be repeated"
    )
    parser.add_argument(
        "--slice", action="store_true", help="a fixed part of all cases, as in tools/check"
    )
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count(), help="processes (default: all cores)"
    )
    parser.add_argument(
        "--state", type=Path, help="file of what is done; a second run goes on from there"
    )
    parser.add_argument(
        "--pointwise", action="store_true", help="all three statements on each f32: an hour a case"
    )
    parser.add_argument(
        "--record", action="store_true", help="write the table into docs/Verification.md"
    )
    options = parser.parse_args()

    cases = [case for group in options.group or GROUPS for case in GROUPS[group]()]
    if options.slice:
        cases = _slice(cases)
    results = run(cases, options.state, options.jobs, options.pointwise)
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
