# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A function: steps whose values the reference has computed, so that any part of them is a program, too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .values import Value


@dataclass(eq=False)
class Step:
    """An op, or a few. `write` takes the names of the results and of the operands, and returns text."""

    kind: str
    operands: list[Value]
    results: list[Value]
    write: Callable[[list[str], list[str]], str]


@dataclass(eq=False)
class Program:
    """Returns what no step uses, and the values of `shown`."""

    steps: list[Step]
    shown: list[Value]
    #: That of quant-to-llvm.
    sum_order: str = "sequential"

    @property
    def arguments(self) -> list[Value]:
        """Operands that no step makes. A part of a program takes them as the reference has them."""
        made = {id(value) for step in self.steps for value in step.results}
        used = {id(value): value for step in self.steps for value in step.operands}
        return [value for key, value in used.items() if key not in made]

    @property
    def results(self) -> list[Value]:
        used = {id(value) for step in self.steps for value in step.operands}
        shown = {id(value) for value in self.shown}
        made = [value for step in self.steps for value in step.results]
        return [v for v in made if v.is_tensor and (id(v) not in used or id(v) in shown)]

    def text(self, name: str = "program") -> str:
        arguments, results = self.arguments, self.results
        names = {id(value): f"%a{i}" for i, value in enumerate(arguments)}
        lines = []
        for number, step in enumerate(self.steps):
            for i, value in enumerate(step.results):
                names[id(value)] = f"%v{number}_{i}"
            lines.append(
                step.write(
                    [names[id(value)] for value in step.results],
                    [names[id(value)] for value in step.operands],
                )
            )
        parameters = ", ".join(f"{names[id(v)]}: {v.type}" for v in arguments)
        types = ", ".join(value.type for value in results)
        returned = ", ".join(names[id(value)] for value in results)
        end = f"return {returned} : {types}" if results else "return"
        body = "".join(f"  {line}\n" for text in [*lines, end] for line in text.split("\n"))
        return f"func.func @{name}({parameters}) -> ({types}) {{\n{body}}}\n"

    def inputs(self) -> list[np.ndarray]:
        return [value.array for value in self.arguments]

    def expected(self) -> list[np.ndarray]:
        return [value.array for value in self.results]

    def part(self, steps: list[Step], shown: list[Value] | None = None) -> Program:
        return Program(steps, self.shown if shown is None else shown, self.sum_order)
