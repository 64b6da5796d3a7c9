# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers of arguments, and tensors that an op begins with."""

from __future__ import annotations

import numpy as np

from mlir_qdq.reference.types import EXPRESSED

from ..builder import Builder
from ..values import Value, random_array
from .indexing import Index
from .scalars import elements


def random_numbers(b: Builder, element: str, shape: tuple[int, ...], is_small=False) -> np.ndarray:
    """Small integers half of the time, or always: their sums are exact. Each NaN is quiet."""
    if is_small or b.chance(0.5):
        generator = np.random.default_rng(b.rng.getrandbits(64))
        return elements(generator.integers(-2, 3, shape), element)
    array = random_array(b.rng, element, shape)
    if element in EXPRESSED:
        array[np.isnan(array)] = np.nan
    return array


class Init:
    """An argument, a fill, or an empty tensor; `array` is what the op finds."""

    def __init__(self, b: Builder, element: str, indices: list[Index], is_read: bool):
        kind = b.rng.random()
        shape = tuple(index.least for index in indices)
        self.element, self.scalar = element, None
        # quant-to-llvm refuses others.
        self.dynamic = tuple(i.loop >= 0 and b.chance(b.openness) for i in indices)
        if kind < 0.4:
            self.array = random_numbers(b, element, shape)
            self.value = b.given(Value(element, self.array, self.dynamic))
            self.operands = [self.value]
            return
        self.value = None
        sizes = [b.size(n) for n, is_open in zip(shape, self.dynamic) if is_open]
        self.operands = sizes
        number = b.rng.choice((0, 0, 0, 1, -2))
        self.array = np.full(shape, elements(np.asarray(number), element))
        if kind < 0.75 or is_read:
            self.scalar = b.parameter(element, elements(np.asarray(number), element))
            if self.scalar.is_tensor:
                self.scalar = b.given(Value(element, self.scalar.array, None))
            self.operands = [*sizes, self.scalar]

    def text(self, name: str, operands: list[str], type_: str) -> tuple[str, str]:
        """Lines, and the name of the tensor."""
        if self.value is not None:
            return "", operands[0]
        count = len(self.operands) - (self.scalar is not None)
        lines = f"{name}_e = tensor.empty({', '.join(operands[:count])}) : {type_}\n"
        if self.scalar is None:
            return lines, f"{name}_e"
        lines += (
            f"{name}_f = linalg.fill ins({operands[count]} : {self.element}) "
            f"outs({name}_e : {type_}) -> {type_}\n"
        )
        return lines, f"{name}_f"
