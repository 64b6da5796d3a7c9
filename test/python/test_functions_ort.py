# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of f32 under profile=ort have the bits of ONNX Runtime's kernels, those of rows and of recurrent nodes too."""

import numpy as np
import onnx
import onnxruntime
import pytest
from mlir_qdq.backend import prepare
from onnx import TensorProto, helper, numpy_helper
from test_elementary_functions import every

RANDOM = np.random.default_rng(0)
FUNCTIONS = {
    "Exp": ("", {}),
    "Tanh": ("", {}),
    "Sigmoid": ("", {}),
    "Erf": ("", {}),
    "Gelu": ("", {}),
    "Gelu-tanh": ("", {"approximate": "tanh"}),
    "FastGelu": ("com.microsoft", {}),
    "QuickGelu": ("com.microsoft", {"alpha": 1.5}),
}
#: Above 1, the overflow of each function, ends of subnormal results, zeros, NaN.
EDGES = [17.482065, 88.72284, 88.72283, -87.33655, -103.97, -104.0, 0.921875, 0.9218751, 0.0, -0.0]
EDGES += [np.inf, -np.inf, np.nan, 1e-45, -1e-45, 3.4e38, -3.4e38]


def model(operator: str, shape: list, domain="", constants=None, output="y", **attributes):
    """One node on x, with constants behind it."""
    constants = constants or {}
    outputs = ["", output] if output == "y_h" else [output]
    node = helper.make_node(operator, ["x", *constants], outputs, domain=domain, **attributes)
    result = helper.make_tensor_value_info(output, TensorProto.FLOAT, None)
    graph = helper.make_graph(
        [node],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [result],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    opsets = [helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)]
    made = helper.make_model(graph, opset_imports=opsets, ir_version=10)
    return onnx.shape_inference.infer_shapes(made)


class Pair:
    """A model compiled, and in ONNX Runtime."""

    def __init__(self, made: onnx.ModelProto) -> None:
        self.ours = prepare(made, profile="ort")
        self.session = onnxruntime.InferenceSession(made.SerializeToString())

    def assert_equal(self, x: np.ndarray, smallest: float = 0) -> None:
        """Results below `smallest`, which are positive, count as 0."""
        got, expected = self.ours.run([x])[0], self.session.run(None, {"x": x})[0]
        if smallest:
            got, expected = (np.where(y < smallest, np.float32(0), y) for y in (got, expected))
        is_nan = np.isnan(got) & np.isnan(expected)
        same = (got.view(np.uint32) == expected.view(np.uint32)) | is_nan
        wrong = np.flatnonzero(~same)[:3]
        assert same.all(), (wrong, got.flat[wrong], expected.flat[wrong])


@pytest.fixture(scope="module", params=FUNCTIONS)
def function(request) -> Pair:
    domain, attributes = FUNCTIONS[request.param]
    return Pair(model(request.param.split("-")[0], ["n"], domain, **attributes))


def test_function(function):
    function.assert_equal(np.array(EDGES, np.float32))
    for x in every(1021):
        function.assert_equal(x)


@pytest.mark.exhaustive
def test_function_of_every_value(function):
    for x in every(1):
        function.assert_equal(x)


@pytest.mark.parametrize("axis", [0, 1])
def test_softmax(axis):
    """Of rows of two elements, whose sum has one order. ONNX Runtime has all subnormal results with AVX-512 alone."""
    shape = [5000, 2] if axis else [2, 5000]
    x = (RANDOM.standard_normal(shape) * 20).astype(np.float32)
    x.flat[:6] = [0, -200, 3, 3, -88.4, 0]
    Pair(model("Softmax", shape, axis=axis)).assert_equal(x, smallest=2.0**-126)


def test_softmax_of_halves():
    """In f32, rounded once."""
    x = RANDOM.standard_normal((500, 2)).astype(np.float16)
    cast = helper.make_node("Cast", ["h"], ["x"], to=TensorProto.FLOAT)
    made = model("Softmax", [500, 2], axis=1)
    made.graph.node.insert(0, cast)
    made.graph.input[0].CopyFrom(helper.make_tensor_value_info("h", TensorProto.FLOAT16, [500, 2]))
    got = prepare(made, profile="ort").run([x])[0]
    expected = onnxruntime.InferenceSession(made.SerializeToString()).run(None, {"h": x})[0]
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("operator, gates", [("LSTM", 4), ("GRU", 3)])
def test_gates(operator, gates):
    """Weights of 0: the sums are the bias, in any order."""
    hidden = 300
    bias = np.zeros((1, 2 * gates * hidden), np.float32)
    bias[:, : gates * hidden] = RANDOM.standard_normal(gates * hidden) * 7
    constants = {
        "w": np.zeros((1, gates * hidden, 1), np.float32),
        "r": np.zeros((1, gates * hidden, hidden), np.float32),
        "b": bias,
    }
    Pair(model(operator, [3, 2, 1], constants=constants, hidden_size=hidden)).assert_equal(
        np.zeros((3, 2, 1), np.float32)
    )
