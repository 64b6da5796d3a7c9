# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""qdq, by the statements of docs/Semantics.md, element by element."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mlir import ir

from .. import bits as bv
from .. import floats as fl
from .. import statements
from ..interpreter import (
    text_of,
    Machine,
    combine,
    defines,
    elementwise,
    operand_element,
    result_element,
)
from ..program import Definition, Operation, known
from ..shapes import numbers, segments
from ..statements.operands import DEFAULTS, Operand
from ..statements.packing import Packing
from ..terms import Term, constant
from ..types import Unsupported, check_fits, element_of, shape_of, width_of
from ..values import Array, Element, choose, indices, number
from .tensor import sized

# --- parameters --------------------------------------------------------------------------


def semantics(machine: Machine, op: Operation) -> dict[str, str]:
    """The op's fields, then those of the pass's options, then the defaults."""
    own = {}
    if "semantics" in op.attributes:
        own = dict(re.findall(r"(\w+) = ([\w-]+)", text_of(op, "semantics")))
    layers = (machine.fields, own, machine.overriding)
    fields = DEFAULTS | layers[0] | layers[1] | layers[2]
    for layer in layers:
        # A profile has a rule for each op.
        rule = layer.get(f"{op.name.removeprefix('qdq.')}_compute")
        fields["compute"] = layer.get("compute", rule or fields["compute"])
    if fields["rounding"] == "stochastic":
        raise Unsupported("stochastic rounding")
    return fields


def _clamp(op: Operation) -> tuple[int, int] | None:
    return tuple(numbers(op, "clamp")) if "clamp" in op.attributes else None


def _domain(op: Operation) -> str:
    name = "zero_point_domain"
    is_expressed = name in op.attributes and "expressed" in text_of(op, name)
    return "expressed" if is_expressed else "stored"


def _place(op: Operation, index: Sequence[int], shape: Sequence[int | None]) -> list[int]:
    """Where in its tensor, of this static shape, the parameter of an element lies."""
    if "axis" in op.attributes:
        return [index[_axis(op) % len(index)]]
    # A dimension of the static size 1 is shared, as block 0 is.
    return [
        0 if block == 0 or size == 1 else i // block
        for i, block, size in zip(index, numbers(op, "block_shape"), shape, strict=True)
    ]


@known
def _axis(op: Operation) -> int:
    return ir.IntegerAttr(op.attributes["axis"]).value


def parameter(op: Operation, value, shape: Sequence[int | None], index: Sequence[int]) -> Element:
    """Of the element at an index: one for all, or as `axis` or `block_shape` say."""
    if isinstance(value, Element):
        return value
    if "axis" not in op.attributes and "block_shape" not in op.attributes or value.shape == ():
        if len(value.elements) != 1:
            raise Unsupported("a parameter whose dynamic size does not fit")
        return value.elements[0]
    try:
        return value[_place(op, index, shape)]
    except (IndexError, AssertionError):
        raise Unsupported("a parameter whose dynamic size does not fit") from None


def _each(machine: Machine, op: Operation, groups, one) -> Element | Array:
    """`one` for each element of the input, with the parameters in groups of operands."""
    source = machine[op.operands[0]]
    values = [
        [(machine[v], shape_of(v.type), str(element_of(v.type))) for v in group] for group in groups
    ]
    own_type = str(operand_element(op))

    def element(index: Sequence[int], own: Element) -> Element:
        given, poisons = [], [own.poison]
        for group in values:
            found = []
            for value, shape, type in group:
                parameter_ = parameter(op, value, shape, index)
                poisons.append(parameter_.poison)
                found.append(Operand(parameter_.bits, type))
            given.append(found)
        x = Operand(own.bits, own_type)
        result, defined = one(x, *given)
        return Element(result, bv.or_(bv.not_(defined), *poisons))

    if isinstance(source, Element):
        return element((), source)
    check_fits(op.name, source.shape, op.results[0].type)
    return Array.build(source.shape, lambda index: element(index, source[index]))


def _only(group: list):
    return group[0] if group else None


# --- conversions -------------------------------------------------------------------------


@defines("qdq.quantize")
def _quantize(machine: Machine, op: Operation):
    fields, to = semantics(machine, op), str(result_element(op))
    _, scale, zero_point, *_ = segments(op)

    def one(x: Operand, s: list[Operand], z: list[Operand]) -> tuple[Term, Term]:
        return statements.quantize(x, s[0], _only(z), to, fields, _clamp(op), _domain(op))

    return _each(machine, op, [scale, zero_point], one)


@defines("qdq.encode")
def _encode(machine: Machine, op: Operation):
    # All choices are the op's own: no option overrides them.
    fields = dict(re.findall(r"(\w+) = ([\w-]+)", text_of(op, "semantics")))
    if fields["rounding"] == "stochastic":
        raise Unsupported("stochastic rounding")
    storage = text_of(op, "storage")
    source, scale, zero_point, *_ = segments(op)
    width = width_of(result_element(op))

    def operand(value: Definition, element: Element, flag: str = "") -> Operand:
        type = str(element_of(value.type))
        return Operand(element.bits, f"u{type}" if flag in op.attributes else type)

    def one(x: Element, s: Element, *z: Element) -> Element:
        code, defined = statements.quantize(
            operand(source[0], x, "unsigned_input"),
            operand(scale[0], s),
            operand(zero_point[0], z[0], "unsigned_zero_point") if z else None,
            storage,
            fields,
            _clamp(op),
            _domain(op),
        )
        is_signed = not storage.startswith(("u", "f", "bf"))
        code = bv.resize(code, width, is_signed)
        return Element(code, bv.or_(bv.not_(defined), *(v.poison for v in (x, s, *z))))

    values = [machine[v] for v in (*source, *scale, *zero_point)]
    if isinstance(values[0], Element):
        return one(*values)
    return Array.build(values[0].shape, lambda index: one(*(v[index] for v in values)))


@defines("qdq.dequantize")
def _dequantize(machine: Machine, op: Operation):
    fields, to = semantics(machine, op), str(result_element(op))
    scale, *zero_point = list(op.operands)[1:]

    def one(q: Operand, s: list[Operand], z: list[Operand]) -> tuple[Term, Term]:
        real = statements.dequantize(q, s[0], _only(z), to, fields, _domain(op))
        return fl.to_bits(real), bv.true()

    return _each(machine, op, [[scale], zero_point], one)


@defines("qdq.requantize")
def _requantize(machine: Machine, op: Operation):
    fields, to = semantics(machine, op), str(result_element(op))
    kind = re.search(r"<([\w-]+)>", text_of(op, "rescale"))[1]
    limit = ir.IntegerAttr(op.attributes["limit"]).value if "limit" in op.attributes else None
    _, multipliers, shift, fraction, zero_point = segments(op)

    def one(acc: Operand, m, t, g, z) -> tuple[Term, Term]:
        return statements.requantize(
            acc, m, _only(t), _only(g), _only(z), kind, to, fields, limit, _clamp(op)
        )

    return _each(machine, op, [multipliers, shift, fraction, zero_point], one)


# --- fields of words, and tables ---------------------------------------------------------


def _lowest_bit(strides: Sequence[int], slots: Sequence[Element]) -> Term:
    """Of a field, in 64 bits."""
    lowest = constant(0, 64)
    for stride, slot in zip(strides, slots, strict=True):
        lowest = bv.add(lowest, bv.mul(slot.bits, constant(stride, 64)))
    return lowest


def _beyond(lowest: Term, bits: int, word: int) -> Term:
    """True if a field does not lie in its word."""
    return bv.ult(constant(word - bits, 64), lowest)


@defines("qdq.extract_field")
def _extract_field(machine: Machine, op: Operation):
    strides, width = numbers(op, "strides"), width_of(result_element(op))
    parts, _ = segments(op)

    def one(*elements: Element) -> Element:
        word = bv.concat(*(part.bits for part in reversed(elements[: len(parts)])))
        lowest = _lowest_bit(strides, elements[len(parts) :])
        amount = bv.resize(lowest, word.sort, False)
        field = bv.extract(bv.lshr(word, amount), 0, width)
        return combine(field, *elements, poison=_beyond(lowest, width, word.sort))

    return elementwise(machine, op, one)


@defines("qdq.deposit_field")
def _deposit_field(machine: Machine, op: Operation):
    strides, width = numbers(op, "strides"), width_of(result_element(op))

    def one(field: Element, *slots: Element) -> Element:
        lowest = _lowest_bit(strides, slots)
        word = bv.shl(bv.zext(field.bits, width), bv.resize(lowest, width, False))
        return combine(word, field, *slots, poison=_beyond(lowest, field.width, width))

    return elementwise(machine, op, one)


@defines("qdq.lookup")
def _lookup(machine: Machine, op: Operation):
    table, indices_ = machine.operands(op)
    bits = (len(table.elements) - 1).bit_length()

    def one(index: Element) -> Element:
        found = table.elements[0]
        # Bits above those of an index of the table count for nothing.
        number_ = bv.resize(index.bits, max(bits, 1), False)
        for i, entry in enumerate(table.elements[1:], 1):
            found = choose(bv.eq(number_, constant(i, number_.sort)), entry, found)
        return combine(found.bits, found, index)

    return Array(indices_.shape, tuple(one(index) for index in indices_.elements))


# --- packing -----------------------------------------------------------------------------


def _packing(op: Operation, element: ir.Type, container: ir.Type) -> Packing:
    return Packing.parse(
        text_of(op, "packing"), str(element), width_of(element), width_of(container)
    )


@defines("qdq.unpack")
def _unpack(machine: Machine, op: Operation):
    source, element = machine[op.operands[0]], result_element(op)
    packing = _packing(op, element, operand_element(op))
    type = op.results[0].type
    if None in shape_of(type) and len(op.operands) == 1:
        raise Unsupported("qdq.unpack to an open size")
    shape = sized(machine, type, list(op.operands)[1:])
    axis = 0 if packing.axis is None else packing.axis % len(shape)

    def one(index: Sequence[int]) -> Element:
        place, low = packing.place(index, shape)
        parts, poison, left = [], bv.false(), packing.bits
        while left > 0:
            cell, width = source[place], min(left, packing.container - low)
            parts.insert(0, bv.extract(cell.bits, low, width))
            poison = bv.or_(poison, cell.poison)
            place[axis], low, left = place[axis] + 1, 0, left - width
        stored = bv.concat(*parts)
        code = bv.sub(stored, constant(packing.offset, packing.bits))
        if packing.positive_zero:
            is_negative_zero = bv.eq(code, constant(1 << (packing.bits - 1), packing.bits))
            code = bv.ite(is_negative_zero, constant(0, packing.bits), code)
        return Element(code, poison)

    return Array.build(shape, one)


@defines("qdq.pack")
def _pack(machine: Machine, op: Operation):
    source, container = machine[op.operands[0]], result_element(op)
    packing = _packing(op, operand_element(op), container)
    shape = _containers(source.shape, shape_of(op.results[0].type), packing)
    width = width_of(container)
    found = {index: number(0, width) for index in indices(shape)}
    axis = 0 if packing.axis is None else packing.axis % len(source.shape)
    for index, element in zip(indices(source.shape), source.elements):
        stored = bv.add(element.bits, constant(packing.offset, packing.bits))
        place, low = packing.place(index, source.shape)
        done = 0
        while done < packing.bits:
            size = min(packing.bits - done, width - low)
            part = bv.shl(bv.zext(bv.extract(stored, done, size), width), constant(low, width))
            cell = found[tuple(place)]
            found[tuple(place)] = Element(
                bv.or_(cell.bits, part), bv.or_(cell.poison, element.poison)
            )
            place[axis], low, done = place[axis] + 1, 0, done + size
    return Array(shape, tuple(found.values()))


def _containers(elements, shape, packing: Packing) -> tuple[int, ...]:
    """The shape of the containers, whatever the type leaves open."""
    if None not in shape:
        return shape
    if packing.axis is None:
        count = 1
        for size in elements:
            count *= size
        return (-(-count * packing.bits // packing.container),)
    axis = packing.axis % len(elements)
    size = elements[axis]
    if packing.block:
        size = -(-size // packing.block) * packing.record
    else:
        size = -(-size * packing.bits // packing.container)
    return (*elements[:axis], size, *elements[axis + 1 :])
