# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled functions and modules of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from mlir import ir

from .._mlir_libs import _qdq_runtime
from ._arguments import add_argument
from ._boundary import Boundary, boundary_of_source, public_functions
from ._frame import Frame
from ._plan import describe_function
from ._results import Passing, Result, ResultPlan


@dataclass(frozen=True)
class Prototype:
    """The type of a function before packing and destinations. A boundary is None where no array
    stands for the type."""

    name: str
    arguments: tuple[Boundary | None, ...]
    results: tuple[Boundary | None, ...]
    argument_types: tuple[str, ...]
    result_types: tuple[str, ...]

    def __str__(self) -> str:
        def join(boundaries, types):
            return ", ".join(str(b or t) for b, t in zip(boundaries, types))

        results = join(self.results, self.result_types) or "None"
        return f"{self.name}({join(self.arguments, self.argument_types)}) -> {results}"

    @classmethod
    def of_source(cls, module: ir.Module) -> list[Prototype]:
        """Of the public functions of a module before lowering, without compiling."""
        with module.context, ir.Location.unknown():
            return [
                cls(
                    name,
                    tuple(map(boundary_of_source, type.inputs)),
                    tuple(map(boundary_of_source, type.results)),
                    tuple(map(str, type.inputs)),
                    tuple(map(str, type.results)),
                )
                for name, type in public_functions(module)
            ]

    def check_supported(self) -> None:
        for what, boundaries, types in (
            ("argument", self.arguments, self.argument_types),
            ("result", self.results, self.result_types),
        ):
            for index, boundary in enumerate(boundaries):
                if boundary is None or (boundary.is_written and what == "result"):
                    raise TypeError(
                        f"{self.name}: {what} {index} has type {types[index]}; only tensors and "
                        "scalars of NumPy and ml_dtypes types can be passed, and memrefs of whole "
                        "bytes without a layout as arguments"
                    )


class Function(_qdq_runtime.Callable):
    """A compiled function. Several threads may call it.

    C++ makes the usual calls; the others, and the errors, are `call_any`.
    """

    def __init__(
        self,
        prototype: Prototype,
        passings: tuple[Passing, ...],
        assertions: tuple[str, ...],
        call: int,
        companion: int,
        engine,
    ):
        """`call` and `companion` are addresses, `companion` is 0 where there is none, and
        `assertions` are its messages."""
        self._prototype = prototype
        self._plans = None
        if not any(result is None or result.is_written for result in prototype.results):
            self._plans = ResultPlan.of_all(prototype.results, passings)
        self._assertions = assertions
        self._call = call
        self._companion = companion
        self._engine = engine  # owns the code
        super().__init__(describe_function(call, companion, prototype.arguments, self._plans))
        self.__name__ = self.__qualname__ = prototype.name
        self.__doc__ = str(prototype)

    def __repr__(self) -> str:
        return f"<compiled function {self._prototype}>"

    def call_any(self, *arguments, out=None):
        prototype, name = self._prototype, self._prototype.name
        prototype.check_supported()
        count = len(prototype.arguments)
        if len(arguments) != count:
            raise TypeError(f"{name}: expected {count} arguments, got {len(arguments)}")

        frame = Frame()
        read = [
            add_argument(frame, boundary, value, f"{name}: argument {index}")
            for index, (boundary, value) in enumerate(zip(prototype.arguments, arguments))
        ]
        _check_written(name, prototype.arguments, read)
        read = [array for array in read if array is not None]
        results = [
            Result(plan, given, f"{name}: out {index}")
            for index, (plan, given) in enumerate(zip(self._plans, self._split(out)))
        ]
        listed = self._run_companion(frame)
        for result in results:
            result.take_sizes(listed)
            result.find_room(read)
        returned = sum(plan.returned_words for plan in self._plans)
        start = frame.add_returned(returned) if returned else 0
        for result in results:
            start = result.add_returned(start)
            result.add_destinations(frame)
        frame.call(self._call)
        values = tuple(result.finish(frame) for result in results)
        return values[0] if len(values) == 1 else values or None

    def _run_companion(self, inputs: Frame) -> Iterator[int]:
        """The listed sizes and values of the results. ValueError if an assertion does not hold."""
        if not self._companion:
            return iter(())
        listed = np.zeros(1 + sum(plan.listed for plan in self._plans), np.int64)
        frame = inputs.copy()
        frame.add_array(listed)
        frame.call(self._companion)
        violated, *sizes = listed.tolist()
        if violated:
            raise ValueError(f"{self._prototype.name}: {self._assertions[violated - 1]}")
        return iter(sizes)

    def _split(self, out) -> list[np.ndarray | None]:
        """The arrays of `out`, one or None for each result."""
        name, count = self._prototype.name, len(self._plans)
        if out is None:
            return [None] * count
        outs = list(out) if isinstance(out, (tuple, list)) else [out]
        if len(outs) != count:
            raise TypeError(f"{name}: out has {len(outs)} arrays for {count} results")
        for index, array in enumerate(outs):
            where = f"{name}: out {index}"
            if array is None:
                continue
            if not isinstance(array, np.ndarray):
                raise TypeError(f"{where}: expected an array, got {type(array).__name__}")
            if not array.flags.writeable:
                raise ValueError(f"{where}: is not writable")
            for earlier in outs[:index]:
                if earlier is not None and np.may_share_memory(array, earlier):
                    raise ValueError(f"{where}: shares memory with another out")
        return outs


def _check_written(name: str, boundaries: tuple[Boundary, ...], arrays: list) -> None:
    """No argument shares memory with one that the function writes to."""
    for index, (boundary, array) in enumerate(zip(boundaries, arrays)):
        if not boundary.is_written:
            continue
        for other, shared in enumerate(arrays):
            if other != index and shared is not None and np.may_share_memory(array, shared):
                raise ValueError(
                    f"{name}: argument {index} is written to and shares memory with argument {other}"
                )


class Compiled:
    """The public functions of a compiled module: `compiled.name(...)`, `compiled["name"](...)`."""

    def __init__(self, functions: dict[str, Function]):
        self._functions = functions
        # Found without `__getattr__`, where nothing else has the name.
        for name, function in functions.items():
            if not hasattr(Compiled, name):
                self.__dict__.setdefault(name, function)

    def __getitem__(self, name: str) -> Function:
        if name not in self._functions:
            raise KeyError(f"no function '{name}', only {self._names()}")
        return self._functions[name]

    def __getattr__(self, name: str) -> Function:
        functions = self.__dict__.get("_functions", {})
        if name not in functions:
            raise AttributeError(f"no function '{name}', only {', '.join(functions) or 'none'}")
        return functions[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._functions)

    def __len__(self) -> int:
        return len(self._functions)

    def __dir__(self):
        return [*super().__dir__(), *self._functions]

    def __repr__(self) -> str:
        return f"<compiled module with {self._names()}>"

    def _names(self) -> str:
        return ", ".join(self._functions) or "no function"
