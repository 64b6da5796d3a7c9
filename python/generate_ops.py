# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the type stub of `mlir_qdq.dialects.qdq`: each builder with the types and meaning of its arguments.

    python generate_ops.py QDQOps.json _qdq_ops_gen.py _qdq_enum_gen.py qdq.py qdq.pyi

The first is what `llvm-tblgen --dump-json` makes of include/qdq/IR/QDQOps.td; it has the types. The
others are the Python modules, which have the order of the arguments, and which of them may be left out.
An attribute of a class that has no counterpart here is an error.
"""

from __future__ import annotations

import ast
import inspect
import json
import sys
from pathlib import Path

HEADER = '''\
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Written by python/generate_ops.py; do not edit.
"""Builders of the `qdq` ops, and the enumerations of `#qdq.semantics`."""

import enum
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from mlir import ir

_Value: TypeAlias = ir.Value[Any] | ir.Operation | ir.OpView

def semantics(fields: Mapping[str, Any], context: ir.Context | None = None) -> ir.Attribute:
    """`#qdq.semantics` of a mapping from field names to enumeration members or their spelling."""
'''

VALUE, VALUES = "_Value", "Sequence[_Value]"
#: Python values that a builder accepts for an attribute, beside the attribute itself.
ATTRIBUTES = {
    "::mlir::IntegerAttr": "int",
    "::mlir::DenseI64ArrayAttr": "Sequence[int]",
    "::mlir::TypeAttr": "ir.Type",
    "::mlir::UnitAttr": "bool",
    "::mlir::qdq::SemanticsAttr": "Mapping[str, Any]",
    "::mlir::qdq::PackingAttr": "",
}
#: Arguments of every builder.
COMMON = {
    "loc": ("ir.Location | None", "where errors point: the current location if left out"),
    "ip": ("ir.InsertionPoint | None", "where the op goes: the current one if left out"),
}


def is_a(record: dict, superclass: str) -> bool:
    return superclass in record["!superclasses"]


def attribute_hint(name: str, record: dict, enumerations: set[str]) -> str:
    storage = record["storageType"].strip()
    enumeration = storage.removeprefix("::mlir::qdq::").removesuffix("Attr")
    plain = enumeration if enumeration in enumerations else ATTRIBUTES.get(storage)
    if plain is None:
        sys.exit(f"attribute '{name}': '{storage}' has no type in Python")
    return " | ".join(filter(None, (plain, "ir.Attribute")))


class Op:
    """An operation: what TableGen knows of its operands, attributes and results."""

    def __init__(self, record: dict, records: dict, enumerations: set[str]):
        self.summary = record["description"] or record["summary"]
        self.hints, self.texts = dict[str, str](), dict[str, str]()
        for name, (hint, text) in COMMON.items():
            self.hints[name], self.texts[name] = hint, text
        self.operands, self.attributes, self.results = [], [], []
        for kind, argument, name in [
            *(("argument", *pair) for pair in record["arguments"]["args"]),
            *(("result", *pair) for pair in record["results"]["args"]),
        ]:
            constraint = records[argument["def"]]
            self.texts[name] = constraint["summary"]
            if is_a(constraint, "AttrConstraint"):
                self.attributes.append(name)
                base = constraint.get("baseAttr")
                inner = records[base["def"]] if base else constraint
                self.hints[name] = attribute_hint(name, inner, enumerations)
                continue
            (self.operands if kind == "argument" else self.results).append(name)
            hint = VALUE if kind == "argument" else "ir.Type"
            self.hints[name] = hint
            if is_a(constraint, "Variadic"):
                self.hints[name] = VALUES
            elif is_a(constraint, "Optional"):
                self.hints[name] = f"{hint} | None"

    def argument(self, name: str, may_be_left_out: bool) -> str:
        hint = self.hints[name]
        if may_be_left_out and hint != VALUES and not hint.endswith("None"):
            hint += " | None"
        return f"{name}: {hint}" + (" = ..." if may_be_left_out else "")


def signatures(*modules: ast.Module) -> dict[str, list[tuple[str, bool, bool]]]:
    """Of each function: its arguments, whether each may be left out, and whether it needs its name.

    A later module wins, and what takes `**rest` takes what the earlier ones do.
    """
    found = {}
    for module in modules:
        for function in (node for node in module.body if isinstance(node, ast.FunctionDef)):
            arguments = function.args
            required = len(arguments.args) - len(arguments.defaults)
            listed = [(a.arg, i >= required, False) for i, a in enumerate(arguments.args)]
            listed += [(a.arg, True, True) for a in arguments.kwonlyargs]
            if arguments.kwarg:
                listed += [entry for entry in found[function.name] if entry[2]]
            found[function.name] = listed
    return found


def docstring(*paragraphs: str, indent: str = "    ") -> str:
    texts = [inspect.cleandoc(text.replace('"""', "'''")) for text in paragraphs]
    lines = ('r"""' + "\n\n".join(filter(None, texts)) + '\n"""').split("\n")
    return "".join(f"{indent}{line}".rstrip() + "\n" for line in lines)


def op_stub(name: str, op: Op, arguments: list[tuple[str, bool, bool]]) -> str:
    words, star = [], False
    for argument, may_be_left_out, needs_name in arguments:
        if needs_name and not star:
            words, star = words + ["*"], True
        words.append(op.argument(argument, may_be_left_out))
    listing = "\n".join(
        ["Arguments:\n", *(f"    {argument}: {op.texts[argument]}" for argument, *_ in arguments)]
    )
    camel = "".join(part.capitalize() for part in name.split("_")) + "Op"
    result = (
        "ir.OpResult[Any]"
        if len(op.results) == 1
        else f"ir.OpResult[Any] | ir.OpResultList | {camel}"
    )
    properties = ""
    for kind, names in (
        ("ir.Value[Any]", op.operands),
        ("ir.Attribute", op.attributes),
        ("ir.OpResult[Any]", op.results),
    ):
        for item in names:
            # OpView has a `result` of its own, of the same type.
            if item == "result":
                continue
            hint = "ir.OpOperandList" if op.hints[item] == VALUES else kind
            if op.hints[item].endswith("None") or kind == "ir.Attribute":
                hint += " | None"
            properties += f"    @property\n    def {item}(self) -> {hint}: ...\n"
            if kind == "ir.Attribute":
                properties += (
                    f"    @{item}.setter\n    def {item}(self, value: {hint}) -> None: ...\n"
                )
                properties += f"    @{item}.deleter\n    def {item}(self) -> None: ...\n"
    return (
        f"\nclass {camel}(ir.OpView):\n{docstring(op.summary)}"
        f"    OPERATION_NAME: str\n"
        f"    def __init__(self, {', '.join(words)}) -> None: ...\n{properties}"
        f"\ndef {name}({', '.join(words)}) -> {result}:\n{docstring(op.summary, listing)}"
    )


def enum_stub(node: ast.ClassDef) -> str:
    kept = [
        statement
        for statement in node.body
        if isinstance(statement, (ast.Expr, ast.Assign))  # docstring and members
    ]
    return f"\nclass {node.name}(enum.IntEnum):\n" + "".join(
        f"    {ast.unparse(statement)}\n" for statement in kept
    )


def generate(records: dict, ops: ast.Module, enums: ast.Module, own: ast.Module) -> str:
    enumerations = [node for node in enums.body if isinstance(node, ast.ClassDef)]
    names = {node.name for node in enumerations}
    arguments = signatures(ops, own)
    stub = HEADER + "".join(map(enum_stub, enumerations))
    for definition in sorted(records["!instanceof"]["Op"]):
        record = records[definition]
        name = record["opName"]
        stub += op_stub(name, Op(record, records, names), arguments[name])
    return stub


if __name__ == "__main__":
    records, *modules, output = map(Path, sys.argv[1:])
    parsed = (ast.parse(module.read_text()) for module in modules)
    output.write_text(generate(json.loads(records.read_text()), *parsed))
