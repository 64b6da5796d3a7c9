# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Options of pipelines as options of commands, from the one declaration of their passes."""

from __future__ import annotations

import argparse
import dataclasses
import enum
import re

from .._pass import Pass
from ._frame import CommandError, Parser, nearest


def _fields(pipeline: type[Pass]) -> dict[str, dataclasses.Field]:
    """By their spelling on command lines."""
    return {field.metadata["argument"]: field for field in dataclasses.fields(pipeline)}


def _value(field: dataclasses.Field, text: str) -> str | int | bool:
    name, kind = field.metadata["argument"], field.metadata["kind"]
    if kind is bool:
        if text not in ("true", "false", "1", "0"):
            raise CommandError(f"{name}: '{text}' is not true or false")
        return text in ("true", "1")
    if kind is int:
        bits = 32 if name == "threads" else 64
        if not re.fullmatch(r"\d+", text) or int(text) >= 1 << bits:
            said = f"expected a whole number, 0 or more, of {bits} bits"
            raise CommandError(f"{name}: '{text}': {said}")
        return int(text)
    if issubclass(kind, enum.Enum) and text not in list(kind):
        said = f"'{text}' is not a value of '{name}': expected one of {', '.join(kind)}"
        hint = "; spaces separate options" if re.search("[,;]", text) else nearest(text, kind)
        raise CommandError(said + hint)
    return text


def _hint(word: str, fields: dict[str, dataclasses.Field]) -> str:
    for name, field in fields.items():
        kind = field.metadata["kind"]
        if issubclass(kind, enum.Enum) and word in list(kind):
            return f"did you mean '{name}={word}'?"
    return nearest(word, fields, "") or f"expected one of {', '.join(sorted(fields))}"


def parse_options(pipeline: type[Pass], text: str, option: str) -> dict[str, str | int | bool]:
    """`rounding=floor runtime-checks`, given as `option`, by the names that Python has."""
    fields, result = _fields(pipeline), {}
    for word in text.split():
        name, equals, value = word.partition("=")
        if name not in fields:
            raise CommandError(f"{option}: '{name}' is not an option: {_hint(name, fields)}")
        field = fields[name]
        if not equals and field.metadata["kind"] is not bool:
            raise CommandError(f"{option}: {name} needs a value: {name}=...")
        if field.name in result:
            raise CommandError(f"{option}: {name} is given twice")
        try:
            result[field.name] = _value(field, value if equals else "true")
        except CommandError as error:
            raise CommandError(f"{option}: {error}") from None
    return result


def add_options(parser: Parser, pipeline: type[Pass], without: tuple[str, ...] = ()) -> None:
    """Each option of a pipeline, with what its documentation says of it."""
    said = dict(re.findall(r"^ *(\w+): (.*)$", pipeline.__doc__ or "", re.MULTILINE))
    group = parser.add_argument_group(f"options of {pipeline.argument} (docs/Passes.md)")
    for argument, field in _fields(pipeline).items():
        if argument in without:
            continue
        kind = field.metadata["kind"]
        group.add_argument(
            f"--{argument}",
            dest=f"pipeline.{field.name}",
            metavar={bool: "BOOL", int: "N"}.get(kind, "VALUE"),
            help=said.get(field.name, "").replace("%", "%%"),
            # A flag without a value: see Parser.
            const="true" if kind is bool else None,
            nargs="?" if kind is bool else None,
            default=argparse.SUPPRESS,
        )


def given_options(options: argparse.Namespace, pipeline: type[Pass]) -> dict:
    """The given options of `add_options`, by their names in Python."""
    given = vars(options)
    return {
        field.name: _value(field, given[f"pipeline.{field.name}"])
        for field in _fields(pipeline).values()
        if f"pipeline.{field.name}" in given
    }
