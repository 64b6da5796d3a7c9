# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nodes under `profile=ort` where ONNX Runtime leaves the text of the operators, beside ONNX Runtime itself."""

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from mlir_qdq import backend

ort = pytest.importorskip("onnxruntime")

F8 = {
    "FLOAT8E4M3FN": ml_dtypes.float8_e4m3fn,
    "FLOAT8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "FLOAT8E5M2": ml_dtypes.float8_e5m2,
    "FLOAT8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
}


def model(node, inputs, outputs, initializers=(), opset=21) -> onnx.ModelProto:
    infos = [
        [helper.make_tensor_value_info(name, kind, shape) for name, kind, shape in side]
        for side in (inputs, outputs)
    ]
    graph = helper.make_graph([node], "g", *infos, list(initializers))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)


def session(of: onnx.ModelProto) -> ort.InferenceSession:
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    return ort.InferenceSession(of.SerializeToString(), options, providers=["CPUExecutionProvider"])


def run_to_bytes(of: onnx.ModelProto, x: np.ndarray, kind: int) -> np.ndarray:
    """The one output, of a type that NumPy does not know, as its bytes."""
    running = session(of)
    binding = running.io_binding()
    binding.bind_cpu_input("x", x)
    out = np.zeros(x.shape, np.uint8)
    binding.bind_output("y", "cpu", 0, kind, x.shape, out.ctypes.data)
    running.run_with_iobinding(binding)
    return out


@pytest.mark.parametrize("storage", F8)
@pytest.mark.parametrize("zero_point", [0.0, 1.0])
@pytest.mark.parametrize("saturate", [0, 1])
@pytest.mark.parametrize("real", ["FLOAT", "FLOAT16"])
def test_float8_has_no_zero_point(storage, zero_point, saturate, real):
    """-0 stays -0, and the value of the zero point does not matter."""
    kind, dtype = getattr(TensorProto, storage), F8[storage]
    x_kind = getattr(TensorProto, real)
    x_dtype = helper.tensor_dtype_to_np_dtype(x_kind)
    code = np.array(zero_point, dtype).tobytes()
    of = model(
        helper.make_node("QuantizeLinear", ["x", "s", "z"], ["y"], saturate=saturate),
        [("x", x_kind, ["n"])],
        [("y", kind, ["n"])],
        [
            helper.make_tensor("s", x_kind, [], [0.5]),
            helper.make_tensor("z", kind, [], code, raw=True),
        ],
    )
    values = np.random.default_rng(0).normal(0, 60, 500)
    x = np.concatenate([[-0.0, 0.0, -1e-7, 1e-7, -0.001, np.nan], values]).astype(x_dtype)
    if saturate:
        x = np.append(x, np.array([np.inf, -np.inf, 6e4, -6e4], x_dtype))
    (got,) = backend.prepare(of, profile="ort").run([x])
    theirs = run_to_bytes(of, x, kind).view(dtype)
    is_nan = np.isnan(theirs.astype(np.float32))
    np.testing.assert_array_equal(np.isnan(got.astype(np.float32)), is_nan)
    np.testing.assert_array_equal(got.view(np.uint8)[~is_nan], theirs.view(np.uint8)[~is_nan])


def dynamic_model() -> onnx.ModelProto:
    return model(
        helper.make_node("DynamicQuantizeLinear", ["x"], ["y", "s", "z"]),
        [("x", TensorProto.FLOAT, ["n"])],
        [
            ("y", TensorProto.UINT8, ["n"]),
            ("s", TensorProto.FLOAT, []),
            ("z", TensorProto.UINT8, []),
        ],
    )


INF, NAN = np.inf, np.nan
RANGES = [
    [-INF, 1, 2], [INF, -1], [-INF, INF], [-INF], [INF], [-INF] * 9, [3e38, -3e38], [1e-45, 0], [-1e-45, 0],
    [1e-40] * 9, [-1e-43, 1e-44], [0.0, -0.0], [1e-43, -1e-45, 0], [2.5, -3], [NAN, 1, -1], [NAN] * 7, [NAN, -INF],
]  # fmt: skip


@pytest.mark.parametrize("x", RANGES, ids=str)
def test_dynamic_quantize_of_special_ranges(x):
    """A scale that underflows stays 0; a zero point that is NaN is 255; below 8 elements NaN is skipped."""
    of = dynamic_model()
    x = np.float32(x)
    theirs = session(of).run(None, {"x": x})
    for got, wanted in zip(backend.prepare(of, profile="ort").run([x]), theirs, strict=True):
        np.testing.assert_array_equal(got, wanted)


def test_dynamic_quantize_of_finite_values():
    of = dynamic_model()
    ours, theirs = backend.prepare(of, profile="ort"), session(of)
    random = np.random.default_rng(1)
    for spread in (1e-44, 1e-38, 1, 1e37):
        for size in (1, 7, 8, 100, 4097):
            x = (random.normal(random.normal(), 1, size) * spread).astype(np.float32)
            for got, wanted in zip(ours.run([x]), theirs.run(None, {"x": x}), strict=True):
                np.testing.assert_array_equal(got, wanted)


def test_dynamic_quantize_skips_nan():
    """Every NaN. ONNX Runtime from 8 elements up forgets, or keeps, by the NaN's lane: docs/Semantics.md."""
    ours = backend.prepare(dynamic_model(), profile="ort")
    x = np.linspace(-1, 2, 9).astype(np.float32)
    for position in range(9):
        rest = np.delete(x, position)
        codes, scale, zero = ours.run([np.insert(rest, position, np.float32(NAN))])
        wanted = (rest.max() - rest.min()) / np.float32(255)
        assert (scale, zero) == (wanted, round(-rest.min() / wanted))
        assert codes[position] == 0
