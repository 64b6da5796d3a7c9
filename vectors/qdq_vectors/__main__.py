# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python -m qdq_vectors: see --help."""

from __future__ import annotations

import argparse
import importlib
import operator
import os
import shlex
import sys
from pathlib import Path

from . import api, headers, stream
from .casts import FIELDS, casts

EPILOG = """\
A cast is named as in C headers: cast_f32_e4m3fn, cast_bf16_i4, cast_e8m0fnu_f16. Rules that are left out are the
defaults: nearest-even, saturate, a NaN to the lowest code of integers.

  python -m qdq_vectors check cast_f32_e4m3fn my_package.casts:to_e4m3
  python -m qdq_vectors check --all cast_f32_e4m3fn --library ./libmine.so --symbol to_e4m3
  ./my_outputs | python -m qdq_vectors check --all cast_f32_e4m3fn -
  python -m qdq_vectors identify cast_f16_e5m2 my_package.casts:to_e5m2
  python -m qdq_vectors header cast_f32_e4m3fn -o cast_f32_e4m3fn.h

Exit code: 0 if all is equal, 1 if something differs, 2 for a wrong use.
"""


def _fields(parser) -> None:
    for name, values in FIELDS.items():
        parser.add_argument(
            f"--{name.replace('_', '-')}", choices=values, metavar="RULE", help=", ".join(values)
        )


def _parser() -> argparse.ArgumentParser:
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        "python -m qdq_vectors", description="Inputs and codes that separate quantizers.",
        epilog=EPILOG, formatter_class=formatter,
    )  # fmt: skip
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    command = commands.add_parser("list", help="the names of the casts")
    command.add_argument(
        "--rules", action="store_true", help="each with all its rules, and its hashes"
    )

    command = commands.add_parser("check", help="hold your cast to the vectors, or to all inputs")
    command.add_argument("cast")
    command.add_argument(
        "convert", nargs="?", metavar="MODULE:FUNCTION",
        help="from an array of inputs to an array of codes; - for the outputs of all inputs on standard input",
    )  # fmt: skip
    command.add_argument(
        "--all", action="store_true", help="every input, 2^32 of f32; not from f64"
    )
    command.add_argument("--library", metavar="FILE", help="a C library, with --symbol")
    command.add_argument(
        "--symbol", metavar="NAME", help="void NAME(const source *x, code *y, size_t count)"
    )
    command.add_argument("--scalar", action="store_true", help="it is: code NAME(source x)")
    command.add_argument(
        "--program", metavar="COMMAND", help="reads inputs, writes codes, as bytes in order"
    )
    command.add_argument(
        "--from", dest="first", metavar="BITS", type=lambda text: int(text, 0), default=0,
        help="first input of --all",
    )  # fmt: skip
    command.add_argument(
        "--to", dest="last", metavar="BITS", type=lambda text: int(text, 0), help="end of --all"
    )
    _fields(command)

    command = commands.add_parser("identify", help="which rules your cast follows")
    command.add_argument("cast")
    command.add_argument("convert", metavar="MODULE:FUNCTION")

    command = commands.add_parser(
        "header", help="write vectors for C, C++, CUDA, HIP, SystemVerilog"
    )
    command.add_argument("cast")
    command.add_argument("-o", "--output", metavar="FILE", type=Path)
    command.add_argument("--form", choices=("c", "memh"), default="c")
    _fields(command)

    command = commands.add_parser("inputs", help="write all inputs of a cast to standard output")
    command.add_argument("cast")
    return parser


class WrongUse(Exception):
    pass


def _convert(name: str):
    module, _, attribute = name.partition(":")
    if not attribute:
        raise WrongUse(f"'{name}' is not MODULE:FUNCTION")
    sys.path.insert(0, os.getcwd())
    try:
        return operator.attrgetter(attribute)(importlib.import_module(module))
    except (ImportError, AttributeError) as error:
        raise WrongUse(str(error)) from None


def _cast(options):
    chosen = {name: getattr(options, name, None) for name in FIELDS}
    try:
        return api.case(options.cast, **{key: value for key, value in chosen.items() if value})
    except ValueError as error:
        raise WrongUse(str(error)) from None


def _list(options) -> int:
    for name, rows in _by_function().items():
        if not options.rules:
            print(name)
            continue
        for row in rows:
            hashes = " ".join(f"{key}:{value}" for key, value in row.hashes.items())
            print(row.name, hashes)
    return 0


def _by_function() -> dict:
    found: dict = {}
    for each in casts():
        found.setdefault(each.function, []).append(each)
    return found


def _check(options) -> int:
    cast = _cast(options)
    if options.library:
        symbol = options.symbol or cast.function
        convert = stream.library_function(cast, options.library, symbol, options.scalar)
    elif options.convert and options.convert != "-":
        convert = _convert(options.convert)
    elif options.program or options.convert:
        convert = None
    else:
        raise WrongUse("expected MODULE:FUNCTION, -, --library or --program")
    if options.all:
        return _check_all(cast, convert, options)
    if convert is None:
        raise WrongUse("pipes carry all inputs: add --all")
    difference = cast.difference(convert)
    if not difference:
        print(f"{cast.name}: all {len(cast.patterns)} vectors equal")
        return 0
    print(difference)
    followed = api.identify(convert, cast.source, cast.to)
    if followed:
        print(f"it follows {', '.join(each.name for each in followed)}")
    return 1


def _check_all(cast, convert, options) -> int:
    if cast.source_type.bits > 32:
        raise WrongUse(f"{cast.source} has 2^64 inputs: leave --all out, to check the vectors")
    count = 1 << cast.source_type.bits
    last = count if options.last is None else min(options.last, count)
    if convert:
        results = stream.of_callable(cast, convert)
    elif options.program:
        results = stream.of_program(cast, shlex.split(options.program), options.first, last)
    else:
        results = stream.of_file(cast, sys.stdin.buffer)
    is_watched = sys.stderr.isatty()

    def progress(compared: int) -> None:
        if is_watched:
            print(f"\r{compared / (last - options.first):7.2%}", end="", file=sys.stderr)

    found = stream.check(cast, results, options.first, last, progress)
    if is_watched:
        print(file=sys.stderr)
    if found.first:
        print(f"{cast.name}: {found.differing} of {found.compared} inputs differ")
        print(f"first:\n{found.first.first}")
        return 1
    print(f"{cast.name}: all {found.compared} inputs equal")
    print(f"tree {found.tree}\nsha256 {found.sha256}")
    is_whole = options.first == 0 and last == count
    if is_whole and cast.hashes and cast.hashes["tree"] != found.tree:
        print(f"the stored hash is another: {cast.hashes['tree']}", file=sys.stderr)
        return 1
    return 0


def _header(options) -> int:
    cast = _cast(options)
    text = headers.c_header(cast) if options.form == "c" else headers.memh(cast)
    if options.output:
        options.output.write_text(text)
    else:
        print(text, end="")
    return 0


def _identify(options) -> int:
    cast = _cast(options)
    found = api.identify(_convert(options.convert), cast.source, cast.to)
    for each in found:
        print(each.name)
    if not found:
        print(f"{cast.function}: it follows no rules of these vectors")
    return 0 if found else 1


def _inputs(options) -> int:
    for block in stream.patterns(_cast(options)):
        sys.stdout.buffer.write(block)
    return 0


def main(argv=None) -> int:
    options = _parser().parse_args(argv)
    commands = {
        "list": _list, "check": _check, "identify": _identify, "header": _header, "inputs": _inputs,
    }  # fmt: skip
    try:
        return commands[options.command](options)
    except BrokenPipeError:
        return 2
    except (WrongUse, EOFError, OSError) as error:
        print(f"python -m qdq_vectors: error: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
