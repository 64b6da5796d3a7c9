# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The passes: each function of the lit suite before and after each pass that its RUN lines run.

Sizes are drawn, control is concrete, every loaded element is a symbol. Arguments do not overlap.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mlir import ir
from mlir.passmanager import PassManager

import mlir_qdq
from mlir_qdq.reference.semantics import FIELD_VALUES, PROFILES

from . import bits as bv
from . import affine, boundary, dialects, lit_inputs, registry
from .boundary import Draw
from .claims import Claim
from .dialects.linalg import GENERALIZE
from .interpreter import Machine
from .obligations import Part
from .stages import stages
from .terms import Term
from .types import Unsupported, element_of, width_of
from .values import Array, Element, Memref, elements_of

assert dialects  # fills the interpreter's table

#: Sizes on which a function is compared.
_DRAWS = 3


@dataclass
class Outcome:
    """What the world sees of a run. None stands for what a stage does not show."""

    results: list[tuple[Element, ...] | None]
    memory: list[tuple[Element, ...] | None]
    undefined: Term
    effects: list


@dataclass(frozen=True)
class PassRun:
    """One function under one command."""

    path: str
    command: lit_inputs.Command
    chunk: int
    function: str

    @property
    def group(self) -> str:
        return "passes"

    @property
    def name(self) -> str:
        part = f"/{self.command.part}" if self.command.part else ""
        chunk = f":{self.chunk}" if self.chunk else ""
        return f"{self.path}{part}{chunk} @{self.function} {' '.join(self.command.passes)}"

    def text(self) -> str:
        return lit_inputs.chunks(self.path, self.command.part)[self.chunk]

    def parts(self) -> Iterator[Part]:
        """A claim for each pass that changes the function."""
        affine.compiled.cache_clear()
        gc.collect()
        with ir.Context() as context, ir.Location.unknown():
            mlir_qdq.register(context)
            context.allow_unregistered_dialects = True
            try:
                found = stages(self.text(), self.command.passes)
            except Unsupported as reason:
                yield self._refused("", str(reason))
                return
            yield from self._steps(found)

    def _refused(self, passed: str, reason: str) -> Part:
        def claim():
            raise Unsupported(reason)

        return Part(registry.group_of(passed), f"{self.name} > {passed}", claim)

    def _steps(self, found: Sequence[tuple[str, str]]) -> Iterator[Part]:
        runs = Runs(self)
        before: Stage | None = None
        for number, (passed, text) in enumerate(found):
            try:
                after = Stage(passed, text, self.function)
            except ir.MLIRError:
                yield self._refused(passed, "a module that does not parse again")
                continue
            if before is not None and after.function_text == before.function_text:
                continue
            reason = registry.no_equal_bits(passed, self.command)
            if reason and before is not None:
                yield self._refused(passed, reason)
                runs = Runs(self)
                before = after if runs.can_run(after) else None
                continue
            if not after.exists or after.is_declaration:
                continue
            if not runs.can_run(after):
                if passed:
                    yield self._refused(passed, runs.reason)
                continue
            if before is not None:
                old = before
                suffix = f" (from {old.passed})" if number and old.skipped else ""
                yield Part(
                    registry.group_of(passed),
                    f"{self.name} > {passed}#{number}{suffix}",
                    lambda old=old, after=after: runs.claim(old, after),
                )
            elif passed:
                yield self._refused(passed, f"before it: {runs.first_reason}")
            before = after
            before.skipped = False


class Stage:
    """A module, parsed when it is needed."""

    def __init__(self, passed: str, text: str, function: str):
        self.passed, self.text, self.function = passed, text, function
        self.skipped = False
        self.module = ir.Module.parse(text)
        if "linalg." in text:
            PassManager.parse(f"builtin.module(func.func({GENERALIZE}))").run(self.module.operation)
        table = ir.SymbolTable(self.module.operation)
        self.exists = function in table
        self.function_text = ""
        if self.exists:
            operation = table[function].operation
            self.is_declaration = not operation.regions[0].blocks
            if not self.is_declaration:
                self.types = [a.type for a in operation.regions[0].blocks[0].arguments]
                type = ir.TypeAttr(operation.attributes["function_type"]).value
                self.result_types = ir.FunctionType(type).results
            self.function_text = str(operation)


class Runs:
    """Outcomes of the stages of a function, on sizes that the first of them accepts."""

    def __init__(self, run: PassRun):
        self.fields, self.overriding = fields_of(run.command)
        self.draws: list[Draw] = []
        self.types: list[ir.Type] = []
        self.result_types: list[ir.Type] = []
        self.shapes: dict[Draw, list[tuple[int, ...]]] = {}
        self.outcomes: dict[tuple[str, Draw], Outcome] = {}
        self.reason = self.first_reason = ""

    def can_run(self, stage: Stage) -> bool:
        try:
            self._run(stage)
        except Unsupported as reason:
            self.reason = str(reason)
            self.first_reason = self.first_reason or self.reason
            return False
        return True

    def _run(self, stage: Stage) -> None:
        if self.draws:
            given, self.draws = self.draws, []
            for draw in given:
                self._try(stage, draw, check_vacuous=False)
            if not self.draws:
                self.draws = given
                raise Unsupported(self.reason)
            return
        self.types, self.result_types = stage.types, stage.result_types
        for draw in boundary.draws(stage.types):
            self._try(stage, draw, check_vacuous=True)
            if len(self.draws) == _DRAWS:
                break
        if not self.draws:
            raise Unsupported(self.reason)

    def _try(self, stage: Stage, draw: Draw, check_vacuous: bool) -> None:
        try:
            outcome = self._outcome(stage, draw)
        except Unsupported as reason:
            self.reason = str(reason)
            return
        except Exception as error:  # of the interpreter: the function counts as not modelled
            if os.environ.get("PROVE_DEBUG"):
                raise
            self.reason = f"{type(error).__name__} in the interpreter: {error}"
            return
        if check_vacuous and outcome.undefined.value == 1:
            self.reason = "undefined for every input of these sizes"
            return
        self.draws.append(draw)
        self.outcomes[stage.text, draw] = outcome

    def _outcome(self, stage: Stage, draw: Draw) -> Outcome:
        machine = Machine(stage.module)
        machine.fields, machine.overriding = self.fields, self.overriding
        operation = machine.symbols[stage.function].operation
        passing = boundary.passing(operation) if draw in self.shapes else []
        own = stage.types[: len(stage.types) - passing.count("destination")]
        given = boundary.as_types(boundary.arguments(self.types, draw), own)
        destinations = boundary.destinations(
            stage.types[len(own) :], [s for s, p in zip(self.shapes[draw], passing) if p == "destination"]
        ) if passing else []  # fmt: skip
        results = machine.call(stage.function, given + destinations)
        if passing:
            results = boundary.with_destinations(results, destinations, passing)
        self.shapes.setdefault(draw, [getattr(v, "shape", ()) for v in results])
        return Outcome(
            [None if r is None else elements_of(r) for r in results],
            [tuple(v.buffer.elements) if isinstance(v, Memref) else None for v in given],
            machine.undefined,
            [e for e in machine.effects if e[1].value != 0],
        )

    def claim(self, before: Stage, after: Stage) -> tuple[Claim, str]:
        claim = Claim()
        for draw in self.draws:
            old, new = self.outcomes.get((before.text, draw)), self.outcomes[after.text, draw]
            if old is None:
                continue
            claim.defined = bv.not_(old.undefined)
            where = f"sizes {draw}: " if draw else ""
            claim.defined_behaviour(new.undefined)
            self._compare(claim, where + "result", self.result_types, old.results, new.results)
            self._compare(claim, where + "memory", self.types, old.memory, new.memory)
            _compare_effects(claim, where, old.effects, new.effects)
        if not claim.goals:
            raise Unsupported("no sizes on which both sides run")
        return claim, f"// before {after.passed}\n{before.text}\n// after\n{after.text}"

    @staticmethod
    def _compare(claim: Claim, what: str, types: Sequence[ir.Type], old, new) -> None:
        if len(old) != len(new):
            raise Unsupported(f"{len(old)} results become {len(new)}")
        for i, (type, a, b) in enumerate(zip(types, old, new)):
            if a is None or b is None:
                continue
            if a and b and a[0].width < b[0].width:
                a = boundary.packed(Array((len(a),), a), b[0].width).elements
            if len(a) != len(b) or a and a[0].width != b[0].width:
                raise Unsupported(f"{what} {i} of another size")
            name = str(element_of(type))
            if a and width_of(element_of(type)) != a[0].width:
                name = "bits"
            for place, (x, y) in enumerate(zip(a, b)):
                if x != y:
                    claim.equal(f"{what} {i}[{place}]", x, y, name)


def _compare_effects(claim: Claim, where: str, old: list, new: list) -> None:
    names = [[(name, len(given)) for name, _, given in effects] for effects in (old, new)]
    if names[0] != names[1]:
        raise Unsupported("calls or assertions that differ")
    for (name, path, given), (_, path_b, given_b) in zip(old, new):
        claim.equal(f"{where}{name} happens", Element.of(path), Element.of(path_b), "i1")
        outer, claim.defined = claim.defined, bv.and_(claim.defined, path)
        for i, (x, y) in enumerate(zip(given, given_b)):
            claim.equal(f"{where}{name} operand {i}", x, y, "")
        claim.defined = outer


def fields_of(command: lit_inputs.Command) -> tuple[dict[str, str], dict[str, str]]:
    """Of the semantics: what the options fill, and what they replace."""
    options = command.options()
    fields: dict[str, str] = {}
    if "profile" in options and options["profile"] in PROFILES:
        profile = PROFILES[options["profile"]]
        stated = profile.semantics
        fields = {name: getattr(stated, name) for name in FIELD_VALUES}
        rules = {profile.quantize_compute, profile.dequantize_compute}
        fields["compute"] = rules.pop() if len(rules) == 1 else "a rule of the profile"
    fields |= {
        name: options[word] for name in FIELD_VALUES if (word := name.replace("_", "-")) in options
    }
    return (fields, fields) if "override-semantics" in options else (fields, {})


def obligations(everything: bool) -> Iterator[PassRun]:
    for path in lit_inputs.files("Transforms", "Conversion", "Pipelines", "IR"):
        if "-invalid" in path or "chains" in path or "/Inputs/" in path:
            continue
        for command in lit_inputs.commands(path):
            for number, chunk in enumerate(lit_inputs.chunks(path, command.part)):
                for function in lit_inputs.functions(chunk):
                    yield PassRun(path, command, number, function)
