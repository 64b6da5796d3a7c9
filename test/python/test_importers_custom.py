# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models with operators of AMD Quark, OpenPPL pmx and QONNX: imported, compiled, and the numbers that their documents give."""

import ml_dtypes
import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from mlir_qdq import runtime
from mlir_qdq.importers.onnx import import_model


def compile_model(nodes, inputs, outputs, initializers, domain):
    graph = helper.make_graph(nodes, "graph", inputs, outputs, initializers)
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid(domain, 1)]
    return runtime.compile(import_model(helper.make_model(graph, opset_imports=opsets)))["graph"]


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("storage, zeros", [(np.uint16, (3, 40000)), (ml_dtypes.bfloat16, (0, 1))])
@pytest.mark.parametrize(
    "domain, prefix", [("com.amd.quark", "Extended"), ("com.vai.quantize", "Vitis")]
)
def test_quark(domain, prefix, storage, zeros, dynamic):
    """A pair per axis, as Quark's quantizer writes it: parameters are initializers, the codes lie between the two."""
    zero = np.array(zeros, storage)[:, None]
    scale = np.float32([[0.25], [0.1]])
    names = {"axis": 0, "domain": domain}
    nodes = [
        helper.make_node(f"{prefix}QuantizeLinear", ["x", "s", "z"], ["q"], **names),
        helper.make_node(f"{prefix}DequantizeLinear", ["q", "s", "z"], ["y"], **names),
    ]
    shape = [2, "n"] if dynamic else [2, 4]
    graph = compile_model(
        nodes,
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)],
        [numpy_helper.from_array(scale[:, 0], "s"), numpy_helper.from_array(zero[:, 0], "z")],
        domain,
    )
    x = np.float32([[0.375, -1.0, 1e9, 0.125], [2.55, -4e5, 1e9, 0.05]])
    if zero.dtype == np.uint16:
        q = np.clip(np.rint(x / scale) + zero.astype(np.float64), 0, 65535)
        expected = (q - zero).astype(np.float32) * scale
    else:
        q = (x / scale + zero.astype(np.float32)).astype(zero.dtype)
        expected = (q.astype(np.float32) - zero.astype(np.float32)) * scale
    np.testing.assert_array_equal(graph(x), expected)


@pytest.mark.parametrize("domain", ["pmx", "opmx"])
def test_pmx_int4(domain):
    """Weights of int4x4 in groups of two along dimension 1, with a zero point."""
    random = np.random.default_rng(0)
    packed = random.integers(-(2**15), 2**15, (2, 6), np.int16)
    scale = random.uniform(0.1, 1, (8, 3)).astype(np.float16)
    zero = random.integers(0, 16, (8, 3), np.int8)
    node = helper.make_node(
        "DequantizeLinear", ["w", "s", "z"], ["y"], domain=domain,
        quant_data_type="int4", quant_axis=1, group_size=2, has_zeropoint=1,
    )  # fmt: skip
    graph = compile_model(
        [node],
        [helper.make_tensor_value_info("s", TensorProto.FLOAT16, scale.shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT16, (8, 6))],
        [numpy_helper.from_array(packed, "w"), numpy_helper.from_array(zero, "z")],
        domain,
    )
    nibbles = packed.view(np.uint16)[:, None] >> np.uint16([0, 4, 8, 12])[:, None] & 15
    codes = nibbles.reshape(8, 6).astype(np.float16)
    expected = (codes - np.repeat(zero, 2, 1).astype(np.float16)) * np.repeat(scale, 2, 1)
    np.testing.assert_array_equal(graph(scale), expected)


def test_qonnx():
    """A layer as Brevitas writes it: weights and activations by Quant, their types told by nothing else."""
    domain = "qonnx.custom_op.general"
    nodes = [
        helper.make_node("Quant", ["x", "s", "z", "b"], ["xq"], domain=domain, signed=0, narrow=0),
        helper.make_node("BipolarQuant", ["w", "t"], ["wq"], domain=domain),
        helper.make_node("MatMul", ["xq", "wq"], ["m"]),
        helper.make_node("Trunc", ["m", "s", "z", "b", "b"], ["y"], domain=domain),
    ]
    random = np.random.default_rng(0)
    weight = random.normal(size=(4, 3)).astype(np.float32)
    numbers = {"s": 0.5, "z": 2, "b": 4, "t": 0.25}
    initializers = [numpy_helper.from_array(np.float32(v), n) for n, v in numbers.items()]
    graph = compile_model(
        nodes,
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 4])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [*initializers, numpy_helper.from_array(weight, "w")],
        domain,
    )
    x = random.normal(size=(5, 4)).astype(np.float32) * 3
    codes = np.clip(np.rint(x / np.float32(0.5) + 2), 0, 15)
    product = (codes - 2) * np.float32(0.5) @ np.where(weight >= 0, 0.25, -0.25).astype(np.float32)
    expected = (np.rint(product / np.float32(0.5) + 2) - 2) * np.float32(0.5)
    np.testing.assert_array_equal(graph(x), expected)


def test_other_operators_stay():
    """An operator that nobody knows is imported, and named by the error that says why nothing was compiled."""
    node = helper.make_node("QuantizeLinear", ["x"], ["y"], domain="com.example")
    info = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [4])]
    out = [helper.make_tensor_value_info("y", TensorProto.UINT8, [4])]
    with pytest.raises(Exception, match=r"not lowered: 1 com\.example\.QuantizeLinear"):
        compile_model([node], info, out, [], "com.example")
