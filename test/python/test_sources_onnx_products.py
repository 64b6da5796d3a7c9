# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MatMulInteger, ConvInteger, QLinearMatMul and QLinearConv, against NumPy in int64, ONNX's reference evaluator and ONNX Runtime."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from onnx_products import codes, convolve, matmul
from onnx_graph import Graph, without_trailing

from mlir_qdq import reference

pytestmark = pytest.mark.every_value
AGAINST = "NumPy in int64; ONNX Runtime where it takes the form"
OPSET = 21
#: ONNX Runtime's kernel is registered up to 20.
OF_QLINEAR_MATMUL = 20
TYPES = [(a, b) for a in (np.int8, np.uint8) for b in (np.int8, np.uint8)]
#: Shapes of a, b, and of the zero points (None: there is none).
MATMULS = {
    "matrices": ((3, 5), (5, 4), (), ()),
    "no zero points": ((3, 5), (5, 4), None, None),
    "columns": ((3, 5), (5, 4), (1,), (4,)),
    "rows and columns": ((3, 5), (5, 4), (3,), (4,)),
    "rows, as a matrix": ((3, 5), (5, 4), (3, 1), (1, 4)),
    "row vector": ((5,), (5, 4), (), (4,)),
    "column vector": ((3, 5), (5,), (3,), ()),
    "vectors": ((5,), (5,), (), ()),
    "batch": ((2, 3, 5), (2, 5, 4), (), ()),
    "batch, rows": ((2, 3, 5), (2, 5, 4), (2, 3, 1), (2, 1, 4)),
    "shared weight": ((2, 1, 3, 5), (5, 4), (), (4,)),
    "shared input": ((3, 5), (2, 5, 4), (3,), (2, 1, 4)),
    "both repeated": ((2, 1, 3, 5), (1, 6, 5, 4), (2, 1, 3, 1), (1, 6, 1, 4)),
    "batch of vectors": ((2, 3, 5), (5,), (2, 3, 1), None),
    "one": ((1, 1), (1, 1), (1,), (1,)),
    "nothing summed": ((3, 0), (0, 4), (), (4,)),
    "empty": ((0, 5), (5, 4), (), ()),
    "long": ((2, 700), (700, 3), (2,), (3,)),
}


@pytest.mark.proves("ONNX", "MatMulInteger", against=AGAINST, granularity="axis", storage="i8, ui8")
@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("form", MATMULS)
def test_matmul_integer(form, dynamic):
    *shapes, a_zeros, b_zeros = MATMULS[form]
    graph, expected = Graph(OPSET), []
    for index, (a_type, b_type) in enumerate(TYPES):
        random = np.random.default_rng([index, len(form)])
        a, b = codes(random, shapes[0], a_type), codes(random, shapes[1], b_type)
        a_zero = None if a_zeros is None else codes(random, a_zeros, a_type)
        b_zero = None if b_zeros is None else codes(random, b_zeros, b_type)
        operands = without_trailing([a, b, a_zero, b_zero])
        graph.add("MatMulInteger", *operands, dynamic=(0, 1) if dynamic else ())
        expected.append(np.asarray(matmul(a, b, a_zero, b_zero), np.int32))
    graph.check(expected)
    # ONNX Runtime does not write a result of empty sums.
    if (
        form != "nothing summed"
        and np.prod(a_zeros or 1) == 1
        and (b_zeros is None or len(b_zeros) < 2)
    ):
        for ours, theirs in zip(expected, graph.run_by_onnxruntime()):
            np.testing.assert_array_equal(ours, theirs)


def test_batches_that_only_the_values_repeat():
    """Open sizes that are 1 at run time."""
    graph, expected, random = Graph(OPSET), [], np.random.default_rng(0)
    for a_shape, b_shape in [((1, 2, 3, 5), (4, 1, 5, 2)), ((4, 3, 5), (1, 5, 2)), ((3, 5), (1, 5, 2))]:  # fmt: skip
        a, b = codes(random, a_shape, np.int8), codes(random, b_shape, np.uint8)
        graph.add("MatMulInteger", a, b, np.int8(3), np.uint8(200), dynamic=True)
        expected.append(np.asarray(matmul(a, b, 3, 200), np.int32))
    graph.check(expected)


def test_sums_wrap():
    """Modulo 2^32, as int32 of NumPy does: 40,000 products of 255 * 255."""
    a, b = np.full((1, 40000), 255, np.uint8), np.full((40000, 1), 255, np.uint8)
    graph = Graph(OPSET)
    graph.add("MatMulInteger", a, b)
    total = 255 * 255 * 40000
    assert total >= 2**31
    graph.check([np.array([[total - 2**32]], np.int32)])


#: Shape of x and of w, attributes.
CONVOLUTIONS = {
    "1-D": ((2, 3, 9), (4, 3, 3), {}),
    "2-D": ((2, 3, 7, 6), (4, 3, 3, 2), {}),
    "3-D": ((1, 2, 5, 4, 6), (3, 2, 2, 3, 2), {"strides": [1, 2, 1], "pads": [1, 0, 1, 0, 1, 1]}),
    "pads": ((1, 3, 7, 6), (4, 3, 3, 3), {"pads": [1, 0, 2, 1]}),
    "strides": ((1, 3, 8, 9), (4, 3, 3, 3), {"strides": [2, 3], "pads": [1, 1, 1, 1]}),
    "dilations": ((1, 3, 9, 9), (4, 3, 3, 2), {"dilations": [2, 3], "pads": [2, 2, 2, 2]}),
    "groups": ((2, 6, 5, 5), (4, 3, 3, 3), {"group": 2, "pads": [1, 1, 1, 1]}),
    "depthwise": ((1, 4, 5, 5), (4, 1, 3, 3), {"group": 4, "pads": [1, 1, 1, 1]}),
    "depthwise, twice": ((1, 4, 5, 5), (8, 1, 3, 3), {"group": 4, "strides": [2, 2]}),
    "groups, 1-D": ((2, 6, 9), (4, 3, 3), {"group": 2, "pads": [1, 1]}),
    "groups, 3-D": ((1, 4, 4, 4, 4), (6, 2, 2, 2, 2), {"group": 2}),
    "same, upper": ((1, 2, 8, 7), (3, 2, 3, 4), {"auto_pad": "SAME_UPPER", "strides": [2, 3]}),
    "same, lower": ((1, 2, 8, 7), (3, 2, 4, 3), {"auto_pad": "SAME_LOWER", "strides": [3, 2]}),
    "same, no stride": ((1, 2, 5, 5), (3, 2, 4, 3), {"auto_pad": "SAME_LOWER"}),
    "valid": ((1, 2, 5, 5), (3, 2, 4, 3), {"auto_pad": "VALID"}),
    "pointwise": ((1, 5, 4, 4), (6, 5, 1, 1), {}),
    "kernel_shape": ((1, 2, 5, 5), (3, 2, 4, 3), {"kernel_shape": [4, 3]}),
}


def convolved(x, w, *zeros, kernel_shape=None, **attributes):
    return convolve(x, w, *zeros, **attributes)


@pytest.mark.proves("ONNX", "ConvInteger", against=AGAINST, granularity="axis", storage="i8, ui8")
@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("form", CONVOLUTIONS)
def test_conv_integer(form, dynamic):
    x_shape, w_shape, attributes = CONVOLUTIONS[form]
    graph, expected = Graph(OPSET), []
    for index, (x_type, w_type) in enumerate(TYPES):
        random = np.random.default_rng([index, len(form)])
        x, w = codes(random, x_shape, x_type), codes(random, w_shape, w_type)
        x_zero = codes(random, (), x_type) if index else None
        w_zero = [None, codes(random, (), w_type), codes(random, w_shape[:1], w_type)][index % 3]
        operands = without_trailing([x, w, x_zero, w_zero])
        # The window is static in every model; a filter that is no constant has open sizes there.
        same = "auto_pad" in attributes and {"kernel_shape": list(w_shape[2:])} or {}
        graph.add(
            "ConvInteger", *operands, dynamic=(0, 1) if dynamic else (), **(same | attributes)
        )
        expected.append(convolved(x, w, x_zero, w_zero, **attributes).astype(np.int32))
    graph.check(expected)


def scales(random, shape) -> np.ndarray:
    return np.asarray(random.uniform(0.01, 0.2, shape), np.float32)


def add_qlinear_matmul(graph, index, a_shape, b_shape, rows, columns, **how):
    random = np.random.default_rng([index, len(a_shape)])
    a_type, b_type = TYPES[index % 4]
    y_type = [np.int8, np.uint8][index % 2]
    a, b = codes(random, a_shape, a_type), codes(random, b_shape, b_type)
    terms = a_shape[-1]
    y_scale = np.float32(random.uniform(0.5, 2) * max(terms, 1) ** 0.5)
    graph.add(
        "QLinearMatMul",
        a, scales(random, rows), codes(random, rows, a_type),
        b, scales(random, columns), codes(random, columns, b_type),
        y_scale, codes(random, (), y_type),
        **how,
    )  # fmt: skip


@pytest.mark.proves("ONNX", "QLinearMatMul", against="ONNX reference evaluator", granularity="axis", storage="i8, ui8")  # fmt: skip
@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("form", [f for f in MATMULS if MATMULS[f][2] is not None and MATMULS[f][3] is not None])  # fmt: skip
def test_qlinear_matmul(form, dynamic):
    """The evaluator lets NumPy broadcast parameters: vectors for the rows of a stand in a column there."""
    a_shape, b_shape, rows, columns = MATMULS[form]
    if len(rows) == 1 and len(a_shape) > 1:
        rows = (rows[0], 1) if len(b_shape) > 1 else ()
    graph = Graph(OPSET)
    for index in range(8):
        add_qlinear_matmul(
            graph, index, a_shape, b_shape, rows, columns, dynamic=(0, 3) if dynamic else ()
        )
    graph.check()


@pytest.mark.parametrize("real", [np.float16, ml_dtypes.bfloat16])
def test_qlinear_matmul_of_narrow_scales(real):
    """The multiplier is rounded to their type in each step, by the evaluator."""
    graph = Graph(OPSET)
    for index in range(8):
        random = np.random.default_rng(index)
        a_type, b_type = TYPES[index % 4]
        rows, columns = [(), (3, 1)][index % 2], [(), (4,)][index // 4]
        a, b = codes(random, (3, 50), a_type), codes(random, (50, 4), b_type)
        graph.add(
            "QLinearMatMul",
            a, np.asarray(scales(random, rows), real), codes(random, rows, a_type),
            b, np.asarray(scales(random, columns), real), codes(random, columns, b_type),
            np.asarray(random.uniform(3, 9), real), codes(random, (), a_type),
        )  # fmt: skip
    graph.check()


FLOAT8 = {
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "i8": np.int8,
    "ui8": np.uint8,
}


def as_codes(random, shape, storage) -> np.ndarray:
    """Some of them subnormal, and -0 where there is one."""
    if storage in ("i8", "ui8"):
        return codes(random, shape, FLOAT8[storage])
    values = random.normal(size=shape) * 2.0 ** random.integers(-12, 4, shape)
    return np.where(random.random(shape) < 0.1, -0.0, values).astype(FLOAT8[storage])


def placed(parameter, shape, left):
    """A vector for rows of a, or columns of b, beside the codes."""
    if parameter.ndim != 1 or len(shape) < 2:
        return parameter
    return parameter[:, None] if left else parameter


def multiply_reals(a, sa, za, b, sb, zb, sy, zy, storages, order):
    """The document's formula: reals in f32, summed in the order of k, then quantized."""
    values = []
    for q, s, z, storage, left in ((a, sa, za, storages[0], True), (b, sb, zb, storages[1], False)):
        s, z = placed(s, q.shape, left), placed(z, q.shape, left)
        x = q.astype(np.float32) - z.astype(np.float32)  # codes of 8 bits: exact, or one rounding
        values.append(x * s.astype(np.float32))
    x, y = values
    x, y = (x[None] if a.ndim == 1 else x), (y[:, None] if b.ndim == 1 else y)
    total = np.zeros(np.broadcast_shapes(x.shape[:-2], y.shape[:-2]) + (x.shape[-2], y.shape[-1]), np.float32)  # fmt: skip
    for k in range(x.shape[-1]):
        total = total + x[..., :, k, None] * y[..., None, k, :]
    total = total[..., 0, :] if a.ndim == 1 else total
    total = total[..., 0] if b.ndim == 1 else total
    return reference.quantize(
        total, sy.astype(np.float32), zy, storage=storages[2],
        semantics={"order": order, "compute": "f32"},
    )  # fmt: skip


@pytest.mark.proves("ONNX", "QLinearMatMul", against="NumPy statement of its formula", granularity="axis", storage="f8E4M3FN, f8E4M3FNUZ, f8E5M2, f8E5M2FNUZ")  # fmt: skip
@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("form", [f for f in MATMULS if MATMULS[f][2] is not None])
def test_qlinear_matmul_of_float8(form, dynamic):
    """Every operand of each type, also beside integers. The evaluator has no rule: it converts codes to int32."""
    a_shape, b_shape, rows, columns = MATMULS[form]
    columns = () if columns is None else columns
    names, graph, expected = list(FLOAT8), Graph(OPSET), []
    for index in range(8):
        random = np.random.default_rng([index, len(form)])
        storages = [names[index % 4], names[(index * 3 + 1) % 6], names[(index * 5 + 2) % 6]]
        random.shuffle(storages)
        real = [np.float32, np.float32, np.float16, ml_dtypes.bfloat16][index % 4]
        a, b = (as_codes(random, s, t) for s, t in zip((a_shape, b_shape), storages))
        za, zb = (
            as_codes(random, () if index % 3 == 0 else s, t)
            for s, t in zip((rows, columns), storages)
        )
        sa, sb = (np.asarray(scales(random, s), real) for s in (rows, columns))
        sy = np.asarray(random.uniform(0.5, 2) * max(a_shape[-1], 1) ** 0.5, real)
        zy = as_codes(random, (), storages[2])
        operands = [a, sa, za, b, sb, zb, sy, zy]
        graph.add("QLinearMatMul", *operands, dynamic=(0, 3) if dynamic else ())
        expected.append(multiply_reals(*operands, storages, "add-then-round"))
    graph.check(expected)


@pytest.mark.parametrize("rows", [(), (3,)])
@pytest.mark.parametrize("columns", [(), (4,)])
def test_parameters_of_rows_and_columns(rows, columns):
    """Vectors, as the text has them, are what columns and rows of parameters are."""
    vectors, matrices = Graph(OPSET), Graph(OPSET)
    for index in range(4):
        add_qlinear_matmul(vectors, index, (3, 50), (50, 4), rows, columns)
        placed = (3, 1) if rows else ()
        add_qlinear_matmul(matrices, index, (3, 50), (50, 4), placed, columns)
    vectors.check(matrices.evaluated())


@pytest.mark.proves("ONNX", "QLinearMatMul", against="ONNX Runtime, profile ort", granularity="axis", storage="i8, ui8")  # fmt: skip
@pytest.mark.parametrize("columns", [False, True])
def test_qlinear_matmul_of_onnxruntime(columns):
    graph = Graph(OF_QLINEAR_MATMUL)
    for index, (a_shape, b_shape) in enumerate(
        [((9, 40), (40, 33)), ((2, 9, 40), (40, 7)), ((2, 3, 4, 40), (2, 3, 40, 7)), ((1, 300), (300, 65))]
    ):  # fmt: skip
        for variant in (0, 2, 3):  # no kernel for i8 by ui8; y has the type of a
            random = np.random.default_rng([index, variant])
            a_type, b_type = TYPES[variant]
            a, b = codes(random, a_shape, a_type), codes(random, b_shape, b_type)
            per = b_shape[-1:] if len(b_shape) == 2 else (*b_shape[:-2], 1, b_shape[-1])
            per = per if columns and b_type == np.int8 else ()
            y_scale = np.float32(random.uniform(0.5, 2) * a_shape[-1] ** 0.5)
            graph.add(
                "QLinearMatMul",
                a, scales(random, ()), codes(random, (), a_type),
                b, scales(random, per), codes(random, per, b_type),
                y_scale, codes(random, (), a_type),
            )  # fmt: skip
    graph.check(graph.run_by_onnxruntime(), profile="ort")


def add_qlinear_conv(graph, index, x_shape, w_shape, attributes, **how):
    random = np.random.default_rng([index, len(x_shape)])
    x_type, w_type = TYPES[index % 4]
    x, w = codes(random, x_shape, x_type), codes(random, w_shape, w_type)
    per = w_shape[:1] if index % 3 else ()
    terms = int(np.prod(w_shape[1:]))
    b = random.integers(-9000, 9000, w_shape[:1], np.int32) if index % 2 else None
    operands = [
        x, scales(random, ()), codes(random, (), x_type), w, scales(random, per), codes(random, per, w_type),
        np.float32(random.uniform(0.5, 2) * terms**0.5), codes(random, (), x_type), b,
    ]  # fmt: skip
    graph.add("QLinearConv", *operands[: None if b is not None else 8], **how, **attributes)


@pytest.mark.proves("ONNX", "QLinearConv", against="ONNX reference evaluator", granularity="axis", storage="i8, ui8")  # fmt: skip
@pytest.mark.parametrize("first, dynamic", [(0, False), (4, False), (8, False), (2, True)])
@pytest.mark.parametrize("form", [f for f in CONVOLUTIONS if len(CONVOLUTIONS[f][0]) == 4])
def test_qlinear_conv(form, first, dynamic):
    """Two spatial dimensions, of which alone the evaluator is right."""
    x_shape, w_shape, attributes = CONVOLUTIONS[form]
    same = "auto_pad" in attributes and {"kernel_shape": list(w_shape[2:])} or {}
    graph = Graph(OPSET)
    for index in range(first, first + 4):
        add_qlinear_conv(
            graph, index, x_shape, w_shape, same | attributes, dynamic=(0, 3) if dynamic else ()
        )
    graph.check()


@pytest.mark.proves("ONNX", "QLinearConv", against="ONNX Runtime, profile ort", granularity="axis", storage="i8, ui8")  # fmt: skip
@pytest.mark.parametrize("first", [0, 4, 8])
@pytest.mark.parametrize("form", CONVOLUTIONS)
def test_qlinear_conv_of_onnxruntime(form, first):
    x_shape, w_shape, attributes = CONVOLUTIONS[form]
    graph = Graph(OPSET)
    for index in range(first, first + 4):
        if index % 4 == 1:
            continue  # i8 by ui8: ONNX Runtime has no kernel
        add_qlinear_conv(graph, index, x_shape, w_shape, attributes)
    graph.check(graph.run_by_onnxruntime(), profile="ort")
