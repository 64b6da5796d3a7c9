# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operands by their MLIR types, integer storage, and the fields of the semantics."""

from __future__ import annotations

from dataclasses import dataclass

from mlir_qdq.reference.semantics import FIELD_VALUES

from .. import bits as bv
from .. import floats as fl
from .. import small_floats
from ..softfloat import Format
from ..terms import Term
from ..types import IEEE

#: Every field at its default.
DEFAULTS = {name: values[0] for name, values in FIELD_VALUES.items()}


@dataclass(frozen=True)
class Operand:
    bits: Term
    type: str

    @property
    def is_integer(self) -> bool:
        return self.type.startswith(("i", "si", "ui"))

    @property
    def is_signed(self) -> bool:
        return not self.type.startswith("ui")

    def cast(self, f: Format) -> Term:
        """The value in a float type, with one rounding to nearest even."""
        if self.is_integer:
            return fl.from_integer(self.bits, f, self.is_signed)
        if self.type in IEEE:
            return fl.convert(fl.to_float(self.bits, IEEE[self.type]), f)
        return small_floats.decode(self.bits, self.type, f)

    def exact(self, width: int) -> Term:
        """An integer in more bits than it needs."""
        return bv.resize(self.bits, width, self.is_signed)


@dataclass(frozen=True)
class Storage:
    """Integer storage with its bounds, narrowed or not."""

    width: int
    is_signed: bool
    low: int
    high: int

    @staticmethod
    def of(type: str, clamp: tuple[int, int] | None = None) -> Storage:
        width, is_signed = int(type.lstrip("siu")), not type.startswith("ui")
        low = -(1 << (width - 1)) if is_signed else 0
        bounds = clamp or (low, low + (1 << width) - 1)
        return Storage(width, is_signed, *bounds)

    @property
    def type_bounds(self) -> tuple[int, int]:
        low = -(1 << (self.width - 1)) if self.is_signed else 0
        return low, low + (1 << self.width) - 1
