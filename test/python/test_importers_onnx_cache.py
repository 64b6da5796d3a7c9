# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention over a cache of keys and values, and rotary embeddings, against ONNX Runtime."""

from __future__ import annotations

import math

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx_graph import Graph, code_of

from mlir_qdq import runtime
from mlir_qdq.importers.onnx import import_model

RANDOM = np.random.default_rng(0)
HEADS, GROUPS, DEPTH, TABLE = 4, 2, 16, 40
COS, SIN = (
    f(RANDOM.uniform(0, 6, (TABLE, DEPTH // 2))).astype(np.float32) for f in (np.cos, np.sin)
)
ROTARY = {"do_rotary": 1}


def real(*shape: int, dtype=np.float32) -> np.ndarray:
    return RANDOM.normal(0, 1, shape).astype(dtype)


def run(operation, operands, results, **attributes):
    """What we and ONNX Runtime give for one node; all sizes of inputs but the last are open."""
    graph = Graph(20, "com.microsoft")
    graph.add(operation, *operands, **attributes)
    graph.nodes[0].output[:] = graph.outputs = [f"y{i}" for i in range(len(results))]
    for info in graph.infos:
        dims = info.type.tensor_type.shape.dim
        for index, dim in list(enumerate(dims))[:-1]:
            dim.dim_param = f"{info.name}_{index}"
    model = graph.model([code_of(dtype) for dtype in results])
    options = onnxruntime.SessionOptions()
    options.log_severity_level, options.intra_op_num_threads = 4, 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])  # fmt: skip
    expected = session.run(None, graph.arrays)
    got = runtime.compile(import_model(model), profile="ort")["graph"](*graph.arrays.values())
    return (got if isinstance(got, tuple) else (got,)), expected


def check(operation, operands, results, tolerance=2e-6, **attributes) -> None:
    got, expected = run(operation, operands, results, **attributes)
    for ours, theirs in zip(got, expected, strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(np.float32(ours), np.float32(theirs), tolerance, tolerance)


def operands(steps, totals, past=None, *, rest=(), packed=False, dtype=np.float32, cache=None):
    """Those of GroupQueryAttention. `totals`: of each sequence; `cache` makes the past of a shape."""
    batch = len(totals)
    widths = (HEADS, GROUPS, GROUPS)
    qkv = [real(batch, steps, heads * DEPTH, dtype=dtype) for heads in widths]
    if packed:
        qkv = [np.concatenate(qkv, axis=-1), None, None]
    shape = (batch, GROUPS, past, DEPTH)
    make = cache or (lambda shape: real(*shape, dtype=dtype))
    caches = [None, None] if past is None else [make(shape), make(shape)]
    lengths = np.array(totals, np.int32) - 1, np.array(max(totals), np.int32)
    return [*qkv, *caches, *lengths, *rest]


def attend(*given, tolerance=2e-6, results=(np.float32,) * 3, rest=(), **attributes):
    sizes = {"num_heads": HEADS, "kv_num_heads": GROUPS}
    check("GroupQueryAttention", operands(*given, rest=rest), results, tolerance, **sizes, **attributes)  # fmt: skip


CALLS = [
    (5, [5]),
    (5, [5, 3]),  # the second prompt ends before its padding
    (1, [7, 5], 6),
    (1, [7, 5], 10),  # a cache with room
    (3, [7], 4),
]


@pytest.mark.parametrize("call", CALLS, ids=str)
def test_group_query_attention(call):
    attend(*call, rest=(COS, SIN), **ROTARY, rotary_interleaved=call[0] % 2)


@pytest.mark.unoptimized
def test_packed():
    sizes = {"num_heads": HEADS, "kv_num_heads": GROUPS, "scale": 0.3}
    given = operands(1, [7, 5], 6, packed=True, rest=(COS, SIN))
    check("GroupQueryAttention", given, [np.float32] * 3, **sizes, **ROTARY)


@pytest.mark.parametrize("call", CALLS[::2], ids=str)
@pytest.mark.parametrize(
    "attributes",
    [
        {"local_window_size": 1},
        {"local_window_size": 3},
        {"softcap": 2.0},
        {"smooth_softmax": 1},
        {"causal": 0},
    ],
    ids=str,
)
@pytest.mark.unoptimized
def test_masks(call, attributes):
    attend(*call, **attributes)


@pytest.mark.parametrize("heads", [1, HEADS])
@pytest.mark.unoptimized
def test_bias(heads):
    attend(1, [7, 5], 6, rest=[None] * 3 + [real(2, heads, 1, 7)])


@pytest.mark.unoptimized
def test_sinks():
    attend(1, [7, 5], 6, rest=[None] * 4 + [real(HEADS)])


@pytest.mark.parametrize("call", [(5, [5, 5]), (1, [7, 5], 6), (2, [6], 4)], ids=str)
@pytest.mark.unoptimized
def test_positions(call):
    """The kernel counts the steps of a prompt from the first position."""
    positions = RANDOM.integers(0, 20, (len(call[1]), call[0]))
    attend(*call, rest=(COS, SIN, positions), **ROTARY)


@pytest.mark.unoptimized
def test_part_of_a_head():
    attend(1, [7, 5], 6, rest=(COS[:, :8].copy(), SIN[:, :8].copy()), **ROTARY)


@pytest.mark.unoptimized
def test_half():
    """Our f16 products round once more than those of its kernel."""
    half = np.float16
    sizes = {"num_heads": HEADS, "kv_num_heads": GROUPS}
    given = operands(1, [7, 5], 6, dtype=half, rest=(COS.astype(half), SIN.astype(half)))
    check("GroupQueryAttention", given, [half] * 3, 4e-3, **sizes, **ROTARY)


@pytest.mark.parametrize("capacity, window", [(6, 6), (8, 5)])
@pytest.mark.parametrize("steps, totals", [(1, [4, 3]), (1, [20, 11]), (3, [9]), (7, [7, 7]), (9, [13])])  # fmt: skip
@pytest.mark.unoptimized
def test_cache_of_a_window(steps, totals, capacity, window):
    """Slots behind the last place are whatever they are."""
    sizes = {"num_heads": HEADS, "kv_num_heads": GROUPS, "local_window_size": window}
    given = operands(steps, totals, capacity, rest=(COS, SIN))
    results = [np.float32] * 3
    got, expected = run("GroupQueryAttention", given, results, **sizes, **ROTARY, sliding_window_cache=1)  # fmt: skip
    np.testing.assert_allclose(got[0], expected[0], 2e-6, 2e-6)
    stride = capacity - window + 1
    for row, total in enumerate(totals):
        held = total - stride * max(0, math.ceil((total - capacity) / stride))
        for ours, theirs in zip(got[1:], expected[1:]):
            np.testing.assert_allclose(ours[row, :, :held], theirs[row, :, :held], 2e-6, 2e-6)


@pytest.mark.parametrize("call", [(1, [7, 5], 10), (3, [7], 4)], ids=str)
@pytest.mark.parametrize("kind", ["PER_TENSOR", "PER_CHANNEL"])
@pytest.mark.parametrize("dtype, bits", [(np.int8, 8), (np.uint8, 4)])
@pytest.mark.unoptimized
def test_cache_of_codes(dtype, bits, kind, call):
    def codes(shape):
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        return RANDOM.integers(low, high, (*shape[:-1], DEPTH * bits // 8), endpoint=True).astype(dtype)  # fmt: skip

    shape = (1,) if kind == "PER_TENSOR" else (1, GROUPS, 1, DEPTH)
    scales = [RANDOM.uniform(0.005, 0.05, shape).astype(np.float32) for _ in range(2)]
    sizes = {"num_heads": HEADS, "kv_num_heads": GROUPS}
    kinds = {"k_quant_type": kind, "v_quant_type": kind, "kv_cache_bit_width": bits}
    given = operands(*call, cache=codes, rest=(COS, SIN, None, None, None, *scales))
    got, expected = run("GroupQueryAttention", given, [np.float32, dtype, dtype], **sizes, **kinds, **ROTARY)  # fmt: skip
    np.testing.assert_allclose(got[0], expected[0], 1e-5, 1e-5)
    for ours, theirs in zip(got[1:], expected[1:]):
        np.testing.assert_array_equal(ours, theirs)


def test_codes_are_rounded_quotients_by_reciprocal():
    """Ties of the product, and keys beyond all codes: quotients would have other codes."""
    scale = np.float32(0.07)
    ties = (np.arange(-140, 140) + 0.5).astype(np.float32) * scale
    ties = np.concatenate([ties, np.nextafter(ties, np.float32(9)), np.nextafter(ties, np.float32(-9))])  # fmt: skip
    ties = np.resize(ties, (1, math.ceil(ties.size / 32), 32)).astype(np.float32)
    steps = ties.shape[1]
    past = np.zeros((1, 2, 1, 16), np.int8)
    lengths = np.array([steps], np.int32), np.array(steps + 1, np.int32)
    given = [real(1, steps, 64), ties, ties, past, past, *lengths, *[None] * 5, *[np.array([scale])] * 2]  # fmt: skip
    kinds = {"k_quant_type": "PER_TENSOR", "v_quant_type": "PER_TENSOR", "kv_cache_bit_width": 8}
    got, expected = run("GroupQueryAttention", given, [np.float32, np.int8, np.int8], num_heads=4, kv_num_heads=2, **kinds)  # fmt: skip
    np.testing.assert_array_equal(got[1], expected[1])
    quotients = np.clip(np.rint(ties / scale), -128, 127)
    theirs = expected[1][0, :, 1:].transpose(1, 0, 2).reshape(ties.shape[1:])
    assert (quotients[0] != theirs).any()


@pytest.mark.parametrize(
    "x, attributes",
    [
        (real(2, 5, 64), {}),
        (real(2, 4, 5, 16), {"interleaved": 1}),
        (real(2, 5, 64), {"num_heads": 4, "rotary_embedding_dim": 8}),
    ],
)
@pytest.mark.parametrize("positions", [RANDOM.integers(0, TABLE, (2, 5)), np.array([3])])
def test_rotary_embedding(x, attributes, positions):
    width = attributes.get("rotary_embedding_dim", DEPTH) // 2
    tables = [table[:, :width].copy() for table in (COS, SIN)]
    check("RotaryEmbedding", [x, positions, *tables], [np.float32], **attributes)


Q, K, V, BIAS = real(2, 5, 16), real(2, 7, 16), real(2, 7, 16), real(48)
NEW, PAST = real(2, 5, 16), real(2, 2, 3, 8)
HIDES = np.int32([[1] * 8, [1, 1, 1, 0, 1, 0, 0, 0]])


@pytest.mark.parametrize(
    "inputs, results, attributes",
    [
        ([Q, K, V], 1, {}),
        ([Q, K, real(2, 7, 8)], 1, {"scale": 0.3}),
        ([Q, K, V, BIAS], 1, {}),
        ([Q, K, V, BIAS, HIDES[:, :7].copy()], 1, {}),
        ([Q, K, V, None, RANDOM.integers(0, 2, (2, 5, 7)).astype(np.int32)], 1, {"mask_filter_value": -50.0}),
        ([Q, K, V, None, None, real(2, 2, 5, 7)], 1, {}),
        ([Q, K, V, None, None, real(1, 1, 5, 7)], 3, {}),
        ([Q, real(2, 2, 7, 8), real(2, 2, 7, 8)], 1, {}),
        ([Q, NEW, NEW, BIAS, None, None, PAST, PAST], 3, {}),
        ([Q, NEW, NEW, None, HIDES, None, PAST, PAST], 3, {"unidirectional": 1}),
        ([Q, NEW, NEW], 1, {"unidirectional": 1}),
    ],
)  # fmt: skip
def test_multi_head_attention(inputs, results, attributes):
    check("MultiHeadAttention", inputs, [np.float32] * results, num_heads=2, **attributes)


@pytest.mark.parametrize("has_past", [False, True])
@pytest.mark.parametrize("attributes", [{}, {"unidirectional": 1}], ids=str)
def test_attention_of_new_steps(attributes, has_past):
    inputs = [Q, real(16, 48), BIAS, HIDES[:, : 8 if has_past else 5].copy()]
    inputs += [real(2, 2, 2, 3, 8)] if has_past else []
    check("Attention", inputs, [np.float32] * 2, 1e-5, num_heads=2, **attributes)


@pytest.mark.parametrize("attributes", [{"qk_output": 1}, {"unheard_of": 1}], ids=str)
def test_other_forms_are_counted(attributes):
    graph = Graph(20, "com.microsoft")
    sizes = {"num_heads": HEADS, "kv_num_heads": GROUPS}
    graph.add("GroupQueryAttention", *operands(1, [7, 5], 6), **sizes, **attributes)
    module = import_model(graph.model([onnx.TensorProto.FLOAT]))
    with pytest.raises(ValueError, match="not lowered: 1 com.microsoft.GroupQueryAttention"):
        runtime.compile(module)
