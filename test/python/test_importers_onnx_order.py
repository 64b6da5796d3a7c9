# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs that are not sorted mean what ONNX Runtime makes of them."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from onnx_models import NODE, make_model, value

from mlir_qdq import backend
from mlir_qdq.importers.onnx import import_model

ort = pytest.importorskip("onnxruntime")


def chain() -> list[onnx.NodeProto]:
    return [
        NODE("QuantizeLinear", ["x", "s"], ["q"]),
        NODE("DequantizeLinear", ["q", "s"], ["d"]),
        NODE("QuantizeLinear", ["d", "t"], ["p"]),
        NODE("DequantizeLinear", ["p", "t"], ["y"]),
    ]


@pytest.mark.parametrize("order", [(3, 2, 1, 0), (2, 0, 3, 1), (0, 2, 1, 3)])
def test_nodes_in_any_order(order):
    nodes = chain()
    model = make_model(
        [nodes[i] for i in order],
        [value("x", "FLOAT", 4), value("s", "FLOAT"), value("t", "FLOAT")],
        ["y"],
    )
    before = model.SerializeToString()
    s, t = np.asarray(0.3, np.float32), np.asarray(0.7, np.float32)
    x = np.float32([0.2, 1.6, 100.0, -3.0])
    (got,) = backend.prepare(model).run([x, s, t])
    assert model.SerializeToString() == before
    session = ort.InferenceSession(before, providers=["CPUExecutionProvider"])
    (wanted,) = session.run(None, {"x": x, "s": s, "t": t})
    np.testing.assert_array_equal(got, wanted)


def test_sorted_nodes_stay_in_place():
    nodes = [NODE("Neg", ["x"], ["b"]), NODE("Abs", ["x"], ["a"]), NODE("Add", ["b", "a"], ["y"])]
    text = str(import_model(make_model(nodes, [value("x", "FLOAT", 4)], ["y"])))
    assert text.index("onnx.Neg") < text.index("onnx.Abs") < text.index("onnx.Add")


def test_subgraphs_read_from_outside():
    """What an If reads in its branches counts, and nodes of a branch are sorted, too."""

    def branch(name: str, *nodes: onnx.NodeProto) -> onnx.GraphProto:
        output = helper.make_tensor_value_info(name, TensorProto.FLOAT, [4])
        return helper.make_graph(list(nodes), name, [], [output])

    then = branch("t", NODE("Neg", ["inner"], ["t"]), NODE("Abs", ["h"], ["inner"]))
    other = branch("e", NODE("Abs", ["h"], ["e"]))
    nodes = [
        NODE("If", ["c"], ["y"], then_branch=then, else_branch=other),
        NODE("Exp", ["x"], ["h"]),
    ]
    model = make_model(nodes, [value("x", "FLOAT", 4), value("c", "BOOL")], ["y"])
    text = str(import_model(model))
    assert text.index("onnx.Exp") < text.index("onnx.If") < text.index("onnx.Neg")
    assert text.index("onnx.Abs") < text.index("onnx.Neg")
