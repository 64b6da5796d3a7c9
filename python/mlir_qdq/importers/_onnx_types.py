# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The type of every value of an ONNX graph, and how ONNX types are spelled in MLIR.

Shapes come from ONNX shape inference. Two things are added to it: the quantization operators of
custom domains, which it does not know, and element types that follow from the type variables of the
standard operators' signatures (so that what stands behind a custom operator is not lost).
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator

import onnx
from onnx import AttributeProto, TensorProto, TypeProto

from ._onnx_model import DEFAULT_DOMAINS, Model, all_nodes, is_newer, schema
from ._onnx_operators import ELEMENT_FROM_OPERAND, PMX_DOMAINS, U8_BY_DEFAULT
from ._onnx_stand_ins import has_stand_in, stand_in

#: Element types by ONNX name. Signed integers are signless, as in onnx-mlir; unsigned ones say so.
#: Names that the installed `onnx` lacks (it gains some with each operator set) never occur.
_ELEMENTS = {
    "FLOAT": "f32",
    "DOUBLE": "f64",
    "FLOAT16": "f16",
    "BFLOAT16": "bf16",
    "FLOAT8E4M3FN": "f8E4M3FN",
    "FLOAT8E4M3FNUZ": "f8E4M3FNUZ",
    "FLOAT8E5M2": "f8E5M2",
    "FLOAT8E5M2FNUZ": "f8E5M2FNUZ",
    "FLOAT8E8M0": "f8E8M0FNU",
    "FLOAT6E2M3": "f6E2M3FN",
    "FLOAT6E3M2": "f6E3M2FN",
    "FLOAT4E2M1": "f4E2M1FN",
    "BOOL": "i1",
    "INT2": "i2",
    "INT4": "i4",
    "INT8": "i8",
    "INT16": "i16",
    "INT32": "i32",
    "INT64": "i64",
    "UINT2": "ui2",
    "UINT4": "ui4",
    "UINT8": "ui8",
    "UINT16": "ui16",
    "UINT32": "ui32",
    "UINT64": "ui64",
    "COMPLEX64": "complex<f32>",
    "COMPLEX128": "complex<f64>",
    "STRING": "!onnx.String",
}
_MAX_RANK = 64
UNKNOWN_ELEMENT = "!onnx.Unknown"
ELEMENT_SPELLING = {
    code: _ELEMENTS[name] for name, code in TensorProto.DataType.items() if name in _ELEMENTS
}
#: Element types as operator definitions spell them.
_ELEMENT_CODE = {f"tensor({name.lower()})": code for name, code in TensorProto.DataType.items()}

_CASTLIKE_OPSET = 15
#: Initializers up to this many elements take part in shape inference by value: they may be a shape.
_INFERENCE_ELEMENTS = 64
_PMX_CODES_PER_I16 = 4


def spell(value_type: TypeProto | None) -> str:
    """A type in MLIR syntax; what is unknown is `?`, `*` or `!onnx.Unknown`.

    Raises ValueError for a corrupt or unsupported type.
    """
    kind = value_type.WhichOneof("value") if value_type is not None else None
    if kind is None:
        return f"tensor<*x{UNKNOWN_ELEMENT}>"
    if kind == "tensor_type":
        tensor = value_type.tensor_type
        element = element_spelling(tensor.elem_type)
        if not tensor.HasField("shape"):
            return f"tensor<*x{element}>"
        return f"tensor<{''.join(f'{_dimension(d)}x' for d in tensor.shape.dim)}{element}>"
    if kind == "sequence_type":
        return f"!onnx.Seq<{spell(value_type.sequence_type.elem_type)}>"
    if kind == "optional_type":
        return f"!onnx.Opt<{spell(value_type.optional_type.elem_type)}>"
    if kind == "map_type":
        key = element_spelling(value_type.map_type.key_type)
        return f"!onnx.Map<{key}, {spell(value_type.map_type.value_type)}>"
    raise ValueError(f"values of type {kind} are not supported")


def check_rank(tensor: TensorProto) -> None:
    """NumPy's limit; the product of a million dimensions is not a number to compute."""
    if len(tensor.dims) > _MAX_RANK:
        raise ValueError(f"it has {len(tensor.dims)} dimensions, expected at most {_MAX_RANK}")


def element_spelling(code: int) -> str:
    if code == TensorProto.UNDEFINED:
        return UNKNOWN_ELEMENT
    if code not in ELEMENT_SPELLING:
        raise ValueError(f"unknown element type {code}")
    return ELEMENT_SPELLING[code]


def _dimension(dim) -> str:
    # Exporters write 0 for an empty tensor and -1 for "any"; a symbol is dynamic.
    return str(dim.dim_value) if dim.HasField("dim_value") and dim.dim_value >= 0 else "?"


class ValueTypes:
    """Types of the values of one graph, with those of its subgraphs below it."""

    def __init__(self, graph: onnx.GraphProto):
        self.graph = graph
        self.by_name: dict[str, TypeProto] = {}
        for info in (*graph.input, *graph.value_info, *graph.output):
            if info.type.WhichOneof("value"):
                self.by_name.setdefault(info.name, info.type)
        for tensor in graph.initializer:
            self.by_name[tensor.name] = tensor_type(tensor)

    def of(self, name: str) -> TypeProto | None:
        return self.by_name.get(name)

    def rank(self, name: str) -> int | None:
        known = self.of(name)
        is_known = known is not None and known.tensor_type.HasField("shape")
        return len(known.tensor_type.shape.dim) if is_known else None

    def sizes(self, name: str) -> list[int | None]:
        """The sizes, None for an open one; nothing without a rank."""
        if self.rank(name) is None:
            return []
        dims = self.by_name[name].tensor_type.shape.dim
        return [
            dim.dim_value if dim.HasField("dim_value") and dim.dim_value >= 0 else None
            for dim in dims
        ]

    def shape(self, name: str) -> list[int] | None:
        """The sizes, if all are known."""
        sizes = self.sizes(name)
        return None if self.rank(name) is None or None in sizes else sizes

    def element(self, name: str) -> int | None:
        known = self.of(name)
        return None if known is None else known.tensor_type.elem_type

    def below(self, node_index: int, attribute: str) -> ValueTypes:
        """The types of the subgraph that a node holds in an attribute."""
        node = self.graph.node[node_index]
        return ValueTypes(next(a.g for a in node.attribute if a.name == attribute))


def tensor_type(tensor: TensorProto) -> TypeProto:
    return onnx.helper.make_tensor_type_proto(tensor.data_type, list(tensor.dims))


def infer(model: Model) -> ValueTypes:
    """The types of every value; a declaration in the model wins over inference."""
    types, unknown = _infer_once(model, None)
    # Some stand-ins need ranks, which another round of inference knows.
    while unknown:
        before = unknown
        types, unknown = _infer_once(model, types)
        if unknown >= before:
            break
    return types


def _infer_once(model: Model, known: ValueTypes | None) -> tuple[ValueTypes, int]:
    """`known`: the types of a round before. The number counts nodes that wait for some."""
    source = model.proto.graph
    stub, places, unknown = _stub(model, known)
    try:
        inferred = onnx.shape_inference.infer_shapes(stub, strict_mode=False, data_prop=True).graph
    except Exception as error:  # InferenceError, or a bare exception out of C++
        raise model.error(f"shape inference: {error}") from error
    nodes = [
        node if place is None else inferred.node[place] for node, place in zip(source.node, places)
    ]
    graph = onnx.GraphProto(name=inferred.name)
    for field in ("input", "output", "value_info", "initializer"):
        getattr(graph, field).extend(getattr(inferred, field))
    graph.node.extend(nodes)
    types = ValueTypes(graph)
    for tensor in source.initializer:
        types.by_name[tensor.name] = tensor_type(tensor)
    _propagate_elements(model, types)
    return types, unknown


def _stub(model: Model, types: ValueTypes | None) -> tuple[onnx.ModelProto, list[int | None], int]:
    """A light copy for inference: large tensors as inputs, stand-ins for custom quantization.

    The second result says where each node of the model is in it; None for one that others stand for.
    The third counts the nodes that lack a stand-in, for want of types.
    """
    source = model.proto.graph
    stub = onnx.ModelProto(ir_version=max(model.proto.ir_version, 4))
    domains = {node.domain for node in all_nodes(source)} - set(DEFAULT_DOMAINS)
    for domain, version in {**dict.fromkeys(sorted(domains), 1), **model.opsets}.items():
        stub.opset_import.append(onnx.helper.make_opsetid(domain, version))
    graph = stub.graph
    graph.name = source.name or "graph"
    graph.output.extend(source.output)
    graph.value_info.extend(source.value_info)

    constants = {tensor.name for tensor in source.initializer}
    graph.input.extend(info for info in source.input if info.name not in constants)
    for tensor in source.initializer:
        try:
            check_rank(tensor)
        except ValueError as error:
            raise model.error(f"initializer '{tensor.name}': {error}") from None
        if any(dim < 0 for dim in tensor.dims):
            raise model.error(
                f"initializer '{tensor.name}' has a negative dimension: {list(tensor.dims)}"
            )
        here = tensor.data_location != TensorProto.EXTERNAL
        if here and math.prod(tensor.dims) <= _INFERENCE_ELEMENTS:
            graph.initializer.append(tensor)
        else:
            graph.input.append(onnx.helper.make_value_info(tensor.name, tensor_type(tensor)))

    declared = ValueTypes(graph)
    known = types or declared
    unknown = 0
    has_castlike = model.opsets.get("", 0) >= _CASTLIKE_OPSET
    places: list[int | None] = []
    for node in source.node:
        stand_ins = stand_in(node, graph.input, known.rank, known.element)
        unknown += has_stand_in(node) and not stand_ins
        if is_newer(model, node) and len(node.output) == 1:  # all have the type of their operand
            stand_ins = [onnx.helper.make_node("Identity", node.input[:1], node.output)]
        operator = (node.domain, node.op_type)
        operand = ELEMENT_FROM_OPERAND.get(operator, len(node.input))
        if _has_operand(node, operand):
            if has_castlike:
                operands = [node.input[0], node.input[operand]]
                stand_ins = [onnx.helper.make_node("CastLike", operands, node.output[:1])]
        elif operator in U8_BY_DEFAULT:
            cast = onnx.helper.make_node("Cast", node.input[:1], node.output[:1], to=TensorProto.UINT8)  # fmt: skip
            stand_ins = [cast]
        elif node.domain in PMX_DOMAINS and node.op_type == "DequantizeLinear":
            _add_pmx_result(graph, node, declared)
        places.append(None if stand_ins else len(graph.node))
        graph.node.extend(stand_ins or [node])
    return stub, places, unknown


def _has_operand(node: onnx.NodeProto, position: int) -> bool:
    return position < len(node.input) and bool(node.input[position])


def _add_pmx_result(graph, node, known: ValueTypes) -> None:
    """pmx: the scale's type; with int4 codes, four to an i16, axis 0 is four times as long."""
    stored, scale = (known.of(name) for name in (*node.input[:2], "", "")[:2])
    if not node.output or known.of(node.output[0]) or stored is None or scale is None:
        return
    result = onnx.helper.make_tensor_type_proto(scale.tensor_type.elem_type, None)
    if stored.tensor_type.HasField("shape"):
        result.tensor_type.shape.CopyFrom(stored.tensor_type.shape)
        if stored.tensor_type.elem_type == TensorProto.INT16 and result.tensor_type.shape.dim:
            first = result.tensor_type.shape.dim[0]
            if first.HasField("dim_value"):
                first.dim_value *= _PMX_CODES_PER_I16
            else:
                first.Clear()
    graph.value_info.append(onnx.helper.make_value_info(node.output[0], result))


def _propagate_elements(model: Model, types: ValueTypes) -> None:
    """Give values without a type the element type that an operator's type variable forces."""
    variables = [v for node in types.graph.node for v in _signature(model, node)]
    sharing: dict[str, list] = {}
    for variable in variables:
        for name in variable[1]:
            sharing.setdefault(name, []).append(variable)
    waiting = deque(variables)
    while waiting:
        fixed, names = waiting.popleft()
        element = fixed or next(filter(None, (_element(types, name) for name in names)), 0)
        for name in names if element else ():
            if name and not _element(types, name) and _takes_element(types, name):
                types.by_name.setdefault(name, TypeProto()).tensor_type.elem_type = element
                waiting.extend(sharing[name])


def _element(types: ValueTypes, name: str) -> int:
    known = types.of(name)
    return known.tensor_type.elem_type if known is not None and known.HasField("tensor_type") else 0


def _takes_element(types: ValueTypes, name: str) -> bool:
    known = types.of(name)
    return known is None or known.WhichOneof("value") in (None, "tensor_type")


def _signature(model: Model, node: onnx.NodeProto) -> list[tuple[int, list[str]]]:
    """Operands and results of a node that share a type, with its ONNX code where fixed."""
    custom = ELEMENT_FROM_OPERAND.get((node.domain, node.op_type))
    if custom is not None:
        if _has_operand(node, custom):
            return [(0, [*node.output[:1], node.input[custom]])]
        is_u8 = (node.domain, node.op_type) in U8_BY_DEFAULT
        return [(TensorProto.UINT8, node.output[:1])] if is_u8 else []
    operator = schema(model, node)
    if operator is None:
        return []
    fixed = {c.type_param_str: c.allowed_type_strs for c in operator.type_constraints}
    groups: dict[str, list[str]] = {}
    for names, formals in ((node.input, operator.inputs), (node.output, operator.outputs)):
        for position, name in enumerate(names):
            formal = formals[min(position, len(formals) - 1)] if formals else None
            if formal is not None and name and formal.is_homogeneous:
                groups.setdefault(formal.type_str, []).append(name)
    result = []
    for variable, names in groups.items():
        allowed = list(fixed.get(variable, [variable]))
        code = _ELEMENT_CODE.get(allowed[0], 0) if len(allowed) == 1 else 0
        result.append((code, names))
    return result


def attribute_defaults(operator) -> Iterator[AttributeProto]:
    """The attributes that a definition gives a value when the node does not."""
    for name in sorted(operator.attributes):
        default = operator.attributes[name].default_value
        if default.type != AttributeProto.UNDEFINED:
            yield default
