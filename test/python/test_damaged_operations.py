# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Foreign ops of the lit tests with one part damaged: an operand, attribute or type that is missing or another.

Each is converted to IR that verifies, or refused with a reason that names it; a refused one leaves no ops behind.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from tempfile import NamedTemporaryFile

import pytest
from mlir.ir import (
    Attribute,
    Block,
    Context,
    DictAttr,
    InsertionPoint,
    Location,
    MLIRError,
    Module,
    Operation,
    Type,
    WalkResult,
)
from mlir.dialects import func
from mlir.passmanager import PassManager

import mlir_qdq
from build_tree import SOURCE
from mlir_qdq.importers import onnx as onnx_importer
from mlir_qdq.importers import tflite
from onnx_models import node_tests
from test_importers_tflite_floats import GROUPS, expect

#: One change in so many is tried in tools/check.
EVERY_DAY = 97
FOREIGN = (
    "onnx.",
    "torch.operator",
    "tfl.",
    "stablehlo.uniform",
    "tosa.",
    "onednn_graph.",
    "quant.",
)
ELEMENTS = (
    "i1",
    "i4",
    "ui8",
    "i32",
    "i64",
    "f16",
    "f32",
    "f64",
    "f8E4M3FN",
    "complex<f32>",
    "index",
)
ATTRIBUTES = (
    "unit", '"x"', "-1 : i64", "0 : i64", "1 : i64", "3 : i64", "99999999999 : i64", "1 : index", "-1.5 : f32",
    "0x7FC00000 : f32", "1.0 : f64", "[]", "[1, 2]", '["x"]', "array<i64: 1, -1>", "array<i64: 0, 0, 0, 0>",
    "array<f32: 0.0>", "dense<1> : tensor<2xi64>", "dense<1.0> : tensor<f32>", "true", "f32",
)  # fmt: skip
SOURCES = ("onednn-to-qdq", "onnx-to-linalg", "onnx-to-qdq", "quant-to-qdq", "stablehlo-to-qdq",
           "tfl-to-linalg", "tfl-to-qdq", "torch-to-qdq", "tosa-to-qdq")  # fmt: skip


def other_types(text: str) -> Iterator[str]:
    """Types that differ from a tensor type in one part."""
    if match := re.fullmatch(r"tensor<((?:[\d?]+x)*)(.*)>", text):
        sizes, element, frame = match[1].split("x")[:-1], match[2], "tensor<{}>"
        yield frame.format(f"*x{element}")
    elif match := re.fullmatch(r"!torch\.vtensor<\[(.*?)\],(.*)>", text):
        sizes, element, frame = (
            match[1].split(",") if match[1] else [],
            match[2],
            "!torch.vtensor<{}>",
        )
        yield "!torch.vtensor"
    else:
        yield from ("i32", "f32", "tensor<2xf32>")
        return
    is_torch = frame.startswith("!torch")

    def make(sizes: list[str], element: str) -> str:
        if is_torch:
            return frame.format(f"[{','.join(sizes)}],{element}")
        return frame.format("".join(f"{size}x" for size in sizes) + element)

    for other in ELEMENTS:
        yield make(sizes, ("s" if is_torch and other[0] == "i" else "") + other)
    yield make(["2", *sizes], element)
    yield make(["1", *sizes], element)
    yield make(["?"] * len(sizes), element)
    yield make([], element)
    yield make(["0"], element)
    for i, size in enumerate(sizes):
        yield make(sizes[:i] + sizes[i + 1 :], element)
        for other in ("?", "0", "1", "5"):
            yield make([*sizes[:i], other, *sizes[i + 1 :]], element)


def attributes_of(op: Operation) -> dict[str, Attribute]:
    """All of them: MLIR's Python does not list those that an op of no dialect has in <{}>."""
    found = {name: op.attributes[name] for name in op.attributes}
    if properties := re.search(r'"\([^()]*\) <(\{.*?\})>', str(op)):
        found |= {a.name: a.attr for a in DictAttr(Attribute.parse(properties[1]))}
    return found


class Parts:
    """What an op is made from."""

    def __init__(self, op: Operation):
        self.op = op
        self.operands = list(op.operands)
        self.types = [result.type for result in op.results]
        self.attributes = attributes_of(op)

    def place(self, type_text: str):
        """A value of this type, made by an op of no dialect of ours."""
        return Operation.create("test.value", results=[Type.parse(type_text)]).results[0]

    def rebuild(self) -> Operation:
        """The op of these parts in the place of the old one, whose users get values of the old types."""
        old = self.op
        new = Operation.create(
            old.name, results=self.types, operands=self.operands, attributes=self.attributes
        )
        for before, after in zip(old.results, new.results):
            if before.type != after.type:
                cast = Operation.create("test.cast", results=[before.type], operands=[after])
                after = cast.results[0]
            before.replace_all_uses_with(after)
        for before in list(old.results)[len(new.results) :]:
            before.replace_all_uses_with(self.place(str(before.type)))
        old.erase()
        return new


Damage = Callable[[Parts], None]


def damages(parts: Parts) -> Iterator[tuple[str, Damage]]:
    """Each damage of an op, with its name. They act on the parts of a copy."""

    def on(field: str, index, make: Callable) -> Damage:
        def damage(parts: Parts):
            getattr(parts, field)[index] = make(parts)

        return damage

    def without(field: str, index) -> Damage:
        def damage(parts: Parts):
            del getattr(parts, field)[index]

        return damage

    for i, operand in enumerate(parts.operands):
        own = str(operand.type)
        for text in (own, "none", *other_types(own)):
            yield f"operand {i}: {text}", on("operands", i, lambda p, t=text: p.place(t))
        yield f"no operand {i}", without("operands", i)
    yield "one more operand", lambda p: p.operands.append(p.place("tensor<f32>"))
    for i, result in enumerate(parts.types):
        for text in other_types(str(result)):
            yield f"result {i}: {text}", on("types", i, lambda p, t=text: Type.parse(t))
    yield "no result", without("types", -1)
    yield "one more result", lambda p: p.types.append(Type.parse("tensor<f32>"))
    for name in parts.attributes:
        yield f"no {name}", without("attributes", name)
        for text in ATTRIBUTES:
            yield f"{name} = {text}", on("attributes", name, lambda p, t=text: Attribute.parse(t))


def lit_tests(source: str) -> Iterator[Module]:
    """The lit tests that convert."""
    for path in sorted((SOURCE / "test/Conversion").glob(f"convert-{source}*.mlir")):
        if "invalid" in path.name:
            continue
        for text in re.split(r"(?m)^// -----.*\n", path.read_text()):
            try:
                yield Module.parse(text)
            except MLIRError:  # ops of a newer MLIR, and types that upstream's parser refuses
                continue


def onnx_nodes() -> Iterator[Module]:
    """ONNX's own tests of one node, at most two an operator."""
    seen = Counter()
    for case in node_tests():
        nodes = case.model.graph.node
        if len(nodes) == 1 and seen[nodes[0].op_type] < 2:
            try:
                yield onnx_importer.import_model(case.model, Context.current)
                seen[nodes[0].op_type] += 1
            except (MLIRError, ValueError, NotImplementedError):  # types that the importer refuses
                continue


def tflite_operators() -> Iterator[Module]:
    for rows in GROUPS.values():
        with NamedTemporaryFile(suffix=".tflite") as file:
            file.write(expect(rows)[0])
            file.flush()
            yield tflite.import_model(file.name, Context.current)


def modules(source: str, every: int) -> Iterator[Module]:
    yield from lit_tests(source)
    if source.startswith("onnx") and every < EVERY_DAY:  # which take five seconds to make
        yield from onnx_nodes()
    if source.startswith("tfl"):
        yield from tflite_operators()


def foreign_ops(module: Module) -> list[Operation]:
    found = []

    def visit(op: Operation) -> WalkResult:
        if op.name.startswith(FOREIGN) and op.operands and op.results and not op.regions:
            found.append(op)
        return WalkResult.ADVANCE

    module.operation.walk(visit)
    return found


def owner_of(value) -> Operation | None:
    """The op of a result; nothing for an argument."""
    return None if isinstance(value.owner, Block) else value.owner.operation


def is_constant(value) -> bool:
    """True for what an op makes of constants alone, such as torch.prim.ListConstruct."""
    owner = owner_of(value)
    return owner is not None and not len(owner.regions) and all(map(is_constant, owner.operands))


def clone_constant(value):
    """The value of a copy of its op, behind copies of the constants that the op reads."""
    owner = owner_of(value)
    operands = list(map(clone_constant, owner.operands))
    copy = owner.clone()
    for i, operand in enumerate(operands):
        copy.operands[i] = operand
    return copy.operation.results[value.result_number]


def isolate(op: Operation) -> str:
    """A function of this op and the constants that it reads; other operands are arguments."""
    module = Module.create()
    types = [v.type for v in op.operands if not is_constant(v)]
    with InsertionPoint(module.body):
        function = func.FuncOp("f", (types, [r.type for r in op.results]))
    arguments = iter(function.add_entry_block().arguments)
    with InsertionPoint(function.entry_block):
        operands = [clone_constant(v) if is_constant(v) else next(arguments) for v in op.operands]
        copy = op.clone()
        for i, value in enumerate(operands):
            copy.operands[i] = value
        func.ReturnOp(list(copy.results))
    return str(module)


def last_op(module: Module) -> Operation:
    """The one before the return."""
    block = module.body.operations[0].regions[0].blocks[0]
    return block.operations[len(block.operations) - 2].operation


def unused(module: Module) -> Counter:
    """How many ops of each name have results that nobody uses."""
    block = module.body.operations[0].regions[0].blocks[0]
    return Counter(
        op.operation.name
        for op in block.operations
        if op.operation.name.split(".")[0] in ("arith", "tensor", "linalg", "qdq", "math")
        and all(next(iter(r.uses), None) is None for r in op.operation.results)
    )


def damaged(text: str, damage: Damage) -> Module | None:
    """The module with its op damaged; nothing where it is no op at all."""
    module = Module.parse(text)
    op = last_op(module)
    with Location.name("damaged"), InsertionPoint(op):
        try:
            parts = Parts(op)
            damage(parts)
            parts.rebuild()
            return module if module.operation.verify() else None
        except MLIRError:
            return None


def converts(text: str, conversion: PassManager) -> bool:
    """Whether no op is left of a module. Casts of quantized arguments stay."""
    module = Module.parse(text)
    try:
        conversion.run(module.operation)
    except MLIRError:
        return False
    return all(op.name == "quant.scast" for op in foreign_ops(module))


def check(source: str, every: int) -> int:
    """Converts each `every`-th damage, and returns how many they were."""
    count = at = converted = 0
    with Context() as ctx, Location.unknown():
        ctx.allow_unregistered_dialects = True
        mlir_qdq.register(ctx)
        conversion = PassManager.parse(f"builtin.module(convert-{source})")
        seen = set()
        for whole in modules(source, every):
            for op in foreign_ops(whole):
                text = isolate(op)
                if text in seen:
                    continue
                seen.add(text)
                converted += converts(text, conversion)
                sound = Module.parse(text)
                for name, damage in damages(Parts(last_op(sound))):
                    at += 1
                    if at % every:
                        continue
                    module = damaged(text, damage)
                    if module is None:
                        continue
                    count += 1
                    where = f"{name}, in\n{text}"
                    before = unused(module)
                    try:
                        conversion.run(module.operation)
                        assert module.operation.verify(), where
                    except MLIRError as error:
                        assert "was not converted" not in str(error), where
                        assert not unused(module) - before, where
    # An op without its constants is refused, whatever else is damaged. Ops of floats are another pass's.
    assert converted > len(seen) / 10
    return count


@pytest.mark.parametrize("source", SOURCES)
def test_damaged(source, pytestconfig):
    assert check(source, pytestconfig.option.damaged_every) > 0


@pytest.mark.exhaustive
@pytest.mark.parametrize("source", SOURCES)
def test_all_damaged(source):
    assert check(source, every=1) > 0
