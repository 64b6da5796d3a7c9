# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tries mutants on subjects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from mlir.ir import MLIRError

from .mutants import Mutant
from .subjects import Subject, compile_all, is_killed, lower

_CHUNK = 12


@dataclass(frozen=True)
class Verdict:
    """How many functions a mutant changed, up to the first that showed it, and that one."""

    tried: int
    killer: str | None


class Trial:
    """Subjects, and their correct lowering, which every subject must survive."""

    def __init__(self, subjects: list[Subject]):
        self.subjects = subjects
        self.lowered = [lower(subject.text) for subject in subjects]

    def check_original(self) -> None:
        pairs = list(zip(self.subjects, self.lowered))
        killed = [s.name for s, function in _compiled(pairs) if is_killed(s, function)]
        if killed:
            raise RuntimeError(f"the lowering itself fails {', '.join(killed)}")

    def run(self, mutant: Mutant) -> Verdict:
        tried = 0
        for subject, function in _compiled(self._changed(mutant)):
            tried += 1
            if is_killed(subject, function, mutant.boundary):
                return Verdict(tried, subject.name)
        return Verdict(tried, None)

    def _changed(self, mutant: Mutant) -> Iterator[tuple[Subject, str]]:
        """The subjects that the mutant lowers otherwise, and to what."""
        for subject, original in zip(self.subjects, self.lowered):
            text = _mutated(mutant, subject, original)
            if text is not None and (text != original or mutant.boundary):
                yield subject, text


def _mutated(mutant: Mutant, subject: Subject, original: str) -> str | None:
    if mutant.edit is not None:
        return mutant.edit(original)
    if mutant.boundary is not None:
        has_nibbles = any(a.dtype.name == "int4" for a in (*subject.arguments, *subject.expected))
        return original if has_nibbles else None
    try:
        return lower(subject.text, mutant.options)
    except MLIRError:
        return None  # this choice does not exist for the types of the function


def _compiled(pairs: Iterable[tuple[Subject, str]]) -> Iterator[tuple[Subject, Callable]]:
    """Subject and function, compiled chunk by chunk. What does not verify is no mutant."""
    pairs = iter(pairs)
    while chunk := list(islice(pairs, _CHUNK)):
        try:
            functions = compile_all([text for _, text in chunk])
        except (MLIRError, ValueError):
            yield from _one_by_one(chunk)
            continue
        yield from ((subject, function) for (subject, _), function in zip(chunk, functions))


def _one_by_one(chunk) -> Iterator[tuple[Subject, Callable]]:
    for subject, text in chunk:
        try:
            (function,) = compile_all([text])
        except (MLIRError, ValueError):
            continue
        yield subject, function
