# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments of a function as symbols, on sizes that are drawn, and the same ones for another stage of it."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from math import prod

from mlir import ir

from . import bits as bv
from .terms import symbol
from .types import Unsupported, argument_shape, element_of, is_shaped, width_of
from .values import Array, Buffer, Element, Memref, Value, number, row_major

#: Elements of all arguments, beyond which a function is too large to prove.
MOST_ELEMENTS = 1 << 13
#: Elements beside a view, which nobody may touch.
_GAP = 3

Draw = tuple[int, ...]


def open_numbers(types: Sequence[ir.Type]) -> list[int]:
    """Sizes and indices that the types do not say: how many dimensions lie behind each."""
    found = []
    for type in types:
        if isinstance(type, ir.IndexType):
            found.append(0)
        shape = argument_shape(type)
        found += [len(shape) - 1 - i for i, size in enumerate(shape) if size is None]
    return found


def draws(types: Sequence[ir.Type]) -> Iterator[Draw]:
    """Around a vector of 16 in the last dimension, in all of them, and any."""
    behind = open_numbers(types)
    if not behind:
        yield ()
        return
    made = set()
    rng = random.Random(0)
    candidates = [
        *(tuple(last if b == 0 else rest for b in behind) for last, rest in ((17, 2), (15, 3), (16, 1))),
        *((n,) * len(behind) for n in (3, 4, 17, 16, 15, 8, 2, 1, 33)),
        *(tuple(last if b == 0 else rest for b in behind) for last, rest in ((65, 2), (1, 5))),
        *(tuple(rng.choice((1, 2, 3, 4, 5, 8, 16, 17)) for _ in behind) for _ in range(12)),
        (0,) * len(behind),
    ]  # fmt: skip
    for draw in candidates:
        if draw not in made:
            made.add(draw)
            yield draw


def arguments(types: Sequence[ir.Type], draw: Draw) -> list[Value]:
    """Symbols, named by the argument and the place."""
    given = iter(draw)
    found: list[Value] = []
    for i, type in enumerate(types):
        if isinstance(type, ir.IndexType):
            found.append(number(next(given)))
            continue
        width = width_of(element_of(type))
        if not is_shaped(type):
            found.append(Element.of(symbol(f"%{i}", width)))
            continue
        shape = tuple(next(given) if size is None else size for size in argument_shape(type))
        if prod(shape) > MOST_ELEMENTS:
            raise Unsupported(f"more than {MOST_ELEMENTS} elements of an argument")
        if isinstance(type, ir.UnrankedMemRefType):
            found.append(_with_symbols(f"%{i}", shape, row_major(shape), 0, width))
        elif isinstance(type, ir.MemRefType):
            found.append(_memory(f"%{i}", type, shape, width))
        else:
            elements = (Element.of(symbol(f"%{i}[{n}]", width)) for n in range(prod(shape)))
            found.append(Array(shape, tuple(elements)))
    return found


def _memory(name: str, type: ir.MemRefType, shape: tuple[int, ...], width: int) -> Memref:
    """A view with gaps between its rows where the type allows for them."""
    if not isinstance(type.layout, ir.StridedLayoutAttr):
        if type.layout != type.affine_map and not type.affine_map.is_permutation:
            raise Unsupported(f"layout of {type}")
        return _with_symbols(name, shape, row_major(shape), 0, width)
    strides, offset = type.get_strides_and_offset()
    is_open = ir.ShapedType.get_dynamic_stride_or_offset()
    found: list[int] = []
    for dim in reversed(range(len(shape))):
        if strides[dim] != is_open:
            found.insert(0, strides[dim])
        else:
            found.insert(0, found[0] * shape[dim + 1] + 1 if found else 1)
    return _with_symbols(name, shape, tuple(found), 5 if offset == is_open else offset, width)


def _with_symbols(name: str, shape, strides, offset: int, width: int) -> Memref:
    last = offset + sum((n - 1) * s for n, s in zip(shape, strides)) if 0 not in shape else offset
    symbols = [Element.of(symbol(f"{name}[{n}]", width)) for n in range(last + 1 + _GAP)]
    return Memref(Buffer(symbols), offset, shape, strides)


def copied(values: Sequence[Value]) -> list[Value]:
    """With memory of their own."""
    return [
        Memref(Buffer(list(v.buffer.elements)), v.offset, v.shape, v.strides)
        if isinstance(v, Memref)
        else v
        for v in values
    ]


def as_types(values: Sequence[Value], types: Sequence[ir.Type]) -> list[Value]:
    """Arguments of an earlier stage for a later one: tensors in memory, codes packed to bytes."""
    found = [_as_type(value, type) for value, type in zip(copied(values), types)]
    if len(types) < len(values):
        raise Unsupported("a stage with fewer arguments")
    if len(types) > len(values):
        raise Unsupported("a stage with more arguments")
    return found


def _as_type(value: Value, type: ir.Type) -> Value:
    if isinstance(value, Element):
        if is_shaped(type) or width_of(type) != value.width:
            raise Unsupported("an argument that becomes another")
        return value
    if not is_shaped(type):
        raise Unsupported("an argument that becomes another")
    width = width_of(element_of(type))
    array = value.read() if isinstance(value, Memref) else value
    if array.elements and array.elements[0].width != width:
        array = packed(array, width)
    if isinstance(type, (ir.MemRefType, ir.UnrankedMemRefType)):
        if isinstance(value, Memref):
            return value
        return Memref(Buffer(list(array.elements)), 0, array.shape, row_major(array.shape))
    if isinstance(value, Memref):
        raise Unsupported("memory that becomes a tensor")
    return array


def packed(array: Array, width: int) -> Array:
    """Elements of fewer bits in bytes, the first one lowest."""
    own = array.elements[0].width
    if own > width or width != 8:
        raise Unsupported("an argument that becomes another")
    bits = bv.concat(*(e.bits for e in reversed(array.elements)))
    poisons = bv.or_(bv.false(), *(e.poison for e in array.elements))
    count = -(-own * len(array.elements) // width)
    bits = bv.zext(bits, count * width) if bits.sort != count * width else bits
    return Array(
        (count,), tuple(Element(bv.extract(bits, i * width, width), poisons) for i in range(count))
    )


# --- destinations ------------------------------------------------------------------------


def passing(function: ir.Operation) -> list[str]:
    """How qdq-results-to-destinations passes each result; empty for other functions."""
    if "qdq.results" not in function.attributes:
        return []
    return [ir.StringAttr(word).value for word in ir.ArrayAttr(function.attributes["qdq.results"])]


def destinations(types: Sequence[ir.Type], shapes: Sequence[Sequence[int]]) -> list[Memref]:
    """Buffers of the caller, with anything in them."""
    found = []
    for i, (type, shape) in enumerate(zip(types, shapes, strict=True)):
        width, shape = width_of(element_of(type)), tuple(shape)
        found.append(_with_symbols(f"destination {i}", shape, row_major(shape), 0, width))
    return found


def with_destinations(results, given: Sequence[Memref], words: Sequence[str]) -> list[Value | None]:
    """The results that the function had before: those in buffers, and those that it returns."""
    buffers, returned = iter(given), iter(results)
    rest = {"destination": lambda: next(buffers).read(), "shape": lambda: None}
    return [rest.get(word, lambda: next(returned))() for word in words]
