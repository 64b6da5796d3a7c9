# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that return a weight: their text, line by line, and the bytes that they read.

Weights are looked at as rows, blocks of a file's format, along which everything else is laid out:
a value of type `tensor<rows x n x element>` has n elements of each row.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from mlir import ir

from ._files import shown

#: Result types of the functions, with their bits.
FLOATS = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}


@dataclass(frozen=True)
class Value:
    """An SSA value of type `tensor<shape x element>`."""

    name: str
    shape: tuple[int, ...]
    element: str

    @property
    def type(self) -> str:
        return f"tensor<{''.join(f'{size}x' for size in self.shape)}{self.element}>"


def no_tensor(path, name: str, known: Iterable[str]) -> KeyError:
    spelled = {other.lower(): other for other in known}
    near = difflib.get_close_matches(name.lower(), list(spelled), 1)
    hint = f"; did you mean '{spelled[near[0]]}'?" if near else ""
    return KeyError(f"{path}: no tensor '{name}'{hint}")


def _quoted(text: str) -> str:
    """As MLIR reads it back, whatever characters it has."""
    plain = (chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\{b:02X}" for b in text.encode())
    return f'"{"".join(plain)}"'


def _common_parts(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[int, ...] | None:
    """The sizes into which both shapes can be split, or None."""
    parts, left, right = [], list(reversed(first)), list(reversed(second))
    while left and right:
        size, other = left.pop(), right.pop()
        # Compared from the outermost dimension on: one of both has to be a multiple.
        inner = left if size > other else right
        small, large = min(size, other), max(size, other)
        if small == 0 or large % small:
            return None
        parts.append(small)
        if large != small:
            inner.append(large // small)
    if any(size != 1 for size in left + right):
        return None
    return tuple(parts + [1] * (len(left) + len(right)))


def _groups(shape: tuple[int, ...], parts: tuple[int, ...]) -> list[list[int]]:
    """Of each dimension of `shape` the parts that it is split into."""
    groups, at = [], 0
    for size in shape:
        group, count = [at], parts[at]
        at += 1
        while count != size:
            group.append(at)
            count *= parts[at]
            at += 1
        groups.append(group)
    if groups:
        groups[-1] += range(at, len(parts))
    return groups


@dataclass
class Function:
    """The text of a function without arguments, as it grows."""

    lines: list[str] = field(default_factory=list)
    #: How the file's fields were read, for the reader of the module.
    convention: str = ""
    #: The arrays of its resources, in the order of the lines.
    resources: list[np.ndarray] = field(default_factory=list)

    def is_same(self, other: Function) -> bool:
        places = [[array.ctypes.data for array in f.resources] for f in (self, other)]
        return self.lines == other.lines and places[0] == places[1]

    def emit(self, shape, element: str, text: str) -> Value:
        """A line `%n = text`, in which {type} is the type of the result."""
        value = Value(f"%{len(self.lines)}", tuple(shape), element)
        self.lines.append(f"  {value.name} = {text.replace('{type}', value.type)}")
        return value

    # --- constants ---------------------------------------------------------------

    def data(self, array: np.ndarray, element: str) -> Value:
        """The array itself, as a resource: nothing is copied."""
        self.resources.append(array)
        return self.emit(array.shape, element, "arith.constant dense_resource<later> : {type}")

    def table(self, array: np.ndarray, element: str) -> Value:
        """A few numbers, whose bytes stand in the text."""
        raw = np.ascontiguousarray(array).tobytes().hex().upper()
        return self.emit(array.shape, element, f'arith.constant dense<"0x{raw}"> : {{type}}')

    def splat(self, number, shape, element: str) -> Value:
        return self.emit(shape, element, f"arith.constant dense<{number}> : {{type}}")

    # --- shapes ------------------------------------------------------------------

    def reshape(self, value: Value, shape) -> Value:
        """Splits dimensions first, then joins them: consumers see the blocks of a row.

        [256 * 8, 32] becomes [256, 8, 32], then [256, 8 * 32]. Where sizes do not divide each
        other so, the tensor becomes flat in between.
        """
        shape = tuple(shape)
        parts = _common_parts(value.shape, shape)
        if parts is None:
            flat = (math.prod(shape),)
            return self.reshape(self.reshape(value, flat), shape)
        if parts != value.shape:
            value = self.emit(
                parts,
                value.element,
                f"tensor.expand_shape {value.name} {_groups(value.shape, parts)} "
                f"output_shape {list(parts)} : {value.type} into {{type}}",
            )
        if parts != shape:
            value = self.emit(
                shape,
                value.element,
                f"tensor.collapse_shape {value.name} {_groups(shape, parts)} : "
                f"{value.type} into {{type}}",
            )
        return value

    def columns(self, value: Value, start: int, count: int, step: int = 1) -> Value:
        """`value[..., start : start + step * count : step]`"""
        rank = len(value.shape)
        offsets = [0] * (rank - 1) + [start]
        sizes, steps = [*value.shape[:-1], count], [1] * (rank - 1) + [step]
        return self.emit(
            sizes,
            value.element,
            f"tensor.extract_slice {value.name} {offsets} {sizes} {steps} : "
            f"{value.type} to {{type}}",
        )

    def part(self, value: Value, shape) -> Value:
        """The first elements of each dimension."""
        if value.shape == tuple(shape):
            return value
        zeros, ones = [0] * len(shape), [1] * len(shape)
        return self.emit(
            shape,
            value.element,
            f"tensor.extract_slice {value.name} {zeros} {list(shape)} {ones} : "
            f"{value.type} to {{type}}",
        )

    def permute(self, value: Value, digits, order) -> Value:
        """`value.reshape(digits).transpose(order)`"""
        value = self.reshape(value, digits)
        shape = [value.shape[i] for i in order]
        empty = self.emit(shape, value.element, "tensor.empty() : {type}")
        return self.emit(
            shape,
            value.element,
            f"linalg.transpose ins({value.name} : {value.type}) outs({empty.name} : {empty.type}) "
            f"permutation = {list(order)}",
        )

    def transpose(self, value: Value) -> Value:
        return self.permute(value, value.shape, (1, 0))

    def spread(self, single: Value, shape) -> Value:
        """One element of rank 0 everywhere."""
        empty = self.emit(shape, single.element, "tensor.empty() : {type}")
        return self.emit(
            shape,
            single.element,
            f"linalg.broadcast ins({single.name} : {single.type}) "
            f"outs({empty.name} : {empty.type}) dimensions = {list(range(len(shape)))}",
        )

    def concatenate(self, values: list[Value]) -> Value:
        """Along the last dimension."""
        *outer, _ = values[0].shape
        shape = [*outer, sum(value.shape[-1] for value in values)]
        result = self.emit(shape, values[0].element, "tensor.empty() : {type}")
        start = 0
        for value in values:
            offsets, steps = [0] * len(outer) + [start], [1] * len(shape)
            result = self.emit(
                shape,
                value.element,
                f"tensor.insert_slice {value.name} into {result.name} {offsets} "
                f"{list(value.shape)} {steps} : {value.type} into {{type}}",
            )
            start += value.shape[-1]
        return result

    def halves(self, first: Value, second: Value) -> Value:
        """`concatenate([first, second])`, as an elementwise op, which moves into its users."""
        *outer, count = first.shape
        rank = len(outer)
        inner = [*range(rank), rank + 1]
        halves = self.generic(
            [*outer, 2, count],
            first.element,
            [(first, inner), (second, inner)],
            f"%half = linalg.index {rank} : index",
            "%zero = arith.constant 0 : index",
            "%is_first = arith.cmpi eq, %half, %zero : index",
            f"%result = arith.select %is_first, %in0, %in1 : {first.element}",
        )
        return self.reshape(halves, [*outer, 2 * count])

    # --- elementwise -------------------------------------------------------------

    def cast(self, operation: str, value: Value, element: str) -> Value:
        return self.emit(
            value.shape, element, f"arith.{operation} {value.name} : {value.type} to {{type}}"
        )

    def cast_bits(self, value: Value, element: str) -> Value:
        return self.emit(
            value.shape, element, f"tensor.bitcast {value.name} : {value.type} to {{type}}"
        )

    def binary(self, operation: str, left: Value, right: Value | int | str) -> Value:
        if not isinstance(right, Value):
            right = self.splat(right, left.shape, left.element)
        return self.emit(
            left.shape, left.element, f"arith.{operation} {left.name}, {right.name} : {{type}}"
        )

    def compare(self, predicate: str, left: Value, right: int) -> Value:
        constant = self.splat(right, left.shape, left.element)
        text = f"arith.cmpi {predicate}, {left.name}, {constant.name} : {left.type}"
        return self.emit(left.shape, "i1", text)

    def select(self, condition: Value, left: Value, right: Value) -> Value:
        text = f"arith.select {condition.name}, {left.name}, {right.name} : {condition.type}, {{type}}"  # fmt: skip
        return self.emit(left.shape, left.element, text)

    def join(self, parts: list[tuple[Value, int]], element: str = "i8") -> Value:
        """The fields of one code: each, zero-extended, at its lowest bit."""
        result = None
        for value, shift in parts:
            if value.element != element:
                value = self.cast("extui", value, element)
            if shift:
                value = self.binary("shli", value, shift)
            result = value if result is None else self.binary("ori", result, value)
        return result

    def lookup(self, table: Value, codes: Value) -> Value:
        """`table[codes]`: a table of rank 2 gives its columns, a dimension more."""
        columns = table.shape[1:]
        shape = [*codes.shape, *columns]
        place = ["%i", "%j"][: len(table.shape)]
        return self.generic(
            shape,
            table.element,
            [(codes, range(len(codes.shape)))],
            f"%i = arith.index_castui %in0 : {codes.element} to index",
            *[f"%j = linalg.index {len(shape) - 1} : index" for _ in columns],
            f"%result = tensor.extract {table.name}[{', '.join(place)}] : {table.type}",
        )

    def generic(self, shape, element: str, inputs, *body: str) -> Value:
        """An elementwise op, whose body computes %result of %in0, %in1, and so on.

        inputs: values with the dimensions of the result that index them.
        """
        loops = [f"d{i}" for i in range(len(shape))]
        maps = ", ".join(
            f"affine_map<({', '.join(loops)}) -> ({', '.join(loops[i] for i in dims)})>"
            for dims in (*(dims for _, dims in inputs), range(len(shape)))
        )
        iterators = ", ".join(['"parallel"'] * len(shape))
        names = ", ".join(value.name for value, _ in inputs)
        types = ", ".join(value.type for value, _ in inputs)
        arguments = ", ".join(f"%in{i}: {value.element}" for i, (value, _) in enumerate(inputs))
        empty = self.emit(shape, element, "tensor.empty() : {type}")
        lines = "".join(f"    {line}\n" for line in (*body, f"linalg.yield %result : {element}"))
        return self.emit(
            shape,
            element,
            f"linalg.generic {{indexing_maps = [{maps}], iterator_types = [{iterators}]}} "
            f"ins({names} : {types}) outs({empty.name} : {empty.type}) {{\n"
            f"  ^bb0({arguments}, %out: {element}):\n{lines}  }} -> {{type}}",
        )

    # --- qdq ---------------------------------------------------------------------

    def unpack(self, containers: Value, packing: str, shape, element: str) -> Value:
        """`shape`: that of the elements, or how many each row of containers has."""
        return self.emit(
            (*containers.shape[:-1], shape) if isinstance(shape, int) else shape,
            element,
            f"qdq.unpack {containers.name} packing <{packing}> : ({containers.type}) -> {{type}}",
        )

    def converted(self, value: Value, dtype: str) -> Value:
        """A float of another type; f16 and bf16 through f32."""
        if value.element == dtype:
            return value
        if FLOATS[value.element] == FLOATS[dtype]:
            value = self.cast("extf", value, "f32")
        wider = FLOATS[value.element] < FLOATS[dtype]
        return self.cast("extf" if wider else "truncf", value, dtype)

    def dequantize(
        self,
        codes: Value,
        scale: Value,
        *,
        zero_point: Value | None = None,
        bias: Value | None = None,
        expressed: str = "f32",
        block: tuple[int, ...] | None = None,
    ) -> Value:
        """One scale for each `block`; by default all dimensions are divided evenly."""
        if block is None and scale.shape:
            block = tuple(-(-size // parts) for size, parts in zip(codes.shape, scale.shape))
        operands, words = [codes, scale], f"qdq.dequantize {codes.name} scale {scale.name}"
        if (parameter := zero_point or bias) is not None:
            operands.append(parameter)
            words += f" zero_point {parameter.name}" + (" in <expressed>" if bias else "")
        if block is not None:
            words += f" block_shape {[min(sizes) for sizes in zip(block, codes.shape)]}"
        types = ", ".join(operand.type for operand in operands)
        return self.emit(codes.shape, expressed, f"{words} : ({types}) -> {{type}}")

    def text(self, name: str, result: Value) -> str:
        body = "\n".join(self.lines)
        note = f" attributes {{weights.convention = {_quoted(self.convention)}}}"
        return (
            f"func.func @{_quoted(name)}() -> {result.type}{note * bool(self.convention)} {{\n{body}\n"
            f"  return {result.name} : {result.type}\n}}\n"
        )


def build(functions: dict[str, tuple[Function, Value]], file: str, progress=None) -> ir.Module:
    """A module of these functions, in the current context; the resources are the arrays themselves.

    `progress(done, total)` hears of each function.
    """
    module = ir.Module.create(loc=ir.Location.file(shown(file), 0, 0))
    for done, (name, (function, result)) in enumerate(functions.items()):
        if progress is not None:
            progress(done, len(functions))
        parsed = ir.Module.parse(function.text(name, result))
        (made,) = parsed.body.operations
        arrays = iter(function.resources)
        for operation in made.regions[0].blocks[0].operations:
            if operation.name != "arith.constant":
                continue
            if str(operation.attributes["value"]).startswith("dense_resource<"):
                array = next(arrays)
                operation.attributes["value"] = ir.DenseResourceElementsAttr.get_from_buffer(
                    array, name, operation.results[0].type, alignment=array.dtype.itemsize
                )
        module.body.append(made.operation.clone())
    return module
