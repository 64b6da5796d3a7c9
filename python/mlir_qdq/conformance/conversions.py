# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of quantize and dequantize."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from .. import reference
from ..reference.semantics import (
    dequantize_compute_type,
    quantize_compute_type,
    resolve,
)
from ..reference.types import expressed_or_none, expressed_type
from .case import CaseOfSemantics, Operand, Unsupported, bounds_of, is_float, tensor_type


@dataclass(frozen=True)
class Conversion(CaseOfSemantics):
    """One quantize or dequantize. Scale and zero point have one element, one for each index of
    `axis`, or one for each block of `block_shape`, whose entries of 0 are whole dimensions."""

    OPERATIONS = ("quantize", "dequantize")
    OPERANDS = ("x", "scale", "zero_point")
    RESULTS = ("result",)

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

    @classmethod
    def of_entry(cls, entry: dict, topic: str) -> Conversion:
        """By an entry of a manifest."""
        for name in ("block_shape", "clamp"):
            if name in entry:
                entry[name] = tuple(entry[name])
        return cls(**entry, topic=topic)

    @property
    def asked(self) -> tuple:
        return (
            self.operation, self.result.type, self.axis, self.block_shape, self.clamp, self.domain
        )  # fmt: skip

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

    def groups(self) -> Iterator[tuple[np.ndarray, Conversion]]:
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

    def under(self, profile: str) -> Conversion:
        """The same inputs as a system with that profile converts them, by the NumPy reference."""
        case = replace(self, semantics={}, profile=profile, agrees="everywhere", defined=None)
        array, defined = case._stated()
        return replace(case, result=Operand(self.result.type, array), defined=defined)

    def stated(self) -> tuple[np.ndarray, ...]:
        return self._stated()[:1]

    def _stated(self):
        """The result, and where it is given."""
        z = self.zero_point.array if self.zero_point else None
        common = dict(
            storage=self.storage, axis=self.axis, block_shape=self.block_shape, semantics=self.semantics,
            zero_point_domain=self.domain, profile=self.profile,
        )  # fmt: skip
        x, scale = self.x.array, self.scale.array
        if self.operation == "dequantize":
            return reference.dequantize(x, scale, z, expressed=self.result.type, **common), None
        return reference.quantize(x, scale, z, clamp=self.clamp, return_defined=True, **common)

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

    def promised(self) -> np.ndarray:
        """Where a profile promises the bits of its system: x / s finite in the compute type, and
        below 2^31 in magnitude. A dequantize has no such bound."""
        if self.operation == "dequantize" or self.agrees != "finite":
            return np.full(self.result.array.shape, self.agrees != "differs")
        # All scales are finite and positive: only float16 ends before 2^31.
        limit = 65504 if "f16" in (self.x.type, self.scale.type) else 2**31
        s = self.scale.array.astype(np.float64)
        if self.axis is not None:
            s = np.expand_dims(s, [d for d in range(self.x.array.ndim) if d != self.axis])
        with np.errstate(all="ignore"):
            return np.abs(self.x.array.astype(np.float64) / s) < limit

    def given(self) -> dict[str, np.ndarray]:
        return super().given() if self.defined is None else {"result": self.defined}

    def compared(self) -> dict[str, np.ndarray]:
        return {"result": self.promised() & self.given()["result"]}

    @property
    def types(self) -> str:
        by = "" if self.scale.type == self.real else f" by {self.scale.type}"
        return f"{self.x.type} to {self.result.type}{by}"

    @property
    def stated_as(self) -> str:
        fields = self.fields
        return ", ".join(f"{name} = {fields[name]}" for name in self.matters)

    def single(self, result: str, at: tuple[int, ...]) -> Conversion:
        owner = self.owners[at]

        def pick(operand: Operand) -> Operand:
            return Operand(operand.type, operand.array[at].reshape(1))

        def parameter(operand: Operand) -> Operand:
            return Operand(operand.type, np.ravel(operand.array)[owner].reshape(()))

        return replace(
            self, x=pick(self.x), result=pick(self.result), scale=parameter(self.scale),
            zero_point=parameter(self.zero_point) if self.zero_point else None, axis=None, block_shape=None, defined=None,
        )  # fmt: skip

    @property
    def kind(self) -> str:
        x, s = (float(o.array.astype(np.float64).reshape(())) for o in (self.x, self.scale))
        if self.operation == "dequantize":
            if not np.isfinite(s):
                return "special scale"
            if is_float(self.storage):
                return "codes of floats"
            return "codes of 32 bits" if self.storage.endswith("32") else "codes"
        with np.errstate(all="ignore"):
            r = np.float64(x) / np.float64(s)
        if np.isnan(x) or np.isnan(s):
            return "NaN"
        if np.isinf(x):
            return "infinity"
        if x == 0:
            return "zero"
        if not abs(r) < 2**31:
            return "quotient of 2^31 or more"
        if 0 < abs(x) < 2.0**-126 or 0 < abs(s) < 2.0**-126:
            return "subnormal"
        if is_float(self.storage):
            return "float codes"
        z = float(self.zero_point.array.astype(np.float64)) if self.zero_point else 0.0
        low, high = bounds_of(self.storage)
        return "beyond the codes" if not low - 0.5 <= r + z <= high + 0.5 else "rounding"


def differs(actual: np.ndarray, case: Conversion) -> np.ndarray:
    """Where the bits are not those of the result. Any NaN is a NaN."""
    return case.different(actual)["result"] & case.given()["result"]
