# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One element of a tensor or of memory, read and written, at places that may lie beyond."""

from __future__ import annotations

from collections.abc import Sequence

from .. import bits as bv
from ..interpreter import Machine
from ..terms import constant
from ..types import Unsupported
from ..values import Array, Element, Memref, choose, indices, poison

#: Elements among which data may choose.
_MOST_CHOICES = 4096


def is_inside(shape: Sequence[int], place: Sequence[int]) -> bool:
    return all(0 <= i < size for i, size in zip(place, shape, strict=True))


def _lies_in(view: Memref, place: Sequence[int]) -> bool:
    """Also of a view that is partly beyond its buffer."""
    return is_inside(view.shape, place) and 0 <= view.place(place) < len(view.buffer.elements)


def access(machine: Machine, source: Array | Memref, place: Sequence[int]) -> Element:
    """Beyond the end it is undefined behaviour."""
    lies_in = (
        is_inside(source.shape, place) if isinstance(source, Array) else _lies_in(source, place)
    )
    if not lies_in:
        machine.trap(bv.true())
        elements = source.buffer.elements if isinstance(source, Memref) else source.elements
        return poison(elements[0].width if elements else 1)
    if isinstance(source, Array):
        return source[place]
    return source.buffer.elements[source.place(place)]


def write(machine: Machine, target: Memref, place: Sequence[int], value: Element) -> None:
    if not _lies_in(target, place):
        machine.trap(bv.true())
        return
    at = target.place(place)
    target.buffer.elements[at] = choose(machine.path, value, target.buffer.elements[at])


def chosen(machine: Machine, source: Array | Memref, index: Sequence[Element]) -> Element:
    """The element at an index that data may choose."""
    place = _known(index)
    if place is not None:
        return access(machine, source, place)
    if len(list(indices(source.shape))) > _MOST_CHOICES:
        raise Unsupported("a choice among too many elements")
    result: Element | None = None
    inside = bv.false()
    for candidate in indices(source.shape):
        condition = _is(index, candidate)
        inside = bv.or_(inside, condition)
        element = access(machine, source, candidate)
        result = element if result is None else choose(condition, element, result)
    machine.trap(bv.not_(inside))
    for i in index:
        machine.trap(i.poison)
    return result if result is not None else poison(1)


def choose_and_write(
    machine: Machine, target: Memref, index: Sequence[Element], value: Element
) -> None:
    place = _known(index)
    if place is not None:
        write(machine, target, place, value)
        return
    inside = bv.false()
    for candidate in indices(target.shape):
        condition = _is(index, candidate)
        inside = bv.or_(inside, condition)
        machine.under(condition, lambda c=candidate: write(machine, target, c, value))
    machine.trap(bv.not_(inside))


def _known(index: Sequence[Element]) -> list[int] | None:
    if any(i.bits.value is None or i.poison.value != 0 for i in index):
        return None
    return [i.bits.value - (i.bits.value >> 63 << 64) for i in index]


def _is(index: Sequence[Element], candidate: Sequence[int]):
    return bv.and_(bv.true(), *(bv.eq(i.bits, constant(n, 64)) for i, n in zip(index, candidate)))
