# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Grows a program step by step."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np

from .program import Step
from .values import FLOATS, Value, dtype_of, is_signless, random_array, type_of


class Builder:
    def __init__(self, rng: random.Random, sum_order: str = "sequential"):
        self.rng = rng
        self.sum_order = sum_order
        self.steps: list[Step] = []
        self.values: list[Value] = []
        #: How often a size of an argument is left open.
        self.openness = rng.choice((0.0, 0.0, 0.3, 1.0))
        #: How often a parameter is a constant.
        self.constancy = rng.choice((0.0, 0.5, 1.0))

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def pick(self, suits: Callable[[Value], bool]) -> Value | None:
        """A value so far, rather a late one."""
        found = [value for value in self.values if value.is_tensor and suits(value)]
        return self.rng.choice(found[-4:]) if found else None

    def argument(self, element: str, array: np.ndarray, is_scalar=False) -> Value:
        dynamic = None if is_scalar else tuple(self.chance(self.openness) for _ in array.shape)
        return self.given(Value(element, array, dynamic))

    def given(self, value: Value) -> Value:
        assert value.array.dtype == dtype_of(value.element), (value.element, value.array.dtype)
        self.values.append(value)
        return value

    def random(self, element: str, shape: tuple[int, ...]) -> Value:
        """An argument of any bits."""
        return self.argument(element, random_array(self.rng, element, shape))

    def parameter(self, element: str, array: np.ndarray) -> Value:
        """An argument or a constant; a single value may be a scalar."""
        is_scalar = array.ndim == 0 and self.chance(0.5)
        # Only signless types have constants.
        has_constants = element in FLOATS or is_signless(element)
        if element == "f8E8M0FNU" and np.isnan(array.astype(np.float32)).any():
            has_constants = False  # docs/upstream/extf-of-scale-nan
        if not has_constants or not self.chance(self.constancy) or array.size > 4096:
            return self.argument(element, array, is_scalar)
        value = Value(element, array, None if is_scalar else (False,) * array.ndim)
        text = f"arith.constant {literal(value)}"
        return self.step("constant", [], [value], lambda r, o: f"{r[0]} = {text}")[0]

    def size(self, value: int) -> Value:
        """An index, as an argument or a constant."""
        array = np.asarray(value, np.int64)
        if self.chance(0.5):
            return self.given(Value("index", array, None))
        index = Value("index", array, None)
        return self.step(
            "size", [], [index], lambda r, o: f"{r[0]} = arith.constant {value} : index"
        )[0]

    def sizes_of(self, value: Value, name: str, write: str) -> str:
        """Text that reads the open sizes of the operand `name`, as `%{write}_0`, ... by dimension."""
        lines = []
        for dimension, is_open in enumerate(value.dynamic):
            if is_open:
                lines.append(f"{write}_i{dimension} = arith.constant {dimension} : index")
                lines.append(
                    f"{write}_{dimension} = tensor.dim {name}, {write}_i{dimension} : {value.type}"
                )
        return "".join(line + "\n" for line in lines)

    def step(self, kind, operands, results, write) -> list[Value]:
        self.steps.append(Step(kind, operands, results, write))
        for result in results:
            self.given(result)
        return results

    def make(self, kind, operands, element, array, dynamic, write) -> Value:
        """A step with one result of the type that `write` gets behind the names."""
        result = Value(element, np.asarray(array), tuple(dynamic))
        return self.step(kind, operands, [result], lambda r, o: write(r[0], o, result.type))[0]


def literal(value: Value) -> str:
    """An attribute: floats by their bits."""
    flat = value.array.reshape(-1)
    if value.is_float:
        bits = flat.view(f"u{flat.dtype.itemsize}")
        digits = 2 * flat.dtype.itemsize
        entries = [f"0x{int(b):0{digits}X}" for b in bits]
    else:
        entries = [str(int(v)) for v in flat]
    if not value.is_tensor:
        return f"{entries[0]} : {value.element}"

    def nested(shape, part):
        if not shape:
            return part[0]
        step = len(part) // shape[0] if shape[0] else 0
        parts = (nested(shape[1:], part[i * step : (i + 1) * step]) for i in range(shape[0]))
        return f"[{', '.join(parts)}]"

    body = nested(value.shape, entries) if flat.size else ""
    return f"dense<{body}> : {type_of(value.element, value.shape, value.dynamic)}"
