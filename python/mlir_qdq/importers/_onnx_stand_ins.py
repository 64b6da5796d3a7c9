# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX operators whose results have the types of those of a `com.microsoft` operator.

ONNX's shape inference knows the former only. Nothing is computed with them. ONNX's own pools by
`ceil_mode` have stand-ins, too, because inference is wrong about them before opset 22.
"""

from __future__ import annotations

from collections.abc import Callable

import onnx
from onnx import NodeProto, TensorProto, helper

#: The default operator domain has two names.
DEFAULT_DOMAINS = ("", "ai.onnx")
DOMAIN = "com.microsoft"
#: Names of values that no graph has.
_PREFIX = "mlir_qdq stand-in "


def has_stand_in(node: NodeProto) -> bool:
    """Nodes for inference in the place of `node` exist, if enough is known."""
    return _maker(node) is not None


def stand_in(
    node: NodeProto,
    inputs: list,
    rank_of: Callable[[str], int | None],
    element_of: Callable[[str], int | None],
) -> list[NodeProto]:
    """Nodes for inference in the place of `node`; none where there are none to tell its types.

    What they need beside the node's operands goes to `inputs`, those of the graph. `rank_of` and
    `element_of` tell the rank and the element type of a value, if they are known before the inference.
    """
    make = _maker(node)
    if make is None or not node.output:
        return []
    try:
        return make(_Node(node, inputs, rank_of, element_of))
    except (IndexError, KeyError, ValueError):  # too few operands, no attribute: not a valid node
        return []


def _maker(node: NodeProto) -> Callable[[_Node], list[NodeProto]] | None:
    if node.domain == DOMAIN:
        return _STAND_INS.get(node.op_type)
    if node.domain in DEFAULT_DOMAINS and node.op_type in _POOLS:
        has_ceil_mode = any(a.name == "ceil_mode" and a.i for a in node.attribute)
        return _places(node.op_type) if has_ceil_mode else None
    return None


class _Node:
    def __init__(self, node: NodeProto, inputs: list, rank_of, element_of):
        self.result, self.results, self.inputs = node.output[0], list(node.output), inputs
        self.rank_of, self.element_of = rank_of, element_of
        self.operands = list(node.input)
        self.attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}

    def has(self, operand: int) -> bool:
        return operand < len(self.operands) and bool(self.operands[operand])

    def own(self, suffix: str) -> str:
        return f"{_PREFIX}{self.result} {suffix}"

    def make(
        self, operation: str, operands: list[str], result: str = "", **attributes
    ) -> NodeProto:
        return helper.make_node(operation, operands, [result or self.result], **attributes)

    def rank(self, operand: str) -> int | None:
        kernel = self.attributes.get("kernel_shape", ())
        return len(kernel) + 2 if kernel else self.rank_of(operand)

    def channels_first(self, operand: str, result: str, rank: int) -> NodeProto:
        return self.make("Transpose", [operand], result, perm=[0, rank - 1, *range(1, rank - 1)])

    def channels_last(self, operand: str, rank: int) -> NodeProto:
        return self.make("Transpose", [operand], perm=[0, *range(2, rank), 1])

    def attributes_of(self, operation: str) -> dict:
        """Those of the node that an operator of ONNX has too."""
        known = onnx.defs.get_schema(operation).attributes
        return {name: value for name, value in self.attributes.items() if name in known}


def _broadcast(node: _Node) -> list[NodeProto]:
    return [node.make("Add", [node.operands[0], node.operands[3]])]


def _where(node: _Node) -> list[NodeProto]:
    return [node.make("Where", [node.operands[0], node.operands[1], node.operands[4]])]


def _same(node: _Node) -> list[NodeProto]:
    return [node.make("Identity", node.operands[:1])]


def _without_ceil_mode(attributes: dict) -> dict:
    """The same places: inference counts windows, too, that begin behind the input."""
    if not attributes.pop("ceil_mode", 0):
        return attributes
    auto_pad = attributes.get("auto_pad", b"NOTSET")
    if auto_pad.startswith(b"SAME"):  # has as many places as strides, rounded up
        return attributes
    if auto_pad == b"VALID":
        attributes = {k: v for k, v in attributes.items() if k not in ("auto_pad", "pads")}
    kernel = attributes["kernel_shape"]
    ones = [1] * len(kernel)
    strides, dilations = (attributes.get(name, ones) for name in ("strides", "dilations"))
    pads = list(attributes.get("pads", [0] * 2 * len(kernel)))
    steps = zip(kernel, strides, dilations)
    for dim, (size, stride, dilation) in enumerate(steps, len(kernel)):
        pads[dim] = min(pads[dim] + stride - 1, (size - 1) * dilation)
    return attributes | {"pads": pads}


def _pool(operation: str) -> Callable[[_Node], list[NodeProto]]:
    def make(node: _Node) -> list[NodeProto]:
        attributes = _without_ceil_mode(node.attributes_of(operation))
        if not node.attributes.get("channels_last", 0):
            return [node.make(operation, node.operands[:1], **attributes)]
        rank = node.rank(node.operands[0])
        if not rank:
            return []
        first, pooled = node.own("first"), node.own("pooled")
        return [
            node.channels_first(node.operands[0], first, rank),
            node.make(operation, [first], pooled, **attributes),
            node.channels_last(pooled, rank),
        ]

    return make


def _places(operation: str) -> Callable[[_Node], list[NodeProto]]:
    """A pool of ONNX's own, whose second result has the places, too."""

    def make(node: _Node) -> list[NodeProto]:
        attributes = _without_ceil_mode(node.attributes)
        return [helper.make_node(operation, node.operands, node.results, **attributes)]

    return make


def _gemm(node: _Node) -> list[NodeProto]:
    """The type of the zero point of y, and f32 where there is none."""
    product = node.own("product")
    attributes = {name: node.attributes.get(name, 0) for name in ("transA", "transB")}
    nodes = [node.make("Gemm", [node.operands[0], node.operands[3]], product, **attributes)]
    if node.has(8):
        return [*nodes, node.make("CastLike", [product, node.operands[8]])]
    return [*nodes, node.make("Cast", [product], to=TensorProto.FLOAT)]


def _matmul(node: _Node) -> list[NodeProto]:
    return [node.make("MatMul", node.operands[:2])]


def _matmul_to_float(node: _Node) -> list[NodeProto]:
    """QLinearMatMul has the type of its last operand."""
    a, b, scale = node.operands[:3]
    return [node.make("QLinearMatMul", [a, scale, a, b, scale, b, scale, scale])]


def _matmul_n_bits(node: _Node) -> list[NodeProto]:
    weight = node.own("weight")
    shape = [node.attributes["K"], node.attributes["N"]]
    node.inputs.append(helper.make_tensor_value_info(weight, TensorProto.FLOAT, shape))
    return [node.make("MatMul", [node.operands[0], weight])]


def _gather(node: _Node) -> list[NodeProto]:
    """A byte holds 8 / bits codes of the last dimension; the result has the type of the scales."""
    table, rows = node.operands[0], node.own("rows")
    nodes = []
    if node.element_of(node.operands[0]) == TensorProto.UINT8:
        table = node.own("table")
        parts = [node.operands[0]] * (8 // node.attributes.get("bits", 4))
        nodes.append(node.make("Concat", parts, table, axis=-1))
    axis = node.attributes.get("gather_axis", 0)
    return [
        *nodes,
        node.make("Gather", [table, node.operands[1]], rows, axis=axis),
        node.make("CastLike", [rows, node.operands[2]]),
    ]


def _convolution(node: _Node) -> list[NodeProto]:
    attributes = node.attributes_of("QLinearConv")
    if not node.attributes.get("channels_last", 0):
        return [node.make("QLinearConv", node.operands, **attributes)]
    rank = node.rank(node.operands[0]) or node.rank(node.operands[3])
    if not rank:
        return []
    first, product = node.own("first"), node.own("product")
    operands = [first, *node.operands[1:]]
    return [
        node.channels_first(node.operands[0], first, rank),
        node.make("QLinearConv", operands, product, **attributes),
        node.channels_last(product, rank),
    ]


def _lstm(node: _Node) -> list[NodeProto]:
    attributes = node.attributes_of("LSTM")
    return [helper.make_node("LSTM", node.operands[:3], node.results, **attributes)]


def _concat(node: _Node) -> list[NodeProto]:
    """Each input has a scale and a zero point behind it; those of the result come first."""
    return [node.make("Concat", node.operands[2::3], axis=node.attributes["axis"])]


_STAND_INS: dict[str, Callable[[_Node], list[NodeProto]]] = {
    "DynamicQuantizeLSTM": _lstm,
    "DynamicQuantizeMatMul": _matmul,
    "GatherBlockQuantized": _gather,
    "MatMulIntegerToFloat": _matmul_to_float,
    "MatMulBnb4": _matmul_n_bits,
    "MatMulNBits": _matmul_n_bits,
    "QGemm": _gemm,
    "QLinearAdd": _broadcast,
    "QLinearAveragePool": _pool("AveragePool"),
    "QLinearConcat": _concat,
    "QLinearConv": _convolution,
    "QLinearGlobalAveragePool": _pool("GlobalAveragePool"),
    "QLinearLeakyRelu": _same,
    "QLinearMul": _broadcast,
    "QLinearSigmoid": _same,
    "QLinearSoftmax": _same,
    "QLinearWhere": _where,
}
_POOLS = ("AveragePool", "LpPool", "MaxPool")
#: Operators of the domain that have one.
NAMES = tuple(_STAND_INS)
