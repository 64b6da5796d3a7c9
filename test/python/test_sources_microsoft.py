# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators on codes of ONNX Runtime's domain com.microsoft, against it: every code and every bit."""

from __future__ import annotations

from functools import partial

import numpy as np
import onnx
import onnxruntime
import pytest
from mlir_qdq import runtime
from mlir_qdq.command._onnx_typed import readable_copy
from mlir_qdq.importers.onnx import import_model
from onnx import helper, numpy_helper
from onnx_products import codes
from onnx_graph import Graph, without_trailing
from test_sources_onnx_products import CONVOLUTIONS, add_qlinear_conv

SYSTEM, AGAINST = "ONNX Runtime com.microsoft", "ONNX Runtime"
TYPES = [np.int8, np.uint8]
BOTH = "i8, ui8"


def scale(random, low=0.01, high=0.2) -> np.ndarray:
    return np.float32(random.uniform(low, high))


def check(graph: Graph, **options) -> None:
    graph.check(graph.run_by_onnxruntime(), **options)


def parameters(random, dtype, low=0.01, high=0.2):
    return scale(random, low, high), codes(random, (), dtype)


@pytest.mark.parametrize("opset", [13, 21])
@pytest.mark.parametrize("zero_point", [[], [""]])
def test_quantize_without_a_zero_point(opset, zero_point, tmp_path):
    """Codes are ui8 then. No type in the file says so, which other compilers need (quant-import --whole)."""
    make = partial(helper.make_node, domain="com.microsoft")
    nodes = [make("QuantizeLinear", ["x", "s", *zero_point], ["q"]), make("DequantizeLinear", ["q", "s"], ["y"])]  # fmt: skip
    x, y = (helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, [2, 4]) for n in "xy")
    graph = helper.make_graph(nodes, "g", [x], [y], [numpy_helper.from_array(np.float32(0.1), "s")])
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
    onnx.save(model, tmp_path / "m.onnx")
    values = np.float32([[-3, 0.05, 0.26, 1.25], [25.45, 99, np.inf, -0.0]])
    session = onnxruntime.InferenceSession(model.SerializeToString())
    expected = session.run(None, {"x": values})[0]
    ours = runtime.compile(import_model(tmp_path / "m.onnx"), profile="ort").g(values)
    np.testing.assert_array_equal(ours, expected)
    assert ours.max() == np.float32(255) * np.float32(0.1)
    copy = onnx.load(readable_copy(tmp_path / "m.onnx", tmp_path))
    (q,) = (info for info in copy.graph.value_info if info.name == "q")
    assert q.type == helper.make_tensor_type_proto(onnx.TensorProto.UINT8, [2, 4])


#: Shapes that are broadcast. Where A does not change along the last dimension, ONNX Runtime rounds otherwise.
BROADCASTS = [
    ((3, 37), (3, 37)),
    ((2, 3, 37), (3, 37)),
    ((3, 1), (3, 37)),
    ((3, 37), (3, 1)),
    ((37,), (2, 3, 37)),
    ((), (3, 37)),
    ((3, 37), ()),
    ((2, 1, 5), (1, 3, 1)),
    ((2, 3, 1, 1), (3, 1, 1)),
    ((7, 1), (1, 1)),
    ((7, 1), (1,)),
    ((1,), (7, 1)),
    ((1, 1), (1, 1)),
    ((), ()),
    ((2, 5, 1), (2, 1, 1)),
    ((2, 1, 1), (2, 5, 1)),
]


@pytest.mark.proves(SYSTEM, "QLinearAdd", against=AGAINST, granularity="tensor", storage=BOTH)
@pytest.mark.proves(SYSTEM, "QLinearMul", against=AGAINST, granularity="tensor", storage=BOTH)
@pytest.mark.every_value
@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("operation", ["QLinearAdd", "QLinearMul"])
def test_binary(operation, dynamic):
    graph = Graph(21, "com.microsoft")
    for index, (left, right) in enumerate(BROADCASTS):
        random = np.random.default_rng([index, len(operation)])
        dtype = TYPES[index % 2]
        for _ in range(1 if dynamic else 2):
            a, b = codes(random, left, dtype), codes(random, right, dtype)
            ps = [parameters(random, dtype) for _ in range(3)]
            graph.add(operation, a, *ps[0], b, *ps[1], *ps[2], dynamic=dynamic)
    check(graph)


@pytest.mark.parametrize("operation", ["QLinearAdd", "QLinearMul"])
def test_binary_on_every_pair(operation):
    """All pairs of codes, for scales that put many of the results beside ties."""
    graph = Graph(21, "com.microsoft")
    for index in range(16):
        random, dtype = np.random.default_rng(index), TYPES[index % 2]
        info = np.iinfo(dtype)
        every = np.arange(info.min, info.max + 1).astype(dtype)
        a, b = np.repeat(every, 256), np.tile(every, 256)
        (sa, za), (sb, zb), (_, zc) = (parameters(random, dtype) for _ in range(3))
        if operation == "QLinearMul":
            sc = np.float32(sa * sb * random.integers(1, 200) * 2)
        else:
            sb = np.float32(sa * random.choice([0.5, 1, 3]))
            sc = np.float32(sa * random.choice([2, 4, 6]))
        graph.add(operation, a, sa, za, b, sb, zb, sc, zc)
    check(graph)


@pytest.mark.parametrize("operation", ["QLinearAdd", "QLinearMul"])
def test_binary_without_zero_points(operation):
    """As with zeros: ONNX Runtime's own inference refuses the other form, which its document has. Both shapes of one element."""
    graph, zeros = Graph(21, "com.microsoft"), Graph(21, "com.microsoft")
    random = np.random.default_rng(1)
    for dtype in TYPES:
        a, b, zero = codes(random, (5, 9), dtype), codes(random, (9,), dtype), np.zeros((), dtype)
        sa, sb, sc = (scale(random) for _ in range(3))
        graph.add(operation, a, sa, None, b, sb.reshape(1), None, sc)
        zeros.add(operation, a, sa, zero, b, sb, zero, sc, zero)
    graph.check(zeros.run_by_onnxruntime())


@pytest.mark.proves(SYSTEM, "QLinearSigmoid", against=AGAINST, granularity="tensor", storage=BOTH)
@pytest.mark.proves(SYSTEM, "QLinearLeakyRelu", against=AGAINST, granularity="tensor", storage=BOTH)
@pytest.mark.every_value
@pytest.mark.parametrize("constant", [False, True])
@pytest.mark.parametrize("operation", ["QLinearSigmoid", "QLinearLeakyRelu"])
def test_activation(operation, constant):
    """Every code, for many scales; ONNX Runtime makes a table of constant parameters."""
    graph = Graph(21, "com.microsoft")
    for index in range(60):
        random, dtype = np.random.default_rng(index), TYPES[index % 2]
        info = np.iinfo(dtype)
        x = np.arange(info.min, info.max + 1).astype(dtype)
        sx, zx = parameters(random, dtype, 0.001, 0.3)
        sy, zy = parameters(random, dtype, 0.003, 0.006)
        attributes = {}
        if operation == "QLinearLeakyRelu":
            sy = scale(random)
            attributes = {"alpha": float(np.float32(random.uniform(-0.5, 2)))} if index % 3 else {}
        if index % 5 == 0:
            zx = None
        graph.add(operation, x, sx, zx, sy, zy, constant=constant, **attributes)
    check(graph)


@pytest.mark.proves(SYSTEM, "QLinearSoftmax", against=AGAINST, granularity="tensor", storage=BOTH)
def test_softmax():
    """Random rows, and rows of one large code. Scales of y as quantizers choose them."""
    graph = Graph(21, "com.microsoft")
    for index in range(40):
        random, dtype = np.random.default_rng(index), TYPES[index % 2]
        shape, axis = [((5, 37), -1), ((3, 4, 19), 1), ((2, 3, 256), 2), ((1, 1000), 1)][index % 4]
        x = codes(random, shape, dtype)
        sx, zx = parameters(random, dtype, 0.001, 0.3)
        sy = np.float32([1 / 256, 1 / 200, 0.0041][index % 3])
        zy = dtype(0 if dtype == np.uint8 else -128 if index % 3 else -100)
        opset = 13 if axis == 1 and len(shape) > 2 else [12, 13][index // 4 % 2]
        operands = (x, sx, zx, sy, zy)
        graph.add("QLinearSoftmax", *operands, constant=True, axis=axis, opset=opset)
    check(graph)


@pytest.mark.proves(SYSTEM, "QLinearConcat", against=AGAINST, granularity="tensor", storage=BOTH)
@pytest.mark.parametrize("constant", [False, True])
def test_concat(constant):
    """Every code of each input; one has the parameters of the result."""
    graph = Graph(21, "com.microsoft")
    for index in range(24):
        random, dtype = np.random.default_rng(index), TYPES[index % 2]
        info = np.iinfo(dtype)
        every = np.arange(info.min, info.max + 1).astype(dtype).reshape(2, 4, 32)
        ps = [parameters(random, dtype) for _ in range(3)]
        operands = [every, *ps[0], every[:, :, :5], *ps[1], every[:, :, 3:], *ps[2]]
        inputs = (2, 5, 8)
        kept = [p for p in range(2, 11) if p not in inputs] + [0, 1]
        graph.add("QLinearConcat", *ps[0], *operands, axis=[2, -1][index // 2 % 2],
                  constant=tuple(kept) if constant else False)  # fmt: skip
    check(graph)


@pytest.mark.proves(SYSTEM, "QLinearWhere", against=AGAINST, granularity="tensor", storage=BOTH)
@pytest.mark.parametrize("dynamic", [False, True])
def test_where(dynamic):
    """Every code of X; in one node of three it has the parameters of the result. The condition is broadcast, or the codes are."""
    shapes = [((256,), (), (256,)), ((3, 1), (256,), (3, 256)), ((2, 1, 256), (3, 1), (1,)), ((), (256,), ())]  # fmt: skip
    graph = Graph(21, "com.microsoft")
    for index in range(16):
        random, dtype = np.random.default_rng(index), TYPES[index % 2]
        of_condition, of_x, of_y = shapes[index // 2 % 4]
        condition = random.integers(0, 2, of_condition).astype(bool)
        every = np.arange(256).astype(np.uint8).view(dtype)
        x = every if of_x == (256,) else codes(random, of_x, dtype)
        ps = [parameters(random, dtype) for _ in range(3)]
        result = ps[0] if index % 3 == 1 else ps[2]
        operands = (condition, x, *ps[0], codes(random, of_y, dtype), *ps[1], *result)
        graph.add("QLinearWhere", *operands, dynamic=dynamic)
    check(graph)


POOLS = {
    "plain": ((2, 3, 7, 8), {"kernel_shape": [2, 3]}),
    "strides": ((2, 3, 9, 8), {"kernel_shape": [3, 3], "strides": [2, 3]}),
    "pads": ((1, 3, 7, 8), {"kernel_shape": [3, 3], "pads": [1, 0, 2, 1]}),
    "pads that count": (
        (1, 3, 7, 8),
        {"kernel_shape": [3, 3], "pads": [1, 0, 2, 1], "count_include_pad": 1},
    ),
    "ceil": ((1, 2, 7, 8), {"kernel_shape": [3, 2], "strides": [2, 3], "ceil_mode": 1}),
    "ceil and pads": (
        (1, 2, 7, 8),
        {"kernel_shape": [3, 2], "strides": [3, 3], "pads": [1, 1, 1, 1], "ceil_mode": 1},
    ),
    "same, upper": ((1, 2, 7, 8), {"kernel_shape": [3, 2], "auto_pad": "SAME_UPPER"}),
    "same, lower": (
        (1, 2, 7, 8),
        {"kernel_shape": [4, 2], "strides": [2, 3], "auto_pad": "SAME_LOWER"},
    ),
    "valid": ((1, 2, 7, 8), {"kernel_shape": [3, 2], "auto_pad": "VALID"}),
    "1-D": ((2, 3, 11), {"kernel_shape": [4], "strides": [2], "pads": [1, 2]}),
    "3-D": ((1, 2, 4, 5, 6), {"kernel_shape": [2, 3, 2], "pads": [0, 1, 1, 1, 1, 0]}),
    "channels last": (
        (2, 7, 8, 3),
        {"kernel_shape": [3, 3], "pads": [1, 0, 2, 1], "channels_last": 1},
    ),
    "ceil, same": (
        (1, 2, 7, 8),
        {"kernel_shape": [3, 3], "strides": [2, 3], "auto_pad": "SAME_UPPER", "ceil_mode": 1},
    ),
    "ceil, same, channels last": (
        (1, 7, 8, 2),
        {
            "kernel_shape": [3, 3],
            "strides": [2, 3],
            "auto_pad": "SAME_LOWER",
            "ceil_mode": 1,
            "channels_last": 1,
        },
    ),
    "ceil, valid": (
        (1, 2, 7, 8),
        {"kernel_shape": [3, 3], "strides": [3, 2], "auto_pad": "VALID", "ceil_mode": 1},
    ),
    "ceil and pads that count": (
        (1, 2, 7, 8),
        {
            "kernel_shape": [3, 3],
            "strides": [2, 3],
            "pads": [1, 1, 1, 1],
            "ceil_mode": 1,
            "count_include_pad": 1,
        },
    ),
    "3-D, ceil, channels last": (
        (1, 5, 6, 4, 3),
        {"kernel_shape": [3, 2, 2], "strides": [2, 2, 2], "ceil_mode": 1, "channels_last": 1},
    ),
    "large": ((1, 2, 16, 16), {"kernel_shape": [13, 11]}),
}


@pytest.mark.proves(SYSTEM, "QLinearAveragePool", against=AGAINST, granularity="tensor", storage=BOTH)  # fmt: skip
@pytest.mark.every_value
@pytest.mark.parametrize("first", [0, 4])
@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("form", POOLS)
def test_average_pool(form, dynamic, first):
    shape, attributes = POOLS[form]
    graph = Graph(21, "com.microsoft")
    for index in range(first, first + 4):
        random, dtype = np.random.default_rng(index), TYPES[index % 2]
        x = codes(random, shape, dtype)
        sx, zx = parameters(random, dtype)
        sy, zy = parameters(random, dtype, 0.01, 0.05)
        if index >= 4:
            sy = np.float32(sx * random.choice([0.25, 0.5, 2]))  # ties
        graph.add("QLinearAveragePool", x, sx, zx, sy, zy, dynamic=dynamic, **attributes)
    check(graph)


@pytest.mark.proves(SYSTEM, "QLinearGlobalAveragePool", against=AGAINST, granularity="tensor", storage=BOTH)  # fmt: skip
@pytest.mark.every_pair
@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("last", [0, 1])
@pytest.mark.parametrize("spatial", [(9,), (7, 7), (3, 4, 5), (1, 1)])
def test_global_average_pool(spatial, last, dynamic):
    shape = (2, *spatial, 5) if last else (2, 5, *spatial)
    graph = Graph(21, "com.microsoft")
    for index in range(12):
        random, dtype = np.random.default_rng(index), TYPES[index % 2]
        x = codes(random, shape, dtype)
        sx, zx = parameters(random, dtype)
        sy, zy = parameters(random, dtype, 0.005, 0.05)
        if index >= 6:
            sy = np.float32(sx * random.choice([0.25, 0.5, 2]))
        graph.add("QLinearGlobalAveragePool", x, sx, zx, sy, zy, dynamic=dynamic, channels_last=last)  # fmt: skip
    check(graph)


@pytest.mark.proves(SYSTEM, "QLinearConv", against=AGAINST, granularity="axis", storage=BOTH)
@pytest.mark.every_value
@pytest.mark.parametrize("first", [0, 4, 8])
@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("last", [0, 1])
@pytest.mark.parametrize("form", CONVOLUTIONS)
def test_convolution(form, last, dynamic, first):
    """The filter has the same shape, wherever the channels of x and y are."""
    x_shape, w_shape, attributes = CONVOLUTIONS[form]
    if last:
        x_shape = (x_shape[0], *x_shape[2:], x_shape[1])
    if dynamic:
        attributes = attributes | {"kernel_shape": list(w_shape[2:])}
    graph = Graph(21, "com.microsoft")
    for index in range(first, first + 4):
        if index % 4 != 1:  # i8 by ui8: no kernel
            add_qlinear_conv(
                graph, index, x_shape, w_shape, attributes | {"channels_last": last},
                dynamic=(0, 3) if dynamic else (),
            )  # fmt: skip
    check(graph)


def gemm_operands(random, m, k, n, a_type, b_type, *, trans_a, trans_b, columns, c_shape):
    a = codes(random, (k, m) if trans_a else (m, k), a_type)
    b = codes(random, (n, k) if trans_b else (k, n), b_type)
    per = (n,) if columns else ()
    b_scale = np.asarray(random.uniform(0.01, 0.2, per), np.float32)
    c = None if c_shape is None else random.integers(-5000, 5000, c_shape, np.int32)
    return [a, *parameters(random, a_type), b, b_scale, codes(random, per, b_type), c]


@pytest.mark.proves(SYSTEM, "QGemm", against=AGAINST, granularity="tensor", storage=BOTH)
@pytest.mark.proves(SYSTEM, "QGemm", against=AGAINST, granularity="axis", storage=BOTH)
@pytest.mark.parametrize("columns", [False, True])
@pytest.mark.parametrize("has_scale", [False, True])
def test_gemm(has_scale, columns):
    graph, index = Graph(21, "com.microsoft"), 0
    m, k, n = 5, 17, 6
    for a_type in TYPES:
        for b_type in TYPES if a_type == np.uint8 else [np.int8]:
            for trans_a, trans_b in ((0, 0), (0, 1), (1, 0), (1, 1)):
                random = np.random.default_rng(index)
                c_shape = [None, (n,), (1, n), (m, 1), (m, n), (1,), ()][index % 7]
                operands = gemm_operands(
                    random, m, k, n, a_type, b_type,
                    trans_a=trans_a, trans_b=trans_b, columns=columns, c_shape=c_shape,
                )  # fmt: skip
                if has_scale:
                    operands += [scale(random, 1, 4), codes(random, (), a_type)]
                alpha = [1.0, 0.3, 1.7][index % 3]
                graph.add(
                    "QGemm",
                    *without_trailing(operands),
                    transA=trans_a,
                    transB=trans_b,
                    alpha=alpha,
                )
                index += 1
    check(graph)


@pytest.mark.proves(SYSTEM, "MatMulIntegerToFloat", against=AGAINST, granularity="tensor", storage=BOTH)  # fmt: skip
@pytest.mark.proves(SYSTEM, "MatMulIntegerToFloat", against=AGAINST, granularity="axis", storage=BOTH)  # fmt: skip
@pytest.mark.parametrize("dynamic", [False, True])
def test_matmul_integer_to_float(dynamic):
    graph, index = Graph(21, "com.microsoft"), 0
    for a_type in TYPES:
        for b_type in TYPES if a_type == np.uint8 else [np.int8]:
            for batch in ((), (2,), (2, 3)):
                for columns in (False, True):
                    random = np.random.default_rng(index)
                    a, b = codes(random, (*batch, 4, 19), a_type), codes(random, (19, 6), b_type)
                    per = (6,) if columns else ()
                    sb = np.asarray(random.uniform(0.01, 0.2, per), np.float32)
                    za = codes(random, (), a_type) if index % 2 else None
                    zb = codes(random, per, b_type) if index % 3 else None
                    bias = random.normal(size=6).astype(np.float32) if index % 4 else None
                    operands = without_trailing([a, b, scale(random), sb, za, zb, bias])
                    graph.add("MatMulIntegerToFloat", *operands, dynamic=(0, 1) if dynamic else ())
                    index += 1
    check(graph)


def test_matmul_integer_to_half():
    """The product in f32; the sum with the bias is rounded as each of them is."""
    graph, half = Graph(21, "com.microsoft"), np.float16
    for index in range(6):
        random = np.random.default_rng(index)
        a, b = codes(random, (4, 19), np.uint8), codes(random, (19, 6), np.int8)
        per = (6,) if index % 2 else ()
        sa = np.asarray(random.uniform(0.01, 0.1), half)
        sb = np.asarray(random.uniform(0.01, 0.1, per), half)
        bias = random.normal(size=6).astype(half) if index % 3 else None
        operands = [a, b, sa, sb, codes(random, (), np.uint8), codes(random, per, np.int8), bias]
        graph.add("MatMulIntegerToFloat", *without_trailing(operands))
    check(graph)


@pytest.mark.proves(SYSTEM, "DynamicQuantizeMatMul", against=AGAINST, granularity="tensor", storage=BOTH)  # fmt: skip
@pytest.mark.proves(SYSTEM, "DynamicQuantizeMatMul", against=AGAINST, granularity="axis", storage=BOTH)  # fmt: skip
@pytest.mark.parametrize("constant", [False, True])
def test_dynamic_quantize_matmul(constant):
    graph, index = Graph(21, "com.microsoft"), 0
    for b_type in TYPES:
        for batch in ((), (2,), (2, 3)):
            for columns in (False, True):
                random = np.random.default_rng(index)
                a = random.normal(size=(*batch, 4, 19)).astype(np.float32)
                b, per = codes(random, (19, 6), b_type), (6,) if columns else ()
                sb = np.asarray(random.uniform(0.01, 0.2, per), np.float32)
                zb = codes(random, per, b_type) if index % 3 else None
                bias = random.normal(size=6).astype(np.float32) if index % 4 else None
                operands = without_trailing([a, b, sb, zb, bias])
                graph.add("DynamicQuantizeMatMul", *operands, constant=constant)
                index += 1
    check(graph)
