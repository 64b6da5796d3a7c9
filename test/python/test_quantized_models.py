# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models that ONNX Runtime's quantizer makes of operators on codes: integer programs, with the bits of ONNX Runtime."""

import logging

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import (
    CalibrationDataReader,
    QuantFormat,
    QuantType,
    quantize_static,
)
from quantized_networks import REDUCES_WEIGHTS

from mlir_qdq import runtime
from mlir_qdq.importers.onnx import import_model

INPUT = (2, 3, 12, 12)


def weights(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).normal(0, 0.2, shape).astype(np.float32)


def node(op: str, inputs: str, result: str, **attributes):
    return helper.make_node(op, inputs.split(), [result], **attributes)


#: Nodes, weights, and the shape of the result.
NETWORKS = {
    "convolutions": (
        [
            node("Conv", "x w1 b1", "c1", pads=[1, 1, 1, 1]),
            node("Relu", "c1", "r1"),
            node("Conv", "r1 w2", "c2", strides=[2, 2], group=4),
            node("LeakyRelu", "c2", "l2", alpha=0.1),
            node("Conv", "l2 w3 b3", "c3"),
            node("Add", "c3 l2", "a"),
            node("GlobalAveragePool", "a", "y"),
        ],
        dict(
            w1=weights(8, 3, 3, 3), b1=weights(8), w2=weights(16, 2, 3, 3),
            w3=weights(16, 16, 1, 1), b3=weights(16),
        ),
        (2, 16, 1, 1),
    ),
    "perceptron": (
        [
            node("MatMul", "x w1", "m1"),
            node("Relu", "m1", "r1"),
            node("MatMul", "r1 w2", "m2"),
            node("Sigmoid", "m2", "y"),
        ],
        dict(w1=weights(12, 40), w2=weights(40, 10)),
        (2, 3, 12, 10),
    ),
}  # fmt: skip


class Samples(CalibrationDataReader):
    def __init__(self):
        random = np.random.default_rng(1)
        self.samples = iter(
            [{"x": random.normal(0, 1, INPUT).astype(np.float32)} for _ in range(8)]
        )

    def get_next(self):
        return next(self.samples, None)


@pytest.mark.parametrize("per_channel", [False, True])
@pytest.mark.parametrize("activation", [QuantType.QUInt8, QuantType.QInt8])
@pytest.mark.parametrize("network", list(NETWORKS))
def test_operators_on_codes(network, activation, per_channel, tmp_path):
    nodes, values, result = NETWORKS[network]
    graph = helper.make_graph(
        nodes,
        "net",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, INPUT)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, result)],
        [numpy_helper.from_array(value, name) for name, value in values.items()],
    )
    opset = [helper.make_opsetid("", 17)]
    onnx.save(helper.make_model(graph, opset_imports=opset, ir_version=9), tmp_path / "real.onnx")
    path = tmp_path / "codes.onnx"
    logging.disable(logging.WARNING)
    quantize_static(
        tmp_path / "real.onnx",
        path,
        Samples(),
        quant_format=QuantFormat.QOperator,
        per_channel=per_channel,
        activation_type=activation,
        weight_type=QuantType.QInt8,
        reduce_range=REDUCES_WEIGHTS,
    )
    logging.disable(logging.NOTSET)
    kinds = {node.op_type for node in onnx.load(path).graph.node}
    assert kinds & {"QLinearConv", "QLinearMatMul"} and not kinds & {"Conv", "MatMul"}

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    x = np.random.default_rng(2).normal(0, 1, INPUT).astype(np.float32)
    ours = runtime.compile(import_model(path), profile="ort").net(x)
    np.testing.assert_array_equal(ours, session.run(None, {"x": x})[0])
