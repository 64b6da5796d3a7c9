# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bodies of ops: numbers of each iteration, and random ops on them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mlir_qdq.reference.types import EXPRESSED

from ..builder import Builder, literal
from ..values import Value, random_array
from . import scalars
from .scalars import bits_of, numbers


@dataclass(eq=False)
class Number:
    """`array` broadcasts to the iterations."""

    element: str
    array: np.ndarray
    #: Of a result: `%$1`; of the value 2 from outside: `%$o2`.
    name: str

    @property
    def is_float(self) -> bool:
        return self.element in EXPRESSED


class Body:
    def __init__(self, b: Builder):
        self.b = b
        self.numbers: list[Number] = []
        #: Values from outside.
        self.captured: list[Value] = []
        self.lines: list[str] = []
        self.count = 0

    def make(self, element: str, array, text: str) -> Number:
        self.count += 1
        number = Number(element, np.asarray(array), f"%${self.count}")
        self.lines.append(f"{number.name} = {text}")
        self.numbers.append(number)
        return number

    def capture(self, value: Value) -> str:
        self.captured.append(value)
        return f"%$o{len(self.captured) - 1}"

    def pick(self, suits: Callable[[Number], bool]) -> Number | None:
        found = [number for number in self.numbers if suits(number)]
        return self.b.rng.choice(found[-5:]) if found else None

    def constant(self, element: str, value) -> Number:
        scalar = Value(element, scalars.elements(np.asarray(value), element), None)
        return self.make(
            element, numbers(scalar.array, element), f"arith.constant {literal(scalar)}"
        )

    def any(self, element: str) -> Number:
        """A number of that type: one so far, a constant, or a scalar from outside."""
        found = self.pick(lambda n: n.element == element)
        if found is not None and self.b.chance(0.75):
            return found
        drawn = random_array(self.b.rng, element, ())
        if element in EXPRESSED and np.isnan(drawn):
            drawn = np.ones_like(drawn)
        if self.b.chance(0.6):
            return self.constant(element, numbers(drawn, element))
        value = self.b.given(Value(element, drawn, None))
        number = Number(element, numbers(drawn, element), self.capture(value))
        self.numbers.append(number)
        return number

    def as_(self, number: Number, element: str) -> Number | None:
        """A cast, or None."""
        if number.element == element:
            return number
        found = scalars.cast(number.array, number.element, element, self.b.chance(0.2))
        if found is None:
            return None
        op, array = found
        return self.make(element, array, f"{op} {number.name} : {number.element} to {element}")

    def binary(self, name: str, x: Number, y: Number) -> Number:
        """An op that has a result everywhere."""
        if x.is_float:
            array = scalars.FLOAT_OPS[name](x.array, y.array).astype(x.array.dtype)
        else:
            ops = {**scalars.INTEGER_OPS, **scalars.DIVISIONS, **scalars.SHIFTS}
            array = ops[name](x.array, y.array, x.element)
        return self.make(x.element, array, f"arith.{name} {x.name}, {y.name} : {x.element}")

    def compare(self, x: Number, y: Number) -> Number:
        if x.is_float:
            name, function = self.b.rng.choice(list(scalars.FLOAT_COMPARISONS.items()))
            array, op = function(x.array, y.array), "cmpf"
        else:
            name, function = self.b.rng.choice(list(scalars.INTEGER_COMPARISONS.items()))
            array, op = function(x.array, y.array, x.element), "cmpi"
        return self.make("i1", array, f"arith.{op} {name}, {x.name}, {y.name} : {x.element}")

    def guard(self, condition: Number, inner: Callable[[], Number], other: Number) -> Number:
        """`inner` where the condition holds; its other values are of no iteration."""
        lines, known = self.lines, list(self.numbers)
        self.lines = []
        then = inner()
        lines_then, self.lines, self.numbers = self.lines, lines, known
        array = np.where(condition.array, then.array, other.array)
        body = "".join(f"  {line}\n" for line in lines_then)
        return self.make(
            then.element, array,
            f"scf.if {condition.name} -> ({then.element}) {{\n{body}  scf.yield {then.name} : {then.element}\n"
            f"}} else {{\n  scf.yield {other.name} : {other.element}\n}}",
        )  # fmt: skip

    # Random ops. Each may return None.

    def integers(self) -> Number | None:
        x = self.pick(lambda n: not n.is_float and n.element != "index")
        if x is None:
            return None
        return self.binary(
            self.b.rng.choice(list(scalars.INTEGER_OPS)), *self._shuffled(x, self.any(x.element))
        )

    def floats(self) -> Number | None:
        x = self.pick(lambda n: n.is_float)
        if x is None:
            return None
        name = self.b.rng.choice(list(scalars.FLOAT_OPS))
        x, y = self._shuffled(x, self.any(x.element))
        return self.binary(name, x, y) if scalars.has_float_result(name, x.array, y.array) else None

    def function(self) -> Number | None:
        x = self.pick(lambda n: n.is_float)
        if x is None:
            return None
        if self.b.chance(0.2):
            y = self.any(x.element)
            if np.isnan(y.array).any():
                return None
            return self.make(
                x.element, np.copysign(x.array, y.array),
                f"math.copysign {x.name}, {y.name} : {x.element}",
            )  # fmt: skip
        name, function = self.b.rng.choice(list(scalars.FLOAT_FUNCTIONS.items()))
        return self.make(x.element, function(x.array), f"{name} {x.name} : {x.element}")

    def choice(self) -> Number | None:
        x = self.pick(lambda n: n.element != "index")
        if x is None:
            return None
        y = self.any(x.element)
        condition = self.pick(lambda n: n.element == "i1") if self.b.chance(0.3) else None
        condition = condition or self.compare(x, y)
        return self.make(
            x.element, np.where(condition.array, x.array, y.array),
            f"arith.select {condition.name}, {x.name}, {y.name} : {x.element}",
        )  # fmt: skip

    def division(self) -> Number | None:
        """By a number that is not 0, or where it is not."""
        x = self.pick(lambda n: not n.is_float and n.element not in ("index", "i1"))
        if x is None:
            return None
        y, name = self.any(x.element), self.b.rng.choice(list(scalars.DIVISIONS))
        if np.all(scalars.divides(name, x.array, y.array, x.element)):
            return self.binary(name, x, y)
        zero = self.constant(x.element, 0)
        unequal = scalars.INTEGER_COMPARISONS["ne"]

        def is_not(number: Number, value: Number) -> Number:
            return self.make(
                "i1", unequal(number.array, value.array, x.element),
                f"arith.cmpi ne, {number.name}, {value.name} : {x.element}",
            )  # fmt: skip

        condition = is_not(y, zero)
        if name in scalars.SIGNED_DIVISIONS:
            other = is_not(y, self.constant(x.element, -1))
            condition = self.binary("andi", condition, other)
        if self.b.chance(0.5):
            return self.guard(condition, lambda: self.binary(name, x, y), self.any(x.element))
        one = self.constant(x.element, 1)
        divisor = self.make(
            x.element, np.where(condition.array, y.array, one.array),
            f"arith.select {condition.name}, {y.name}, {one.name} : {x.element}",
        )  # fmt: skip
        return self.binary(name, x, divisor)

    def shift(self) -> Number | None:
        x = self.pick(lambda n: not n.is_float and n.element not in ("index", "i1"))
        if x is None:
            return None
        bits, amount = bits_of(x.element), None
        if self.b.chance(0.4):
            amount = self.binary("andi", self.any(x.element), self.constant(x.element, bits - 1))
        else:
            amount = self.constant(x.element, self.b.rng.randrange(bits))
        return self.binary(self.b.rng.choice(list(scalars.SHIFTS)), x, amount)

    def cast(self) -> Number | None:
        x = self.pick(lambda n: True)
        return x and self.as_(x, self.b.rng.choice(scalars.ELEMENTS))

    def gather(self) -> Number | None:
        """An element at an index of the body, which is inside, or guarded."""
        index = self.pick(lambda n: n.element in ("index", "i32", "i8", "i64"))
        source = self.b.pick(
            lambda v: v.rank == 1 and v.element in scalars.ELEMENTS and v.array.size
        )
        if index is None or source is None:
            return None
        index = self.as_(index, "index")
        length, element, tensor = source.shape[0], source.element, self.capture(source)
        held = numbers(source.array, element)
        text = f"tensor.extract {tensor}[{index.name}] : {source.type}"
        if np.all((index.array >= 0) & (index.array < length)):
            return self.make(element, held[index.array], text)
        bound = self.constant("index", length)
        inside = self.make(
            "i1", scalars.INTEGER_COMPARISONS["ult"](index.array, bound.array, "index"),
            f"arith.cmpi ult, {index.name}, {bound.name} : index",
        )  # fmt: skip
        array = held[np.clip(index.array, 0, length - 1)]
        return self.guard(inside, lambda: self.make(element, array, text), self.any(element))

    def draw(self) -> Number | None:
        name = self.b.rng.choices(
            ("integers", "floats", "function", "choice", "division", "shift", "cast", "gather"),
            (6, 5, 2, 3, 2, 2, 4, 1),
        )[0]
        return getattr(self, name)()

    def give(self, element: str) -> Number:
        """A number of that type, of those so far if there is a cast."""
        for number in reversed(self.numbers[-4:]):
            if (found := self.as_(number, element)) is not None:
                return found
        return self.any(element)

    def _shuffled(self, x: Number, y: Number) -> tuple[Number, Number]:
        return (x, y) if self.b.chance(0.5) else (y, x)


def spell(text: str, result: str, captured: list[str]) -> str:
    """Names of a body: `result` begins its own."""
    text = re.sub(r"%\$o(\d+)", lambda match: captured[int(match[1])], text)
    return text.replace("%$", f"{result}_")
