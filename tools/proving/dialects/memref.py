# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""memref: views of buffers that change."""

from __future__ import annotations

from math import prod

from mlir import ir

from .. import bits as bv
from ..interpreter import Machine, defines, width_of_result
from ..program import Operation
from ..shapes import kept_dimensions, nested, segments, slice_of
from ..types import Unsupported, attribute_bits, element_of, shape_of, static_shape, width_of
from ..values import Array, Buffer, Element, Memref, choose, indices, number, poison, row_major
from .memory import choose_and_write, chosen, is_inside, write
from .tensor import expanded_shape, grouped_shape, new_memref, sized, sizes_in


@defines("memref.alloc", "memref.alloca")
def _alloc(machine: Machine, op: Operation):
    """Elements that nobody has written are poison."""
    sizes, symbols = segments(op)
    if symbols:
        raise Unsupported(f"{op.name} with a layout")
    shape = sized(machine, op.results[0].type, sizes)
    return new_memref(Array(shape, (poison(width_of_result(op)),) * prod(shape)))


def _free(machine: Machine, buffer: Buffer) -> None:
    """What is read from it later is poison."""
    rest = [poison(element.width) for element in buffer.elements]
    buffer.elements[:] = [choose(machine.path, p, e) for p, e in zip(rest, buffer.elements)]


@defines("memref.dealloc")
def _dealloc(machine: Machine, op: Operation):
    _free(machine, machine[op.operands[0]].buffer)


@defines("bufferization.dealloc")
def _dealloc_owned(machine: Machine, op: Operation):
    """Frees each buffer whose condition holds, unless a retained one is the same, which is then owned."""
    counts = list(ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"]))
    values = iter(machine.operands(op))
    freed, owned, retained = ([next(values) for _ in range(count)] for count in counts)
    kept = {id(view.buffer) for view in retained}
    for view, condition in zip(freed, owned, strict=True):
        machine.trap(condition.poison)
        if id(view.buffer) not in kept:
            machine.under(condition.bits, lambda v=view: _free(machine, v.buffer))
    return [
        Element.of(
            bv.or_(bv.false(), *(c.bits for v, c in zip(freed, owned) if v.buffer is view.buffer))
        )
        for view in retained
    ]


@defines(
    "llvm.fence",
    "memref.assume_alignment",
    "memref.prefetch",
    "memref.distinct_objects",
)
def _nothing(machine: Machine, op: Operation):
    return machine.operands(op)[: len(op.results)]


@defines("memref.load")
def _load(machine: Machine, op: Operation):
    source, *index = machine.operands(op)
    if source.buffer.is_tensor:
        raise Unsupported("memref.load of a buffer that a tensor may overwrite")
    source.buffer.is_loaded = True
    return chosen(machine, source, index)


@defines("memref.store")
def _store(machine: Machine, op: Operation):
    value, target, *index = machine.operands(op)
    choose_and_write(machine, target, index, value)
    return []


@defines("memref.copy")
def _copy(machine: Machine, op: Operation):
    source, target = machine.operands(op)
    if source.shape != target.shape:
        machine.trap(bv.true())
        return []
    elements = source.read().elements
    for index, element in zip(indices(target.shape), elements):
        write(machine, target, index, element)
    return []


@defines("memref.subview")
def _subview(machine: Machine, op: Operation):
    source = machine[op.operands[0]]
    offsets, sizes, strides = slice_of(machine, op, 1)
    if 0 not in sizes:
        ends = [o + (n - 1) * s for o, n, s in zip(offsets, sizes, strides)]
        if not (is_inside(source.shape, offsets) and is_inside(source.shape, ends)):
            machine.trap(bv.true())
    kept = kept_dimensions(sizes, shape_of(op.results[0].type))
    return Memref(
        source.buffer,
        source.place(offsets),
        tuple(sizes[dim] for dim in kept),
        tuple(strides[dim] * source.strides[dim] for dim in kept),
    )


@defines("memref.expand_shape")
def _expand(machine: Machine, op: Operation):
    source = machine[op.operands[0]]
    shape = expanded_shape(machine, op, source.shape)
    strides = [0] * len(shape)
    groups = nested(op.attributes["reassociation"])
    if grouped_shape(shape, groups) != tuple(source.shape):
        raise Unsupported("memref.expand_shape to sizes that do not fit")
    for group, stride in zip(groups, source.strides):
        for dim in reversed(group):
            strides[dim] = stride
            stride *= shape[dim]
    return Memref(source.buffer, source.offset, shape, tuple(strides))


@defines("memref.collapse_shape")
def _collapse(machine: Machine, op: Operation):
    source, groups = machine[op.operands[0]], nested(op.attributes["reassociation"])
    shape = grouped_shape(source.shape, groups)
    strides = []
    for group in groups:
        sized_dims = [dim for dim in group if source.shape[dim] != 1]
        for outer, inner in zip(sized_dims, sized_dims[1:]):
            if source.strides[outer] != source.shape[inner] * source.strides[inner]:
                raise Unsupported("memref.collapse_shape across a gap")
        strides.append(source.strides[sized_dims[-1]] if sized_dims else 1)
    return Memref(source.buffer, source.offset, shape, tuple(strides))


@defines("memref.reshape")
def _reshape(machine: Machine, op: Operation):
    """The source has no gaps."""
    source, shape = machine.operands(op)
    if source.strides != row_major(source.shape):
        raise Unsupported("memref.reshape across a gap")
    sizes = sizes_in(op, shape.read())
    if prod(sizes) != prod(source.shape):
        machine.trap(bv.true())
    return Memref(source.buffer, source.offset, sizes, row_major(sizes))


@defines("memref.reinterpret_cast")
def _reinterpret(machine: Machine, op: Operation):
    source = machine[op.operands[0]]
    offsets, sizes, strides = slice_of(machine, op, 1)
    return Memref(source.buffer, offsets[0], tuple(sizes), tuple(strides))


@defines("memref.extract_strided_metadata")
def _metadata(machine: Machine, op: Operation):
    source = machine[op.operands[0]]
    base = Memref(source.buffer, 0, (), ())
    sizes, strides = (map(number, part) for part in (source.shape, source.strides))
    return [base, number(source.offset), *sizes, *strides]


@defines("memref.get_global")
def _get_global(machine: Machine, op: Operation):
    name = ir.FlatSymbolRefAttr(op.attributes["name"]).value
    if name not in machine.globals:
        declared = machine.symbols[name].operation
        type = ir.TypeAttr(declared.attributes["type"]).value
        width, shape = width_of(element_of(type)), static_shape(type)
        if "initial_value" not in declared.attributes:
            raise Unsupported("memref.global without a value")
        value = declared.attributes["initial_value"]
        if str(value) == "unit":
            elements = [poison(width)] * prod(shape)
        else:
            elements = [number(bits, width) for bits in attribute_bits(value)]
        machine.globals[name] = Memref(Buffer(elements), 0, shape, row_major(shape))
    return machine.globals[name]
