# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the module `mlir_qdq._passes_gen`: one class per pass and pipeline, from their declarations.

    python generate_passes.py Pipelines.json QDQEnums.json _passes_gen.py

The inputs are what `llvm-tblgen --dump-json` makes of include/qdq/Pipelines/Pipelines.td and
include/qdq/Numerics/QDQEnums.td. An option whose C++ type has no counterpart here is an error.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
from pathlib import Path

HEADER = '''\
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Written by python/generate_passes.py; do not edit.
"""The passes and pipelines, and the enumerations of their options: see `mlir_qdq.passes`."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import ClassVar, TypedDict

from ._pass import Pass, option
'''

#: Python types of the C++ types of options. Enumerations come on top.
SCALARS = {"bool": "bool", "std::string": "str"} | dict.fromkeys(
    ("int", "int32_t", "int64_t", "unsigned", "uint32_t", "uint64_t"), "int"
)
#: Names, in a pipeline's text, of the C++ classes that a pass runs on.
ANCHORS = {"": "any", "::mlir::ModuleOp": "builtin.module", "::mlir::func::FuncOp": "func.func"}
#: Of these there is a type of the options alone: runtime.compile takes them.
OPTIONS_OF = ("quant-to-llvm",)


class Enumerations:
    """The values of each enumeration, by its C++ name."""

    def __init__(self, records: dict):
        self.known = {}
        self.used = {}
        for name in records["!instanceof"]["EnumInfo"]:
            info = records[name]
            values = [records[case["def"]]["str"] for case in info["enumerants"]]
            self.known[info["className"]] = (info["summary"], values)

    def of(self, cpp_type: str, option: dict) -> str | None:
        """The name of an option's enumeration, which is one of QDQEnums.td or listed with the option."""
        name = cpp_type.removeprefix("::mlir::qdq::")
        listed = re.findall(r'clEnumValN?\([^"]*"([^"]*)"', option["additionalOptFlags"])
        if name not in self.known and not listed:
            return None
        self.used[name] = self.known.get(name) or (option["description"].partition(":")[0], listed)
        return name


def python_type(option: dict, enumerations: Enumerations) -> str:
    cpp_type = re.sub(r"^std::optional<(.*)>$", r"\1", option["type"])
    name = SCALARS.get(cpp_type) or enumerations.of(cpp_type, option)
    if name is None:
        sys.exit(f"option '{option['argument']}': '{option['type']}' has no type in Python")
    return name


def pass_anchor(record: dict) -> str:
    cpp_class = re.fullmatch(r"::mlir::qdq::OptionsPass<(.*)>", record["baseClass"])
    if cpp_class is None or cpp_class[1] not in ANCHORS:
        sys.exit(f"pass '{record['argument']}': '{record['baseClass']}' has no name in a pipeline")
    return ANCHORS[cpp_class[1]]


def docstring(*paragraphs: str) -> str:
    """Indented for a class. A single paragraph stands on one line with its quotes."""
    texts = [
        inspect.cleandoc(text.replace("\\", r"\\").replace('"""', "'''")) for text in paragraphs
    ]
    lines = ('"""' + "\n\n".join(filter(None, texts))).split("\n")
    end = ['"""'] if len(lines) > 1 else []
    if not end:
        lines[0] += '"""'
    return "".join(f"    {line}".rstrip() + "\n" for line in lines + end)


def enum_class(name: str, summary: str, values: list[str]) -> str:
    members = "".join(f'    {re.sub("[-.]", "_", value.upper())} = "{value}"\n' for value in values)
    return f"\n\nclass {name}(enum.StrEnum):\n{docstring(summary)}\n{members}"


def field_hint(option: dict, enumerations: Enumerations) -> str:
    kind = python_type(option, enumerations)
    return f"{kind} | str | None" if kind in enumerations.used else f"{kind} | None"


def options_class(record: dict, options: list[dict], enumerations: Enumerations) -> str:
    fields = "".join(
        f"    {o['argument'].replace('-', '_')}: {field_hint(o, enumerations)}\n" for o in options
    )
    name = record["!name"].removesuffix("Pass")
    text = docstring(f"Options of {name} by name, as functions take them.")
    return f"\n\nclass {name}Options(TypedDict, total=False):\n{text}\n{fields}"


def pass_class(record: dict, options: list[dict], enumerations: Enumerations) -> str:
    fields, entries = "", []
    for option in options:
        kind = python_type(option, enumerations)
        name = option["argument"].replace("-", "_")
        hint = field_hint(option, enumerations)
        fields += f'    {name}: {hint} = option("{option["argument"]}", {kind})\n'
        entries.append(f"    {name}: {option['description']}")
    listing = "\n".join(["Options, each `None` where not given:\n", *entries]) if entries else ""
    return (
        "\n\n@dataclass(frozen=True, kw_only=True, repr=False)\n"
        f"class {record['!name'].removesuffix('Pass')}(Pass):\n"
        f"{docstring(record['summary'], record['description'], listing)}\n"
        f'    argument: ClassVar[str] = "{record["argument"]}"\n'
        f'    anchor: ClassVar[str] = "{pass_anchor(record)}"\n'
        f"{fields}"
    )


def generate(passes: dict, enumerations: Enumerations) -> str:
    records = sorted(
        (passes[name] for name in passes["!instanceof"]["QDQ_Pass"]), key=lambda r: r["argument"]
    )
    classes = [
        pass_class(record, [passes[o["def"]] for o in record["options"]], enumerations)
        for record in records
    ]
    classes += [
        options_class(record, [passes[o["def"]] for o in record["options"]], enumerations)
        for record in records
        if record["argument"] in OPTIONS_OF
    ]
    enums = [enum_class(name, *info) for name, info in enumerations.used.items()]
    names = [*enumerations.used, *(r["!name"].removesuffix("Pass") for r in records)]
    exports = "".join(f'    "{name}",\n' for name in names)
    return f"{HEADER}\n__all__ = [\n{exports}]\n" + "".join(enums + classes)


if __name__ == "__main__":
    declarations, enums, output = map(Path, sys.argv[1:])
    output.write_text(
        generate(json.loads(declarations.read_text()), Enumerations(json.loads(enums.read_text())))
    )
