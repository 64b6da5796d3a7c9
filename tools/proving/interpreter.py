# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs MLIR on symbols: control is concrete, data are terms.

An op is a function in `SEMANTICS` by its name; the files in `dialects` fill that table. What has no
entry is `Unsupported`, never guessed. Undefined behaviour is a condition that is collected, under
the condition of the path.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import prod

from mlir import ir

from . import bits as bv
from .program import Block, Definition, Operation, Reader, known
from .terms import Term
from .types import Unsupported, element_of, is_shaped, static_shape, width_of
from .values import Array, Element, Value, choose

Semantics = Callable[["Machine", Operation], "Iterable[Value] | Value | None"]
SEMANTICS: dict[str, Semantics] = {}

#: Ops of one run, beyond which a function is too large to prove; of one that also runs on smaller sizes.
MOST_STEPS, FEWER_STEPS = 150_000, 30_000
#: Branches by data, one in the other, each of which doubles the rest of a function; calls.
MOST_CHOICES, MOST_CALLS = 8, 20
#: Dialects of ops in tests of which nothing is known.
UNKNOWN_DIALECTS = {"test", "some", "foreign", "other", "my", "user", "use"}


def defines(*names: str):
    """Enters a function as the meaning of these ops."""

    def enter(function: Semantics) -> Semantics:
        for name in names:
            assert name not in SEMANTICS, name
            SEMANTICS[name] = function
        return function

    return enter


class Machine:
    """One run of a function of a module."""

    def __init__(self, module: ir.Module, functions: dict[str, Operation] | None = None):
        self.symbols = ir.SymbolTable(module.operation)
        #: Those that have been read; of runs that share their terms.
        self.functions = {} if functions is None else functions
        #: Of the function that runs. A block that runs again writes its values again.
        self.values: dict[Definition, Value] = {}
        #: Of the innermost linalg.generic.
        self.index: Sequence[int] = ()
        #: The condition under which the current op runs.
        self.path = bv.true()
        #: The condition under which something undefined has happened.
        self.undefined = bv.false()
        #: Observable effects beside results and memory, in order.
        self.effects: list[tuple[str, Term, tuple[Element, ...]]] = []
        #: Bits that an op may choose, and what its lowering on this machine chooses.
        self.choices: dict[Term, Term] = {}
        #: Fastmath flags that let a pass compute something else than what is written.
        self.freedoms: set[str] = set()
        self.globals: dict[str, Value] = {}
        #: Fields of the semantics that a pass's options fill, and those that they replace.
        self.fields: dict[str, str] = {}
        self.overriding: dict[str, str] = {}
        self.steps, self.most_steps = 0, MOST_STEPS
        self.depth = self.calls = 0

    def __getitem__(self, value: Definition) -> Value:
        return self.values[value]

    def operands(self, op: Operation) -> list[Value]:
        return [self.values[operand] for operand in op.operands]

    def integer(self, value: Definition) -> int:
        """A value that control or a shape depends on."""
        element = self.values[value]
        assert isinstance(element, Element)
        bits = element.bits.value
        if bits is None or element.poison.value != 0:
            raise Unsupported("control, size or position that depends on data")
        width = element.width
        return bits - (bits >> (width - 1) << width)

    def trap(self, condition: Term) -> None:
        """Undefined behaviour where the condition holds."""
        if condition.value != 0:
            self.undefined = bv.or_(self.undefined, bv.and_(self.path, condition))

    def under(self, condition: Term, run: Callable[[], list[Value]]) -> list[Value]:
        """The result of `run` on the path on which the condition holds."""
        outer, self.path = self.path, bv.and_(self.path, condition)
        try:
            return run()
        finally:
            self.path = outer

    # --- blocks --------------------------------------------------------------------------

    def block(self, block: Block, arguments: Sequence[Value]) -> list[Value]:
        """Runs a block; the operands of its terminator."""
        self.values.update(zip(block.arguments, arguments, strict=True))
        return self._ops(block)

    def _ops(self, block: Block) -> list[Value]:
        """Runs blocks up to a terminator that ends the region."""
        while True:
            for op in block.operations:
                self.steps += 1
                if self.steps > self.most_steps:
                    raise Unsupported(f"more than {self.most_steps} steps")
                if op.name in RETURNS:
                    return self.operands(op)
                if op.name in BRANCHES:
                    break
                self.run(op)
            else:
                return []
            targets = BRANCHES[op.name](self, op)
            if len(targets) > 1:
                return self._ways(targets)
            block = self._enter(targets[0])

    def _enter(self, target: Target) -> Block:
        _, block, arguments = target
        self.values.update(zip(block.arguments, arguments, strict=True))
        return block

    def _ways(self, targets: Sequence[Target]) -> list[Value]:
        """Goes on in each target, and chooses among what they return."""
        self.depth += 1
        if self.depth > MOST_CHOICES:
            raise Unsupported("too many branches that depend on data")
        found, outer = [], self.values
        for target in targets:
            # Blocks that run again on one way must not change what the other way sees.
            self.values = dict(outer)
            found.append(self.under(target[0], lambda t=target: self._ops(self._enter(t))))
        self.values = outer
        self.depth -= 1
        return [joined(targets[0][0], a, b) for a, b in zip(*found)]

    def run(self, op: Operation) -> None:
        meaning = SEMANTICS.get(op.name)
        if meaning is None and op.name.split(".")[0] in UNKNOWN_DIALECTS and not op.regions:
            meaning = SEMANTICS["?"]
        if meaning is None:
            raise Unsupported(op.name)
        values, own = meaning(self, op), op.results
        if len(own) == 1 and not isinstance(values, (list, tuple)):
            self.values[own[0]] = values
        else:
            self.values.update(zip(own, values or (), strict=True))

    def function(self, name: str) -> Operation:
        if name not in self.functions:
            self.functions[name] = Reader().operation(self.symbols[name].operation)
        return self.functions[name]

    def call(self, name: str, arguments: Sequence[Value]) -> list[Value]:
        block = self.function(name).regions[0].blocks[0]
        outer, self.values = self.values, {}
        self.calls += 1
        if self.calls > MOST_CALLS:
            raise Unsupported("recursion")
        try:
            return self.block(block, arguments)
        finally:
            self.values = outer
            self.calls -= 1


#: Terminators that only give their operands.
RETURNS = {
    "func.return",
    "linalg.yield",
    "scf.yield",
    "tensor.yield",
    "scf.reduce.return",
    "memref.alloca_scope.return",
}
#: A condition, a block of the region, and its arguments.
Target = tuple[Term, Block, list[Value]]
#: Terminators that go to another block: one target, or two of which data choose.
BRANCHES: dict[str, Callable[[Machine, Operation], list[Target]]] = {}


def joined(condition: Term, a: Value, b: Value) -> Value:
    if isinstance(a, Element):
        return choose(condition, a, b)
    if isinstance(a, Array) and a.shape == b.shape:
        pairs = zip(a.elements, b.elements)
        return Array(a.shape, tuple(choose(condition, x, y) for x, y in pairs))
    if a is b:
        return a
    raise Unsupported("a choice by data between buffers or shapes")


# --- helpers of the dialects ---------------------------------------------------------------


def elementwise(
    machine: Machine, op: Operation, function: Callable[..., Element]
) -> Element | Array:
    """`function` on each element of the operands, which have one shape."""
    operands = machine.operands(op)
    if not _has_shape(op):
        return function(*operands)
    shape = next(value.shape for value in operands if isinstance(value, Array))
    rows = [v.elements if isinstance(v, Array) else (v,) * prod(shape) for v in operands]
    if len({len(row) for row in rows}) != 1:
        raise Unsupported("operands whose dynamic sizes do not fit together")
    return Array(shape, tuple(map(function, *rows)))


@known
def _has_shape(op: Operation) -> bool:
    return is_shaped(op.results[0].type)


def combine(bits: Term, *operands: Element, poison: Term | None = None) -> Element:
    """A result that is poison where an operand is, or under `poison`."""
    result = bv.FALSE
    for operand in operands:
        if operand.poison is not bv.FALSE:
            result = bv.or_(result, operand.poison)
    if poison is not None and poison is not bv.FALSE:
        result = bv.or_(result, poison)
    return Element(bits, result)


@known
def result_element(op: Operation) -> ir.Type:
    return element_of(op.results[0].type)


@known
def operand_element(op: Operation, number: int = 0) -> ir.Type:
    return element_of(op.operands[number].type)


@known
def text_of(op: Operation, attribute: str) -> str:
    """How MLIR writes it; "" of an attribute that the op does not have."""
    return str(op.attributes[attribute]) if attribute in op.attributes else ""


def check_attributes(op: Operation, **expected: str) -> None:
    """Refuses attributes that change the meaning and are not modelled."""
    for name, value in expected.items():
        if name in op.attributes and text_of(op, name) != value:
            raise Unsupported(f"{op.name} with {name} = {text_of(op, name)}")


@known
def shape_of_result(op: Operation, number: int = 0) -> tuple[int, ...]:
    return static_shape(op.results[number].type)


@known
def width_of_result(op: Operation) -> int:
    return width_of(result_element(op))
