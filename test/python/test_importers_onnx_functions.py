# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that ONNX defines by others, against its reference evaluator."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import helper
from onnx.reference import ReferenceEvaluator
from onnx_graph import LATEST, Graph, code_of

from mlir_qdq import runtime
from mlir_qdq.importers import _onnx_functions
from mlir_qdq.importers.onnx import import_model

RANDOM = np.random.default_rng(0)
B, S, L, HEADS, GROUPS, DEPTH = 2, 5, 7, 4, 2, 8


def real(*shape: int) -> np.ndarray:
    return RANDOM.normal(0, 1, shape).astype(np.float32)


def check(operation, operands, results=1, opset=LATEST, **attributes) -> None:
    """The batch is open; vectors are constants."""
    graph = Graph(opset)
    constants = tuple(i for i, x in enumerate(operands) if x is not None and x.ndim == 1)
    graph.add(operation, *operands, constant=constants, **attributes)
    graph.nodes[0].output[:] = graph.outputs = [f"y{i}" for i in range(results)]
    for info in graph.infos:
        for dim in info.type.tensor_type.shape.dim[:1]:
            if dim.dim_value == B:
                dim.dim_param = f"{info.name}_0"
    model = graph.model([onnx.TensorProto.FLOAT] * results)
    expected = ReferenceEvaluator(model).run(None, graph.arrays)
    got = runtime.compile(import_model(model))["graph"](*graph.arrays.values())
    got = got if isinstance(got, tuple) else (got,)
    for ours, theirs in zip(got, expected, strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours, theirs, 2e-6, 2e-6)


def keys(length: int, heads: int = GROUPS) -> np.ndarray:
    return real(B, heads, length, DEPTH)


@pytest.mark.parametrize("opset", [23, LATEST])
@pytest.mark.parametrize(
    "operands, results, attributes",
    [
        ([keys(S, HEADS), keys(L), keys(L)], 1, {}),
        (
            [real(B, S, HEADS * DEPTH), real(B, L, GROUPS * DEPTH), real(B, L, GROUPS * DEPTH)],
            1,
            {"q_num_heads": HEADS, "kv_num_heads": GROUPS, "is_causal": 1},
        ),
        ([keys(S, HEADS), keys(L), keys(L), real(S, L)], 1, {"softcap": 2.0, "scale": 0.3}),
        ([keys(S, HEADS), keys(S), keys(S), None, keys(3), keys(3)], 3, {"is_causal": 1}),
        ([keys(S, HEADS), keys(L), keys(L), np.tri(S, L, 2, bool)], 1, {}),
    ],
)
def test_attention(operands, results, attributes, opset):
    check("Attention", operands, results, opset, **attributes)


@pytest.mark.parametrize(
    "operation, operands, opset, attributes",
    [
        ("RotaryEmbedding", [keys(S), real(20, 4), real(20, 4), RANDOM.integers(0, 20, (B, S))], 23, {}),
        ("RotaryEmbedding", [real(B, S, 32), real(B, S, 4), real(B, S, 4)], 23, {"num_heads": HEADS, "interleaved": 1}),
        ("GroupNormalization", [real(B, 6, 5, 4), real(6), real(6)], 21, {"num_groups": 3}),
        ("MeanVarianceNormalization", [real(B, 6, 5, 4)], 13, {}),
        ("Celu", [real(B, 6)], 12, {"alpha": 2.0}),
        ("Celu", [real(B, 6)], LATEST, {}),
        ("Shrink", [real(B, 6)], 18, {"lambd": 0.5, "bias": 0.25}),
        ("CenterCropPad", [real(B, 6, 7), np.array([2, 4, 9])], 18, {}),
        ("SwiGLU", [real(B, 6), real(B, 6)], 28, {"alpha": 1.5}),
    ],
)  # fmt: skip
def test_other_functions(operation, operands, opset, attributes):
    check(operation, operands, opset=opset, **attributes)


def test_convolution_with_state():
    operands = [real(B, 3, S), real(3, 1, 4), real(3), real(B, 3, 3)]
    check("CausalConvWithState", operands, 2, activation="silu")
    check("CausalConvWithState", operands[:2], 2)


def test_names():
    """ONNX defines each by others, so that the importer is never asked for what it lacks."""
    for name in _onnx_functions._NAMES:
        defined = onnx.defs.get_schema(name)
        assert defined.has_function or defined.has_context_dependent_function, name


def test_behind_operators_of_others():
    """The types that an operand needs come from our own inference."""
    weight = RANDOM.integers(0, 255, (16, 1, 16)).astype(np.uint8)
    graph = Graph(21)
    graph.add("GroupNormalization", real(B, 3, 16), real(3), real(3), num_groups=3)
    node = graph.nodes[0]
    product = helper.make_node(
        "MatMulNBits", [node.input[0], "weight", "scales"], ["product"], domain="com.microsoft", K=16, N=16, bits=4, block_size=32
    )  # fmt: skip
    node.input[0] = "product"
    graph.nodes.insert(0, product)
    for name, array in (("weight", weight), ("scales", np.abs(real(16)))):
        graph.constants.append(onnx.numpy_helper.from_array(array, name))
    model = graph.model([code_of(np.float32)])
    model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    got = runtime.compile(import_model(model), profile="ort")["graph"](*graph.arrays.values())
    assert got.shape == (B, 3, 16) and np.isfinite(got).all()
