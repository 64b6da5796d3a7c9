# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that ONNX itself defines by a graph of others, as that graph."""

from __future__ import annotations

import onnx
from onnx import GraphProto, NodeProto, TensorProto, helper

from ._onnx_model import DEFAULT_DOMAINS, Model, all_nodes, replace_nodes, schema, subgraphs
from ._onnx_types import attribute_defaults, infer

#: Those that no pass lowers by itself.
_NAMES = frozenset((
    "Attention", "CausalConvWithState", "Celu", "CenterCropPad", "GroupNormalization",
    "MeanVarianceNormalization", "RotaryEmbedding", "Shrink", "SwiGLU",
))  # fmt: skip
#: Names of values that no graph has.
_PREFIX = "mlir_qdq function "
#: Operands of Attention.
_KEY, _MASK, _PAST = 1, 3, 4


def with_inlined_functions(model: Model) -> onnx.ModelProto:
    """A copy with the graphs of such operators; the model itself if it has none."""
    if not any(map(_is_function, all_nodes(model.proto.graph))):
        return model.proto
    import onnx.inliner

    proto = onnx.ModelProto()
    proto.CopyFrom(model.proto)
    graph, types = proto.graph, infer(model)
    known = {info.name for info in (*graph.input, *graph.output, *graph.value_info)}
    for name, value_type in types.by_name.items():
        if name not in known and value_type.WhichOneof("value"):
            graph.value_info.append(helper.make_value_info(name, value_type))
    _prepare(model, graph)
    keys = [(domain, name) for domain in DEFAULT_DOMAINS for name in sorted(_NAMES)]
    try:
        return onnx.inliner.inline_selected_functions(proto, keys, inline_schema_functions=True)
    except Exception as error:  # raised from C++, without a class of its own
        raise model.error(f"functions of ONNX cannot be inlined: {error}") from error


def _is_function(node: NodeProto) -> bool:
    return node.domain in DEFAULT_DOMAINS and node.op_type in _NAMES


def _prepare(model: Model, graph: GraphProto) -> None:
    """The inliner takes neither absent attributes nor absent operands for what they mean."""
    nodes: list[NodeProto] = []
    for node in graph.node:
        for below in subgraphs(node):
            _prepare(model, below)
        operator = schema(model, node) if _is_function(node) else None
        if operator is not None:
            given = {attribute.name for attribute in node.attribute}
            node.attribute.extend(a for a in attribute_defaults(operator) if a.name not in given)
        if operator is not None and node.op_type == "Attention":
            nodes += _mask(node)
        nodes.append(node)
    replace_nodes(graph, nodes)


def _mask(node: NodeProto) -> list[NodeProto]:
    """A mask that hides nothing, where a node with past keys has none: [1, all keys]."""
    if len(node.input) <= _PAST or not node.input[_PAST] or node.input[_MASK]:
        return []
    own = f"{_PREFIX}{node.output[0]} "
    true = helper.make_tensor("", TensorProto.BOOL, [1], [True])
    sizes = [own + "old", own + "new"]
    node.input[_MASK] = own + "mask"
    keys = zip((node.input[_PAST], node.input[_KEY]), sizes)
    return [
        *(helper.make_node("Shape", [value], [size], start=-2, end=-1) for value, size in keys),
        helper.make_node("Add", sizes, [own + "all"]),
        helper.make_node("Constant", [], [own + "one"], value_ints=[1]),
        helper.make_node("Concat", [own + "one", own + "all"], [own + "shape"], axis=0),
        helper.make_node("ConstantOfShape", [own + "shape"], [own + "mask"], value=true),
    ]
