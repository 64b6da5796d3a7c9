# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The vectors: what is converted, how, and to which bits. test/conformance/README.md is their format."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path

import ml_dtypes
import numpy as np

from .. import reference
from ..reference.semantics import (
    FIELD_VALUES,
    dequantize_compute_type,
    quantize_compute_type,
    resolve,
)
from ..reference.types import EXPRESSED, expressed_or_none, expressed_type, storage_type

#: `corpus` and `profiles`, which the build links here and a wheel holds.
VECTORS = Path(__file__).with_name("vectors")


class Unsupported(Exception):
    """What an implementation does not offer: a type, a granularity, a choice of semantics."""


def dtype_of(element: str) -> np.dtype:
    """Of any element type of a quantize or dequantize."""
    if element == "f8E8M0FNU":
        return np.dtype(ml_dtypes.float8_e8m0fnu)
    return expressed_type(element).dtype if element in EXPRESSED else storage_type(element).dtype


def is_float(element: str) -> bool:
    return not element.startswith(("i", "si", "ui"))


@dataclass(frozen=True)
class Operand:
    type: str
    array: np.ndarray


@dataclass(frozen=True)
class Case:
    """One quantize or dequantize. Scale and zero point have one element, one for each index of
    `axis`, or one for each block of `block_shape`, whose entries of 0 are whole dimensions."""

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
    topic: str = ""
    #: Where the result is given; None for everywhere.
    defined: np.ndarray | None = None

    @property
    def storage(self) -> str:
        return self.result.type if self.operation == "quantize" else self.x.type

    @property
    def real(self) -> str:
        """The type that is not the storage; an integer for a quantize of integers."""
        return self.x.type if self.operation == "quantize" else self.result.type

    @property
    def operands(self) -> list[Operand]:
        return [self.x, self.scale, *([self.zero_point] if self.zero_point else [])]

    @property
    def arguments(self) -> list[np.ndarray]:
        return [operand.array for operand in self.operands]

    @property
    def fields(self) -> dict[str, str]:
        """Every field of the semantics; `compute` is a type."""
        fields, to_codes, to_reals = resolve(self.semantics, self.profile)
        scale = expressed_or_none(self.scale.array.dtype)
        if self.operation == "quantize":
            compute = quantize_compute_type(to_codes, expressed_or_none(self.x.array.dtype), scale)
        else:
            compute = dequantize_compute_type(to_reals, scale, expressed_type(self.result.type))
        return vars(fields) | {"compute": compute.name}

    @property
    def matters(self) -> tuple[str, ...]:
        """The fields that have a part in this conversion."""
        fields, z = self.fields, self.zero_point and self.domain == "stored"
        if self.operation == "dequantize":
            names = ["compute"]
            if z or fields["subtract"] == "output":
                names.append("subtract")
            if self.zero_point and not z:
                names.append("fusion")
            return tuple(names)
        names = ["rounding", "division", "compute"]
        is_summed = bool(z)
        if is_float(self.storage):
            names.append("float_overflow")
        else:
            names += ["overflow", "nan"]
            if z and not is_float(self.zero_point.type):
                names.append("order")
                is_summed = fields["order"] == "add-then-round"
        if is_summed and fields["division"] == "reciprocal":
            names.append("fusion")
        return tuple(names)

    @property
    def owners(self) -> np.ndarray:
        """For each element of x the linear index of its scale."""
        shape = self.x.array.shape
        if self.axis is None and self.block_shape is None:
            return np.zeros(shape, int)
        blocks = self.block_shape or [
            1 if d == self.axis % len(shape) else 0 for d in range(len(shape))
        ]
        coordinates = [i // b if b else i * 0 for i, b in zip(np.indices(shape), blocks)]
        counts = [-(-d // b) if b else 1 for d, b in zip(shape, blocks)]
        return np.ravel_multi_index(coordinates, counts)

    def groups(self):
        """(where, case per tensor) for each scale: the elements of x that it belongs to, in a row."""
        owners = self.owners
        for index in range(self.scale.array.size):
            where = owners == index
            parameters = {
                role: Operand(operand.type, np.ravel(operand.array)[index].reshape(()))
                for role, operand in (("scale", self.scale), ("zero_point", self.zero_point))
                if operand
            }
            x = Operand(self.x.type, np.ascontiguousarray(self.x.array[where]))
            result = Operand(self.result.type, np.ascontiguousarray(self.result.array[where]))
            defined = None if self.defined is None else self.defined[where]
            yield (
                where,
                replace(
                    self, x=x, result=result, axis=None, block_shape=None, defined=defined, **parameters
                ),
            )  # fmt: skip

    def by_groups(self, convert) -> np.ndarray:
        """The result, put together from those of `convert` for each group."""
        result = np.zeros(self.x.array.shape, self.result.array.dtype)
        for where, group in self.groups():
            result[where] = convert(group)
        return result

    def under(self, profile: str) -> Case:
        """The same inputs as a system with that profile converts them, by the NumPy reference."""
        case = replace(self, semantics={}, profile=profile, agrees="everywhere")
        z = self.zero_point.array if self.zero_point else None
        common = dict(
            storage=self.storage, axis=self.axis, block_shape=self.block_shape,
            zero_point_domain=self.domain, profile=profile,
        )  # fmt: skip
        if self.operation == "dequantize":
            array = reference.dequantize(
                self.x.array, self.scale.array, z, expressed=self.result.type, **common
            )
            return replace(case, result=Operand(self.result.type, array))
        array, defined = reference.quantize(
            self.x.array, self.scale.array, z, clamp=self.clamp, return_defined=True, **common
        )
        return replace(case, result=Operand(self.result.type, array), defined=defined)

    def text(self, name: str) -> str:
        """A function (x, scale[, zero point]) -> result, of one op of the dialect."""
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

    def require(self, profile: str) -> None:
        """Raises `Unsupported` unless a system with that profile makes this conversion."""
        theirs = replace(self, semantics={}, profile=profile).fields
        for name in self.matters:
            if self.fields[name] != theirs[name]:
                raise Unsupported(f"{name} = {self.fields[name]}")


def tensor_type(operand: Operand) -> str:
    return f"tensor<{''.join(f'{size}x' for size in operand.array.shape)}{operand.type}>"


def bits_of(array: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}").reshape(array.shape)


def differs(actual: np.ndarray, case: Case) -> np.ndarray:
    """Where the bits are not those of the result. Any NaN is a NaN."""
    expected = case.result.array
    if actual.dtype != expected.dtype or actual.shape != expected.shape:
        raise ValueError(
            f"{case.topic}/{case.name}: the result has dtype {actual.dtype} and shape "
            f"{actual.shape}, expected {expected.dtype} and {expected.shape}"
        )
    if not is_float(case.result.type):
        different = actual != expected
    else:
        different = bits_of(actual) != bits_of(expected)
        with np.errstate(all="ignore"):
            different &= ~(
                np.isnan(actual.astype(np.float64)) & np.isnan(expected.astype(np.float64))
            )
    return different if case.defined is None else different & case.defined


# --- files ------------------------------------------------------------------------------


def topics() -> list[str]:
    """Of the corpus, but for `parameters`, which is of choose_params."""
    return sorted(
        path.stem for path in (VECTORS / "corpus").glob("*.json") if path.stem != "parameters"
    )


def recorded() -> list[str]:
    """The profiles whose runtimes have been recorded."""
    return sorted(path.stem for path in (VECTORS / "profiles").glob("*.json"))


def read(manifest: str) -> list[dict]:
    """The entries of one manifest, by its path below `VECTORS`; files become operands."""
    path = VECTORS / manifest
    entries = json.loads(path.read_text())["cases"]
    for entry in entries:
        for role in ("x", "scale", "zero_point", "result"):
            if role in entry:
                element, file = entry[role]["type"], entry[role]["file"]
                entry[role] = Operand(element, _typed(np.load(path.parent / file), element))
    return entries


def load(manifest: str) -> list[Case]:
    """The conversions of one manifest."""
    return [_case(entry, Path(manifest).stem) for entry in read(manifest)]


def corpus(profile: str | None = None) -> list[Case]:
    """Every conversion of the corpus: each with all its fields, and results by exact rationals. With a
    profile: its different inputs, each once, and what that profile makes of them."""
    cases = [case for topic in topics() for case in load(f"corpus/{topic}.json")]
    if profile is None:
        return cases
    if profile not in reference.PROFILES:
        raise ValueError(
            f"unknown profile '{profile}': expected one of {', '.join(reference.PROFILES)}"
        )
    chosen = {}
    for case in cases:
        chosen.setdefault(_inputs(case), case)
    return [case.under(profile) for case in chosen.values()]


def _inputs(case: Case):
    arrays = ((o.type, o.array.shape, o.array.tobytes()) for o in case.operands)
    return (
        case.operation, case.result.type, case.axis, case.block_shape, case.clamp, case.domain, *arrays
    )  # fmt: skip


def _case(entry: dict, topic: str) -> Case:
    for name in ("block_shape", "clamp"):
        if name in entry:
            entry[name] = tuple(entry[name])
    unknown = set(entry.get("semantics", {})) - set(FIELD_VALUES)
    if unknown:
        raise ValueError(f"{topic}/{entry['name']}: unknown fields {', '.join(sorted(unknown))}")
    return Case(**entry, topic=topic)


def _typed(array: np.ndarray, element: str) -> np.ndarray:
    """From what the file holds: integers as their value, floats unknown to NumPy as their bits."""
    dtype = dtype_of(element)
    if array.dtype == dtype or array.dtype.kind == "i" or not is_float(element):
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
