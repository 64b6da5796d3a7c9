# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The common part of every case: named operands, named results, and the bits that are compared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import ml_dtypes
import numpy as np

from ..reference.semantics import FIELD_VALUES
from ..reference.types import EXPRESSED, expressed_type, storage_type


class Unsupported(Exception):
    """A request that an implementation does not offer: a type, a granularity, a choice of semantics."""


@dataclass(frozen=True)
class Operand:
    type: str
    array: np.ndarray


class Case:
    """One operation on given operands, with the results that are expected of it.

    A kind of case is a frozen dataclass with the fields `name`, `operation`, `topic` and `profile`, and those
    that `OPERANDS` and `RESULTS` name: each an `Operand`, or None where the case has none."""

    OPERATIONS: ClassVar[tuple[str, ...]]
    OPERANDS: ClassVar[tuple[str, ...]]
    RESULTS: ClassVar[tuple[str, ...]]

    @property
    def named_operands(self) -> dict[str, Operand]:
        return {name: value for name in self.OPERANDS if (value := getattr(self, name))}

    @property
    def results(self) -> dict[str, Operand]:
        return {name: value for name in self.RESULTS if (value := getattr(self, name))}

    @property
    def operands(self) -> list[Operand]:
        return list(self.named_operands.values())

    @property
    def arguments(self) -> list[np.ndarray]:
        return [operand.array for operand in self.operands]

    @property
    def op_operands(self) -> dict[str, Operand]:
        """The arguments of the function of `text`."""
        return self.named_operands

    # Defined by each kind of case.

    @property
    def asked(self) -> tuple:
        """The choices beside the operands, except those of a profile."""
        raise NotImplementedError

    @property
    def types(self) -> str:
        """From what to what, in a few words."""
        raise NotImplementedError

    @property
    def stated_as(self) -> str:
        """The choices that are asked for, in the words of docs/Semantics.md."""
        raise NotImplementedError

    def stated(self) -> tuple[np.ndarray, ...]:
        """The results by the NumPy reference."""
        raise NotImplementedError

    def under(self, profile: str) -> Case:
        """The same inputs as a system with that profile takes them, with results by the NumPy reference."""
        raise NotImplementedError

    def text(self, name: str) -> str:
        """A function of `op_operands` that returns `results`, in our dialect."""
        raise NotImplementedError

    def given(self) -> dict[str, np.ndarray]:
        """Of each result the elements that are defined."""
        return {name: np.full(o.array.shape, True) for name, o in self.results.items()}

    def compared(self) -> dict[str, np.ndarray]:
        """Those that count: all that are given, unless a profile promises less."""
        return self.given()

    def single(self, result: str, at: tuple[int, ...]) -> Case:
        """As little as that element of a result depends on."""
        raise NotImplementedError

    def causes(self, different: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Of elements that differ those that do not follow from others."""
        return different

    def shorter(self) -> Iterator[Case]:
        """Of a single case: those with one input less."""
        return iter(())

    @property
    def kind(self) -> str:
        """Of a single case: what is special about its inputs."""
        raise NotImplementedError

    # Shared by all kinds.

    def with_results(self, arrays) -> dict[str, Operand]:
        """Fields for `dataclasses.replace`: the results, with other arrays."""
        pairs = zip(self.results.items(), arrays, strict=True)
        return {name: Operand(operand.type, array) for (name, operand), array in pairs}

    def different(self, actual) -> dict[str, np.ndarray]:
        """Of each result the elements whose bits are not the expected ones. `actual` is an array, or a tuple
        of as many as there are results. Any NaN is a NaN."""
        arrays = actual if isinstance(actual, tuple) else (actual,)
        if len(arrays) != len(self.results):
            raise ValueError(
                f"{self.where}: {len(arrays)} results, expected {', '.join(self.results)}"
            )
        pairs = zip(self.results.items(), arrays)
        return {
            name: _different(np.asarray(array), operand, f"{self.where}: the {spaced(name)}")
            for (name, operand), array in pairs
        }

    @property
    def where(self) -> str:
        return f"{self.topic}/{self.name}"

    @property
    def length(self) -> int:
        """Of what must be written down to repeat it."""
        return sum(len(text) for text in self.spelled().values())

    def spelled(self) -> dict[str, str]:
        """Each operand of a single case."""
        return {name: spelled(o.array, o.type) for name, o in self.named_operands.items()}


class CaseOfSemantics(Case):
    """One that names fields of the semantics, in a field `semantics`."""

    semantics: dict

    def __post_init__(self):
        if unknown := set(self.semantics) - set(FIELD_VALUES):
            raise ValueError(f"{self.where}: unknown fields {', '.join(sorted(unknown))}")


def _different(actual: np.ndarray, expected: Operand, what: str) -> np.ndarray:
    wanted = expected.array
    if actual.dtype != wanted.dtype or actual.shape != wanted.shape:
        raise ValueError(
            f"{what} has dtype {actual.dtype} and shape {actual.shape}, expected {wanted.dtype} and {wanted.shape}"
        )
    if not is_float(expected.type):
        return np.asarray(actual != wanted)
    different = bits_of(actual) != bits_of(wanted)
    with np.errstate(all="ignore"):
        different &= ~(np.isnan(actual.astype(np.float64)) & np.isnan(wanted.astype(np.float64)))
    return np.asarray(different)


# --- types ------------------------------------------------------------------------------


def dtype_of(element: str) -> np.dtype:
    """Of any element type of an operand."""
    if element == "f8E8M0FNU":
        return np.dtype(ml_dtypes.float8_e8m0fnu)
    if element == "i64":
        return np.dtype(np.int64)
    return expressed_type(element).dtype if element in EXPRESSED else storage_type(element).dtype


def is_float(element: str) -> bool:
    return not element.startswith(("i", "si", "ui"))


def tensor_type(operand: Operand) -> str:
    return f"tensor<{''.join(f'{size}x' for size in operand.array.shape)}{operand.type}>"


def bits_of(array: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}").reshape(array.shape)


def bounds_of(storage: str) -> tuple[int, int]:
    """Lowest and highest code of integers."""
    bits = int(storage.lstrip("sui"))
    low = 0 if storage.startswith("u") else -(2 ** (bits - 1))
    return low, low + 2**bits - 1


# --- words ------------------------------------------------------------------------------


def spaced(name: str) -> str:
    return name.replace("_", " ")


def spelled(array: np.ndarray, element: str) -> str:
    """The fewest digits that tell a value apart in f32 and f64, exact in narrower types; [...] of several."""
    if array.size != 1:
        return f"[{', '.join(spelled(value, element) for value in array.reshape(-1))}]"
    value = array.reshape(())[()]
    if not is_float(element):
        return str(int(value))
    if element == "f8E8M0FNU" and not np.isnan(value):
        return f"2^{int(np.log2(float(value)))}"
    text = str(value) if element in ("f32", "f64") else repr(float(value))
    return text.removesuffix(".0").replace("e+", "e")
