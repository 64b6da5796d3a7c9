# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chains of Q/DQ nodes behind one code, which become tables of 256 codes, against ONNX Runtime without its optimizer."""

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

from mlir_qdq import runtime
from mlir_qdq.importers.onnx import import_model

#: Steps of a chain: an operator, and the constant beside the value, or the name of an earlier value.
HARD_SWISH = [("Add", 3.0), ("Clip", (0.0, 6.0)), ("Mul", "x"), ("Div", 6.0)]
GELU = [("Div", 1.4142135), ("Erf", None), ("Add", 1.0), ("Mul", "x"), ("Mul", 0.5)]
SWISH = [("Sigmoid", None), ("Mul", "x")]
CHAINS = {"hard swish": HARD_SWISH, "gelu": GELU, "swish": SWISH, "affine": [("Mul", 1.7), ("Add", -0.3), ("Mul", -0.9)]}  # fmt: skip


def chain(steps, code, shape, is_open) -> onnx.ModelProto:
    """Every step is quantized, with scales and zero points that saturate at some codes."""
    random = np.random.default_rng(len(steps))
    nodes, constants = [], {}

    def constant(value) -> str:
        name = f"c{len(constants)}"
        constants[name] = numpy_helper.from_array(np.asarray(value), name)
        return name

    def quantized(name: str, result: str) -> str:
        scale = constant(np.float32(random.uniform(0.02, 0.05)))
        zero = constant(code(random.integers(np.iinfo(code).min + 90, np.iinfo(code).max - 90)))
        nodes.append(helper.make_node("QuantizeLinear", [name, scale, zero], [f"{result}_q"]))
        nodes.append(helper.make_node("DequantizeLinear", [f"{result}_q", scale, zero], [result]))
        return result

    value = quantized("given", "x")
    for i, (operator, beside) in enumerate(steps):
        if isinstance(beside, tuple):
            others = [constant(np.float32(each)) for each in beside]
        elif isinstance(beside, float):
            others = [quantized(constant(np.float32(beside)), f"k{i}")]
        else:
            others = [beside] if beside else []
        nodes.append(helper.make_node(operator, [value, *others], [f"v{i}"]))
        value = quantized(f"v{i}", f"r{i}")
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(code))
    sizes = [f"n{i}" for i in range(len(shape))] if is_open else shape
    graph = helper.make_graph(
        nodes,
        "net",
        [helper.make_tensor_value_info("given", TensorProto.FLOAT, sizes)],
        [helper.make_tensor_value_info(f"{value}_q", kind, sizes)],
        list(constants.values()),
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


@pytest.mark.every_pair
@pytest.mark.parametrize("is_open", [False, True], ids=["static", "open"])
@pytest.mark.parametrize("code", [np.uint8, np.int8])
@pytest.mark.parametrize("steps", CHAINS.values(), ids=CHAINS)
def test_chains(steps, code, is_open):
    """All codes, several times, and NaN; tables are computed where the size is open, too."""
    x = np.linspace(-9, 9, 3 * 1031, dtype=np.float32).reshape(3, 1031)
    x[0, ::97] = np.nan
    model = chain(steps, code, x.shape, is_open)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    (expected,) = session.run(None, {"given": x})
    got = np.asarray(runtime.compile(import_model(model), profile="ort").net(x))
    # Functions of ONNX Runtime are polynomials in f32.
    nearly = any(operator in ("Erf", "Sigmoid") for operator, _ in steps)
    different = got != expected
    assert len(np.unique(expected)) > 20
    assert different.mean() <= (0.002 if nearly else 0)
    assert np.abs(got.astype(int) - expected).max() <= (1 if nearly else 0)
