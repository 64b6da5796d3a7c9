# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One qdq.requantize in a function of its own, as text, with arrays for its operands."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from mlir_qdq import reference

ELEMENTS = {
    np.dtype(np.float32): "f32", np.dtype(np.float64): "f64", np.dtype(np.float16): "f16",
    np.dtype(np.int8): "i8", np.dtype(np.int16): "i16", np.dtype(np.int32): "i32", np.dtype(np.int64): "i64",
    np.dtype(np.uint8): "ui8", np.dtype(np.uint16): "ui16", np.dtype(np.uint32): "ui32",
}  # fmt: skip


@dataclass(frozen=True)
class Requantize:
    rescale: str
    acc: np.ndarray
    multipliers: tuple
    storage: str = "i8"
    shift: np.ndarray | None = None
    fraction: np.ndarray | None = None
    zero_point: np.ndarray | None = None
    axis: int | None = None
    block_shape: tuple[int, ...] | None = None
    limit: int | None = None
    clamp: tuple[int, int] | None = None
    semantics: dict = field(default_factory=dict)
    dynamic: bool = False

    def operands(self) -> list[tuple[str, np.ndarray]]:
        named = [(f"m{i}", m) for i, m in enumerate(self.multipliers)]
        named += [("t", self.shift), ("g", self.fraction), ("z", self.zero_point)]
        return [("acc", self.acc), *((name, np.asarray(v)) for name, v in named if v is not None)]

    def type_of(self, value: np.ndarray) -> str:
        sizes = ("?" if self.dynamic and n != 1 else str(n) for n in value.shape)
        return f"tensor<{''.join(s + 'x' for s in sizes)}{ELEMENTS[value.dtype]}>"

    @property
    def result_type(self) -> str:
        sizes = ("?" if self.dynamic else str(n) for n in self.acc.shape)
        return f"tensor<{''.join(s + 'x' for s in sizes)}{self.storage}>"

    def op(self) -> str:
        text = f"qdq.requantize %acc rescale <{self.rescale}> multiplier "
        text += ", ".join(f"%m{i}" for i in range(len(self.multipliers)))
        text += " shift %t" if self.shift is not None else ""
        text += " fraction %g" if self.fraction is not None else ""
        text += " zero_point %z" if self.zero_point is not None else ""
        text += f" axis {self.axis}" if self.axis is not None else ""
        text += f" block_shape {list(self.block_shape)}" if self.block_shape else ""
        text += f" limit {self.limit}" if self.limit is not None else ""
        text += f" clamp {list(self.clamp)}" if self.clamp else ""
        if self.semantics:
            text += f" semantics <{', '.join(f'{k} = {v}' for k, v in self.semantics.items())}>"
        types = ", ".join(self.type_of(v) for _, v in self.operands())
        return f"{text} : ({types}) -> {self.result_type}"

    def text(self, name: str) -> str:
        arguments = ", ".join(f"%{n}: {self.type_of(v)}" for n, v in self.operands())
        return (
            f"func.func @{name}({arguments}) -> {self.result_type} {{\n"
            f"  %q = {self.op()}\n  return %q : {self.result_type}\n}}\n"
        )

    def expected(self):
        """Codes of the NumPy statement, and where they are defined."""
        return reference.requantize(
            self.acc, self.multipliers, self.shift, self.zero_point, rescale=self.rescale,
            storage=self.storage, fraction=self.fraction, limit=self.limit, axis=self.axis,
            block_shape=self.block_shape, clamp=self.clamp, semantics=self.semantics, return_defined=True,
        )  # fmt: skip


def accumulators(dtype, count: int, seed: int = 0) -> np.ndarray:
    """Bounds, powers of two and their neighbors, small values, and random bits of every length."""
    info = np.iinfo(dtype)
    near = [s * 2**k + d for k in range(0, info.bits) for d in (-1, 0, 1) for s in (1, -1)]
    named = [v for v in [info.min, info.max, *range(-20, 21), *near] if info.min <= v <= info.max]
    random = np.random.default_rng(seed)
    bits = random.integers(info.min, info.max, count, dtype, endpoint=True)
    bits >>= random.integers(0, info.bits, count, dtype)
    values = np.concatenate([np.array(named, dtype), bits])
    return (
        values[-count:]
        if values.size < count
        else np.concatenate([values[: len(named)], bits])[:count]
    )
