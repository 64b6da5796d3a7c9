# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tools/verify --prove: emitters and passes, proven for all inputs. See docs/Verification.md."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from . import bodies, mutants, passes, reasons, registry, solvers
from .decide import REFUTED, UNDECIDED
from .obligations import UNSUPPORTED, Obligation, Result
from .run import run, table

#: Each gives its obligations: those of every day, or all.
GROUPS: dict[str, Callable[[bool], Iterator[Obligation]]] = {
    "bodies": bodies.obligations,
    "passes": passes.obligations,
    "pipelines": passes.pipelines,
    "mutants": mutants.obligations,
}
#: Goals that are listed of a step that is not decided.
LINES = 3
#: Those that are to be refuted.
MISTAKES = "mutants"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="tools/verify --prove", description=__doc__)
    parser.add_argument("--group", action="append", choices=GROUPS, help="may be repeated")
    parser.add_argument("--match", default="", metavar="REGEX", help="names with a match only")
    parser.add_argument("--all", action="store_true", help="more combinations of choices")
    parser.add_argument(
        "--every", type=int, default=1, metavar="N", help="each N-th obligation only"
    )
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count(), help="processes")
    parser.add_argument("--timeout", type=float, default=20, help="CPU seconds of a question (20)")
    parser.add_argument("--state", type=Path, help="file of results, which this run continues")
    parser.add_argument("--list", action="store_true", help="names of the obligations")
    options = parser.parse_args(arguments)

    if reason := solvers.missing():
        print(reason, file=sys.stderr)
        return 2
    pattern = re.compile(options.match)
    wanted = [
        obligation
        for group in options.group or [g for g in GROUPS if g != MISTAKES]
        for obligation in GROUPS[group](options.all)
        if pattern.search(obligation.name)
    ][:: options.every]
    if options.list:
        print(*(f"{obligation.group}: {obligation.name}" for obligation in wanted), sep="\n")
        return 0

    results = run(wanted, options.jobs, options.timeout, options.state)
    print(table(results))
    if options.group == [MISTAKES]:
        return mutants.report(results)
    print(f"\n{reasons.table(results)}")
    for status, title in ((UNDECIDED, "Not decided"), (REFUTED, "Refuted")):
        for result in results:
            if result.status == status:
                print(f"\n{title}: {result.name}\n{_shortened(result)}")
    said = Counter(
        (reasons.class_of(result), result.detail)
        for result in results
        if result.status == UNSUPPORTED
    )
    for (kind, reason), count in said.most_common():
        print(f"\nNot modelled ({count}), {kind}: {reason}")
    return int(any(r.status == REFUTED or reasons.is_unexplained(r) for r in results))


def _shortened(result: Result) -> str:
    """A claim whose time is over lists each of its goals."""
    lines = result.detail.rstrip().splitlines()
    if result.status == UNDECIDED and len(lines) > LINES:
        lines[LINES:] = [f"and {len(lines) - LINES} more"]
    if cover := registry.covers(result.name):
        lines.append(cover)
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
