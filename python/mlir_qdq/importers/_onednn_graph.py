# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the graph JSON of oneDNN and refuses, with a reason, what the importer cannot turn into IR."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass, replace

from ._order import in_order

#: Tensors of unknown rank, and sizes that are not known.
Shape = tuple[int | None, ...] | None

#: oneDNN's element types in MLIR. Signed integers are signless there.
ELEMENT_TYPES = {
    "f64": "f64", "f32": "f32", "f16": "f16", "bf16": "bf16", "f8_e4m3": "f8E4M3FN", "f8_e5m2": "f8E5M2",
    "e8m0": "f8E8M0FNU", "f4_e2m1": "f4E2M1FN", "s64": "i64", "s32": "i32", "s8": "i8", "s4": "i4",
    "u8": "ui8", "u4": "ui4", "boolean": "i1",
}  # fmt: skip
_LAYOUTS = ("undef", "any", "strided", "opaque")
#: Python types of the value of an attribute of each type, or of the entries of a list.
_ATTRIBUTE_TYPES = {"s64": int, "f32": (int, float), "bool": (bool, int), "string": str}


class OneDNNImportError(ValueError):
    """A graph that cannot be imported: malformed, inconsistent, or with something unsupported.

    `file` and `op` name the place (either may be None), `reason` says what is wrong there.
    """

    def __init__(self, reason: str, *, file: str | None = None, op: str | None = None):
        self.reason, self.file, self.op = reason, file, op
        place = [file] if file else []
        place += [f"op {op}"] if op else []
        super().__init__(": ".join([*place, reason]))


@dataclass(frozen=True)
class LogicalTensor:
    """`stride` is None where it is unknown, or of no meaning in this layout."""

    id: int
    dtype: str
    shape: Shape
    stride: tuple[int, ...] | None
    layout: str
    property: str


@dataclass(frozen=True)
class Op:
    """`attributes` maps a name to oneDNN's type ("s64", "f32[]", ...) and the value."""

    id: int
    name: str
    kind: str
    attributes: dict[str, tuple[str, object]]
    inputs: tuple[LogicalTensor, ...]
    outputs: tuple[LogicalTensor, ...]

    def __str__(self):
        return f"'{self.name}' ({self.kind}, id {self.id})"


@dataclass(frozen=True)
class Graph:
    """Ops in an order in which each comes after what it reads; tensors by id, each told once."""

    file: str
    properties: dict[str, str]
    ops: tuple[Op, ...]
    tensors: dict[int, LogicalTensor]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]

    def error(self, reason: str, op: Op | None = None) -> OneDNNImportError:
        return OneDNNImportError(reason, file=self.file, op=op and str(op))


def load(source) -> Graph:
    """Read and check a graph: a path, JSON text, or the object that the JSON stands for.

    Raises OneDNNImportError, or OSError where the file cannot be opened.
    """
    file = "<graph>"
    is_text = isinstance(source, bytes) or isinstance(source, str) and source.lstrip()[:1] in "{["
    if isinstance(source, (str, os.PathLike)) and not is_text:
        file = os.fspath(source)
        with open(file, "rb") as stream:
            source = stream.read()
    if isinstance(source, (str, bytes)):
        try:
            source = json.loads(source)
        except (ValueError, RecursionError) as error:
            raise OneDNNImportError(f"not readable as JSON: {error}", file=file) from error
    elif not isinstance(source, dict):
        raise TypeError(f"expected a path, JSON text or a dict, not {type(source).__name__}")
    return _Reader(file).graph(source)


class _Reader:
    """Checks as it reads; `place` is the op that it is at."""

    def __init__(self, file: str):
        self.file, self.place = file, None

    def error(self, reason: str, place: str | None = None) -> OneDNNImportError:
        return OneDNNImportError(reason, file=self.file, op=place or self.place)

    def field(self, of: dict, name: str, kind, expected: str, where: str = ""):
        if name not in of:
            raise self.error(f"{where}'{name}' is missing")
        value = of[name]
        is_right = isinstance(value, kind) and not (isinstance(value, bool) and kind is int)
        if not is_right or (kind is int and not _fits(value)):
            raise self.error(f"{where}'{name}' is {_show(value)}: expected {expected}")
        return value

    def integers(self, of: dict, name: str, where: str = "") -> list[int]:
        values = self.field(of, name, list, "a list of integers", where)
        if any(not isinstance(v, int) or isinstance(v, bool) or not _fits(v) for v in values):
            raise self.error(f"{where}'{name}' is {_show(values)}: expected a list of integers")
        return values

    def graph(self, data) -> Graph:
        if not isinstance(data, dict):
            raise self.error(f"expected an object with a 'graph', not {_show(data)}")
        self.check_texts({name: value for name, value in data.items() if name != "graph"})
        listed = self.field(data, "graph", list, "a list of ops")
        ops = [self.op(entry, index) for index, entry in enumerate(listed)]
        self.place = None
        seen: dict[int, Op] = {}
        for op in ops:
            if op.id in seen:
                raise self.error(f"its id is also that of {seen[op.id]}", str(op))
            seen[op.id] = op
        tensors, producers = self.tensors(ops)
        inputs = self.inputs(data, ops, tensors, producers)
        outputs = self.outputs(data, ops, tensors)
        properties = {
            name: str(self.field(data, name, (str, bool, int), "a string"))
            for name in ("version", "engine_kind", "fpmath_mode", "fpmath_mode_apply_to_int")
            if name in data
        }
        return Graph(self.file, properties, self.sorted(ops, producers), tensors, inputs, outputs)

    def check_texts(self, data) -> None:
        """Half a pair of surrogates is no text that MLIR could hold."""
        try:
            json.dumps(data, ensure_ascii=False, default=repr).encode()
        except (UnicodeEncodeError, RecursionError, ValueError, TypeError) as error:
            raise self.error(f"not readable as JSON: {error}") from error

    def op(self, data, index: int) -> Op:
        self.place = f"#{index}"
        if not isinstance(data, dict):
            raise self.error(f"expected an object, not {_show(data)}")
        self.check_texts(data)
        number = self.field(data, "id", int, "an integer")
        kind = self.field(data, "kind", str, "a string")
        name = self.field(data, "name", str, "a string") if "name" in data else ""
        self.place = f"'{name}' ({kind}, id {number})"
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", kind):
            raise self.error(f"'kind' is {_show(kind)}: expected a name such as MatMul")
        attributes = {}
        if "attrs" in data:
            for key, value in self.field(data, "attrs", dict, "an object").items():
                attributes[key] = self.attribute(key, value)
        inputs, outputs = (
            tuple(
                self.tensor(entry, f"{role}[{i}]: ")
                for i, entry in enumerate(self.field(data, role, list, "a list of tensors"))
            )
            for role in ("inputs", "outputs")
        )
        return Op(number, name, kind, attributes, inputs, outputs)

    def attribute(self, name: str, data) -> tuple[str, object]:
        where = f"attribute '{name}': "
        if not name or "\0" in name:
            raise self.error("an attribute has no name")
        if not isinstance(data, dict):
            raise self.error(
                f"{where}expected an object with 'type' and 'value', not {_show(data)}"
            )
        kind = self.field(data, "type", str, "a string", where)
        element, is_list = kind.removesuffix("[]"), kind.endswith("[]")
        if element not in _ATTRIBUTE_TYPES:
            known = ", ".join(_ATTRIBUTE_TYPES)
            raise self.error(
                f"{where}type '{kind}' is not known: expected {known}, or a list of one"
            )
        if "value" not in data:
            raise self.error(f"{where}'value' is missing")
        value = data["value"]
        entries = value if is_list else [value]
        python = _ATTRIBUTE_TYPES[element]
        is_right = isinstance(entries, list) and all(
            isinstance(entry, python)
            and (element == "bool" or not isinstance(entry, bool))
            and (isinstance(entry, (str, float)) or _fits(entry))
            and (element != "bool" or entry in (0, 1))
            for entry in entries
        )
        if not is_right:
            raise self.error(f"{where}value {_show(value)} is not of type {kind}")
        return kind, value

    def tensor(self, data, where: str) -> LogicalTensor:
        if not isinstance(data, dict):
            raise self.error(f"{where}expected an object, not {_show(data)}")
        number = self.field(data, "id", int, "an integer", where)
        where = f"{where}tensor {number}: "
        dtype = self.field(data, "dtype", str, "a string", where)
        if dtype not in ELEMENT_TYPES:
            known = ", ".join(ELEMENT_TYPES)
            raise self.error(f"{where}dtype '{dtype}' is not known: expected {known}")
        sizes = self.integers(data, "shape", where)
        # oneDNN writes one negative number for a shape of which it knows too little.
        unknown = len(sizes) == 1 and sizes[0] < 0
        shape = None if unknown else tuple(size if size >= 0 else None for size in sizes)
        layout = data.get("layout_type", "undef")
        if layout not in _LAYOUTS:
            raise self.error(
                f"{where}layout_type {_show(layout)} is not known: expected {', '.join(_LAYOUTS)}"
            )
        stride = None
        if layout == "strided" and "stride" in data:
            stride = tuple(self.integers(data, "stride", where))
            if any(step < 0 for step in stride):
                stride = None
            elif shape is not None and len(stride) != len(shape):
                raise self.error(f"{where}has {len(stride)} strides for {len(shape)} dimensions")
        property_type = data.get("property_type", "undef")
        if not isinstance(property_type, str):
            raise self.error(f"{where}'property_type' is {_show(property_type)}: expected a string")
        return LogicalTensor(number, dtype, shape, stride, layout, property_type)

    def tensors(self, ops: list[Op]) -> tuple[dict[int, LogicalTensor], dict[int, Op]]:
        """Every tensor with what all its mentions know together, and who makes it."""
        tensors: dict[int, LogicalTensor] = {}
        producers: dict[int, Op] = {}
        for op in ops:
            for tensor in op.outputs:
                if tensor.id in producers:
                    raise self.error(
                        f"tensor {tensor.id} is also made by {producers[tensor.id]}", str(op)
                    )
                producers[tensor.id] = op
            for tensor in (*op.outputs, *op.inputs):
                known = tensors.setdefault(tensor.id, tensor)
                shape = merged(known.shape, tensor.shape)
                if known.dtype != tensor.dtype or shape == "conflict":
                    found = f"{tensor.dtype} {_show_shape(tensor.shape)}"
                    other = f"{known.dtype} {_show_shape(known.shape)}"
                    raise self.error(
                        f"tensor {tensor.id} is {found} here and {other} elsewhere", str(op)
                    )
                tensors[tensor.id] = replace(known, shape=shape)
        return tensors, producers

    def ports(self, data: dict, name: str, tensors) -> tuple[int, ...] | None:
        if name not in data:
            return None
        # A tensor that two ops read is listed twice.
        ports = tuple(dict.fromkeys(self.integers(data, name)))
        for port in ports:
            if port not in tensors:
                raise self.error(f"'{name}' lists tensor {port}, which no op has")
        return ports

    def inputs(self, data, ops, tensors, producers) -> tuple[int, ...]:
        free = dict.fromkeys(t.id for op in ops for t in op.inputs if t.id not in producers)
        ports = self.ports(data, "input_ports", tensors)
        if ports is None:
            return tuple(free)
        for port in ports:
            if port in producers:
                raise self.error(
                    f"'input_ports' lists tensor {port}, which {producers[port]} makes"
                )
        listed = set(ports)
        for tensor in free:
            if tensor not in listed:
                raise self.error(f"tensor {tensor} is made by no op and is not in 'input_ports'")
        return ports

    def outputs(self, data, ops, tensors) -> tuple[int, ...]:
        ports = self.ports(data, "output_ports", tensors)
        if ports is not None:
            return ports
        # `End` says that somebody reads its input.
        read = {t.id for op in ops if op.kind != "End" for t in op.inputs}
        ended = {t.id for op in ops if op.kind == "End" for t in op.inputs}
        made = [t.id for op in ops for t in op.outputs]
        return tuple(tensor for tensor in made if tensor not in read or tensor in ended)

    def sorted(self, ops: list[Op], producers: dict[int, Op]) -> tuple[Op, ...]:
        """In the given order where that is possible. Refuses cycles."""
        place = {op.id: i for i, op in enumerate(ops)}
        needs = [{place[producers[t.id].id] for t in op.inputs if t.id in producers} for op in ops]
        order = in_order(needs)
        if len(order) < len(ops):
            left = [str(ops[i]) for i in sorted(set(range(len(ops))) - set(order))]
            raise self.error("ops read each other's results in a circle: " + ", ".join(left[:20]))
        return tuple(ops[i] for i in order)


def merged(one: Shape, other: Shape) -> Shape | str:
    """The sizes that either shape knows; "conflict" where they disagree."""
    if one is None or other is None:
        return other if one is None else one
    if len(one) != len(other):
        return "conflict"
    sizes = []
    for a, b in zip(one, other):
        if a is not None and b is not None and a != b:
            return "conflict"
        sizes.append(b if a is None else a)
    return tuple(sizes)


def _fits(value: int) -> bool:
    return -(2**63) <= value < 2**63


def _show(value) -> str:
    try:
        text = json.dumps(value, default=repr)
    except RecursionError:
        return "a value that is nested too deeply"
    return text if len(text) <= 60 else text[:57] + "..."


def _show_shape(shape: Shape) -> str:
    if shape is None:
        return "of unknown rank"
    return "[" + ", ".join("?" if size is None else str(size) for size in shape) + "]"
