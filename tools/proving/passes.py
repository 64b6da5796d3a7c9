# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The passes: each function of the lit suite before and after each pass that its RUN lines run.

Sizes are drawn, control is concrete, every loaded element is a symbol. Arguments do not overlap.
"""

from __future__ import annotations

import gc
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from mlir import ir
from mlir.passmanager import PassManager

import mlir_qdq
from mlir_qdq.reference.semantics import FIELD_VALUES, PROFILES

from . import bits as bv
from . import affine, boundary, counterexamples, dialects, lit_inputs, registry, terms
from .boundary import Draw
from .claims import Claim
from .dialects.linalg import GENERALIZE
from .interpreter import FEWER_STEPS, MOST_STEPS, Machine
from .obligations import Part
from .program import Operation
from .stages import stages
from .terms import Term
from .types import (
    RESOURCES,
    Unsupported,
    element_of,
    name_resources,
    width_of,
    without_numbers,
)
from .values import Array, Element, Memref, elements_of

assert dialects  # fills the interpreter's table

#: Sizes on which a function is compared.
_DRAWS = 3


@dataclass
class Outcome:
    """The visible results of a run. None stands for a result that a stage does not show."""

    result_types: list[ir.Type]
    results: list[tuple[Element, ...] | None]
    memory: list[tuple[Element, ...] | None]
    undefined: Term
    effects: list
    choices: dict[Term, Term]
    freedoms: set[str]


@dataclass(frozen=True)
class PassRun:
    """A part of a file under one command."""

    group: str
    path: str
    command: lit_inputs.Command
    chunk: int
    #: Divides the sizes of types that are large.
    is_small: bool = False

    @property
    def name(self) -> str:
        part = f"/{self.command.part}" if self.command.part else ""
        chunk = f":{self.chunk}" if self.chunk else ""
        small = " small" if self.is_small else ""
        return f"{self.path}{part}{chunk}{small} {' '.join(self.passes())}"

    def passes(self) -> tuple[str, ...]:
        shrunk = lit_inputs.shrunk_option if self.is_small else str
        return tuple(map(shrunk, self.command.passes))

    def text(self) -> str:
        text = lit_inputs.chunks(self.path, self.command.part)[self.chunk]
        return lit_inputs.shrunk(text) if self.is_small else text

    @property
    def has_smaller(self) -> bool:
        """Whether `small` is another run."""
        small = replace(self, is_small=True)
        return (small.text(), small.passes()) != (self.text(), self.passes())

    def parts(self) -> Iterator[Part]:
        """A claim for each function and each pass that changes it."""
        for step in self.steps():
            yield Part(registry.group_of(step.passed), step.name, step.claim)

    def steps(self) -> Iterator[Step]:
        affine.compiled.cache_clear()
        gc.collect()
        text = self.text()
        RESOURCES.clear()
        with ir.Context() as context, ir.Location.unknown():
            mlir_qdq.register(context)
            context.allow_unregistered_dialects = True
            try:
                found = [Stage(*stage) for stage in stages(text, self.passes())]
            except Unsupported as reason:
                # An input that a pipeline refuses has no code to prove.
                if self.group == "passes" and not self.is_small:
                    yield Step(f"{self.name} >", "input", reason=str(reason))
                return
            for function in lit_inputs.functions(text):
                # A private function may change with all of its calls: those prove it.
                if f"call @{function}(" in text and f"private @{function}(" in text:
                    continue
                terms.forget()
                yield from self._steps(function, found)

    def _steps(self, function: str, found: Sequence[Stage]) -> Iterator[Step]:
        changes = self._changes(function, found)
        if not changes:
            return
        most_steps = FEWER_STEPS if self.has_smaller else MOST_STEPS
        runs, before = Runs(self.command, function, most_steps), changes[0][1]
        #: Whether `before` runs; what nobody compares does not run.
        is_run: bool | None = None
        if before.error:
            yield Step(f"{self.name} @{function} > #0", "input", reason=before.error)
            return
        for i, (number, after) in enumerate(changes[1:], 1):
            passed = after.passed
            name = f"{self.name} @{function} > {passed}#{number}"
            texts = [stage.texts.get(function, "") for stage in (before, after)]
            reason = after.error or registry.no_equal_bits(passed, self.command, *texts)
            if reason:
                yield Step(name, passed, reason=reason)
                if not any(registry.is_ours(stage.passed) for _, stage in changes[i + 1 :]):
                    return
                if not after.error:
                    runs, before, is_run = Runs(self.command, function, most_steps), after, None
                continue
            if is_run is None:
                is_run = runs.can_run(before)
            if not runs.can_run(after):
                yield Step(name, passed, reason=runs.reason)
                continue
            if is_run:
                yield Step(name, passed, runs, before, after)
            else:
                yield Step(name, passed, reason=f"before it: {runs.first_reason}")
            before, is_run = after, True

    def _changes(self, function: str, found: Sequence[Stage]) -> list[tuple[int, Stage]]:
        """The stages that change the function, and their numbers. In a pipeline, those of upstream
        between two of ours count as one.
        """
        changes: list[tuple[int, Stage]] = []
        for number, stage in enumerate(found):
            if function not in stage.functions and not stage.error:
                continue
            if changes and stage.texts.get(function) == changes[-1][1].texts.get(function):
                continue
            if len(changes) > 1 and self.group == "pipelines":
                if not any(registry.is_ours(s.passed) for s in (changes[-1][1], stage)):
                    changes.pop()
            changes.append((number, stage))
        return changes


@dataclass
class Step:
    """A function before and after a pass, or why it is not to compare."""

    name: str
    passed: str
    runs: Runs | None = None
    before: Stage | None = None
    after: Stage | None = None
    reason: str = ""

    def claim(self):
        if self.reason:
            raise Unsupported(self.reason)
        return self.runs.claim(self.before, self.after)


class Stage:
    """A module after a pass, and its functions with bodies."""

    def __init__(self, passed: str, text: str):
        text = name_resources(text)
        self.passed, self.text, self.error = passed, text, ""
        self.functions: dict[str, ir.Operation] = {}
        self.texts: dict[str, str] = {}
        try:
            self.module = ir.Module.parse(text)
        except ir.MLIRError:
            self.error = "a module that does not parse again"
            return
        self.texts = {name: without_numbers(str(op)) for name, op in self._bodies()}
        if "linalg." in text:
            passes = f"builtin.module(func.func({GENERALIZE}))"
            PassManager.parse(passes).run(self.module.operation)
        self.functions = dict(self._bodies())

    def _bodies(self) -> Iterator[tuple[str, ir.Operation]]:
        for op in self.module.body.operations:
            op = op.operation
            if op.name == "func.func" and op.regions[0].blocks:
                yield ir.StringAttr(op.attributes["sym_name"]).value, op


class Runs:
    """Outcomes of the stages of a function, on sizes that the first of them accepts."""

    def __init__(self, command: lit_inputs.Command, function: str, most_steps: int = MOST_STEPS):
        self.most_steps = most_steps
        self.fields, self.overriding = fields_of(command)
        self.function = function
        self.draws: list[Draw] = []
        self.types: list[ir.Type] = []
        #: Of the last stage that returns all results; later ones write them to buffers.
        self.result_types: list[ir.Type] = []
        self.shapes: dict[Draw, list[tuple[int, ...]]] = {}
        self.outcomes: dict[tuple[str, Draw], Outcome] = {}
        #: Of each stage, read once for all sizes.
        self.functions: dict[str, dict[str, Operation]] = {}
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
        self.types, _ = _types(stage.functions[self.function])
        for draw in boundary.draws(self.types):
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
        functions = self.functions.setdefault(stage.text, {})
        machine = Machine(stage.module, functions)
        machine.most_steps = self.most_steps
        machine.fields, machine.overriding = self.fields, self.overriding
        operation = stage.functions[self.function]
        types, result_types = _types(operation)
        passing = boundary.passing(operation) if draw in self.shapes else []
        own = types[: len(types) - passing.count("destination")]
        given = boundary.as_types(boundary.arguments(self.types, draw), own)
        destinations = boundary.destinations(
            types[len(own) :], [s for s, p in zip(self.shapes[draw], passing) if p == "destination"]
        ) if passing else []  # fmt: skip
        results = machine.call(self.function, given + destinations)
        if passing:
            results = boundary.with_destinations(results, destinations, passing)
        else:
            self.shapes[draw] = [getattr(v, "shape", ()) for v in results]
            self.result_types = result_types
        return Outcome(
            self.result_types,
            [None if r is None else elements_of(r) for r in results],
            [tuple(v.buffer.elements) if isinstance(v, Memref) else None for v in given],
            machine.undefined,
            [e for e in machine.effects if e[1].value != 0],
            machine.choices,
            machine.freedoms,
        )

    def claim(self, before: Stage, after: Stage):
        claim = Claim()
        for draw in self.draws:
            old, new = self.outcomes.get((before.text, draw)), self.outcomes[after.text, draw]
            if old is None:
                continue
            if not new.freedoms <= old.freedoms:
                raise Unsupported("fastmath flags that the pass adds")
            if old.freedoms:
                claim.freedom = "an order of sums, or a merged product, that fastmath flags allow"
            claim.defined = bv.not_(old.undefined)
            where = f"sizes {draw}: " if draw else ""
            claim.defined_behaviour(new.undefined, where)
            self._compare(claim, where + "result", old.result_types, old.results, new.results)
            self._compare(claim, where + "memory", self.types, old.memory, new.memory)
            _compare_effects(claim, where, old.effects, new.effects)
            # The pass has chosen where an op might.
            claim.choose({bit: v for bit, v in old.choices.items() if bit not in new.choices})
        if not claim.goals:
            raise Unsupported("no sizes on which both sides run")
        return claim, lambda what, values: self._program(before, after, what, values)

    def _program(
        self, before: Stage, after: Stage, what: str, values: dict[str, int] | None
    ) -> str:
        """Both modules, with the values, if any, where their types allow it."""
        sizes = re.match(r"sizes \((.*?)\)", what)
        draw = tuple(int(n) for n in sizes[1].split(",") if n.strip()) if sizes else ()
        found = []
        for word, stage in (("before", before), ("after", after)):
            types, results = _types(stage.functions[self.function])
            text = ""
            if types == self.types and values is not None:
                text = counterexamples.caller(self.function, types, results, draw, values)
            found.append(
                f"// {word} {after.passed}\n{counterexamples.with_caller(stage.text, text)}"
            )
        return "\n".join(found)

    @staticmethod
    def _compare(claim: Claim, what: str, types: Sequence[ir.Type], old, new) -> None:
        if len(old) != len(new):
            raise Unsupported(f"{len(old)} results become {len(new)}")
        for i, (type, a, b) in enumerate(zip(types, old, new, strict=True)):
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


def _types(function: ir.Operation) -> tuple[list[ir.Type], list[ir.Type]]:
    type = ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value)
    return list(type.inputs), list(type.results)


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
        fields = {name: getattr(stated, name) for name in FIELD_VALUES if name != "compute"}
        fields["quantize_compute"] = profile.quantize_compute
        fields["dequantize_compute"] = profile.dequantize_compute
    fields |= {
        name: options[word] for name in FIELD_VALUES if (word := name.replace("_", "-")) in options
    }
    return (fields, fields) if "override-semantics" in options else (fields, {})


def _inputs() -> Iterator[str]:
    for path in lit_inputs.files("CodeGen", "Conversion", "IR", "Pipelines", "Transforms"):
        if "-invalid" not in path and "chains" not in path and "Inputs/" not in path:
            yield path


def obligations(everything: bool) -> Iterator[PassRun]:
    """The commands of RUN lines; all of them also on smaller sizes."""
    for path in _inputs():
        for command in lit_inputs.commands(path):
            for number, chunk in enumerate(lit_inputs.chunks(path, command.part)):
                if not lit_inputs.functions(chunk):
                    continue
                whole = PassRun("passes", path, command, number)
                yield whole
                if whole.has_smaller:
                    yield replace(whole, is_small=True)


#: Targets whose strategies differ.
_TARGETS = (
    "target-triple=x86_64-linux-gnu target-cpu=icelake-server",
    "target-triple=x86_64-linux-gnu target-cpu=x86-64-v3 threads=2",
    "target-triple=x86_64-linux-gnu target-cpu=icelake-server block-floating-point=false caller-allocates",
)


def pipelines(everything: bool) -> Iterator[PassRun]:
    """Every input under quant-to-llvm, of which lower-quant is the beginning."""
    for path in _inputs():
        parts = dict.fromkeys(command.part for command in lit_inputs.commands(path))
        for options in _TARGETS if everything else _TARGETS[:1]:
            for part in parts:
                command = lit_inputs.Command(part, (f"--quant-to-llvm={options}",))
                for number, chunk in enumerate(lit_inputs.chunks(path, part)):
                    if lit_inputs.functions(chunk):
                        small = lit_inputs.shrunk(chunk) != chunk
                        yield PassRun("pipelines", path, command, number, is_small=small)
