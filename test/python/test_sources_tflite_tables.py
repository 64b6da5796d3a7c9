# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of .tflite files that LiteRT computes by tables and lines, or in steps of 16 bits, compared with LiteRT.

All 65536 codes of 16 bits, and all pairs of codes of 8 bits.
"""

import functools

import numpy as np
import pytest
from mlir import ir
from tflite_models import (
    NONE,
    RELU6,
    RESOLVERS,
    SAME,
    VALID,
    Model,
    Quantized,
    check,
    codes,
    litert,
)
from target_features import has
from test_sources_tflite import AGAINST, scales

from mlir_qdq import runtime
from mlir_qdq.importers import tflite

proves = functools.partial(
    pytest.mark.proves, "TFLite", granularity="tensor", storage="i16", against=AGAINST
)
EVERY = {"int8": np.arange(-128, 128, dtype=np.int8), "int16": np.arange(-(2**15), 2**15).astype(np.int16)}  # fmt: skip


def unary(name, x: Quantized, y: Quantized, values, **options) -> bytes:
    model = Model()
    result = model.tensor(values.shape, y)
    model.op(name, [model.input(values.shape, x)], result, **options)
    return model.content(result)


#: Scales for which the kernel multiplies by 3 or 6, near such a one, and others, to its ends.
SCALES = [2.0**-12, 2.0**-11, 2.0**-12 * 1.0003, 2.0**-13, 2.0**-15, 3e-4, 1e-5, 3e-9, 0.0123, 0.9]


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=proves(f"{name} of i16")) for name in ("LOGISTIC", "TANH")],
)
def test_sigmoid(name, scale, tmp_path):
    x, y = Quantized("int16", scale), Quantized("int16", 2.0**-15)
    content = unary(name, x, y, EVERY["int16"])
    exact = 0.999 < scale * 2.0**12 < 1.001 or (name == "TANH" and scale == 2.0**-11)
    profiles = ("tflite",) if exact else tuple(RESOLVERS)
    check(content, [EVERY["int16"]], tmp_path / "m.tflite", profiles)
    if exact:
        with pytest.raises(ir.MLIRError, match="a power of two for which LiteRT's default kernel"):
            runtime.compile(tflite.import_model(tmp_path / "m.tflite"), profile="xnnpack")


@proves("GELU of i16")
@pytest.mark.parametrize("approximate", [False, True])
@pytest.mark.parametrize("scale", [3e-4, 5e-5])
def test_gelu(scale, approximate, tmp_path):
    x, y = Quantized("int16", scale), Quantized("int16", 0.7 * scale)
    content = unary("GELU", x, y, EVERY["int16"], options="GeluOptions", approximate=approximate)
    check(content, [EVERY["int16"]], tmp_path / "m.tflite")


@proves("SOFTMAX of i16")
@pytest.mark.parametrize("columns, beta", [(1, 1.0), (3, 1.0), (10, 0.7), (1000, 2.0)])
@pytest.mark.parametrize("scale", [3e-4, 1e-5, 0.01])
def test_softmax(scale, columns, beta, tmp_path):
    q = codes((20000 // columns, columns), "int16")
    q[::2] = q[::2] // 50 + 300  # rows whose numbers are near
    x, y = Quantized("int16", scale), Quantized("int16", 2.0**-15)
    content = unary("SOFTMAX", x, y, q, options="SoftmaxOptions", version=3, beta=beta)
    check(content, [q], tmp_path / "m.tflite")


@pytest.mark.parametrize("storage", ["int8", "int16"])
@pytest.mark.parametrize("around", [0.002, 0.03, 0.5])
@pytest.mark.proves("TFLite", "RSQRT", granularity="tensor", storage="i8,i16", against=AGAINST)
def test_rsqrt(storage, around, tmp_path):
    """LiteRT stops at codes below the zero point."""
    for seed, zero in enumerate([-128, -100] if storage == "int8" else [0]):
        values = EVERY[storage][EVERY[storage] >= zero]
        (scale,) = scales(1, seed, around)
        x = Quantized(storage, scale / (1 if storage == "int8" else 256), zero)
        y = Quantized(
            storage, 0.04 if storage == "int8" else 3e-4, -128 if storage == "int8" else 0
        )
        check(unary("RSQRT", x, y, values), [values], tmp_path / f"{seed}.tflite")


def unary_types(storage, seed) -> tuple[Quantized, Quantized]:
    """Parameters without a pattern; 16 bits have no zero points."""
    sizes = (0.05, 0.03) if storage == "int8" else (3e-4, 2e-4)
    zeros = np.random.default_rng(seed).integers(-100, 100, 2) * (storage == "int8")
    x, y = (
        Quantized(storage, scales(1, seed + 9 * i, size)[0], int(zero))
        for i, (size, zero) in enumerate(zip(sizes, zeros))
    )
    return x, y


@pytest.mark.every_pair
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("storage", ["int8", "int16"])
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(
            name,
            marks=pytest.mark.proves(
                "TFLite", name, granularity="tensor", storage="i8,i16", against=AGAINST
            ),
        )
        for name in ("ABS", "EXP", "LOG", "NEG", "SQRT")
    ],
)
def test_functions_of_codes(name, storage, seed, tmp_path):
    """LiteRT stops at the square root of a negative number; logarithms have all codes."""
    x, y = unary_types(storage, seed)
    values = EVERY[storage]
    if name == "SQRT":
        values = values[values >= x.zero_point]
    check(unary(name, x, y, values, version=1 + (name == "ABS")), [values], tmp_path / "m.tflite")
    if name == "ABS":
        check(unary(name, x, x, values, version=2), [values], tmp_path / "same.tflite")


def test_neg_ignores_zero_points(tmp_path):
    x, y = Quantized("int16", 3e-4, -100), Quantized("int16", 2e-4, 20)
    check(unary("NEG", x, y, EVERY["int16"]), [EVERY["int16"]], tmp_path / "m.tflite")


@pytest.mark.proves(
    "TFLite", "ELU", granularity="tensor", storage="i8",
    against="LiteRT: default delegate (profile xnnpack)",
)  # fmt: skip
@pytest.mark.parametrize("seed", range(4))
def test_elu(seed, tmp_path):
    """The reference kernels lack it."""
    x, y = unary_types("int8", seed)
    check(unary("ELU", x, y, EVERY["int8"]), [EVERY["int8"]], tmp_path / "m.tflite", ("xnnpack",))


@pytest.mark.proves(
    "TFLite", "SUM", granularity="tensor", storage="i8,ui8,i16",
    against="LiteRT: default delegate (profile xnnpack); of u8 reference kernels (profile tflite)",
)  # fmt: skip
@pytest.mark.every_pair
@pytest.mark.parametrize("same", [False, True])
@pytest.mark.parametrize("scale, ratio", [(0.25, 0.5), (0.0513, 1.137)])
@pytest.mark.parametrize("axes, keeps", [((1, 2), True), ((2,), False), ((0, 1, 3), False), ((-1,), True)])  # fmt: skip
@pytest.mark.parametrize("storage", ["int8", "uint8", "int16"])
def test_sum(storage, axes, keeps, same, scale, ratio, tmp_path):
    """LiteRT's reference kernel of signed codes leaves the result as it was. Odd sums of the first scales are ties."""
    x = Quantized(storage, scale, {"int8": -11, "uint8": 131, "int16": 0}[storage])
    y = (
        x
        if same
        else Quantized(storage, 4 * scale * ratio, {"int8": 7, "uint8": 120, "int16": 0}[storage])
    )
    shape = (3, 7, 5, 6)
    values = codes(shape, storage)
    reduced = [axis % 4 for axis in axes]
    sizes = [1 if i in reduced else n for i, n in enumerate(shape) if keeps or i not in reduced]
    model = Model()
    operands = [model.input(shape, x), model.constant(np.array(axes, np.int32))]
    result = model.tensor(sizes, y)
    model.op("SUM", operands, result, options="ReducerOptions", version=2, keepDims=keeps)
    profiles = tuple(RESOLVERS) if storage == "uint8" else ("xnnpack",)
    check(model.content(result), [values], tmp_path / "m.tflite", profiles)


@pytest.mark.parametrize("name", ["SUM", "MEAN"])
def test_sums_beyond_32_bits(name, tmp_path):
    """LiteRT's sums of 16 bits wrap in 32 bits: the exact mean of 140000 codes."""
    x = np.full((1, 140000), 32767, np.int16)
    x[0, :1000] = -32768
    mean = np.sum(x, dtype=np.int64) / x.size
    scale = x.size / 1.5 if name == "SUM" else 1 / 1.5
    model = Model()
    operands = [
        model.input(x.shape, Quantized("int16", 1.0)),
        model.constant(np.array([1], np.int32)),
    ]
    result = model.tensor([1], Quantized("int16", scale * 2))
    model.op(name, operands, result, options="ReducerOptions", version=2, keepDims=False)
    (tmp_path / "m.tflite").write_bytes(model.content(result))
    for profile in RESOLVERS:
        compiled = runtime.compile(tflite.import_model(tmp_path / "m.tflite"), profile=profile)
        np.testing.assert_array_equal(compiled.main(x), [np.rint(mean * 0.75)])


def divide(lhs, rhs, x: Quantized, y: Quantized, result: Quantized, **fields) -> bytes:
    model = Model()
    made = model.tensor(lhs.shape, result)
    operands = [model.input(lhs.shape, x), model.input(rhs.shape, y)]
    model.op("DIV", operands, made, options="DivOptions", version=2, **fields)
    return model.content(made)


@pytest.mark.parametrize("ratio", [0.01, 0.7, 13.0])
@pytest.mark.parametrize("storage", ["int8", "uint8", "int16"])
@pytest.mark.proves("TFLite", "DIV", granularity="tensor", storage="i8,ui8,i16", against=AGAINST)
def test_div(storage, ratio, tmp_path):
    """LiteRT shifts by up to 46 places, modulo 32, where a quotient rounds to 0."""
    zeros = {"int8": (5, -100, 3), "uint8": (120, 3, 128), "int16": (30, -20, 10)}[storage]
    around = [0.05, 0.05, (1 if storage != "int16" else 0.01) / ratio]
    x, y, result = (
        Quantized(storage, scales(1, i, size)[0], z)
        for i, (size, z) in enumerate(zip(around, zeros))
    )
    every = np.arange(np.iinfo(storage).min, np.iinfo(storage).max + 1)
    if storage == "int16":
        lhs, rhs = np.random.default_rng(1).choice(every, (2, 200000))
        rhs[::2] //= 100
    else:
        lhs, rhs = (a.reshape(-1) for a in np.meshgrid(every, every, indexing="ij"))
    kept = rhs != y.zero_point
    lhs, rhs = lhs[kept].astype(storage), rhs[kept].astype(storage)
    real = (lhs.astype(float) - x.zero_point) / (rhs.astype(float) - y.zero_point)
    is_small = np.abs(real * x.scale / y.scale / result.scale) < 0.499
    assert is_small.any()
    content = divide(lhs, rhs, x, y, result, fusedActivationFunction=RELU6)
    (tmp_path / "m.tflite").write_bytes(content)
    for profile, resolver in RESOLVERS.items():
        expected = np.where(is_small, result.zero_point, litert(content, [lhs, rhs], resolver)[0])
        compiled = runtime.compile(tflite.import_model(tmp_path / "m.tflite"), profile=profile)
        np.testing.assert_array_equal(compiled.main(lhs, rhs), expected)


def test_div_by_zero(tmp_path):
    """A divisor of 0 is 1, as in ONNX's integer Div; LiteRT stops."""
    of = Quantized("int8", 1.0, 3)
    lhs, rhs = np.array([-100, 3, 50], np.int8), np.full(3, 3, np.int8)
    content = divide(lhs, rhs, of, of, of, fusedActivationFunction=NONE)
    (tmp_path / "m.tflite").write_bytes(content)
    compiled = runtime.compile(tflite.import_model(tmp_path / "m.tflite"))
    np.testing.assert_array_equal(compiled.main(lhs, rhs), lhs)


@pytest.mark.parametrize("result", [0.02, 0.3, 2.0])
@pytest.mark.proves(
    "TFLite", "SQUARED_DIFFERENCE", granularity="tensor", storage="i8", against=AGAINST
)
def test_squared_difference(result, tmp_path):
    every = [
        np.ascontiguousarray(a) for a in np.meshgrid(EVERY["int8"], EVERY["int8"], indexing="ij")
    ]
    x, y = Quantized("int8", scales(1, 1)[0], 11), Quantized("int8", scales(1, 2)[0], -7)
    model = Model()
    operands = [model.input((256, 256), x), model.input((256, 256), y)]
    made = model.tensor((256, 256), Quantized("int8", result, -100))
    model.op("SQUARED_DIFFERENCE", operands, made, options="SquaredDifferenceOptions", version=2)
    check(model.content(made), every, tmp_path / "m.tflite")


@pytest.mark.proves(
    "TFLite", "BATCH_MATMUL of floats", storage="i8",
    against="LiteRT: reference kernels (profile tflite)",
)  # fmt: skip
@pytest.mark.parametrize("asymmetric", [False, True])
@pytest.mark.parametrize("granularity", ["tensor", "axis"])
@pytest.mark.parametrize(
    "left, right, adjoint",
    [
        ((3, 6, 5), (3, 5, 7), (False, False)),
        ((3, 5, 6), (3, 5, 7), (True, False)),
        ((2, 1, 6, 5), (3, 7, 5), (False, True)),
        ((6, 5), (5, 7), (False, False)),
    ],
)
def test_dynamic_batch_matmul(left, right, adjoint, granularity, asymmetric, tmp_path):
    model = Model()
    rows = left[-1 if adjoint[0] else -2]
    columns = right[-2 if adjoint[1] else -1]
    w = Quantized("int8", 0.031)
    if granularity == "axis":
        w = Quantized("int8", scales(columns, 3), 0, len(right) - (2 if adjoint[1] else 1))
    operands = [model.input(left, "float32"), model.constant(codes(right), w)]
    batches = np.broadcast_shapes(left[:-2], right[:-2])
    result = model.tensor((*batches, rows, columns), "float32")
    model.op(
        "BATCH_MATMUL", operands, result, options="BatchMatMulOptions", version=4, adjX=adjoint[0],
        adjY=adjoint[1], asymmetricQuantizeInputs=asymmetric,
    )  # fmt: skip
    x = np.random.default_rng(5).normal(1, 2, left).astype(np.float32)
    x[..., -1, :] *= 100
    x[0] = 0
    check(model.content(result), [x], tmp_path / "m.tflite", ("tflite",))


@pytest.mark.proves(
    "TFLite", "TRANSPOSE_CONV of floats", granularity="axis,tensor", storage="i8", against=AGAINST
)
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("granularity", ["axis", "tensor"])
@pytest.mark.parametrize("padding, size", [(SAME, (10, 9)), (VALID, (11, 11))])
def test_dynamic_transpose_conv(padding, size, granularity, bias, tmp_path):
    """The bias of XNNPACK's kernels for AVX2 is added without a rounding of the product before."""
    random = np.random.default_rng(4)
    w = Quantized("int8", scales(4, 5) if granularity == "axis" else 0.031)
    model = Model()
    operands = [
        model.constant(np.array([2, *size, 4], np.int32)),
        model.constant(codes((4, 3, 3, 3)), w),
        model.input((2, 5, 5, 3), "float32"),
    ]
    if bias:
        operands.append(model.constant(random.normal(0, 9, 4).astype(np.float32)))
    result = model.tensor((2, *size, 4), "float32")
    model.op(
        "TRANSPOSE_CONV", operands, result, options="TransposeConvOptions", version=4 if bias else 3,
        padding=padding, strideH=2, strideW=2, fusedActivationFunction=NONE,
    )  # fmt: skip
    x = random.normal(1, 2, (2, 5, 5, 3)).astype(np.float32)
    x[1] *= 100
    profiles = tuple(RESOLVERS) if has("avx2") else ("tflite",)
    check(model.content(result), [x], tmp_path / "m.tflite", profiles)


@pytest.mark.proves(
    "TFLite", "EMBEDDING_LOOKUP of floats", granularity="axis,tensor", storage="i8,i4", against=AGAINST
)  # fmt: skip
@pytest.mark.parametrize("storage", ["int8", "int4"])
@pytest.mark.parametrize("granularity", ["axis", "tensor"])
def test_embedding_lookup(storage, granularity, tmp_path):
    """LiteRT starts rows of 4 bits at a byte: rows of an even number of codes."""
    table = codes((50, 8)) if storage == "int8" else codes((50, 8)) >> 4
    w = Quantized(storage, scales(50, 5) if granularity == "axis" else 0.031)
    model = Model()
    operands = [model.input((3,), "int32"), model.constant(table, w)]
    result = model.tensor((3, 8), "float32")
    model.op("EMBEDDING_LOOKUP", operands, result, version=4)
    check(model.content(result), [np.array([49, 0, 13], np.int32)], tmp_path / "m.tflite")


@pytest.mark.proves(
    "TFLite", "TRANSPOSE_CONV", granularity="axis", storage="i8,i16", against=AGAINST
)
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("storage", ["int8", "int16"])
@pytest.mark.parametrize("padding, size", [(SAME, (10, 9)), (VALID, (11, 11))])
def test_transpose_conv(padding, size, storage, bias, tmp_path):
    is_wide = storage == "int16"
    x = Quantized(storage, 5e-4) if is_wide else Quantized(storage, 0.03, -5)
    w = Quantized("int8", scales(4, 5), 0, 0)
    model = Model()
    operands = [
        model.constant(np.array([2, *size, 4], np.int32)),
        model.constant(codes((4, 3, 3, 3)), w),
        model.input((2, 5, 5, 3), x),
    ]
    if bias:
        sums = np.float32(x.scale) * np.float32(w.scale)
        dtype = np.int64 if is_wide else np.int32
        of = Quantized(dtype.__name__, tuple(float(s) for s in sums), 0)
        operands.append(model.constant(np.array([-70000, 5, 0, 123456], dtype), of))
    result = model.tensor(
        (2, *size, 4), Quantized(storage, 6e-3) if is_wide else Quantized(storage, 0.8, 3)
    )
    model.op(
        "TRANSPOSE_CONV", operands, result, options="TransposeConvOptions", version=4 if bias else 3,
        padding=padding, strideH=2, strideW=2,
    )  # fmt: skip
    check(model.content(result), [codes((2, 5, 5, 3), storage)], tmp_path / "m.tflite")


def test_leaky_relu_without_options(tmp_path):
    """LiteRT reads an alpha of 0."""
    x, y = Quantized("int8", 0.05, 3), Quantized("int8", 0.04, -5)
    check(unary("LEAKY_RELU", x, y, EVERY["int8"]), [EVERY["int8"]], tmp_path / "m.tflite")


REFUSED = [
    (("LOGISTIC", Quantized("int16", 0.001, 5), Quantized("int16", 2.0**-15)), "has the zero points 5 and 0"),
    (("TANH", Quantized("int16", 0.001), Quantized("int16", 0.001)), "a result of scale .*: expected no zero points, and the scale 1/32768"),
    (("TANH", Quantized("int16", 50.0), Quantized("int16", 2.0**-15)), "has the input scale .*, whose multiplier the 16 bits"),
    (("SOFTMAX", Quantized("int16", 0.001), Quantized("int16", 0.001)), "expected one type of signed 16 bits, and the scale 1/32768"),
    (("RSQRT", Quantized("uint8", 0.01), Quantized("uint8", 0.01)), "expected all signed codes of 8 or 16 bits"),
    (("EXP", Quantized("uint8", 0.01), Quantized("uint8", 0.01)), "expected all signed codes of 8 or 16 bits"),
    (("SQRT", Quantized("int16", 0.01, 3), Quantized("int16", 0.01)), "has 16 bits and the zero points 3 and 0: expected 0"),
    (("ABS", Quantized("int8", 1e30), Quantized("int8", 1e-5)), "has scales whose multiplier is"),
    (("ELU", Quantized("int16", 0.01), Quantized("int16", 0.01)), "has codes of 16 bits, which LiteRT lacks"),
    (("RSQRT", Quantized("int8", 1e-30), Quantized("int8", 1e-5)), "has scales whose multiplier is"),
]  # fmt: skip


@pytest.mark.parametrize("model, message", REFUSED, ids=[str(i) for i in range(len(REFUSED))])
def test_refused(model, message, tmp_path):
    options = {"options": "SoftmaxOptions", "beta": 1.0} if model[0] == "SOFTMAX" else {}
    (tmp_path / "m.tflite").write_bytes(unary(*model, codes((4, 4), model[1].dtype), **options))
    with pytest.raises(ir.MLIRError, match=f"'tfl.{model[0].lower()}' op .*{message}"):
        runtime.compile(tflite.import_model(tmp_path / "m.tflite"))
