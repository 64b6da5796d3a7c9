# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operators that ONNX Runtime's optimizers fuse, as the operators of ONNX that they stand for.

Files that ONNX Runtime saves after optimization (`optimized_model_filepath`, `onnxruntime.transformers`)
hold them. ArrayFeatureExtractor of `ai.onnx.ml` reads the labels of scikit-learn's classifiers. A node whose operands or attributes have no such form stays.
"""

from __future__ import annotations

from collections.abc import Callable

import onnx
from onnx import GraphProto, NodeProto

from ._onnx_fused_attention import (
    expand_attention,
    expand_embedding,
    expand_multi_head_attention,
    expand_quantized_attention,
    expand_quantized_embedding,
)
from ._onnx_fused_cache import expand_group_query_attention, expand_rotary_embedding
from ._onnx_fused_experts import expand_experts, expand_quantized_experts
from ._onnx_fused_node import FusedNode, Kept
from ._onnx_model import DEFAULT_DOMAINS, Model, all_nodes, replace_nodes
from ._onnx_types import ValueTypes, infer

_FEATURES = ("ai.onnx.ml", "ArrayFeatureExtractor")
#: Of FusedConv: the attributes that `activation_params` holds in this order.
_PARAMETERS = {
    "Clip": ("min", "max"),
    "HardSigmoid": ("alpha", "beta"),
    "LeakyRelu": ("alpha",),
    "Relu": (),
    "Sigmoid": (),
    "Tanh": (),
}
#: Of FusedGemm: those whose attributes follow from `activation_alpha` and so on.
_ACTIVATIONS = frozenset(
    "Elu HardSigmoid LeakyRelu Relu Selu Sigmoid Softplus Softsign Tanh ThresholdedRelu".split()
)


def with_expanded_nodes(model: Model) -> onnx.ModelProto:
    """A copy with the operators of ONNX in the place of fused ones; the model itself if it has none."""
    if not _has_fused(model.proto.graph):
        return model.proto
    whole = Model(onnx.ModelProto(), model.file, model.external, model.opsets)
    whole.proto.CopyFrom(model.proto)
    graph, opset = whole.proto.graph, model.opsets.get("", 1)
    # skl2onnx states another shape than the operator makes.
    picked = {n for node in graph.node if _key(node) == _FEATURES for n in node.output}
    known = [info for info in graph.value_info if info.name not in picked]
    del graph.value_info[:]
    graph.value_info.extend(known)
    # Ranks behind a node are known once it has been expanded.
    while _has_fused(graph) and _expand(graph, infer(whole), opset):
        pass
    return whole.proto


def _has_fused(graph: GraphProto) -> bool:
    return any(_key(node) in _MAKERS for node in all_nodes(graph))


def _key(node: NodeProto) -> tuple[str, str]:
    return "" if node.domain in DEFAULT_DOMAINS else node.domain, node.op_type


def _expand(graph: GraphProto, types: ValueTypes, opset: int) -> bool:
    """Whether a node of the graph, or of one below it, was expanded."""
    nodes: list[NodeProto] = []
    progress = False
    for index, node in enumerate(graph.node):
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                below = types.below(index, attribute.name)
                progress |= _expand(attribute.g, below, opset)
        fused = _fused(node, types, opset)
        progress |= fused is not None
        nodes += [node] if fused is None else fused.nodes
        graph.initializer.extend([] if fused is None else fused.constants)
    replace_nodes(graph, nodes)
    return progress


def _fused(node: NodeProto, types: ValueTypes, opset: int) -> FusedNode | None:
    """What stands for a node, if it is fused."""
    least, maker = _MAKERS.get(_key(node), (0, None))
    operands = node.input[:least]
    if maker is None or not node.output or len(operands) < least or not all(operands):
        return None
    try:
        fused = FusedNode(node, types, opset)
        maker(fused)
    except (Kept, AttributeError, LookupError, TypeError, ValueError):  # not a valid node
        return None
    return fused


def _activate(fused: FusedNode, value: str, like: str, name: str, attributes: dict) -> str:
    if name != "Clip":
        return fused.make(name, value, **attributes)
    bounds = [fused.number(attributes[key], like) for key in _PARAMETERS["Clip"]]
    return fused.make("Clip", value, *bounds)


def _convolution(fused: FusedNode) -> None:
    value = fused.make("Conv", *fused.operands[:3], **fused.attributes_of("Conv"))
    if fused.has(3):
        value = fused.make("Add", value, fused.operands[3])
    activation = fused.attributes.get("activation", b"").decode()
    if activation:
        names = _PARAMETERS.get(activation)
        numbers = fused.attributes.get("activation_params", [])
        if names is None or len(names) != len(numbers):
            raise Kept
        weight = fused.operands[1]
        value = _activate(fused, value, weight, activation, dict(zip(names, numbers)))
    fused.finish(value)


def _gemm(fused: FusedNode) -> None:
    value = fused.make("Gemm", *fused.operands, **fused.attributes_of("Gemm"))
    activation = fused.attributes.get("activation", b"").decode()
    if activation not in _ACTIVATIONS:
        raise Kept
    known = onnx.defs.get_schema(activation).attributes
    prefix = "activation_"
    given = {name.removeprefix(prefix): value for name, value in fused.attributes.items() if name.startswith(prefix)}  # fmt: skip
    numbers = {name: value for name, value in given.items() if name in known}
    fused.finish(fused.make(activation, value, **numbers))


def _matmul(fused: FusedNode) -> None:
    operands = fused.operands[:2]
    if fused.attributes.get("transBatchA", 0) or fused.attributes.get("transBatchB", 0):
        raise Kept
    alpha = fused.attributes.get("alpha", 1.0)
    factor = None if alpha == 1 else fused.number(alpha, operands[0])
    for position, name in enumerate(("transA", "transB")):
        if fused.attributes.get(name, 0):
            rank = fused.rank(operands[position])
            if rank < 2:
                raise Kept
            perm = [*range(rank - 2), rank - 1, rank - 2]
            operands[position] = fused.make("Transpose", operands[position], perm=perm)
    value = fused.make("MatMul", *operands)
    fused.finish(value if factor is None else fused.make("Mul", value, factor))


def _features(fused: FusedNode) -> None:
    """Elements of the last dimension. Those of a vector become a row."""
    value, indices = fused.operands
    rank = fused.rank(value)
    picked = fused.make("Gather", value, fused.reshape(indices, -1), axis=rank - 1)
    fused.finish(fused.unsqueeze(picked, 0) if rank == 1 else picked)


def _max_pool(fused: FusedNode) -> None:
    """The channels come last."""
    rank = len(fused.attributes["kernel_shape"]) + 2
    first = fused.make("Transpose", fused.operands[0], perm=[0, rank - 1, *range(1, rank - 1)])
    value = fused.make("MaxPool", first, **fused.attributes_of("MaxPool"))
    fused.finish(fused.make("Transpose", value, perm=[0, *range(2, rank), 1]))


def _gelu(approximate: str) -> Callable[[FusedNode], None]:
    def make(fused: FusedNode) -> None:
        value = fused.operands[0]
        if fused.has(1):
            value = fused.make("Add", value, fused.operands[1])
        fused.finish(fused.make("Gelu", value, approximate=approximate))

    return make


def _quick_gelu(fused: FusedNode) -> None:
    alpha = fused.attributes.get("alpha", 1.702)
    fused.finish(fused.make("Swish", fused.operands[0], alpha=alpha))


def _rms(fused: FusedNode) -> None:
    if fused.makes(1):
        raise Kept
    attributes = fused.attributes_of("RMSNormalization")
    fused.finish(fused.make("RMSNormalization", *fused.operands[:2], **attributes))


def _skip(operation: str, bias: int) -> Callable[[FusedNode], None]:
    """The normalization of a sum, which is result 3. `bias`: the operand that the sum has, too."""

    def make(fused: FusedNode) -> None:
        if fused.makes(1) or fused.makes(2):
            raise Kept
        value = total = fused.make("Add", *fused.operands[:2])
        if fused.has(bias):
            value = total = fused.make("Add", value, fused.operands[bias])
        weights = [name for name in fused.operands[2:bias] if name]
        epsilon = fused.attributes.get("epsilon", 1e-12)
        fused.finish(fused.make(operation, value, *weights, axis=-1, epsilon=epsilon))
        if fused.makes(3):
            fused.finish(total, 3)

    return make


#: How many operands an operator needs, and what expands it.
_MAKERS: dict[tuple[str, str], tuple[int, Callable[[FusedNode], None]]] = {
    ("", "SimplifiedLayerNormalization"): (2, _rms),
    _FEATURES: (2, _features),
    **{
        ("com.microsoft", name): maker
        for name, maker in {
            "Attention": (2, expand_attention),
            "BiasGelu": (2, _gelu("none")),
            "EmbedLayerNormalization": (1, expand_embedding),
            "FastGelu": (1, _gelu("tanh")),
            "FusedConv": (2, _convolution),
            "FusedGemm": (2, _gemm),
            "FusedMatMul": (2, _matmul),
            "Gelu": (1, _gelu("none")),
            "GroupQueryAttention": (1, expand_group_query_attention),
            "MoE": (3, expand_experts),
            "MultiHeadAttention": (1, expand_multi_head_attention),
            "NhwcMaxPool": (1, _max_pool),
            "QAttention": (5, expand_quantized_attention),
            "QMoE": (3, expand_quantized_experts),
            "QEmbedLayerNormalization": (1, expand_quantized_embedding),
            "QuickGelu": (1, _quick_gelu),
            "RotaryEmbedding": (4, expand_rotary_embedding),
            "SkipLayerNormalization": (3, _skip("LayerNormalization", 4)),
            "SkipSimplifiedLayerNormalization": (3, _skip("RMSNormalization", 3)),
        }.items()
    },
}
