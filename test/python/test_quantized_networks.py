# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole networks, quantized by ONNX Runtime: our runtime alone, beside ONNX Runtime without its optimizer."""

import numpy as np
import onnx
import onnxruntime
import pytest
import quantized_networks
from quantized_networks import NETWORKS, quantized
from test_target_options import STRATEGIES

from mlir_qdq import runtime
from mlir_qdq.command import quant_run
from mlir_qdq.importers.onnx import import_model

WAYS = {
    "tensor": {},
    "channel": {"activation": "QInt8", "per_channel": True},
    "wide": {"activation": "QUInt16", "opset": 21},
    "old": {"opset": 12},
    "open": {"batch": "N"},
    "operators": {"form": "QOperator"},
}
#: Of the ways that are not "tensor" one a network runs every day.
DAILY = dict(zip((n.__name__ for n in NETWORKS), ["channel", "open", "operators", "wide", "old"]))


def expected(path, x, is_optimized: bool = False) -> np.ndarray:
    options = onnxruntime.SessionOptions()
    if not is_optimized:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return session.run(None, {"x": x})[0]


def rows():
    for network in NETWORKS:
        for way in WAYS:
            if way == "old" and network is quantized_networks.unet:
                continue  # ONNX Runtime's calibration refuses its Resize
            daily = way in ("tensor", DAILY.get(network.__name__))
            marks = [] if daily else [pytest.mark.exhaustive]
            yield pytest.param(network, way, marks=marks, id=f"{network.__name__}-{way}")


@pytest.mark.parametrize("network, way", list(rows()))
def test_network(network, way, tmp_path):
    path = tmp_path / "net.onnx"
    x = quantized(network, path, **WAYS[way])
    kinds = {node.op_type for node in onnx.load(path).graph.node}
    assert kinds & {"QuantizeLinear", "QLinearConv"}
    got, theirs = runtime.compile(import_model(path), profile="ort").net(x), expected(path, x)
    if network is quantized_networks.unet and way == "wide":
        # Some codes of its transposed convolution are the next ones.
        np.testing.assert_allclose(got, theirs, rtol=0, atol=1e-4)
    else:
        np.testing.assert_array_equal(got, theirs)


@pytest.mark.parametrize("way", ["tensor", "channel"])
@pytest.mark.parametrize(
    "network", [quantized_networks.resnet, quantized_networks.mobilenet, quantized_networks.shufflenet]
)  # fmt: skip
def test_integers(network, way, tmp_path):
    """All convolutions multiply codes, as ONNX Runtime's do behind its optimizer."""
    path = tmp_path / "net.onnx"
    x = quantized(network, path, **WAYS[way])
    module, said = import_model(path), []
    handler = module.context.attach_diagnostic_handler(lambda d: said.append(d.message) or True)
    compiled = runtime.compile(module, profile="ort", integer_contractions="profile")
    handler.detach()
    assert not said
    np.testing.assert_array_equal(compiled.net(x), expected(path, x, is_optimized=True))


@pytest.mark.every_value
@pytest.mark.parametrize("way", ["channel", "operators"])
@pytest.mark.parametrize("network", NETWORKS)
def test_without_strategies(network, way, tmp_path):
    """Weights of all 8 bits, which ONNX Runtime may saturate: the same bits without products of bytes, and without any strategy."""
    path = tmp_path / "net.onnx"
    x = quantized(network, path, **WAYS[way], reduces_weights=False)
    module = import_model(path)
    options = {} if way == "operators" else {"integer_contractions": "profile"}
    given, without_dots, plain = (
        runtime.compile(module, profile="ort", without=without, **options).net(x)
        for without in ("", "byte-dots", ",".join(STRATEGIES))
    )
    np.testing.assert_array_equal(given, plain)
    np.testing.assert_array_equal(without_dots, plain)


def test_average_pool(tmp_path):
    """Sums of another order: the next code at most, and seldom."""
    path = tmp_path / "net.onnx"
    x = quantized(quantized_networks.average, path)
    got, theirs = runtime.compile(import_model(path), profile="ort").net(x), expected(path, x)
    last = onnx.load(path).graph
    (scale,) = (i for i in last.initializer if i.name == last.node[-1].input[1])
    differences = np.rint(np.abs(got - theirs) / onnx.numpy_helper.to_array(scale))
    assert differences.max() <= 1 and np.count_nonzero(differences) <= got.size // 50


def test_quant_run(tmp_path):
    """The command of docs/Models.md."""
    path = tmp_path / "net.onnx"
    x = quantized(quantized_networks.perceptron, path)
    np.save(tmp_path / "x.npy", x)
    y = tmp_path / "y.npy"
    command = [str(path), str(tmp_path / "x.npy"), "--profile", "ort", "-o", str(y)]
    assert not quant_run.main(command)
    np.testing.assert_array_equal(np.load(y), expected(path, x))
