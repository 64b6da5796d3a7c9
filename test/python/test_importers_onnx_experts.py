# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MoE and QMoE, mixtures of experts of onnxruntime-genai's decoders, against ONNX Runtime."""

from __future__ import annotations

import numpy as np
import pytest
from mlir_qdq import runtime
from mlir_qdq.importers.onnx import import_model
from onnx import TensorProto
from onnx_graph import Graph

RANDOM = np.random.default_rng(0)
TOKENS, HIDDEN, INNER, EXPERTS = 5, 32, 64, 4
SWIGLU = {"activation_type": "swiglu", "swiglu_fusion": 1}
#: Of gpt-oss.
CLAMPED = {"activation_alpha": 1.702, "activation_beta": 1.0, "swiglu_limit": 1.0}


def real(*shape: int, scale=0.5) -> np.ndarray:
    return RANDOM.normal(0, scale, shape).astype(np.float32)


def router() -> np.ndarray:
    scores = real(TOKENS, EXPERTS, scale=2)
    scores[0] = 0.5  # of equal ones, the last count
    return scores


def layers(width: int):
    return (
        real(EXPERTS, width, HIDDEN), real(EXPERTS, width),
        real(EXPERTS, HIDDEN, INNER), real(EXPERTS, HIDDEN),
    )  # fmt: skip


def check(operation: str, *operands, open=False, tolerance=2e-6, **attributes) -> None:
    graph = Graph(17, "com.microsoft")
    graph.add(operation, *operands, dynamic=(0,) if open else False, constant=range(2, 15), **attributes)  # fmt: skip
    (got,), (expected,) = graph.compiled(profile="ort"), graph.run_by_onnxruntime()
    assert got.dtype == expected.dtype and got.shape == expected.shape
    bound = tolerance * np.abs(expected).max()
    np.testing.assert_allclose(got, expected, rtol=0, atol=bound)


@pytest.mark.parametrize("normalize", [0, 1])
@pytest.mark.parametrize("activation", ["relu", "gelu", "silu", "identity"])
def test_activations(activation, normalize):
    first, first_bias, second, second_bias = layers(INNER)
    check(
        "MoE", real(TOKENS, HIDDEN), router(), first, first_bias, second, second_bias,
        k=2, activation_type=activation, normalize_routing_weights=normalize,
    )  # fmt: skip


@pytest.mark.parametrize("numbers", [{}, CLAMPED], ids=["plain", "clamped"])
def test_swiglu(numbers):
    first, _, second, _ = layers(2 * INNER)
    x = real(1, TOKENS, HIDDEN)
    check("MoE", x, router(), first, None, second, k=3, normalize_routing_weights=1, **SWIGLU, **numbers)  # fmt: skip


def test_open_sizes_and_one_expert():
    first, first_bias, second, _ = layers(INNER)
    check("MoE", real(TOKENS, HIDDEN), router(), first, first_bias, second, open=True)


@pytest.mark.parametrize("has_zeros", [False, True])
@pytest.mark.parametrize("block", [0, 16])
@pytest.mark.parametrize("bits", [2, 4, 8])
def test_codes(bits, block, has_zeros):
    """Scales for each output, or in blocks of the inputs; zero points are packed as the codes."""

    def codes(*shape: int) -> np.ndarray:
        return RANDOM.integers(0, 256, shape).astype(np.uint8)

    def layer(outputs: int, inputs: int):
        blocks = (inputs // block,) if block else ()
        scale = RANDOM.uniform(0.1, 0.6, (EXPERTS, outputs, *blocks)) / 2**bits
        rows, columns = ((outputs,), blocks[0]) if block else ((), outputs)
        zeros = codes(EXPERTS, *rows, -(-columns * bits // 8)) if has_zeros else None
        weight = codes(EXPERTS, outputs, inputs * bits // 8)
        return weight, scale.astype(np.float32), real(EXPERTS, outputs), zeros

    *first, first_zeros = layer(2 * INNER, HIDDEN)
    *second, second_zeros = layer(HIDDEN, INNER)
    given = {"expert_weight_bits": bits, "k": 2, **SWIGLU, **CLAMPED}
    given |= {"block_size": block} if block else {}
    check(
        "QMoE", real(TOKENS, HIDDEN), router(), *first, *second, None, None, None,
        first_zeros, second_zeros, open=has_zeros, **given,
    )  # fmt: skip


@pytest.mark.parametrize("normalize", [0, 1])
def test_weights_of_a_router(normalize):
    """Scores choose the experts, other numbers weigh them."""
    weights = [RANDOM.integers(0, 256, (EXPERTS, *s)).astype(np.uint8) for s in ((INNER, 16), (HIDDEN, 32))]  # fmt: skip
    scales = [RANDOM.uniform(0.01, 0.05, w.shape[:2]).astype(np.float32) for w in weights]
    check(
        "QMoE", real(TOKENS, HIDDEN), router(), weights[0], scales[0], None, weights[1], scales[1],
        *[None] * 7, np.abs(real(TOKENS, EXPERTS)), k=2, normalize_routing_weights=normalize,
        activation_type="silu",
    )  # fmt: skip


@pytest.mark.parametrize(
    "attributes",
    [
        {"use_sparse_mixer": 1},
        {"activation_type": "geglu"},
        {"activation_type": "swiglu"},
        SWIGLU | {"swiglu_limit_after_activation": 1},
    ],
    ids=str,
)
def test_refused(attributes):
    first, first_bias, second, second_bias = layers(2 * INNER)
    graph = Graph(17, "com.microsoft")
    graph.add("MoE", real(TOKENS, HIDDEN), router(), first, first_bias, second, second_bias, k=2, **attributes)  # fmt: skip
    with pytest.raises(Exception, match="not lowered: 1 com.microsoft.MoE"):
        runtime.compile(import_model(graph.model([TensorProto.FLOAT])))
