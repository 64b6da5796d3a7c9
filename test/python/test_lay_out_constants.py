# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""qdq-codegen-lay-out-contractions: float products with constant weights [N, K], beside sums in NumPy in the written order."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from mlir_qdq import runtime
from mlir_qdq.importers.onnx import import_model


def in_order(x: np.ndarray, weight: np.ndarray) -> np.ndarray:
    sums = np.zeros((len(x), len(weight)), np.float32)
    for column in range(x.shape[1]):
        sums += x[:, column, None] * weight[None, :, column]
    return sums


def network(path, nodes, x, columns: int, constants: dict[str, np.ndarray]) -> None:
    graph = helper.make_graph(
        nodes, "net",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [len(x), columns])],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )  # fmt: skip
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=10), path)


@pytest.mark.parametrize("rows, columns, depth", [(1, 3, 5), (1, 67, 130), (5, 64, 48)])
def test_gemm(rows, columns, depth, tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(rows, depth)).astype(np.float32)
    weight = rng.normal(size=(columns, depth)).astype(np.float32)
    node = helper.make_node("Gemm", ["x", "w"], ["y"], transB=1)
    network(tmp_path / "net.onnx", [node], x, columns, {"w": weight})
    got = runtime.compile(import_model(tmp_path / "net.onnx")).net(x)
    np.testing.assert_array_equal(got, in_order(x, weight))


@pytest.mark.parametrize("rows", [1, 6])
def test_matmul_nbits(rows, tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(rows, 96)).astype(np.float32)
    codes = rng.integers(0, 16, (50, 96), dtype=np.uint8)
    scale = rng.uniform(0.01, 0.1, (50, 3)).astype(np.float32)
    packed = (codes[:, ::2] | codes[:, 1::2] << 4).reshape(50, 3, 16)
    node = helper.make_node(
        "MatMulNBits", ["x", "w", "s"], ["y"],
        domain="com.microsoft", K=96, N=50, bits=4, block_size=32,
    )  # fmt: skip
    network(tmp_path / "net.onnx", [node], x, 50, {"w": packed, "s": scale.reshape(-1)})
    module = import_model(tmp_path / "net.onnx")
    got = runtime.compile(module, dequantize_constants=True).net(x)
    weight = (codes.astype(np.float32) - 8) * np.repeat(scale, 32, axis=1)
    np.testing.assert_array_equal(got, in_order(x, weight))
