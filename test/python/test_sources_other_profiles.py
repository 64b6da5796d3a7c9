# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators on codes under every profile: by their formulas, with the profile's rescaling, quantize and dequantize as NumPy states them."""

from __future__ import annotations

import numpy as np
import pytest
from kernels import same
from onnx_graph import Graph, without_trailing
from onnx_products import codes, convolve, matmul

from mlir_qdq import reference

#: The kind with which a profile rescales sums: docs/Semantics.md.
RESCALE = {"onnx": "f64", "ort": "f32", "xnnpack": "f32", "tflite": "fixed31-double", "onednn": "separate"}  # fmt: skip
#: Those that have no kernels of their own for an operator: under `ort` it is ONNX Runtime that tests compare.
PROFILES = [name for name in reference.PROFILES if name != "ort"]
f32 = np.float32


def requantized(profile, acc, sa, sb, sy, zero):
    """Codes, and where they are defined. ONNX's evaluator adds the zero point before the rounding."""
    rescale = RESCALE.get(profile, "qdq")
    sa, sb, sy = (np.broadcast_to(np.asarray(s, f32), acc.shape) for s in (sa, sb, sy))
    multiplier, shift = (sa, sb, sy), None
    if rescale == "qdq":
        multiplier = (sa * sb, sy)
    elif rescale == "fixed31-double":
        multiplier, shift = reference.fixed_multiplier(rescale, sa, sb, sy)
    elif rescale in ("f32", "f64"):
        multiplier = reference.float_multiplier(sa, sb, sy)
    return reference.requantize(
        acc,
        multiplier,
        shift,
        np.broadcast_to(zero, acc.shape),
        rescale=rescale,
        storage="ui8" if zero.dtype == np.uint8 else "i8",
        block_shape=(1,) * acc.ndim,
        profile=profile,
        semantics={"order": "add-then-round"} if profile == "onnx" else None,
        return_defined=True,
    )


def dequantized(profile, q, s, z):
    storage = {"u": "ui", "i": "i"}[q.dtype.kind] + str(8 * q.itemsize)
    return reference.dequantize(q, f32(s), z, storage=storage, expressed="f32", profile=profile)


def quantized(profile, x, s, z):
    storage = "ui8" if z.dtype == np.uint8 else "i8"
    return reference.quantize(
        x.astype(f32), f32(s), z, storage=storage, profile=profile, return_defined=True
    )


def drawn(random, dtype, *shapes):
    for shape in shapes:
        yield codes(random, shape, dtype)


def scales(random, shape=()):
    return np.asarray(random.uniform(0.01, 0.2, shape), f32)


def rows_and_columns(values, axis, rank):
    return values.reshape([-1 if d == axis else 1 for d in range(rank)]) if values.ndim else values


def qlinear_matmul(random, dtype, profile):
    a, za, zy = drawn(random, dtype, (3, 20), (), ())
    b, zb = drawn(random, np.int8, (20, 4), (4,))
    sa, sb, sy = scales(random), scales(random, 4), f32(random.uniform(3, 9))
    expected = requantized(profile, matmul(a, b, za, zb), sa, sb, sy, zy)
    return "", "QLinearMatMul", [a, sa, za, b, sb, zb, sy, zy], {}, expected


def qlinear_conv(random, dtype, profile, last=None):
    x, zx, zy = drawn(random, dtype, (1, 4, 6, 5), (), ())
    w, zw = drawn(random, np.int8, (6, 2, 3, 2), (6,))
    sx, sw, sy = scales(random), scales(random, 6), f32(random.uniform(3, 9))
    bias = random.integers(-900, 900, 6, np.int32)
    attributes = {"group": 2, "pads": [1, 1, 0, 1]}
    acc = convolve(x, w, zx, zw, bias, **attributes)
    expected = requantized(profile, acc, sx, sw.reshape(-1, 1, 1), sy, zy)
    if last is None:
        return "", "QLinearConv", [x, sx, zx, w, sw, zw, sy, zy, bias], attributes, expected
    if last:
        x = np.ascontiguousarray(np.moveaxis(x, 1, -1))
        expected = tuple(np.moveaxis(t, 1, -1) for t in expected)
    operands = [x, sx, zx, w, sw, zw, sy, zy, bias]
    return "com.microsoft", "QLinearConv", operands, attributes | {"channels_last": last}, expected


def qgemm(random, dtype, profile, alpha=1.0):
    a, za, zy = drawn(random, dtype, (3, 20), (), ())
    b, zb = drawn(random, dtype, (20, 4), (4,))
    c = random.integers(-900, 900, (4,), np.int32)
    sa, sb, sy = scales(random), scales(random, 4), f32(random.uniform(3, 9))
    first = sa if alpha == 1 else f32(alpha) * sa
    expected = requantized(profile, matmul(a, b, za, zb) + c, first, sb, sy, zy)
    return "com.microsoft", "QGemm", [a, sa, za, b, sb, zb, c, sy, zy], {"alpha": alpha}, expected


def matmul_to_float(random, dtype, profile):
    a, za = drawn(random, dtype, (3, 20), ())
    b, zb = drawn(random, np.int8, (20, 4), (4,))
    sa, sb, bias = scales(random), scales(random, 4), random.normal(size=4).astype(f32)
    # A sum is an integer beside a product of scales, under every profile.
    real = matmul(a, b, za, zb).astype(f32) * (sa * sb) + bias
    expected = real, np.full(real.shape, True)
    return "com.microsoft", "MatMulIntegerToFloat", [a, b, sa, sb, za, zb, bias], {}, expected


def dynamic_quantize_matmul(random, dtype, profile):
    a = random.normal(size=(3, 20)).astype(f32)
    b, zb = drawn(random, dtype, (20, 4), (4,))
    sb, bias = scales(random, 4), random.normal(size=4).astype(f32)
    semantics = reference.PROFILES[profile].semantics
    sa, za = reference.choose_params(a, storage="ui8", semantics=semantics)
    q, defined = quantized(profile, a, sa, za)
    assert defined.all()
    real = matmul(q, b, za, zb).astype(f32) * (sa * sb) + bias
    operands, expected = [a, b, sb, zb, bias], (real, np.full(real.shape, True))
    return "com.microsoft", "DynamicQuantizeMatMul", operands, {}, expected


def binary(operation):
    def make(random, dtype, profile):
        a, za, b, zb, zc = drawn(random, dtype, (5, 17), (), (17,), (), ())
        sa, sb, sc = (scales(random) for _ in range(3))
        if operation == "QLinearMul":
            acc = (a.astype(np.int64) - za) * (b.astype(np.int64) - zb)
            expected = requantized(profile, acc, sa, sb, sc, zc)
        else:
            x, y = dequantized(profile, a, sa, za), dequantized(profile, b, sb, zb)
            expected = quantized(profile, x + y, sc, zc)
        return "com.microsoft", operation, [a, sa, za, b, sb, zb, sc, zc], {}, expected

    return make


def leaky_relu(random, dtype, profile):
    x, zx, zy = drawn(random, dtype, (5, 17), (), ())
    sx, sy = scales(random), scales(random)
    real = dequantized(profile, x, sx, zx)
    real = np.where(real >= 0, real, f32(0.3) * real)
    expected = quantized(profile, real, sy, zy)
    return "com.microsoft", "QLinearLeakyRelu", [x, sx, zx, sy, zy], {"alpha": 0.3}, expected


def sigmoid(random, dtype, profile):
    x, zx, zy = drawn(random, dtype, (5, 17), (), ())
    sx, sy = scales(random), f32(random.uniform(0.003, 0.006))
    real = dequantized(profile, x, sx, zx).astype(np.float64)
    expected = quantized(profile, (1 / (1 + np.exp(-real))).astype(f32), sy, zy)
    return "com.microsoft", "QLinearSigmoid", [x, sx, zx, sy, zy], {}, expected


def average_pool(random, dtype, profile):
    x, zx, zy = drawn(random, dtype, (1, 2, 5, 6), (), ())
    sx, sy = scales(random), f32(random.uniform(0.3, 1))
    real, total = dequantized(profile, x, sx, zx), f32(0)
    for i in range(3):
        for j in range(2):
            total = total + real[:, :, i : i + 3, j : j + 5]
    operands = [x, sx, zx, sy, zy]
    expected = quantized(profile, total / f32(6), sy, zy)
    return "com.microsoft", "QLinearAveragePool", operands, {"kernel_shape": [3, 2]}, expected


def global_average_pool(random, dtype, profile):
    x, zx, zy = drawn(random, dtype, (2, 3, 5, 6), (), ())
    sx, sy = scales(random), f32(random.uniform(0.3, 1))
    acc = (x.astype(np.int64) - zx).sum((2, 3), keepdims=True)
    expected = quantized(profile, acc.astype(f32) * sx / f32(30), sy, zy)
    return "com.microsoft", "QLinearGlobalAveragePool", [x, sx, zx, sy, zy], {}, expected


def softmax(random, dtype, profile):
    x, zx, zy = drawn(random, dtype, (5, 17), (), ())
    sx, sy = scales(random), f32(random.uniform(0.003, 0.006))
    real = dequantized(profile, x, sx, zx).astype(np.float64)
    power = np.exp(real - real.max(-1, keepdims=True))
    expected = quantized(profile, (power / power.sum(-1, keepdims=True)).astype(f32), sy, zy)
    operands, attributes = [x, sx, zx, sy, zy], {"axis": -1, "opset": 13}
    return "com.microsoft", "QLinearSoftmax", operands, attributes, expected


def concat(random, dtype, profile):
    a, za, b, zb, zy = drawn(random, dtype, (2, 5), (), (2, 17), (), ())
    sa, sb, sy = (scales(random) for _ in range(3))
    parts = [dequantized(profile, a, sa, za), dequantized(profile, b, sb, zb)]
    codes, defined = zip(*(quantized(profile, real, sy, zy) for real in parts))
    expected = np.concatenate(codes, 1), np.concatenate(defined, 1)
    operands = [sy, zy, a, sa, za, b, sb, zb]
    return "com.microsoft", "QLinearConcat", operands, {"axis": 1}, expected


def where(random, dtype, profile):
    a, za, b, zb, zc = drawn(random, dtype, (5, 17), (), (17,), (), ())
    sa, sb, sc = (scales(random) for _ in range(3))
    condition = random.integers(0, 2, (5, 1)).astype(bool)
    real = np.where(condition, dequantized(profile, a, sa, za), dequantized(profile, b, sb, zb))
    operands = [condition, a, sa, za, b, sb, zb, sc, zc]
    return "com.microsoft", "QLinearWhere", operands, {}, quantized(profile, real, sc, zc)


OPERATORS = {
    "QLinearMatMul": qlinear_matmul,
    "QLinearConv": qlinear_conv,
    "QLinearConv, channels first": lambda *a: qlinear_conv(*a, last=0),
    "QLinearConv, channels last": lambda *a: qlinear_conv(*a, last=1),
    "QGemm": qgemm,
    "QGemm, alpha": lambda *a: qgemm(*a, alpha=0.3),
    "MatMulIntegerToFloat": matmul_to_float,
    "DynamicQuantizeMatMul": dynamic_quantize_matmul,
    "QLinearAdd": binary("QLinearAdd"),
    "QLinearMul": binary("QLinearMul"),
    "QLinearLeakyRelu": leaky_relu,
    "QLinearSigmoid": sigmoid,
    "QLinearAveragePool": average_pool,
    "QLinearGlobalAveragePool": global_average_pool,
    "QLinearSoftmax": softmax,
    "QLinearConcat": concat,
    "QLinearWhere": where,
}


@pytest.mark.parametrize("profile", PROFILES)
def test_operators(profile):
    """Parameters are initializers: integer multipliers are made of constants."""
    for domain in ("", "com.microsoft"):
        graph, expected = Graph(21, domain), []
        for index, (name, make) in enumerate(OPERATORS.items()):
            for dtype in (np.int8, np.uint8):
                random = np.random.default_rng([index, dtype == np.int8])
                own, operation, operands, attributes, wanted = make(random, dtype, profile)
                if own == domain:
                    graph.add(operation, *without_trailing(operands), constant=True, **attributes)
                    expected.append(wanted)
        for node, got, (wanted, defined) in zip(
            graph.nodes, graph.compiled(profile=profile), expected, strict=True
        ):
            agree = same(got, wanted) | ~np.asarray(defined)
            assert agree.all(), (
                f"{(~agree).sum()} of {agree.size} differ at {np.argwhere(~agree)[0]}: "
                f"got {got[~agree][0]!r}, expected {wanted[~agree][0]!r}\n{node}"
            )
            assert np.mean(defined) > 0.1
