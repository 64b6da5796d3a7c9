# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads an ONNX model and refuses, with a reason, what the importer cannot turn into IR."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

import onnx

from ._onnx_external import ExternalData
from ._onnx_operators import unknown_operator
from ._onnx_stand_ins import DEFAULT_DOMAINS

#: Bytes of nodes that functions may become where they are called.
_MAX_INLINED = 1 << 28
#: Brackets inside brackets of a text: ONNX's parser calls itself for each, and protobuf takes 100.
_MAX_DEPTH = 500
#: Operators that ONNX Runtime's files have in older operator sets, and the first set with them.
_NEWER = {"Gelu": 20, "LayerNormalization": 17, "RMSNormalization": 23, "Swish": 24}


class OnnxImportError(ValueError):
    """A model that cannot be imported: corrupt, inconsistent, or with something unsupported.

    `file` and `node` name the place (either may be None), `reason` says what is wrong there.
    """

    def __init__(self, reason: str, *, file: str | None = None, node: str | None = None):
        self.reason, self.file, self.node = reason, file, node
        place = [file] if file else []
        place += [f"node {node}"] if node else []
        super().__init__(": ".join([*place, reason]))


@dataclass
class Model:
    """A readable model: functions inlined, operator sets known; tensors are not loaded yet."""

    proto: onnx.ModelProto
    file: str  # for messages and locations
    external: ExternalData
    opsets: dict[str, int]  # domain ("" for the default one) to version

    def error(self, reason: str, node: str | None = None) -> OnnxImportError:
        return OnnxImportError(reason, file=self.file, node=node)


def describe(node: onnx.NodeProto, index: int) -> str:
    """How messages name a node: its name, else its position and first output."""
    if node.name:
        return f"'{node.name}' ({node.op_type})"
    output = next((name for name in node.output if name), None)
    return f"#{index} ({node.op_type})" + (f", which makes '{output}'" if output else "")


def subgraphs(node: onnx.NodeProto) -> Iterator[onnx.GraphProto]:
    return (a.g for a in node.attribute if a.type == onnx.AttributeProto.GRAPH)


def all_nodes(graph: onnx.GraphProto) -> Iterator[onnx.NodeProto]:
    """The nodes of a graph and of its subgraphs."""
    for node in graph.node:
        yield node
        for body in subgraphs(node):
            yield from all_nodes(body)


def replace_nodes(graph: onnx.GraphProto, nodes) -> None:
    """Give the graph copies of `nodes`, some of which may be its own."""
    copies = [onnx.NodeProto.FromString(node.SerializeToString()) for node in nodes]
    del graph.node[:]
    graph.node.extend(copies)


def is_newer(model: Model, node: onnx.NodeProto) -> bool:
    """An operator of ONNX Runtime's files that the model's operator set does not have yet."""
    return node.domain in DEFAULT_DOMAINS and model.opsets.get("", 1) < _NEWER.get(node.op_type, 0)


def schema(model: Model, node: onnx.NodeProto):
    """The operator's definition in the model's operator set, or None where ONNX has none."""
    if is_newer(model, node):
        return onnx.defs.get_schema(node.op_type, _NEWER[node.op_type])
    return _own_schema(model, node)


def _own_schema(model: Model, node: onnx.NodeProto):
    domain = "" if node.domain in DEFAULT_DOMAINS else node.domain
    try:
        return onnx.defs.get_schema(node.op_type, model.opsets.get(domain, 1), domain)
    except onnx.defs.SchemaError:
        return None


def load(path_or_proto, directory=None) -> Model:
    """Read and check a model.

    `path_or_proto` is a path or a ModelProto; `directory` is where external data lies, by default
    beside the file.
    Raises OnnxImportError, or OSError where the file cannot be opened.
    """
    if isinstance(path_or_proto, onnx.ModelProto):
        proto, file = path_or_proto, f"<{path_or_proto.graph.name or 'model'}>"
        external = ExternalData(None)
    elif isinstance(path_or_proto, (str, os.PathLike)):
        file = os.fspath(path_or_proto)
        proto = _read(file)
        external = ExternalData(os.path.dirname(os.path.abspath(file)), file)
    else:
        raise TypeError(
            f"expected a path or an onnx.ModelProto, not {type(path_or_proto).__name__}"
        )

    if directory is not None:
        external = ExternalData(directory)
    model = Model(proto, file, external, {})
    if not proto.HasField("graph") or not (proto.graph.node or proto.graph.output):
        raise model.error("not an ONNX model: it has no graph")
    if any(
        isinstance(text, bytes) for text in _texts(proto)
    ):  # how protobuf hands out what is not UTF-8
        raise model.error("not a readable ONNX model: a name in it is not UTF-8 text")
    model.opsets = _opsets(model)
    if proto.functions:
        model.proto = _inline_functions(model)
        model.opsets = _opsets(model)
    _check_nodes(model, model.proto.graph)
    return model


def _read(file: str) -> onnx.ModelProto:
    _check_depth(file)
    try:
        return onnx.load(file, load_external_data=False)
    except OSError:
        raise
    except Exception as error:  # each file format (protobuf, text, JSON) has its own exceptions
        raise OnnxImportError(f"not a readable ONNX model: {error}", file=file) from error


def _check_depth(file: str) -> None:
    """Refuse a text that would overflow the stack of ONNX's parser."""
    if os.path.splitext(file)[1] not in (".onnxtxt", ".onnxtext"):
        return
    depth = 0
    with open(file, encoding="utf-8", errors="replace") as text:
        for line in text:
            for bracket in re.findall(r"[][(){}<>]", re.sub(r'"(\\.|[^"\\])*"', "", line)):
                depth = max(depth + (1 if bracket in "[({<" else -1), 0)
                if depth > _MAX_DEPTH:
                    raise OnnxImportError(f"brackets are {depth} deep", file=file)


def _texts(proto: onnx.ModelProto) -> Iterator[str]:
    """Every name that the importer looks at."""
    yield proto.producer_name
    yield from (entry.domain for entry in proto.opset_import)
    yield from _graph_texts(proto.graph)
    for function in proto.functions:
        yield from (
            function.name,
            function.domain,
            *function.input,
            *function.output,
            *function.attribute,
        )
        yield from _node_texts(function.node)


def _graph_texts(graph: onnx.GraphProto) -> Iterator[str]:
    yield graph.name
    yield from _tensor_texts(graph.initializer)
    for info in (*graph.input, *graph.output, *graph.value_info):
        yield info.name
        yield from (dim.dim_param for dim in info.type.tensor_type.shape.dim)
    yield from _node_texts(graph.node)


def _node_texts(nodes) -> Iterator[str]:
    for node in nodes:
        yield from (node.name, node.op_type, node.domain, *node.input, *node.output)
        yield from (
            text
            for attribute in node.attribute
            for text in (attribute.name, attribute.ref_attr_name)
        )
        for attribute in node.attribute:
            yield from _tensor_texts([attribute.t, *attribute.tensors])
        for graph in subgraphs(node):
            yield from _graph_texts(graph)


def _tensor_texts(tensors) -> Iterator[str]:
    for tensor in tensors:
        yield tensor.name
        for entry in tensor.external_data:
            yield from (entry.key, entry.value)


def _opsets(model: Model) -> dict[str, int]:
    opsets: dict[str, int] = {}
    for entry in model.proto.opset_import:
        domain = "" if entry.domain in DEFAULT_DOMAINS else entry.domain
        if not 0 < entry.version < 1 << 31:
            raise model.error(f"operator set '{domain}' has the version {entry.version}")
        if opsets.setdefault(domain, entry.version) != entry.version:
            raise model.error(f"operator set '{domain}' is imported in two versions")
    if not opsets:
        raise model.error("the model names no operator set (opset_import)")
    newest = onnx.defs.onnx_opset_version()
    if opsets.get("", 1) > newest:
        installed = f"the installed onnx {onnx.__version__} knows ({newest})"
        raise model.error(f"operator set {opsets['']} is newer than {installed}")
    return opsets


def _inline_functions(model: Model) -> onnx.ModelProto:
    """Replace calls of model-local functions by their bodies."""
    import onnx.inliner

    _check_calls(model)
    try:
        return onnx.inliner.inline_local_functions(model.proto)
    except Exception as error:  # raised from C++, without a class of its own
        raise model.error(f"model-local functions cannot be inlined: {error}") from error


def _check_calls(model: Model) -> None:
    """The inliner trusts that no function reaches itself, and that all calls fit into memory.

    A corrupt file may say otherwise: thirty functions that each call the next one twice are a billion nodes.
    """
    keys = {(f.domain, f.name) for f in model.proto.functions}

    def calls_of(nodes) -> Counter:
        calls = Counter((node.domain, node.op_type) for node in nodes)
        for node in nodes:
            for graph in subgraphs(node):
                calls += calls_of(graph.node)
        return Counter({key: count for key, count in calls.items() if key in keys})

    calls = {(f.domain, f.name): calls_of(f.node) for f in model.proto.functions}
    own = {(f.domain, f.name): f.ByteSize() for f in model.proto.functions}
    try:
        order = list(TopologicalSorter(calls).static_order())
    except CycleError as error:
        names = ", ".join(sorted({name for _, name in error.args[1]}))
        raise model.error(f"model-local functions call each other in a circle: {names}") from None
    limit = max(_MAX_INLINED, 4 * model.proto.ByteSize())
    sizes: dict[tuple[str, str], int] = {}

    def inlined(called: Counter) -> int:
        size = sum(sizes[key] * count for key, count in called.items())
        if size > limit:
            raise model.error(
                f"model-local functions have {size} bytes where they are called, expected at most {limit}"
            )
        return size

    for key in order:
        sizes[key] = own[key] + inlined(calls[key])
    inlined(calls_of(model.proto.graph.node))


def _check_nodes(model: Model, graph: onnx.GraphProto) -> None:
    """Refuse unknown operators, and what shape inference (C++) would trust: wrong counts, missing or
    wrong attributes."""
    for index, node in enumerate(graph.node):
        for body in subgraphs(node):
            _check_nodes(model, body)
        operator = _own_schema(model, node)
        label = describe(node, index)
        if operator is None:
            domain = "" if node.domain in DEFAULT_DOMAINS else node.domain
            if reason := unknown_operator(node, domain, model.opsets):
                raise model.error(reason, label)
            continue
        for what, found, least, most in (
            ("inputs", node.input, operator.min_input, operator.max_input),
            ("outputs", node.output, operator.min_output, operator.max_output),
        ):
            if not least <= len(found) <= most:
                limits = f"at least {least}" if len(found) < least else f"at most {most}"
                raise model.error(f"it has {len(found)} {what}, and needs {limits}", label)
        given = {attribute.name: attribute.type for attribute in node.attribute}
        for name, attribute in operator.attributes.items():
            if attribute.required and name not in given:
                raise model.error(f"its attribute '{name}' is missing", label)
            if name in given and given[name] != onnx.AttributeProto.AttributeType.Value(
                attribute.type.name
            ):
                raise model.error(
                    f"its attribute '{name}' is not of type {attribute.type.name}", label
                )
