# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the vectors of test/conformance, and runs our three statements on them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import ml_dtypes
import numpy as np
from kernels import dtype_of
from mlir.ir import Attribute, Context, Type

import mlir_qdq
from mlir_qdq import reference
from mlir_qdq._mlir_libs._qdq import evaluator
from mlir_qdq.reference.semantics import (
    dequantize_compute_type,
    quantize_compute_type,
    resolve,
)
from mlir_qdq.reference.types import expressed_or_none

VECTORS = Path(__file__).resolve().parents[1] / "conformance"


@dataclass(frozen=True)
class Operand:
    type: str
    array: np.ndarray


@dataclass(frozen=True)
class Case:
    """One entry of a manifest: test/conformance/README.md names the fields."""

    name: str
    operation: str
    x: Operand
    scale: Operand
    result: Operand
    zero_point: Operand | None = None
    axis: int | None = None
    block_shape: tuple[int, ...] | None = None
    clamp: tuple[int, int] | None = None
    domain: str = "stored"
    semantics: dict = field(default_factory=dict)
    profile: str | None = None
    agrees: str = "everywhere"
    how: str = ""

    @property
    def storage(self) -> str:
        return self.result.type if self.operation == "quantize" else self.x.type

    def text(self, name: str) -> str:
        """A function (x, scale[, zero point]) -> result."""
        types = [tensor_type(operand) for operand in self.operands]
        words = f"qdq.{self.operation} %a0 scale %a1"
        if self.zero_point:
            words += " zero_point %a2" + " in <expressed>" * (self.domain == "expressed")
        if self.axis is not None:
            words += f" axis {self.axis}"
        if self.block_shape is not None:
            words += f" block_shape {list(self.block_shape)}"
        if self.clamp is not None:
            words += f" clamp {list(self.clamp)}"
        if self.semantics:
            words += f" semantics <{', '.join(f'{k} = {v}' for k, v in self.semantics.items())}>"
        result = tensor_type(self.result)
        arguments = ", ".join(f"%a{i}: {t}" for i, t in enumerate(types))
        return (
            f"func.func @{name}({arguments}) -> {result} {{\n"
            f"  %r = {words} : ({', '.join(types)}) -> {result}\n  return %r : {result}\n}}\n"
        )

    @property
    def operands(self) -> list[Operand]:
        return [self.x, self.scale, *([self.zero_point] if self.zero_point else [])]

    @property
    def arguments(self) -> list[np.ndarray]:
        return [operand.array for operand in self.operands]

    def by_reference(self) -> np.ndarray:
        z = self.zero_point.array if self.zero_point else None
        common = dict(
            storage=self.storage, axis=self.axis, block_shape=self.block_shape, semantics=self.semantics,
            zero_point_domain=self.domain, profile=self.profile,
        )  # fmt: skip
        if self.operation == "dequantize":
            return reference.dequantize(
                self.x.array, self.scale.array, z, expressed=self.result.type, **common
            )
        return reference.quantize(self.x.array, self.scale.array, z, clamp=self.clamp, **common)

    def by_evaluator(self) -> np.ndarray:
        """One call for each parameter, on the elements that it belongs to. The evaluator takes fields, not
        profiles: they come from the table of the reference."""
        x, scale = self.x.array, self.scale.array
        owner = self._parameter_of_each_element()
        result = np.zeros(x.shape, self.result.array.dtype)
        semantics, types = self._evaluator_types()
        for index in range(scale.size):
            mine = owner == index
            parameters = [
                _bytes(np.ravel(operand.array)[index])
                for operand in (self.scale, self.zero_point)
                if operand
            ]
            parameters += [np.empty(0, np.uint8)] * (2 - len(parameters))
            part = np.zeros(int(mine.sum()), result.dtype)
            operands = [semantics, *types, _bytes(x[mine]), *parameters, _bytes(part)]
            if self.operation == "quantize":
                defined = np.zeros(part.size, np.uint8)
                evaluator.quantize(
                    *operands, defined, clamp=self.clamp, is_expressed=self.domain == "expressed"
                )
            else:
                evaluator.dequantize(*operands, is_expressed=self.domain == "expressed")
            result[mine] = part
        return result

    def _evaluator_types(self):
        fields, to_codes, to_reals = resolve(self.semantics, self.profile)
        scale_type = expressed_or_none(self.scale.array.dtype)
        if self.operation == "quantize":
            compute = quantize_compute_type(
                to_codes, expressed_or_none(self.x.array.dtype), scale_type
            )
            value = self.x.type
        else:
            compute = dequantize_compute_type(
                to_reals, scale_type, expressed_or_none(self.result.array.dtype)
            )
            value = self.result.type
        stated = {name: choice for name, choice in vars(fields).items()} | {"compute": compute.name}
        with _context():
            semantics = Attribute.parse(
                f"#qdq.semantics<{', '.join(f'{k} = {v}' for k, v in stated.items())}>"
            )
            types = [Type.parse(name) for name in (self.storage, value, self.scale.type)]
            types.append(Type.parse(self.zero_point.type) if self.zero_point else None)
        return semantics, types

    def _parameter_of_each_element(self) -> np.ndarray:
        """Linear index into the scale, in the shape of x."""
        shape = self.x.array.shape
        if self.axis is None and self.block_shape is None:
            return np.zeros(shape, int)
        blocks = self.block_shape or [
            1 if d == self.axis % len(shape) else 0 for d in range(len(shape))
        ]
        index = np.indices(shape)
        coordinates = [i // b if b else i * 0 for i, b in zip(index, blocks)]
        counts = [-(-d // b) if b else 1 for d, b in zip(shape, blocks)]
        return np.ravel_multi_index(coordinates, counts)


@cache
def _context() -> Context:
    context = Context()
    mlir_qdq.register(context)
    return context


def _bytes(values: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(values).reshape(-1).view(np.uint8)


def tensor_type(operand: Operand) -> str:
    return f"tensor<{''.join(f'{size}x' for size in operand.array.shape)}{operand.type}>"


def read(manifest: str) -> list[dict]:
    """The entries of one JSON file, by its path below test/conformance; files become operands."""
    path = VECTORS / manifest
    entries = json.loads(path.read_text())["cases"]
    for entry in entries:
        for role in ("x", "scale", "zero_point", "result"):
            if role in entry:
                element, file = entry[role]["type"], entry[role]["file"]
                entry[role] = Operand(element, _typed(np.load(path.parent / file), element))
    return entries


def load(manifest: str) -> list[Case]:
    """The conversions of one JSON file."""
    return [_case(entry) for entry in read(manifest)]


def _case(entry: dict) -> Case:
    for name in ("block_shape", "clamp"):
        if name in entry:
            entry[name] = tuple(entry[name])
    return Case(**entry)


def _typed(array: np.ndarray, element: str) -> np.ndarray:
    """From what the file holds: integers as their value, floats unknown to NumPy as their bits."""
    dtype = np.dtype(ml_dtypes.float8_e8m0fnu) if element == "f8E8M0FNU" else dtype_of(element)
    if array.dtype == dtype or array.dtype.kind == "i" or element.startswith(("i", "si", "ui")):
        return array.astype(dtype)
    return array.view(dtype)


def promised(case: Case) -> np.ndarray:
    """Where a profile promises the bits of its system: x / s finite in the compute type, and
    below 2^31 in magnitude. A dequantize has no such bound."""
    if case.operation == "dequantize" or case.agrees != "finite":
        return np.full(case.result.array.shape, case.agrees != "differs")
    # All scales are finite and positive: only float16 ends before 2^31.
    limit = 65504 if "f16" in (case.x.type, case.scale.type) else 2**31
    s = case.scale.array.astype(np.float64)
    if case.axis is not None:
        s = np.expand_dims(s, [d for d in range(case.x.array.ndim) if d != case.axis])
    with np.errstate(all="ignore"):
        return np.abs(case.x.array.astype(np.float64) / s) < limit


def assert_same(actual: np.ndarray, case: Case, who: str, where=None) -> None:
    """Bits, or both NaN, wherever `where` holds."""
    expected = case.result.array
    assert actual.dtype == expected.dtype and actual.shape == expected.shape, f"{case.name}: {who}"
    differs = actual != expected
    if actual.dtype.kind != "i" and actual.dtype.kind != "u" and "int" not in actual.dtype.name:
        bits = f"u{actual.dtype.itemsize}"
        differs = actual.view(bits) != expected.view(bits)
        with np.errstate(all="ignore"):
            differs &= ~(
                np.isnan(actual.astype(np.float64)) & np.isnan(expected.astype(np.float64))
            )
    if where is not None:
        differs &= where
    if not differs.any():
        return
    at = tuple(np.argwhere(differs)[0])
    row = at[case.axis] if case.axis is not None else ()
    parameters = (
        [a[row] for a in case.arguments[1:]] if case.block_shape is None else case.arguments[1:]
    )
    raise AssertionError(
        f"{case.profile or 'corpus'} {case.name}: {who} differs at {differs.sum()} of {differs.size}; first {at}: "
        f"x = {case.x.array[at]!r}, parameters {parameters!r}, got {actual[at]!r}, expected {expected[at]!r}"
    )
