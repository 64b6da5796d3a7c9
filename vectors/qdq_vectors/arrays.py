# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of whole arrays: quantize, dequantize, parameters, requantize, blocks and packed weights, from manifests."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from .case import Case, Difference
from .clauses import cite
from .formats import STORAGE, TYPES
from .runs import DATA

#: Of an entry of a manifest what is no choice.
_NAMES = ("name", "operation", "operands", "results", "clauses")
OPERANDS = ("x", "scale", "zero_point", "tensor_scale", "acc", "sa", "sb", "sy", "words")
#: What each operation gives, in the order of a tuple.
RESULTS = {
    "quantize": ("result",),
    "dequantize": ("result",),
    "choose_params": ("scale", "zero_point"),
    "dynamic_quantize": ("codes", "scale", "zero_point"),
    "requantize": ("result",),
    "block_quantize": ("codes", "scale"),
    "block_dequantize": ("result",),
    "unpack": ("result",),
}


@dataclass(frozen=True)
class Operand:
    """`type` as MLIR spells it. `array` has values; floats that NumPy lacks are bits in unsigned integers."""

    type: str
    array: np.ndarray


@dataclass(frozen=True)
class ArrayCase(Case):
    """One operation on given operands. `choices` are its rules: those of `semantics`, and what the operation has
    besides (axis, block_shape, clamp, storage, mode, ...)."""

    topic: str
    name: str
    operation: str
    operands: dict[str, Operand]
    results: dict[str, Operand]
    choices: dict
    clauses: tuple[str, ...]

    def __getattr__(self, name: str) -> Operand | None:
        """An operand or a result by its name; None where the case has none."""
        if name in OPERANDS or any(name in names for names in RESULTS.values()):
            return self.operands.get(name) or self.results.get(name)
        raise AttributeError(name)

    def difference(self, convert) -> Difference | None:
        """`convert` takes the case, and returns the array of its result, or a tuple or dict of them."""
        returned = convert(self)
        if not isinstance(returned, dict):
            arrays = returned if isinstance(returned, tuple) else (returned,)
            if len(arrays) != len(self.results):
                raise ValueError(
                    f"{self.where}: {len(arrays)} results, expected {', '.join(self.results)}"
                )
            returned = dict(zip(self.results, arrays))
        for name, expected in self.results.items():
            found = self._compare(name, expected, np.asarray(returned[name]))
            if found:
                return found
        return None

    @property
    def where(self) -> str:
        return f"{self.topic}/{self.name}"

    def _compare(self, name: str, expected: Operand, array: np.ndarray) -> Difference | None:
        wanted = expected.array
        if array.shape != wanted.shape:
            raise ValueError(
                f"{self.where}: {name} of shape {array.shape}, expected {wanted.shape}"
            )
        given = bits_of(array, expected.type)
        wrong = np.flatnonzero((given != bits_of(wanted, expected.type)).reshape(-1))
        if not wrong.size:
            return None

        def shown(index: int) -> str:
            at = np.unravel_index(index, wanted.shape)
            lines = [
                f"  {word} = {spelled(value, element)}"
                for word, value, element in self._at(name, at)
            ]
            lines.append(
                f"  {name}{list(map(int, at))} is {spelled(given[at], expected.type, True)},"
                f" expected {spelled(wanted[at], expected.type)}"
            )
            rules = ", ".join(f"{k} = {v}" for k, v in self.choices.items())
            return "\n".join([*lines, f"  {rules}", *(f"  {cite(c)}" for c in self.clauses)])

        shortest = min(wrong, key=lambda i: (len(shown(int(i))), i))
        return Difference(
            self.where, wanted.size, wrong.size, shown(int(wrong[0])), shown(int(shortest)),
            int(wrong[0]), int(shortest),
        )  # fmt: skip

    def _at(self, result: str, at) -> Iterator[tuple[str, object, str]]:
        """Of each operand what one element of a result depends on, as far as its shape says so."""
        shape = self.results[result].array.shape
        for name, operand in self.operands.items():
            array, here = operand.array, at
            if array.size == 1:
                yield name, array.reshape(()), operand.type
                continue
            block = self.choices.get("block_shape")
            axis = self.choices.get("axis")
            if array.ndim == len(here) and block and name in ("scale", "zero_point"):
                here = tuple(i // b if b else 0 for i, b in zip(here, block))
            elif array.ndim == 1 and len(shape) > 1 and axis is not None:
                here = (here[axis],)
            elif array.ndim == 2 and len(shape) == 1:
                here = (here[0],)  # the row of a group
            if len(here) <= array.ndim and all(i < n for i, n in zip(here, array.shape)):
                yield name, array[tuple(here)], operand.type


def bits_of(array: np.ndarray, element: str) -> np.ndarray:
    """Values of integers, bits of floats with one NaN; of what the vectors hold, or of what somebody returned."""
    type = TYPES.get(element)
    if not element.startswith("f") and element != "bf16":
        if array.dtype.kind not in "iu" and array.dtype.itemsize == 1:
            array = array.astype(np.int8 if element.startswith("i") else np.uint8)
        if array.dtype.kind not in "iu":
            raise ValueError(f"a result of dtype {array.dtype}, expected integers")
        return array.astype(np.int64)
    width = {"f64": 8}.get(element) or max(1, type.bits // 8)
    if array.dtype.itemsize != width or (array.dtype.kind in "iu" and width > 2):
        raise ValueError(f"a result of dtype {array.dtype}, expected {element}")
    bits = array.view(f"u{width}")
    if element in ("f32", "f16", "f64"):
        with np.errstate(invalid="ignore"):
            nan = np.isnan(bits.view(f"f{width}"))
    else:
        nan = _nan_table(element)[bits] if width == 1 else (bits & 0x7FFF) > 0x7F80
    return np.where(nan, np.array(-1).astype(bits.dtype), bits)


@lru_cache(maxsize=None)
def _nan_table(element: str) -> np.ndarray:
    type = STORAGE[element]
    return np.array([code < 1 << type.bits and type.is_nan(code) for code in range(256)])


def spelled(value, element: str, is_bits: bool = False) -> str:
    """The fewest digits that tell values apart."""
    array = np.asarray(value)
    if array.size > 1:
        return f"[{', '.join(spelled(v, element, is_bits) for v in array.reshape(-1))}]"
    one = array.reshape(())[()]
    type = TYPES.get(element)
    if type is None and element != "f64" or type and not type.is_float:
        return str(int(one))
    if element in ("f32", "f16", "f64"):
        if is_bits:
            one = (
                np.asarray(one)
                .astype(f"u{array.dtype.itemsize}")
                .view(f"f{array.dtype.itemsize}")[()]
            )
        return str(one).removesuffix(".0")
    code = int(one)
    if code >= 1 << type.bits:
        return "NaN" if type.bits == 8 else hex(code)
    return f"0x{code:02x} ({type.value(code):.9g})"


# --- files --------------------------------------------------------------------------------


def manifests() -> list[Path]:
    return sorted([*DATA.glob("corpus/**/*.json"), *DATA.glob("blocks/*.json")])


@lru_cache(maxsize=None)
def load(path: Path) -> tuple[ArrayCase, ...]:
    manifest = json.loads(path.read_text())
    cases = []
    for entry in manifest["cases"]:
        arrays = {
            name: Operand(value["type"], np.load(path.parent / value["file"]))
            for name, value in entry.items()
            if isinstance(value, dict) and "file" in value
        }
        results = RESULTS[entry["operation"]]
        choices = {k: v for k, v in entry.items() if k not in arrays and k not in _NAMES}
        choices |= choices.pop("semantics", {})
        cases.append(
            ArrayCase(
                path.stem, entry["name"], entry["operation"],
                {name: arrays[name] for name in arrays if name not in results},
                {name: arrays[name] for name in results if name in arrays},
                choices, tuple(entry.get("clauses", manifest.get("clauses", ()))),
            )
        )  # fmt: skip
    return tuple(cases)


def cases_of(operation: str):
    """The function that selects the cases of an operation."""

    def select(topic: str | None = None, **choices) -> Iterator[ArrayCase]:
        """`choices` are rules, or types of operands and results: x="f32", storage="i8"."""
        for path in manifests():
            if topic not in (None, path.stem):
                continue
            for case in load(path):
                if case.operation == operation and _matches(case, choices):
                    yield case

    return select


def _matches(case: ArrayCase, choices: dict) -> bool:
    types = {name: o.type for name, o in (case.operands | case.results).items()}
    storage = {"dequantize": "x", "block_dequantize": "x", "block_quantize": "codes"}
    types["storage"] = types.get(storage.get(case.operation, "result"))
    known = {"name": case.name} | types | case.choices
    return all(known.get(key) == value for key, value in choices.items())
