# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operators that ONNX Runtime's optimizers fuse, against ONNX Runtime; and files that they save."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper
from onnx_graph import Graph
from quantized_networks import mobilenet, quantized, resnet, transformer

from mlir_qdq import runtime
from mlir_qdq.importers.onnx import OnnxImportError, import_model

RANDOM = np.random.default_rng(0)
DOMAIN = "com.microsoft"
B, S, D, HEADS = 2, 5, 8, 2


def real(*shape: int, dtype=np.float32) -> np.ndarray:
    return RANDOM.normal(0, 1, shape).astype(dtype)


def run_by_onnxruntime(model: onnx.ModelProto | Path, feeds, level="DISABLE_ALL") -> list:
    options = onnxruntime.SessionOptions()
    options.log_severity_level, options.intra_op_num_threads = 4, 1
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, f"ORT_{level}")
    source = str(model) if isinstance(model, Path) else model.SerializeToString()
    return onnxruntime.InferenceSession(source, options, ["CPUExecutionProvider"]).run(None, feeds)


def check(model, feeds, tolerance=2e-6) -> list[np.ndarray]:
    expected = run_by_onnxruntime(model, feeds)
    compiled = runtime.compile(import_model(model), profile="ort")
    (name,) = compiled
    got = compiled[name](*feeds.values())
    got = got if isinstance(got, tuple) else (got,)
    for index, (ours, theirs) in enumerate(zip(got, expected, strict=True)):
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(
            np.float32(ours), np.float32(theirs), tolerance, tolerance, err_msg=f"result {index}"
        )
    return list(got)


def check_graph(graph: Graph, tolerance=2e-6) -> None:
    check(graph.model([TensorProto.FLOAT] * len(graph.outputs)), graph.arrays, tolerance)


def one(operation, results: int, *operands, opset=17, constants=(), **attributes):
    """A model of one node with several results, and its inputs."""
    graph = Graph(opset, DOMAIN)
    graph.add(operation, *operands, constant=constants, **attributes)
    node = graph.nodes[0]
    node.output[:] = [f"y{i}" for i in range(results)]
    graph.outputs = list(node.output)
    return graph.model([TensorProto.FLOAT] * results), graph.arrays


def test_gelus():
    graph = Graph(17, DOMAIN)
    x = real(3, 8) * 3
    graph.add("Gelu", x)
    graph.add("BiasGelu", x, real(8))
    graph.add("FastGelu", x)
    graph.add("FastGelu", x, real(8), dynamic=True)
    graph.add("QuickGelu", x)
    graph.add("QuickGelu", x, alpha=1.0)
    check_graph(graph)


@pytest.mark.parametrize("shape", [(10,), (2, 10), (2, 3, 4)])
def test_features(shape):
    """Of classifiers of scikit-learn."""
    for opset, indices in (12, [[3], [0], [3]]), (17, [1]):
        graph = Graph(opset, "ai.onnx.ml")
        graph.add("ArrayFeatureExtractor", real(*shape), np.array(indices))
        check_graph(graph, 0)


def test_labels():
    """As skl2onnx writes them, with the wrong shape [N, 1] between."""
    nodes = [
        helper.make_node("ArgMax", ["x"], ["best"], axis=1),
        helper.make_node("ArrayFeatureExtractor", ["classes", "best"], ["picked"], domain="ai.onnx.ml"),
        helper.make_node("Reshape", ["picked", "flat"], ["label"]),
    ]  # fmt: skip
    info = helper.make_tensor_value_info
    constants = [
        helper.make_tensor("classes", TensorProto.INT64, [4], [7, 5, 3, 1]),
        helper.make_tensor("flat", TensorProto.INT64, [1], [-1]),
    ]
    graph = helper.make_graph(
        nodes, "g", [info("x", TensorProto.FLOAT, ["N", 4])], [info("label", TensorProto.INT64, ["N"])],
        constants, value_info=[info("picked", TensorProto.INT64, ["N", 1])],
    )  # fmt: skip
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("ai.onnx.ml", 1)]
    check(helper.make_model(graph, opset_imports=opsets, ir_version=10), {"x": real(3, 4)}, 0)


@pytest.mark.parametrize("opset", [12, 17])
def test_products(opset):
    graph = Graph(opset, DOMAIN)
    a, b = real(2, 3, 4), real(2, 5, 4)
    graph.add("FusedMatMul", a, b, transB=1, alpha=0.125)
    graph.add("FusedMatMul", a, real(2, 3, 5), transA=1)
    graph.add("FusedMatMul", a, real(4, 5), dynamic=(0,))
    x, w, c = real(3, 4), real(5, 4), real(5)
    for activation, values in {
        "Relu": {},
        "LeakyRelu": {"activation_alpha": 0.25},
        "Elu": {"activation_alpha": 2.0},
        "HardSigmoid": {"activation_alpha": 0.3, "activation_beta": 0.4},
        "Sigmoid": {},
        "Tanh": {},
    }.items():
        graph.add("FusedGemm", x, w, c, transB=1, alpha=0.5, activation=activation, **values)
    check_graph(graph)


def test_convolutions():
    graph = Graph(17, DOMAIN)
    x, w, b = real(2, 3, 8, 8), real(4, 3, 3, 3), real(4)
    for activation, values in {
        "Relu": [],
        "Sigmoid": [],
        "Tanh": [],
        "LeakyRelu": [0.25],
        "Clip": [-0.5, 1.5],
        "HardSigmoid": [0.3, 0.4],
    }.items():
        given = {"activation_params": values} if values else {}
        graph.add("FusedConv", x, w, b, pads=[1, 1, 1, 1], activation=activation, **given)
    graph.add("FusedConv", x, w, b, real(2, 4, 3, 3), strides=[2, 2], activation="Relu")
    graph.add("FusedConv", x, w, None, real(2, 4, 6, 6))
    check_graph(graph)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
def test_pool_of_channels_last(dtype):
    x = RANDOM.integers(0, 100, (2, 9, 7, 3)).astype(dtype)
    graph = Graph(13, DOMAIN)
    graph.add("NhwcMaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    graph.add("NhwcMaxPool", x, kernel_shape=[2, 2], ceil_mode=1, strides=[2, 2])
    element = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    check(graph.model([element] * 2), graph.arrays, 0)


@pytest.mark.parametrize("opset", [12, 17])
@pytest.mark.parametrize("dtype, tolerance", [(np.float32, 2e-6), (np.float16, 2e-3)])
def test_normalizations(opset, dtype, tolerance):
    """ONNX Runtime has LayerNormalization in every operator set of ONNX."""
    x, gamma, beta = real(2, 3, 8, dtype=dtype), real(8, dtype=dtype), real(8, dtype=dtype)
    element = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    graph = Graph(opset)
    graph.add("LayerNormalization", x, gamma, beta, axis=-1, epsilon=1e-3)
    graph.add("SimplifiedLayerNormalization", x, gamma, axis=-1, epsilon=1e-3)
    check(graph.model([element] * 2), graph.arrays, tolerance)


@pytest.mark.parametrize("results", [1, 4])
@pytest.mark.parametrize("opset", [12, 17])
@pytest.mark.parametrize(
    "operation, weights",
    [
        ("SkipLayerNormalization", [8]),
        ("SkipLayerNormalization", [8, 8]),
        ("SkipLayerNormalization", [8, 8, 8]),
        ("SkipSimplifiedLayerNormalization", [8]),
        ("SkipSimplifiedLayerNormalization", [8, 8]),
    ],
)
def test_sums_before_normalizations(operation, weights, opset, results):
    operands = [real(B, S, D), real(B, S, D), *(real(size) for size in weights)]
    model, feeds = one(operation, results, *operands, opset=opset, epsilon=1e-3)
    if results == 4:
        model.graph.node[0].output[1:3] = ["", ""]
        del model.graph.output[1:3]
    check(model, feeds)


MASKS = {
    "none": None,
    "ends": np.int32([3, 5]),
    "rows": np.int32([[1, 1, 1, 0, 0], [1, 0, 1, 1, 1]]),
    "all": RANDOM.integers(0, 2, (B, S, S)).astype(np.int32),
}


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("opset", [12, 17])
def test_attention(mask, opset):
    operands = [real(B, S, D), real(D, 3 * D), real(3 * D), MASKS[mask]]
    while operands[-1] is None:
        operands.pop()
    model, feeds = one("Attention", 1, *operands, opset=opset, num_heads=HEADS, constants=(1, 2))
    check(model, feeds, 1e-5)


def test_attention_of_other_sizes():
    operands = [real(B, S, D), real(D, 12), real(12), None, None, real(1, HEADS, S, S)]
    sizes = {"qkv_hidden_sizes": [4, 4, 4], "scale": 0.25, "mask_filter_value": -50.0}
    check(*one("Attention", 1, *operands, num_heads=HEADS, **sizes), 1e-5)


@pytest.mark.parametrize("columns", [False, True])
@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
def test_quantized_attention(dtype, columns):
    """Weights of 6 bits: sums of ONNX Runtime do not saturate."""
    x = RANDOM.integers(0, 255, (B, S, D)).astype(np.uint8)
    low = 100 if dtype == np.uint8 else -30
    weight = RANDOM.integers(low, low + 60, (D, 3 * D)).astype(dtype)
    scales = np.float32(RANDOM.uniform(0.01, 0.03, 3 * D if columns else ()))
    points = (np.full if columns else lambda _, v, t: np.array(v, t))(3 * D, low + 30, dtype)
    bias, scale, point = real(3 * D), np.float32(0.02), np.uint8(128)
    operands = [x, weight, bias, scale, scales, MASKS["ends"], point, points]
    check(*one("QAttention", 1, *operands, num_heads=HEADS, constants=(1, 2, 4, 7)))


def _tables(make):
    return [make(20, D), make(7, D), make(3, D), make(D), make(D)]


IDS = [RANDOM.integers(0, n, (B, S)).astype(np.int32) for n in (20, 3)]


@pytest.mark.parametrize("results", [2, 3])
@pytest.mark.parametrize("mask", ["none", "rows"])
@pytest.mark.parametrize("opset", [12, 17])
def test_embeddings(mask, results, opset):
    operands = [*IDS, *_tables(real), MASKS[mask]]
    while operands[-1] is None:
        operands.pop()
    model, feeds = one("EmbedLayerNormalization", results, *operands, opset=opset, epsilon=1e-3)
    model.graph.output[1].type.tensor_type.elem_type = TensorProto.INT32
    check(model, feeds)


def test_quantized_embeddings():
    def code(*shape):
        return RANDOM.integers(0, 255, shape).astype(np.uint8)

    scales = [np.float32(RANDOM.uniform(0.01, 0.02)) for _ in range(5)]
    points = [code() for _ in range(5)]
    operands = [*IDS, *_tables(code), MASKS["rows"], *scales, *points]
    constants = tuple(i for i in range(2, 18) if i != 7)
    model, feeds = one("QEmbedLayerNormalization", 2, *operands, constants=constants, epsilon=1e-3)
    model.graph.output[1].type.tensor_type.elem_type = TensorProto.INT32
    check(model, feeds)


@pytest.mark.parametrize(
    "operation, operands, attributes",
    [
        ("Attention", [real(B, S, D), real(D, 3 * D)], {"do_rotary": 1, "num_heads": 2}),
        ("FusedMatMul", [real(2, 3, 4), real(2, 3, 4)], {"transBatchA": 1, "transA": 1}),
        ("FusedConv", [real(1, 1, 4, 4), real(1, 1, 3, 3)], {"activation": "Gelu"}),
        ("FusedConv", [real(1, 1, 4, 4), real(1, 1, 3, 3)], {"activation": "Clip"}),
        ("FusedGemm", [real(2, 3), real(3, 4), real(4)], {"activation": "Gelu"}),
    ],
)
def test_other_forms_are_counted(operation, operands, attributes):
    graph = Graph(17, DOMAIN)
    graph.add(operation, *operands, **attributes)
    module = import_model(graph.model([TensorProto.FLOAT]))
    with pytest.raises(ValueError, match=f"not lowered: 1 com.microsoft.{operation}"):
        runtime.compile(module)


def test_operators_that_the_file_itself_spells():
    """Only what ONNX Runtime has in an older operator set is taken from a newer one."""
    graph = Graph(17)
    graph.add("Gelu", real(3))
    with pytest.raises(OnnxImportError, match="'Gelu' of ONNX is new in operator set 20"):
        import_model(graph.model([TensorProto.FLOAT]))


def optimized(path: Path, level: str) -> Path:
    """The file that ONNX Runtime's optimizer saves."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, f"ORT_{level}")
    options.optimized_model_filepath = str(path.with_suffix(".optimized.onnx"))
    onnxruntime.InferenceSession(str(path), options, ["CPUExecutionProvider"])
    return path.with_suffix(".optimized.onnx")


def operators(path: Path) -> set[str]:
    return {node.op_type for node in onnx.load(path).graph.node}


@pytest.mark.parametrize("network, holds", [(resnet, "NhwcMaxPool"), (mobilenet, "QLinearConv")])
def test_saved_by_the_optimizer(network, holds, tmp_path):
    x = quantized(network, tmp_path / "net.onnx")
    saved = optimized(tmp_path / "net.onnx", "ENABLE_ALL")
    assert holds in operators(saved)
    check(saved, {"x": x})


def test_floats_saved_by_the_optimizer(tmp_path):
    net, result = transformer(17)
    onnx.save(net.model(result, "N"), tmp_path / "net.onnx")
    saved = optimized(tmp_path / "net.onnx", "ENABLE_ALL")
    assert {"FusedMatMul", "BiasGelu"} <= operators(saved)
    check(saved, {"x": real(*net.shape)}, 1e-5)
