# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes that nodes compute, as torch.onnx.export writes them: constants of the imported module."""

import re

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

from mlir_qdq import runtime
from mlir_qdq.importers.onnx import import_model


class Graph:
    """Nodes in their order; each call gives the name of a result."""

    def __init__(self):
        self.nodes, self.constants = [], []

    def ints(self, *values) -> str:
        return self.constant(np.array(values, np.int64))

    def constant(self, value) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def __getattr__(self, operator):
        def node(*inputs, **attributes) -> str:
            name = f"v{len(self.nodes)}"
            self.nodes.append(helper.make_node(operator, inputs, [name], **attributes))
            return name

        return node

    def model(self, result: str, shape, element=TensorProto.FLOAT) -> onnx.ModelProto:
        inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)]
        outputs = [helper.make_tensor_value_info(result, element, None)]
        graph = helper.make_graph(self.nodes, "net", inputs, outputs, self.constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)  # fmt: skip


def halves(g: Graph) -> str:
    """The second half of axis 1: chunk()."""
    size = g.Gather(g.Shape("x"), g.constant(np.int64(1)), axis=0)
    half = g.Div(g.Add(size, g.constant(np.int64(1))), g.constant(np.int64(2)))
    ends = g.Mul(g.Unsqueeze(half, g.ints(0)), g.ints(2))
    return g.Slice("x", g.Unsqueeze(half, g.ints(0)), ends, g.ints(1))


def padding(g: Graph) -> str:
    """The order of torch's pads turned into ONNX's."""
    pads = g.Concat(
        g.ints(1, 2, 0, 1), g.ConstantOfShape(g.ints(2), value=from_int(0)), g.ints(0, 0), axis=0
    )
    rows = g.Slice(g.Reshape(pads, g.ints(-1, 2)), g.ints(-1), g.ints(-(2**63) + 1), g.ints(0), g.ints(-1))  # fmt: skip
    return g.Pad("x", g.Cast(g.Reshape(g.Transpose(rows, perm=[1, 0]), g.ints(-1)), to=TensorProto.INT64))  # fmt: skip


def from_int(value: int) -> onnx.TensorProto:
    return numpy_helper.from_array(np.array([value], np.int64))


def doubling(g: Graph) -> str:
    """Scales as quotients of sizes in floats: interpolate()."""
    sizes = g.Cast(g.Slice(g.Shape("x"), g.ints(2), g.ints(4), g.ints(0)), to=TensorProto.FLOAT)
    target = g.Cast(g.Floor(g.Mul(sizes, g.Cast(g.ints(2), to=TensorProto.FLOAT))), to=TensorProto.INT64)  # fmt: skip
    shape = g.Concat(g.Slice(g.Shape("x"), g.ints(0), g.ints(2), g.ints(0)), target, axis=0)
    return g.Resize("x", "", "", shape, mode="nearest")


def parity(g: Graph) -> str:
    """A remainder chooses a shape."""
    is_even = g.Equal(g.Mod(g.Gather(g.Shape("x"), g.ints(3)), g.ints(2)), g.ints(0))
    return g.Reshape("x", g.Where(is_even, g.ints(-1, 2), g.ints(-1, 1)))


def largest_code(g: Graph) -> str:
    """2^8 - 1 of integers, as onnx-quantize's functions write it."""
    largest = g.Sub(g.Pow(g.constant(np.int64(2)), g.constant(np.int64(8))), g.constant(np.int64(1)))  # fmt: skip
    return g.Div("x", g.Cast(largest, to=TensorProto.FLOAT))


@pytest.mark.parametrize("network", [halves, padding, doubling, parity, largest_code])
def test_sizes(network):
    graph = Graph()
    model = graph.model(network(graph), (2, 6, 4, 4))
    x = np.random.default_rng(0).normal(size=(2, 6, 4, 4)).astype(np.float32)
    (expected,) = onnxruntime.InferenceSession(model.SerializeToString()).run(None, {"x": x})
    module = import_model(model)
    left = re.findall(r'"onnx\.(?!Constant|NoValue)\w+"', str(module))
    assert len(left) == 1
    np.testing.assert_array_equal(runtime.compile(module).net(x), expected)


def test_open_sizes_stay():
    graph = Graph()
    model = graph.model(halves(graph), (2, "N", 4, 4))
    text = str(import_model(model))
    assert all(f'"onnx.{name}"' in text for name in ("Shape", "Gather", "Div", "Mul", "Slice"))


def test_results_stay():
    """A size that the graph gives is its result, too."""
    graph = Graph()
    model = graph.model(graph.Mul(graph.Shape("x"), graph.ints(3)), (2, 6, 4, 4), TensorProto.INT64)
    x = np.zeros((2, 6, 4, 4), np.float32)
    np.testing.assert_array_equal(runtime.compile(import_model(model)).net(x), [6, 18, 12, 12])


@pytest.mark.parametrize(
    "wrong",
    [
        lambda g: g.Reshape("x", g.Gather(g.Shape("x"), g.ints(9))),
        lambda g: g.ConstantOfShape(g.Mul(g.Shape("x"), g.ints(2**40, 2**40, 1, 1))),
    ],
    ids=["beyond", "huge"],
)
def test_wrong_nodes_stay(wrong):
    """What cannot be computed, or is no size, is the business of who lowers the node."""
    graph = Graph()
    result = wrong(graph)
    text = str(import_model(graph.model(result, (2, 6, 4, 4))))
    assert f'"onnx.{graph.nodes[-1].op_type}"' in text
