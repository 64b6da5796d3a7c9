# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs whose nodes are not in the order of their data. ONNX asks for the order; runtimes sort."""

from __future__ import annotations

import onnx

from ._onnx_model import replace_nodes, subgraphs
from ._order import in_order


def with_sorted_nodes(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model itself where it is sorted, else a sorted copy. Nodes in a circle stay where they are."""
    if not any(_order(graph) for graph in _graphs(model.graph)):
        return model
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    for graph in list(_graphs(copy.graph))[::-1]:  # inner ones first: nodes are copied
        if order := _order(graph):
            replace_nodes(graph, [graph.node[i] for i in order])
    return copy


def _graphs(graph: onnx.GraphProto):
    yield graph
    for node in graph.node:
        for body in subgraphs(node):
            yield from _graphs(body)


def used_names(node: onnx.NodeProto) -> set[str]:
    """The values that a node reads, and its subgraphs from outside."""
    names = set(node.input)
    for body in subgraphs(node):
        for inner in body.node:
            names |= used_names(inner)
        names.update(info.name for info in body.output)
    return names


def _order(graph: onnx.GraphProto) -> list[int]:
    """The nodes so that each follows those that it reads, else as they are; [] where they do, or cannot."""
    maker = {name: i for i, node in enumerate(graph.node) for name in node.output if name}
    needs = [{maker[name] for name in used_names(node) if name in maker} for node in graph.node]
    if all(max(of, default=-1) < i for i, of in enumerate(needs)):
        return []
    order = in_order(needs)
    return order if len(order) == len(needs) else []
