# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of choose_params, and of the dynamic quantize that follows it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from .. import reference
from .case import Case, Operand, Unsupported, bounds_of, is_float, tensor_type


@dataclass(frozen=True)
class ChooseParams(Case):
    """Scale and zero point (None: there is none) for each row of x; a `dynamic_quantize` has the codes of
    x, too, as DynamicQuantizeLinear does. `mode` and `power_of_two` are those of docs/Semantics.md."""

    OPERATIONS = ("choose_params", "dynamic_quantize")
    OPERANDS = ("x",)
    RESULTS = ("codes", "scale", "zero_point")

    name: str
    operation: str
    x: Operand
    storage: str
    mode: str
    scale: Operand
    zero_point: Operand | None = None
    codes: Operand | None = None
    power_of_two: str | None = None
    profile: str | None = None
    topic: str = ""

    @classmethod
    def of_entry(cls, entry: dict, topic: str) -> ChooseParams:
        """By an entry of a manifest, where each row of x is a group."""
        fields = {
            name: value for name, value in entry.items() if name not in ("axis", "scale_type")
        }
        return cls(**fields, topic=topic)

    @property
    def asked(self) -> tuple:
        is_symmetric = self.mode == "symmetric"
        return self.operation, self.storage, self.scale.type, self.power_of_two, is_symmetric

    def under(self, profile: str) -> ChooseParams:
        """DynamicQuantizeLinear is ONNX Runtime's under `ort`; nothing else depends on a profile."""
        mode = self.mode
        if mode != "symmetric":
            mode = "ort" if profile == "ort" else "asymmetric"
        case = replace(self, mode=mode, profile=profile)
        return replace(case, **case.with_results(case.stated()))

    def stated(self) -> tuple[np.ndarray, ...]:
        x, scale = self.x.array, self.scale.array
        scale, z = reference.choose_params(
            x, storage=self.storage, mode=self.mode, axis=0, power_of_two=self.power_of_two, scale_type=scale.dtype
        )  # fmt: skip
        parameters = (scale,) if self.zero_point is None else (scale, z)
        if not self.codes:
            return parameters
        return reference.quantize(x, scale, z, storage=self.storage, axis=0), *parameters

    def text(self, name: str) -> str:
        x = tensor_type(self.x)
        types = [tensor_type(o) for r, o in self.results.items() if r != "codes"]
        names = ["%s", "%z"][: len(types)]
        chosen = f"qdq.choose_params %x mode <{self.mode}>"
        if not self.zero_point:
            chosen += f" storage {self.storage}"
        if self.power_of_two:
            chosen += f" power_of_two <{self.power_of_two}>"
        body = f"  {', '.join(names)} = {chosen} axis 0 : ({x}) -> ({', '.join(types)})\n"
        if self.codes:
            body += f"  %q = qdq.quantize %x scale %s zero_point %z axis 0 : ({x}, {', '.join(types)}) -> "
            names, types = ["%q", *names], [tensor_type(self.codes), *types]
            body += types[0] + "\n"
        return (
            f"func.func @{name}(%x: {x}) -> ({', '.join(types)}) {{\n{body}"
            f"  return {', '.join(names)} : {', '.join(types)}\n}}\n"
        )

    def groups(self) -> Iterator[tuple[int, np.ndarray]]:
        """(row, its values), for who chooses for a whole tensor only."""
        return enumerate(self.x.array)

    def by_groups(self, choose) -> tuple[np.ndarray, ...]:
        """The results, put together from those of `choose` for the values of each row: a scalar, or codes."""
        arrays = tuple(np.zeros(o.array.shape, o.array.dtype) for o in self.results.values())
        for row, values in self.groups():
            for array, result in zip(arrays, choose(values), strict=True):
                array[row] = result
        return arrays

    def require(self, *, storages, operations=("dynamic_quantize",)) -> None:
        """Raises `Unsupported` unless it is one of these operations, asks for one of these storages, and all
        else is as DynamicQuantizeLinear has it."""
        if self.operation not in operations:
            raise Unsupported(f"{self.operation} alone")
        if self.mode == "symmetric":
            raise Unsupported(f"mode = {self.mode}")
        if self.x.type != "f32" or self.scale.type != "f32" or self.storage not in storages:
            raise Unsupported(f"{self.types}")

    @property
    def types(self) -> str:
        scale = "" if self.scale.type == self.x.type else f", scales of {self.scale.type}"
        return f"{self.x.type} to {self.storage}{scale}"

    @property
    def stated_as(self) -> str:
        rule = f", power_of_two = {self.power_of_two}" if self.power_of_two else ""
        return f"mode = {self.mode}{rule}"

    def _rows(self, x: np.ndarray, row: int) -> ChooseParams:
        """One row, with these values."""
        kept = slice(row, row + 1)
        cut = {name: Operand(o.type, o.array[kept]) for name, o in self.results.items()}
        if self.codes:
            cut["codes"] = Operand(self.codes.type, np.zeros(x.shape, self.codes.array.dtype))
        case = replace(self, x=Operand(self.x.type, x), **cut)
        return replace(case, **case.with_results(case.stated()))

    def single(self, result: str, at: tuple[int, ...]) -> ChooseParams:
        """The row, whose results are those of the reference. Codes stand where their values stand."""
        return self._rows(self.x.array[at[0] : at[0] + 1], at[0])

    def shorter(self) -> Iterator[ChooseParams]:
        x, width = self.x.array, self.x.array.shape[1]
        if width > 2:
            yield self._rows(x[:, : width // 2], 0)
            yield self._rows(x[:, width // 2 :], 0)
        for left_out in range(width if width > 1 else 0):
            yield self._rows(np.delete(x, left_out, axis=1), 0)

    def causes(self, different: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Another zero point follows from another scale, and other codes from both."""
        causes, is_caused = dict(different), different["scale"]
        if "zero_point" in causes:
            causes["zero_point"] = causes["zero_point"] & ~is_caused
            is_caused = is_caused | different["zero_point"]
        if "codes" in causes:
            causes["codes"] = causes["codes"] & ~is_caused[:, None]
        return causes

    @property
    def kind(self) -> str:
        x = self.x.array.astype(np.float64)
        if np.isnan(x).any():
            return "NaN"
        if np.isinf(x).any():
            return "infinity"
        with np.errstate(all="ignore"):
            low, high = min(0.0, x.min()), max(0.0, x.max())
            extent = max(-low, high) if self.mode == "symmetric" else high - low
        if extent == 0:
            return "only zeros"
        if extent > float(np.finfo(self.x.array.dtype).max):
            return "range beyond the type"
        lowest, highest = (0, 1) if is_float(self.storage) else bounds_of(self.storage)
        step = extent / (highest - lowest)
        if step < 2.0**-126:
            return "subnormal scale"
        return "small scale" if step < 2.0**-23 else "range"
