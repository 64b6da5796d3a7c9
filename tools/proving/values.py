# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contents of SSA values: elements with their poison, arrays of them, places in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod

from . import bits as bv
from .terms import Term, constant


@dataclass(unsafe_hash=True, slots=True)
class Element:
    """One integer or float: its bits, and the condition under which it is poison."""

    bits: Term
    poison: Term

    @staticmethod
    def of(bits: Term) -> Element:
        return Element(bits, bv.FALSE)

    @property
    def width(self) -> int:
        return self.bits.sort


def number(value: int, width: int = 64) -> Element:
    return Element.of(constant(value, width))


def poison(width: int) -> Element:
    return Element(constant(0, width), bv.true())


def choose(condition: Term, a: Element, b: Element) -> Element:
    """The one or the other, with the poison of that one alone."""
    return Element(bv.ite(condition, a.bits, b.bits), bv.ite(condition, a.poison, b.poison))


@dataclass(frozen=True)
class Array:
    """A vector or a tensor, row-major. Its shape is static here, whatever its type says."""

    shape: tuple[int, ...]
    elements: tuple[Element, ...]

    def __post_init__(self):
        assert len(self.elements) == prod(self.shape), (self.shape, len(self.elements))

    def __getitem__(self, index: Sequence[int]) -> Element:
        return self.elements[position(self.shape, index)]

    @staticmethod
    def build(shape: Sequence[int], element) -> Array:
        """`element` of each index."""
        shape = tuple(shape)
        return Array(shape, tuple(element(index) for index in indices(shape)))


@dataclass(eq=False)
class Buffer:
    """Memory that changes."""

    elements: list[Element]
    #: Bufferization may write the results of tensor ops to it.
    is_tensor: bool = False
    is_loaded: bool = False


@dataclass(frozen=True)
class Memref:
    """A view of a buffer, in elements."""

    buffer: Buffer = field(compare=False)
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    def place(self, index: Sequence[int]) -> int:
        return self.offset + sum(i * s for i, s in zip(index, self.strides, strict=True))

    def read(self) -> Array:
        """Elements beyond the buffer are poison."""
        elements = self.buffer.elements
        rest = poison(elements[0].width if elements else 1)

        def element(index: Sequence[int]) -> Element:
            place = self.place(index)
            return elements[place] if 0 <= place < len(elements) else rest

        return Array.build(self.shape, element)


Value = Element | Array | Memref


def indices(shape: Sequence[int]):
    return product(*map(range, shape))


def position(shape: Sequence[int], index: Sequence[int]) -> int:
    """Row-major; raises IndexError beyond the shape."""
    assert len(shape) == len(index), (shape, index)
    result = 0
    for size, i in zip(shape, index):
        if not 0 <= i < size:
            raise IndexError(f"{tuple(index)} in {tuple(shape)}")
        result = result * size + i
    return result


def row_major(shape: Sequence[int]) -> tuple[int, ...]:
    """Strides without gaps."""
    return tuple(prod(shape[i + 1 :]) for i in range(len(shape)))


def elements_of(value: Value) -> tuple[Element, ...]:
    if isinstance(value, Element):
        return (value,)
    return value.read().elements if isinstance(value, Memref) else value.elements
