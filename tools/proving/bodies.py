# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The emitters: what `convert-qdq-to-arith` makes of a scalar op, against the statement, for all operands.

A table has the choices of one operation; `covering` draws rows of it. The full product has 10^8 rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mlir import ir
from mlir.passmanager import PassManager

import mlir_qdq
from mlir_qdq.reference.semantics import FIELD_VALUES

from . import bits as bv
from . import dialects, statements
from . import floats as fl
from .claims import Claim
from .covering import Choice, covering
from .fused import narrow_fmas
from .interpreter import Machine
from .obligations import Part
from .statements.operands import DEFAULTS, Operand, Storage
from .terms import Term, symbol
from .types import width_of
from .values import Element

assert dialects  # fills the interpreter's table

#: Stochastic rounding draws; tools/verify enumerates it.
ROUNDINGS = tuple(r for r in FIELD_VALUES["rounding"] if r != "stochastic")
REALS = ("f32", "f16", "bf16", "f64")
INTEGERS = ("i8", "ui8", "i4", "ui4", "i16", "ui16", "i32", "ui32", "i2", "ui3", "si8")
SMALL_FLOATS = (
    "f8E4M3FN", "f8E4M3FNUZ", "f8E5M2", "f8E5M2FNUZ", "f8E4M3", "f8E3M4", "f6E2M3FN", "f6E3M2FN", "f4E2M1FN",
)  # fmt: skip
SCALES = (*REALS, "f8E8M0FNU", "f8E4M3FN", "f8E5M2")
#: (type, domain)
ZERO_POINTS = (
    (None, "stored"),
    *((type, "stored") for type in ("i8", "ui8", "i32", "ui32", "ui16", "i4", *REALS)),
    *((type, "expressed") for type in REALS),
)


@dataclass(frozen=True)
class Body:
    """One op with all choices made."""

    operation: str
    choice: tuple[tuple[str, object], ...]

    @property
    def group(self) -> str:
        return "bodies"

    @property
    def name(self) -> str:
        words = (
            f"{key}={' '.join(map(str, value)) if isinstance(value, tuple) else value}"
            for key, value in self.choice
            if value not in (None, False, (None, "stored")) and DEFAULTS.get(key) != value
        )
        return f"{self.operation} {' '.join(words)}"

    def operands(self) -> list[tuple[str, str, str]]:
        """(word of the op's syntax, name, type)."""
        choice = dict(self.choice)
        if self.operation == "requantize":
            return _requantize_operands(choice)
        found = [("", "x", choice["x"]), ("scale", "s", choice["s"])]
        if choice["z"][0]:
            found.append(("zero_point", "z", choice["z"][0]))
        return found

    def program(self) -> str:
        """A function @f of the operands."""
        choice, operands = dict(self.choice), self.operands()
        text = f"qdq.{self.operation} %{operands[0][1]}"
        if self.operation == "requantize":
            text += f" rescale <{choice['kind'][0]}>"
        last = None
        for word, name, _ in operands[1:]:
            text += f", %{name}" if word == last else f" {word} %{name}"
            last = word
        if choice["z"][0] and choice["z"][1] == "expressed":
            text += " in <expressed>"
        if choice.get("limit"):
            text += f" limit {choice['limit']}"
        if clamp := clamp_of(choice):
            text += f" clamp [{clamp[0]}, {clamp[1]}]"
        fields = ", ".join(f"{name} = {value}" for name, value in semantics_of(choice).items())
        parameters = ", ".join(f"%{name}: {type}" for _, name, type in operands)
        types = ", ".join(type for _, _, type in operands)
        result = choice["to"]
        return (
            f"func.func @f({parameters}) -> {result} {{\n"
            f"  %r = {text} semantics <{fields}> : ({types}) -> {result}\n"
            f"  return %r : {result}\n}}\n"
        )

    def statement(self, operands: Sequence[Operand]) -> tuple[Term, Term]:
        """The result as docs/Semantics.md has it, and where it is defined."""
        choice = dict(self.choice)
        semantics = semantics_of(choice)
        if self.operation == "requantize":
            words: dict[str, list[Operand]] = {}
            for (word, _, _), operand in zip(self.operands(), operands):
                words.setdefault(word, []).append(operand)
            shift, fraction, z = (
                words.get(word, [None])[0] for word in ("shift", "fraction", "zero_point")
            )
            return statements.requantize(
                words[""][0], words["multiplier"], shift, fraction, z, choice["kind"][0], choice["to"], semantics,
                choice["limit"], clamp_of(choice),
            )  # fmt: skip
        x, s, z = (*operands, None)[:3]
        domain = choice["z"][1]
        if self.operation == "quantize":
            return statements.quantize(x, s, z, choice["to"], semantics, clamp_of(choice), domain)
        real = statements.dequantize(x, s, z, choice["to"], semantics, domain)
        return fl.to_bits(real), bv.true()

    def parts(self) -> Iterator[Part]:
        yield Part(self.group, self.name, self.claim)

    def claim(self, passes: str = "convert-qdq-to-arith") -> tuple[Claim, str]:
        """The claim, and its module."""
        with ir.Context() as context:
            mlir_qdq.register(context)
            module = ir.Module.parse(self.program())
            PassManager.parse(f"builtin.module({passes})").run(module.operation)
            machine = Machine(module)
            operands = [
                Operand(symbol(f"%{name}", width_of(ir.Type.parse(type))), type)
                for _, name, type in self.operands()
            ]
            (result,) = machine.call("f", [Element.of(operand.bits) for operand in operands])
            code, defined = self.statement(operands)
            claim = Claim(defined)
            claim.defined_behaviour(machine.undefined)
            claim.equal("result", Element.of(code), result, dict(self.choice)["to"])
            claim.choose(narrow_fmas([code, defined]))
            return claim, str(module)


def semantics_of(choice: Choice) -> dict[str, str]:
    """Every field."""
    return {name: str(choice.get(name, DEFAULTS[name])) for name in FIELD_VALUES}


def clamp_of(choice: Choice) -> tuple[int, int] | None:
    """A range that is narrowed on both sides."""
    if not choice.get("clamp"):
        return None
    storage = Storage.of(choice["to"])
    return storage.low + 1, storage.high - 1


def _requantize_operands(choice: Choice) -> list[tuple[str, str, str]]:
    kind, multipliers = choice["kind"]
    found = [("", "acc", choice["acc"])]
    found += [("multiplier", f"m{i}", choice["m"]) for i in range(multipliers)]
    if kind in _FIXED:
        found.append(("shift", "t", choice["t"]))
        if choice["fraction"]:
            found.append(("fraction", "g", choice["t"]))
    if choice["z"][0]:
        found.append(("zero_point", "z", choice["z"][0]))
    return found


# --- tables ------------------------------------------------------------------------------

_FIXED = ("exact", "fixed31-double", "fixed31-single", "fixed15")


def _fields(*names: str) -> dict[str, Sequence]:
    return {name: ROUNDINGS if name == "rounding" else FIELD_VALUES[name] for name in names}


_CODES = _fields("rounding", "order", "overflow", "nan", "fusion")
_STORED = tuple(z for z in ZERO_POINTS if z[1] == "stored" and z[0] not in ("f64", "i4"))
_ACCUMULATORS = ("i32", "i64", "i16", "ui8", "ui32")
_SUMS = ("i8", "ui8", "i4", "i16", "i32", "ui32")

#: (operation, its choices)
TABLES: tuple[tuple[str, Mapping[str, Sequence]], ...] = (
    ("quantize", {
        "x": (*REALS, "i8", "i32", "ui32"), "s": SCALES, "z": ZERO_POINTS, "to": INTEGERS, "clamp": (False, True),
        **_CODES, **_fields("division", "compute"),
    }),
    ("quantize", {
        "x": (*REALS, "i8", "i32"), "s": SCALES, "z": ZERO_POINTS, "to": (*SMALL_FLOATS, "f16", "bf16"),
        **_fields("rounding", "division", "compute", "fusion", "float_overflow"),
    }),
    ("dequantize", {
        "x": (*INTEGERS, *SMALL_FLOATS, "f8E8M0FNU", "f16", "bf16"), "s": SCALES, "z": ZERO_POINTS, "to": REALS,
        **_fields("compute", "subtract", "fusion"),
    }),
    ("dequantize", {
        "x": ("i64", "i32"), "s": SCALES, "z": ((None, "stored"),), "to": REALS, **_fields("compute"),
    }),
    ("requantize", {
        "kind": (("qdq", 2), ("f32", 1), ("f32", 3), ("f64", 1), ("f64", 3), ("separate", 3)), "acc": _ACCUMULATORS,
        "m": ("f32", "f16", "bf16", "f8E4M3FN"), "limit": (None,), "z": _STORED, "to": _SUMS, "clamp": (False, True),
        **_CODES,
    }),
    ("requantize", {
        "kind": (("qdq", 2),), "acc": _ACCUMULATORS, "m": ("f32", "f64", "f16"), "limit": (None,), "z": ZERO_POINTS[:-4],
        "to": _SUMS, "clamp": (False, True), **_CODES, **_fields("division", "compute"),
    }),
    ("requantize", {
        "kind": (("f64", 1), ("f64", 3)), "acc": _ACCUMULATORS, "m": ("f64",), "limit": (None,), "z": _STORED,
        "to": _SUMS, "clamp": (False, True), **_CODES,
    }),
    ("requantize", {
        "kind": tuple((kind, 1) for kind in _FIXED), "acc": _ACCUMULATORS, "m": ("i32", "i64", "i8", "i16"),
        "t": ("i8", "ui8", "i32"), "fraction": (False,), "limit": (None, 1000, 1 << 40),
        "z": tuple(z for z in _STORED if z[0] is None or "f" not in z[0]), "to": _SUMS, "clamp": (False, True),
        **_fields("overflow"),
    }),
    ("requantize", {
        "kind": (("exact", 1),), "acc": _ACCUMULATORS, "m": ("i32", "i64", "i8", "i16"), "t": ("i8", "ui8", "i32"),
        "fraction": (False, True), "limit": (None, 1000, 1 << 40),
        "z": tuple(z for z in _STORED if z[0] is None or "f" not in z[0]), "to": _SUMS, "clamp": (False, True),
        **_fields("rounding", "order", "overflow"),
    }),
)  # fmt: skip


def obligations(everything: bool) -> Iterator[Body]:
    """Every two choices of a table meet, or every three."""
    for operation, fields in TABLES:
        for choice in covering(fields, 3 if everything else 2):
            yield Body(operation, tuple(choice.items()))
