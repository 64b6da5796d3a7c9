# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""vector: arrays of elements, in which every shuffle is a choice of elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from math import prod

from mlir import ir

from .. import affine
from .. import bits as bv
from .. import floats as fl
from ..interpreter import (
    Machine,
    combine,
    defines,
    operand_element,
    result_element,
    shape_of_result,
    width_of_result,
)
from ..program import Definition, Operation, known
from ..shapes import DYNAMIC, numbers, segments
from ..terms import Term, constant
from ..types import Unsupported, format_of, is_float, is_shaped, width_of
from ..values import Array, Element, choose, elements_of, indices, number, poison, position
from . import arith
from .memory import access, write
from .tensor import sized

# --- shapes ------------------------------------------------------------------------------


@defines("vector.broadcast")
def _broadcast(machine: Machine, op: Operation):
    source, shape = machine[op.operands[0]], shape_of_result(op)
    if isinstance(source, Element):
        return Array(shape, (source,) * prod(shape))
    lead = len(shape) - len(source.shape)

    def element(index: Sequence[int]) -> Element:
        own = (0 if size == 1 else i for i, size in zip(index[lead:], source.shape))
        return source[tuple(own)]

    return Array.build(shape, element)


@defines("vector.splat", "tensor.splat")
def _splat(machine: Machine, op: Operation):
    shape = sized(machine, op.results[0].type, list(op.operands)[1:])
    return Array(shape, (machine[op.operands[0]],) * prod(shape))


@defines("vector.shape_cast")
def _shape_cast(machine: Machine, op: Operation):
    return Array(shape_of_result(op), machine[op.operands[0]].elements)


@defines("vector.transpose")
def _transpose(machine: Machine, op: Operation):
    source, permutation = machine[op.operands[0]], numbers(op, "permutation")

    def element(index: Sequence[int]) -> Element:
        own = [0] * len(index)
        for i, dim in zip(index, permutation):
            own[dim] = i
        return source[own]

    return Array.build(shape_of_result(op), element)


@defines("vector.bitcast")
def _bitcast(machine: Machine, op: Operation):
    """The lowest bits are those of the first element."""
    source, shape, width = machine[op.operands[0]], shape_of_result(op), width_of_result(op)
    rows = prod(shape[:-1])
    size = len(source.elements) // rows if rows else 0
    found = []
    for row in range(rows):
        found += recut(source.elements[row * size : (row + 1) * size], width)
    return Array(shape, tuple(found))


def recut(elements: Sequence[Element], width: int) -> list[Element]:
    """The same bits in elements of another width. One is poison if a part of it is."""
    own = elements[0].width if elements else width
    if own == width:
        return list(elements)
    if own > width:
        parts = own // width
        return [
            Element(bv.extract(e.bits, i * width, width), e.poison)
            for e in elements
            for i in range(parts)
        ]
    parts = width // own
    found = []
    for i in range(0, len(elements), parts):
        group = elements[i : i + parts]
        bits = bv.concat(*(e.bits for e in reversed(group)))
        found.append(combine(bits, *group))
    return found


# --- elements ----------------------------------------------------------------------------


def _at(machine: Machine, op: Operation, dynamic: Sequence[Definition], shape: Sequence[int]):
    """The index that an extract or insert names: integers, or one that data choose."""
    index, given = [], iter(dynamic)
    for n, size in zip(numbers(op, "static_position"), shape):
        if n != DYNAMIC:
            index.append(n)
            continue
        value = machine[next(given)]
        fixed = value.bits.value
        index.append(fixed if fixed is not None and value.poison.value == 0 else value)
    return index


def _candidates(index: Sequence[int | Element], shape: Sequence[int]):
    """Every index that is possible, with the condition that it is the one, and poison of the choice."""
    found = [((), bv.true())]
    for i, size in zip(index, shape):
        if isinstance(i, int):
            found = [((*head, i), c) for head, c in found]
        else:
            found = [
                ((*head, n), bv.and_(c, bv.eq(i.bits, constant(n, 64))))
                for head, c in found
                for n in range(size)
            ]
    return found


def _picked(source: Array, index: Sequence[int | Element]) -> Element | Array:
    rank = len(index)
    rest = source.shape[rank:]
    result: list[Element] | None = None
    is_known = all(isinstance(i, int) for i in index)
    for place, condition in _candidates(index, source.shape):
        if any(not 0 <= i < size for i, size in zip(place, source.shape)):
            found = [poison(source.elements[0].width)] * prod(rest)
        else:
            found = [source[(*place, *tail)] for tail in indices(rest)]
        if is_known:
            result = found
        else:
            before = result or [poison(e.width) for e in found]
            result = [choose(condition, e, b) for e, b in zip(found, before)]
    for i in index:
        if isinstance(i, Element):
            result = [combine(e.bits, e, poison=i.poison) for e in result]
    return Array(rest, tuple(result)) if rest else result[0]


@defines("vector.extract")
def _extract(machine: Machine, op: Operation):
    source = machine[op.operands[0]]
    index = _at(machine, op, list(op.operands)[1:], source.shape)
    found = _picked(source, index)
    if is_shaped(op.results[0].type) and isinstance(found, Element):
        return Array((), (found,))
    return found


@defines("vector.insert")
def _insert(machine: Machine, op: Operation):
    value, target = machine[op.operands[0]], machine[op.operands[1]]
    index = _at(machine, op, list(op.operands)[2:], target.shape)
    new = list(target.elements)
    inner = elements_of(value)
    for place, condition in _candidates(index, target.shape):
        if any(not 0 <= i < size for i, size in zip(place, target.shape)):
            return Array(target.shape, tuple(poison(e.width) for e in new))
        for tail, element in zip(indices(target.shape[len(place) :]), inner):
            at = position(target.shape, (*place, *tail))
            new[at] = choose(condition, element, new[at])
    return Array(target.shape, tuple(new))


@defines("vector.from_elements", "tensor.from_elements")
def _from_elements(machine: Machine, op: Operation):
    return Array(shape_of_result(op), tuple(machine.operands(op)))


@defines("vector.to_elements")
def _to_elements(machine: Machine, op: Operation):
    return list(machine[op.operands[0]].elements)


@defines("vector.extract_strided_slice")
def _extract_slice(machine: Machine, op: Operation):
    source = machine[op.operands[0]]
    offsets, strides = (numbers(op, n) for n in ("offsets", "strides"))
    offsets = offsets + [0] * (len(source.shape) - len(offsets))
    strides = strides + [1] * (len(source.shape) - len(strides))
    return Array.build(
        shape_of_result(op),
        lambda index: source[[o + i * s for o, i, s in zip(offsets, index, strides)]],
    )


@defines("vector.insert_strided_slice")
def _insert_slice(machine: Machine, op: Operation):
    value, target = machine.operands(op)
    offsets, strides = (numbers(op, n) for n in ("offsets", "strides"))
    lead = len(target.shape) - len(value.shape)
    strides = [1] * lead + strides
    new = list(target.elements)
    for index in indices(value.shape):
        own = (*([0] * lead), *index)
        at = position(target.shape, [o + i * s for o, i, s in zip(offsets, own, strides)])
        new[at] = value[index]
    return Array(target.shape, tuple(new))


@defines("vector.shuffle")
def _shuffle(machine: Machine, op: Operation):
    a, b = machine.operands(op)
    shape = shape_of_result(op)
    rest = shape[1:]
    size, rows = prod(rest), list(a.elements + b.elements)
    found = []
    for i in numbers(op, "mask"):
        found += rows[i * size : (i + 1) * size] if i >= 0 else [poison(rows[0].width)] * size
    return Array(shape, tuple(found))


@defines("vector.interleave")
def _interleave(machine: Machine, op: Operation):
    a, b = machine.operands(op)
    pairs = zip(a.elements, b.elements)
    return Array(shape_of_result(op), tuple(e for pair in pairs for e in pair))


@defines("vector.deinterleave")
def _deinterleave(machine: Machine, op: Operation):
    source, shape = machine[op.operands[0]], shape_of_result(op)
    return [Array(shape, source.elements[i::2]) for i in (0, 1)]


@defines("vector.step")
def _step(machine: Machine, op: Operation):
    return Array.build(shape_of_result(op), lambda index: number(index[0]))


@defines("vector.constant_mask")
def _constant_mask(machine: Machine, op: Operation):
    sizes = numbers(op, "mask_dim_sizes")
    return Array.build(
        shape_of_result(op), lambda index: number(int(all(i < n for i, n in zip(index, sizes))), 1)
    )


@defines("vector.create_mask")
def _create_mask(machine: Machine, op: Operation):
    sizes = [machine[operand].bits for operand in op.operands]

    def element(index: Sequence[int]) -> Element:
        inside = (bv.slt(constant(i, 64), n) for i, n in zip(index, sizes))
        return Element.of(bv.and_(*inside))

    return Array.build(shape_of_result(op), element)


# --- arithmetic --------------------------------------------------------------------------


@defines("vector.fma")
def _fma(machine: Machine, op: Operation):
    return arith.on_floats(fl.fma)(machine, op)


@known
def _kind(op: Operation) -> str:
    return str(op.attributes["kind"]).removeprefix("#vector.kind<").rstrip(">")


def _accumulate(
    op: Operation, kind: str, element: ir.Type
) -> Callable[[Element, Element], Element]:
    """One step of a reduction."""
    if is_float(element):
        functions = {"add": fl.add, "mul": fl.mul}
        if kind not in functions:
            raise Unsupported(f"{op.name} by {kind} of floats")
        f = format_of(element)

        def on_floats(a: Element, b: Element) -> Element:
            x, y = fl.to_float(a.bits, f), fl.to_float(b.bits, f)
            return combine(fl.to_bits(functions[kind](x, y)), a, b)

        return on_floats
    functions = {
        "add": bv.add, "mul": bv.mul, "and": bv.and_, "or": bv.or_, "xor": bv.xor,
        "minsi": lambda a, b: bv.min_(a, b, True), "maxsi": lambda a, b: bv.max_(a, b, True),
        "minui": lambda a, b: bv.min_(a, b, False), "maxui": lambda a, b: bv.max_(a, b, False),
    }  # fmt: skip
    return lambda a, b: combine(functions[kind](a.bits, b.bits), a, b)


@defines("vector.reduction")
def _reduction(machine: Machine, op: Operation):
    arith.check_fastmath(machine, op)
    operands = machine.operands(op)
    step = _accumulate(op, _kind(op), result_element(op))
    elements = list(operands[0].elements)
    # In order, from the accumulator or from the first element on.
    result = operands[1] if len(operands) > 1 else elements.pop(0)
    for element in elements:
        result = step(result, element)
    return result


@defines("vector.multi_reduction")
def _multi_reduction(machine: Machine, op: Operation):
    source, start = machine.operands(op)
    reduced = set(numbers(op, "reduction_dims"))
    step = _accumulate(op, _kind(op), result_element(op))
    found: dict[tuple[int, ...], Element] = {}
    shape = start.shape if isinstance(start, Array) else ()
    for index, element in zip(indices(source.shape), source.elements):
        kept = tuple(i for dim, i in enumerate(index) if dim not in reduced)
        before = found.get(kept) or (start[kept] if isinstance(start, Array) else start)
        found[kept] = step(before, element)
    result = Array.build(shape, lambda index: found[tuple(index)])
    return result if is_shaped(op.results[0].type) else result.elements[0]


@defines("vector.contract")
def _contract(machine: Machine, op: Operation):
    arith.check_fastmath(machine, op)
    a, b, start = machine.operands(op)
    maps = affine.maps_of(op.attributes["indexing_maps"])
    functions = [affine.compiled(map) for map in maps]
    element = result_element(op)
    add, multiply = _accumulate(op, _kind(op), element), _accumulate(op, "mul", element)
    width = width_of(element)

    def widened(value: Element | Array, number: int) -> Element | Array:
        """vector.contract takes narrower factors: floats exactly, integers with their sign."""
        if operand_element(op, number) == element:
            return value
        if is_float(element):
            raise Unsupported("vector.contract of narrower floats")
        elements = (combine(bv.resize(e.bits, width, True), e) for e in elements_of(value))
        return Array(value.shape, tuple(elements))

    shapes = [v.shape if isinstance(v, Array) else () for v in (a, b, start)]
    found: dict[tuple[int, ...], Element] = {}
    products: dict[tuple[int, ...], list[Element]] = {}
    wide_a, wide_b = widened(a, 0), widened(b, 1)
    for index in indices(affine.sizes(maps, shapes)):
        left, right, at = (function(index, ()) for function in functions)
        at = tuple(at)
        before = found.get(at) or (start[at] if isinstance(start, Array) else start)
        product = multiply(wide_a[left], wide_b[right])
        products.setdefault(at, []).append(product)
        found[at] = add(before, product)
    if "qdq.fits_i16" in op.attributes:
        for at, terms in products.items():
            broken = _exceeds_i16(terms, a.shape[-1] // 2)
            found[at] = combine(found[at].bits, found[at], poison=broken)
    if isinstance(start, Element):
        return found[()]
    return Array.build(start.shape, lambda index: found[tuple(index)])


def _exceeds_i16(products: Sequence[Element], pairs: int) -> Term:
    """The promise `qdq.fits_i16` is broken: a sum of two neighbors has more than 16 bits, or the sum
    of those of the vectors so far, of which each has so many pairs."""
    # No product of bytes has more than 16 bits; sums of some have less than 32.
    wide = [bv.resize(p.bits, 32, True) for p in products]
    sums = [bv.add(a, b) for a, b in zip(wide[::2], wide[1::2])]
    checked = list(sums)
    for pair in range(pairs):
        checked += accumulate(sums[pair::pairs], bv.add)
    return bv.or_(*(bv.ne(bv.sext(bv.extract(s, 0, 16), 32), s) for s in checked))


@defines("vector.outerproduct")
def _outer_product(machine: Machine, op: Operation):
    operands = machine.operands(op)
    a, b = operands[:2]
    element = result_element(op)
    multiply = _accumulate(op, "mul", element)
    shape = shape_of_result(op)

    def one(index: Sequence[int]) -> Element:
        right = b if isinstance(b, Element) else b[index[1:]]
        product = multiply(a[index[:1]], right)
        return (
            _accumulate(op, _kind(op), element)(operands[2][index], product)
            if len(operands) > 2
            else product
        )

    return Array.build(shape, one)


# --- memory and tensors --------------------------------------------------------------------


@defines("vector.load")
def _load(machine: Machine, op: Operation):
    source, *index = machine.operands(op)
    shape, at = shape_of_result(op), [machine.integer(v) for v in list(op.operands)[1:]]
    lead = len(source.shape) - len(shape)
    base = at[:lead]
    return Array.build(
        shape,
        lambda own: access(machine, source, [*base, *(a + i for a, i in zip(at[lead:], own))]),
    )


@defines("vector.store")
def _store(machine: Machine, op: Operation):
    value, target, *_ = machine.operands(op)
    at = [machine.integer(v) for v in list(op.operands)[2:]]
    lead = len(target.shape) - len(value.shape)
    for own in indices(value.shape):
        place = [*at[:lead], *(a + i for a, i in zip(at[lead:], own))]
        write(machine, target, place, value[own])
    return []


@defines("vector.maskedload")
def _masked_load(machine: Machine, op: Operation):
    source, *_ = machine.operands(op)
    mask, other = machine[op.operands[-2]], machine[op.operands[-1]]
    at = [machine.integer(v) for v in list(op.operands)[1:-2]]

    def one(own: Sequence[int]) -> Element:
        if mask[own].bits.value == 0:
            return other[own]
        place = [*at[:-1], at[-1] + own[0]]
        found = machine.under(mask[own].bits, lambda: access(machine, source, place))
        return choose(mask[own].bits, found, other[own])

    return Array.build(shape_of_result(op), one)


@defines("vector.maskedstore")
def _masked_store(machine: Machine, op: Operation):
    target = machine[op.operands[0]]
    mask, value = machine[op.operands[-2]], machine[op.operands[-1]]
    at = [machine.integer(v) for v in list(op.operands)[1:-2]]
    for own in indices(value.shape):
        condition = mask[own].bits
        if condition.value != 0:
            place = [*at[:-1], at[-1] + own[0]]
            machine.under(condition, lambda: write(machine, target, place, value[own]))
    return []


@known
def _transfer_dims(op: Operation) -> tuple[list[int | None], list[bool]]:
    map = ir.AffineMapAttr(op.attributes["permutation_map"]).value
    dims = []
    for expression in map.results:
        is_dim = isinstance(expression, ir.AffineDimExpr)
        dims.append(ir.AffineDimExpr(expression).position if is_dim else None)
    return dims, [bool(ir.BoolAttr(b).value) for b in ir.ArrayAttr(op.attributes["in_bounds"])]


def _transfer_places(machine: Machine, op: Operation, shape, rank: int, at: list[int]):
    """For each index of the vector: the place, and whether it may lie beyond."""
    dims, in_bounds = _transfer_dims(op)
    for own in indices(shape):
        place = list(at)
        checked = []
        for i, dim, is_inside in zip(own, dims, in_bounds):
            if dim is not None:
                place[dim] += i
                if not is_inside:
                    checked.append(dim)
        yield own, place, checked


def _mask_at(mask: Array | None, own: Sequence[int]):
    return bv.true() if mask is None else mask[own].bits


@defines("vector.transfer_read")
def _transfer_read(machine: Machine, op: Operation):
    source_operands, index_operands, padding, mask_operands = segments(op)
    source, fill = machine[source_operands[0]], machine[padding[0]]
    mask = machine[mask_operands[0]] if mask_operands else None
    at = [machine.integer(v) for v in index_operands]
    found = []
    shape = shape_of_result(op)
    for own, place, checked in _transfer_places(machine, op, shape, len(source.shape), at):
        if any(not 0 <= place[dim] < source.shape[dim] for dim in checked):
            found.append(fill)
            continue
        condition = _mask_at(mask, own)
        if condition.value == 0:
            found.append(fill)
            continue
        read = machine.under(condition, lambda place=place: access(machine, source, place))
        found.append(choose(condition, read, fill))
    return Array(shape, tuple(found))


@defines("vector.transfer_write")
def _transfer_write(machine: Machine, op: Operation):
    value_operand, target_operand, index_operands, mask_operands = segments(op)
    value, target = machine[value_operand[0]], machine[target_operand[0]]
    if isinstance(value, Element):
        value = Array((), (value,))
    mask = machine[mask_operands[0]] if mask_operands else None
    at = [machine.integer(v) for v in index_operands]
    new = list(target.elements) if isinstance(target, Array) else None
    for own, place, checked in _transfer_places(machine, op, value.shape, len(target.shape), at):
        condition = _mask_at(mask, own)
        if any(not 0 <= place[dim] < target.shape[dim] for dim in checked) or condition.value == 0:
            continue
        if new is None:
            machine.under(
                condition, lambda place=place, own=own: write(machine, target, place, value[own])
            )
            continue
        if any(not 0 <= i < size for i, size in zip(place, target.shape)):
            machine.trap(condition)
            continue
        p = position(target.shape, place)
        new[p] = choose(condition, value[own], new[p])
    return [] if new is None else Array(target.shape, tuple(new))


@defines("vector.gather")
def _gather(machine: Machine, op: Operation):
    groups = list(op.operands)
    source, index, mask, other = (
        machine[groups[0]], machine[groups[-3]], machine[groups[-2]], machine[groups[-1]],
    )  # fmt: skip
    at = [machine.integer(v) for v in groups[1:-3]]

    def one(own: Sequence[int]) -> Element:
        result = other[own]
        offset = index[own].bits
        for n in range(source.shape[-1] - at[-1]):
            chosen = bv.and_(mask[own].bits, bv.eq(offset, constant(n, offset.sort)))
            if chosen.value != 0:
                result = choose(chosen, access(machine, source, [*at[:-1], at[-1] + n]), result)
        return result

    return Array.build(shape_of_result(op), one)
