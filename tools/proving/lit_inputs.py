# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The inputs of the lit suite, and the quant-opt commands that its RUN lines give to them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

TESTS = Path(__file__).resolve().parents[2] / "test"

#: Options of a RUN line that are about the test, and not about the passes.
_OF_THE_TEST = re.compile(
    r"--?(split-input-file|verify-diagnostics|allow-unregistered-dialect|mlir-print|remark|dump-pass-pipeline)"
)
_FUNCTION = re.compile(r"^\s*func(?:\.func)?\s+(?:public\s+|private\s+)?@([\w$.-]+)", re.MULTILINE)


@dataclass(frozen=True)
class Command:
    """One call of quant-opt on a file, or on a part that split-file cuts out of it."""

    part: str
    #: Passes with their options, as quant-opt takes them.
    passes: tuple[str, ...]

    def options(self) -> dict[str, str]:
        """Of all passes together; a flag is `true`."""
        found = {}
        for argument in self.passes:
            for word in argument.partition("=")[2].replace("{", " ").replace("}", " ").split():
                name, _, value = word.partition("=")
                found[name] = value or "true"
        return found


@lru_cache(maxsize=4)
def _text(path: str) -> str:
    return (TESTS / path).read_text()


def commands(path: str) -> list[Command]:
    """The different ones whose input is the file and that are to succeed."""
    found: dict[Command, None] = {}
    text = _text(path).replace("\\\n", "\n// JOINED:")
    text = re.sub(r"\n// JOINED:\s*(//\s*RUN:)?", " ", text)
    for line in re.findall(r"^//\s*RUN:(.*)$", text, re.MULTILINE):
        try:
            words = shlex.split(line.split(" | ")[0])
        except ValueError:
            continue
        if words[:1] != ["quant-opt"] or not any(_is_input(word) for word in words):
            continue
        part = next(word for word in words if _is_input(word)).removeprefix("%s")
        passes, given = [], iter(words[1:])
        for word in given:
            if word in ("-o", ">"):
                next(given)
            elif word.startswith("-") and not _OF_THE_TEST.match(word):
                passes.append(word)
        if passes:
            found[Command(part.removeprefix("%t/"), tuple(passes))] = None
    return list(found)


def _is_input(word: str) -> bool:
    return word == "%s" or word.startswith("%t/")


def chunks(path: str, part: str) -> list[str]:
    """The parts between `// -----`; `part` is a name for split-file."""
    text = _text(path)
    if part:
        pieces = re.split(r"^// ?--- (\S+)$", text, flags=re.MULTILINE)
        text = pieces[pieces.index(part) + 1] if part in pieces else ""
    return re.split(r"^// -----.*$", text, flags=re.MULTILINE)


#: Sizes of types above which a function is tried on smaller ones.
_LARGE = 64


def shrunk(chunk: str) -> str:
    """Sizes above 64 by ones from 32 to 63 that have the same rest by 32, wherever the number stands."""
    sizes = {int(n) for n in re.findall(r"(?<![\w.])(\d+)x(?=[\d?a-z])", chunk)}
    sizes |= {int(n) for n in re.findall(r"x(\d+)x", chunk)}
    for size in sizes:
        if size > _LARGE:
            small = size % 32 + 32
            chunk = re.sub(
                rf"(?<![\w.#%@-]){size}(?![\w.])|(?<![\w.]){size}(?=x)|(?<=x){size}(?=x)",
                str(small),
                chunk,
            )
    return chunk


def shrunk_option(argument: str) -> str:
    """Thresholds that sizes of a proof would not reach."""
    return re.sub(r"(min-bytes|min-part|stream-bytes)=\d+", r"\1=64", argument)


def functions(chunk: str) -> list[str]:
    return _FUNCTION.findall(chunk)


def files(*folders: str) -> Iterator[str]:
    for folder in folders:
        for path in sorted((TESTS / folder).rglob("*.mlir")):
            yield str(path.relative_to(TESTS))
