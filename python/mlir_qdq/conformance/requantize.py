# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of requantize: what a product of quantized tensors ends with."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from .. import reference
from ..reference.semantics import resolve
from .case import CaseOfSemantics, Operand, Unsupported, bounds_of, tensor_type

#: How the systems of a profile end a convolution of codes: docs/Semantics.md, "Profiles". All others: `qdq`.
RESCALE_OF = {
    "onnx": "f64", "ort": "f32", "xnnpack": "f32", "tflite": "fixed31-double", "onednn": "separate",
}  # fmt: skip
#: Fields in which ONNX's QLinearConv differs from its QuantizeLinear.
_FIELDS_OF: dict[str, dict[str, str]] = {"onnx": {"order": "add-then-round"}}


@dataclass(frozen=True)
class Requantize(CaseOfSemantics):
    """Codes of acc * sa * sb / sy. A row of `acc` has its own scale in `sb`; `sa`, `sy` and the zero point
    (None: there is none) have one element. `rescale` and `semantics` are those of docs/Semantics.md."""

    OPERATIONS = ("requantize",)
    OPERANDS = ("acc", "sa", "sb", "sy", "zero_point")
    RESULTS = ("result",)

    name: str
    operation: str
    acc: Operand
    sa: Operand
    sb: Operand
    sy: Operand
    result: Operand
    rescale: str
    zero_point: Operand | None = None
    semantics: dict = field(default_factory=dict)
    profile: str | None = None
    topic: str = ""

    @classmethod
    def of_entry(cls, entry: dict, topic: str) -> Requantize:
        """By an entry of a manifest, where each row of `acc` is a channel."""
        fields = {name: value for name, value in entry.items() if name not in ("axis", "storage")}
        return cls(**fields, topic=topic)

    @property
    def storage(self) -> str:
        return self.result.type

    @property
    def asked(self) -> tuple:
        return (self.storage,)

    def under(self, profile: str) -> Requantize:
        rescale = RESCALE_OF.get(profile, "qdq")
        if rescale.startswith("fixed31") and self.acc.type == "i64":
            rescale = "fixed15"  # TFLite's convolutions with activations of 16 bits
        case = replace(
            self, rescale=rescale, semantics=_FIELDS_OF.get(profile, {}), profile=profile
        )
        return replace(case, **case.with_results(case.stated()))

    def as_rescale(self, rescale: str) -> Requantize:
        """The same inputs, with another kind of product."""
        case = replace(self, rescale=rescale, semantics={}, profile=None)
        return replace(case, **case.with_results(case.stated()))

    def stated(self) -> tuple[np.ndarray, ...]:
        multipliers, shift = self._multipliers()
        z = self.zero_point.array if self.zero_point else None
        codes = reference.requantize(
            self.acc.array, multipliers, shift, z, rescale=self.rescale, storage=self.storage, axis=0,
            semantics=self.semantics, profile=self.profile,
        )  # fmt: skip
        return (codes,)

    @property
    def scales(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self.sa.array, self.sb.array, self.sy.array

    def _multipliers(self):
        """The arguments of the reference; the shift is None for floats, and for scales of the real number."""
        sa, sb, sy = self.scales
        if self.rescale == "qdq":
            with np.errstate(all="ignore"):
                return (sa * sb, sy), None
        if self.rescale.startswith("fixed"):
            return reference.fixed_multiplier(self.rescale, sa, sb, sy)
        return (sa, sb, sy), None

    def require(self, *, storages, most: int = 2**31) -> None:
        """Raises `Unsupported` unless it asks for codes of these storages, from magnitudes of at most `most`."""
        if self.storage not in storages:
            raise Unsupported(f"{self.acc.type} to {self.storage}")
        if not self.zero_point:
            raise Unsupported("no zero point")
        if int(abs(self.acc.array.astype(np.int64)).max(initial=0)) > most:
            raise Unsupported(f"accumulators beyond 2^{most.bit_length() - 1}")

    @property
    def fields(self) -> dict[str, str]:
        """Every field of the semantics. Of these scales every rule for `compute` makes f32."""
        fields, _, _ = resolve(self.semantics, self.profile)
        return vars(fields) | {"compute": "f32"}

    @property
    def types(self) -> str:
        return f"{self.acc.type} to {self.storage}"

    @property
    def stated_as(self) -> str:
        words = [f"{name} = {value}" for name, value in self.semantics.items()]
        return ", ".join([f"rescale = {self.rescale}", *words])

    @cached_property
    def _op(self) -> tuple[dict[str, Operand], int | None]:
        """Multipliers m0, m1, ..., shift t and fraction g of the op, and its limit."""
        if self.rescale == "exact":
            return self._exact_multipliers()
        multipliers, shift = self._multipliers()
        if shift is not None:
            return {"m0": Operand("i32", multipliers), "t": Operand("i32", shift)}, None
        return {f"m{index}": Operand("f32", m) for index, m in enumerate(multipliers)}, None

    def _exact_multipliers(self):
        from .._mlir_libs._qdq import evaluator

        sa, sb, sy = self.scales
        magnitude = int(abs(self.acc.array.astype(object)).max(initial=1))
        fields, reach = self.fields, None
        if fields["overflow"] == "saturate":
            z = int(self.zero_point.array) if self.zero_point else 0
            reach = max(abs(bound - z) for bound in bounds_of(self.storage))
        channels = [(float(sa), float(b), float(sy)) for b in sb]
        m, t, g, limit = evaluator.exact_multipliers(
            channels, magnitude, reach, fields["rounding"], fields["order"]
        )
        operands = {"m0": Operand("i64", np.array(m)), "t": Operand("i32", np.array(t, np.int32))}
        if g:
            operands["g"] = Operand("i32", np.array(g, np.int32))
        return operands, limit

    @property
    def op_operands(self) -> dict[str, Operand]:
        zero_point = {"z": self.zero_point} if self.zero_point else {}
        return {"acc": self.acc, **self._op[0], **zero_point}

    @property
    def limit(self) -> int | None:
        """The op's."""
        return self._op[1]

    def text(self, name: str) -> str:
        operands = self.op_operands
        words = f"qdq.requantize %acc rescale <{self.rescale}> multiplier "
        words += ", ".join(f"%{name}" for name in operands if name.startswith("m"))
        for operand, word in (("t", "shift"), ("g", "fraction"), ("z", "zero_point")):
            words += f" {word} %{operand}" if operand in operands else ""
        words += " axis 0" + ("" if self.limit is None else f" limit {self.limit}")
        if self.semantics:
            words += f" semantics <{', '.join(f'{k} = {v}' for k, v in self.semantics.items())}>"
        types, result = [tensor_type(o) for o in operands.values()], tensor_type(self.result)
        arguments = ", ".join(f"%{n}: {t}" for n, t in zip(operands, types))
        return (
            f"func.func @{name}({arguments}) -> {result} {{\n"
            f"  %r = {words} : ({', '.join(types)}) -> {result}\n  return %r : {result}\n}}\n"
        )

    def single(self, result: str, at: tuple[int, ...]) -> Requantize:
        row, column = at

        def pick(operand: Operand) -> Operand:
            return Operand(operand.type, operand.array[row : row + 1, column : column + 1])

        sb = Operand(self.sb.type, self.sb.array[row : row + 1])
        return replace(self, acc=pick(self.acc), result=pick(self.result), sb=sb)

    @property
    def kind(self) -> str:
        acc = int(self.acc.array.reshape(()))
        sa, sb, sy = (float(s.reshape(())) for s in self.scales)
        real = acc * Fraction(sa) * Fraction(sb) / Fraction(sy)
        z = int(self.zero_point.array) if self.zero_point else 0
        low, high = bounds_of(self.storage)
        if not low - 1 <= real + z <= high + 1:
            return "beyond the codes"
        if (2 * real).denominator == 1 and real.denominator == 2:
            return "tie"
        return "accumulator beyond 2^24" if abs(acc) > 2**24 else "rounding"
