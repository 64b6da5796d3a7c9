# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python -m mlir_qdq.conformance: see --help."""

from __future__ import annotations

import sys
from pathlib import Path

from .. import reference
from ..command._frame import CommandError, Parser, one_of
from . import report
from .files import GROUPS, recorded, topics
from .implementations import KNOWN, NotFound, available, groups_of, implementation
from .score import Failed, conventions, score

PROGRAM = "python -m mlir_qdq.conformance"
EPILOG = """\
An implementation is one of --list, or module:attribute: a callable that takes a mlir_qdq.conformance.Case and
returns the array of its result (a tuple, where it has several), or raises NotImplementedError where it offers no such
operation. It is given conversions, unless --group says otherwise. Its attributes `profile`, `version` and `prepare`
are read if it has them; docs/Conformance.md shows one.

Exit code: 0 if every value agrees, 1 if one differs, 2 if nothing could be compared.
"""


def _arguments(argv):
    parser = Parser(
        PROGRAM,
        "Holds implementations of quantize, dequantize, choose_params and requantize to vectors that "
        "separate their conventions.",
        EPILOG,
    )  # fmt: skip
    add = parser.add_argument
    add(
        "implementations",
        nargs="*",
        metavar="IMPLEMENTATION",
        help="what to run (default: compiled)",
    )
    add("--all", action="store_true", help="every implementation that imports here")
    add(
        "--profile", metavar="PROFILE",
        help=f"what to hold it to, instead of what it names: {', '.join(reference.PROFILES)}",
    )  # fmt: skip
    add(
        "--vectors", default="corpus", metavar="VECTORS",
        help="corpus (default), or what a runtime gave: " + ", ".join(recorded()),
    )  # fmt: skip
    add(
        "--group", type=one_of(GROUPS), metavar="GROUP",
        help="what of them (default: all that they offer): " + ", ".join(GROUPS),
    )  # fmt: skip
    every = "; ".join(f"{group}: {', '.join(topics(group))}" for group in GROUPS)
    add("--topic", action="append", default=[], metavar="TOPIC", help=f"of one group. {every}")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--markdown", action="store_true", help="tables in Markdown")
    form.add_argument("--json", action="store_true", help="everything, as JSON")
    form.add_argument(
        "--write",
        action="append",
        type=Path,
        metavar="PAGE",
        help="replace the rows of these implementations in a page; may be repeated",
    )
    form.add_argument("--list", action="store_true", help="what can be run here")
    return parser.parse(argv)


def _list() -> None:
    here = available()
    for name, (what, package) in KNOWN.items():
        offered = ", ".join(groups_of(name)) if name in here else f"needs {package}"
        print(f"{name:18}{what} ({offered})")


def _every(group: str | None) -> list[str]:
    return [name for name in available() if not group or group in groups_of(name)]


def _groups(name: str, options) -> list[str]:
    """Those that are asked for, and that a known implementation offers."""
    if options.group:
        return [options.group]
    if options.topic:
        return [group for group in GROUPS if set(options.topic) & set(topics(group))][:1] or [
            "conversions"
        ]
    is_known = name in KNOWN and options.vectors == "corpus"
    return groups_of(name) if is_known else ["conversions"]


def _run(name: str, group: str, options):
    chosen = implementation(name, group)
    result = score(chosen, profile=options.profile, vectors=options.vectors, topics=options.topic)
    if options.vectors == "corpus" and not options.topic:
        result.conventions = conventions(chosen)
    return result


def main(argv=None) -> int:
    try:
        options = _arguments(argv)
    except CommandError as error:
        print(f"{PROGRAM}: error: {error}", file=sys.stderr)
        return 2
    if options.list:
        _list()
        return 0
    names = options.implementations or (_every(options.group) if options.all else ["compiled"])
    for page in options.write or []:
        if not page.is_file():
            print(f"{PROGRAM}: error: no page {page}", file=sys.stderr)
            return 2
    scores = []
    for name in names:
        try:
            scores += [_run(name, group, options) for group in _groups(name, options)]
        except (NotFound, Failed, ValueError) as error:
            print(f"{PROGRAM}: error: {error}", file=sys.stderr)
            return 2
    if options.write:
        for page in options.write:
            report.write(page, scores)
        return 0
    form = report.as_json if options.json else report.markdown if options.markdown else report.text
    print(form(scores), end="")
    if not any(score.total.taken for score in scores):
        return 2
    return int(any(score.total.differing for score in scores))


if __name__ == "__main__":
    sys.exit(main())
