# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of .tflite files, compiled, against LiteRT: its reference kernels under the profile `tflite`, its default
delegate under `xnnpack`.

Scales are f32 numbers without a pattern, so that multipliers need all their bits; the codes are all of a storage of 8
bits, in every pair where an operator has two operands.
"""

import functools
import itertools

import numpy as np
import pytest
from mlir import ir
from tflite_models import (
    NONE,
    RELU,
    RELU6,
    RELU_N1_TO_1,
    RESOLVERS,
    SAME,
    VALID,
    Model,
    Quantized,
    check,
    codes,
    litert,
)

from mlir_qdq import runtime

AGAINST = "LiteRT: reference kernels (profile tflite), default delegate (profile xnnpack)"
AGAINST_8_BITS = AGAINST.replace("delegate (", "delegate of 8 bits (")
REFERENCE = "LiteRT: reference kernels (profile tflite)"
proves = functools.partial(pytest.mark.proves, "TFLite", against=AGAINST)
STORAGES = {"i8": "int8", "ui8": "uint8", "i16": "int16"}
pytestmark = pytest.mark.every_pair


def scales(count: int, seed=0, around=0.05) -> tuple[float, ...]:
    random = np.random.default_rng(seed)
    return tuple(float(s) for s in np.float32(random.uniform(0.2, 2, count) * around))


def activation(storage: str, seed=0, around=0.05) -> Quantized:
    """Parameters of activations: LiteRT has no zero point in 16 bits."""
    (scale,) = scales(1, seed, around)
    zero = {"i8": -7, "ui8": 121, "i16": 0}[storage] + (seed if storage != "i16" else 0)
    return Quantized(STORAGES[storage], scale / (256 if storage == "i16" else 1), zero)


def bias_of(x: Quantized, w: Quantized, count: int, seed=3) -> np.ndarray:
    dtype = np.int64 if x.dtype == "int16" else np.int32
    return np.random.default_rng(seed).integers(-3000, 3000, count).astype(dtype)


def bias_parameters(x: Quantized, w: Quantized) -> Quantized:
    dtype = "int64" if x.dtype == "int16" else "int32"
    product = np.float32(x.scale) * np.float32(w.scale)
    return Quantized(dtype, tuple(np.ravel(product)) if np.ndim(w.scale) else float(product), 0)


# --- convolutions ----------------------------------------------------------------


def convolution(storage, granularity, *, input_shape, kernel, depthwise=False, padding=SAME,
                stride=1, dilation=1, function=NONE):  # fmt: skip
    axis = 3 if depthwise else 0
    outputs = kernel[axis]
    x, y = activation(storage, 1), activation(storage, 2, around=0.3)
    if storage == "ui8":
        w = Quantized("uint8", scales(1, 5)[0], 133)
    elif granularity == "axis":
        w = Quantized("int8", scales(outputs, 5), 0, axis)
    else:
        w = Quantized("int8", scales(1, 5)[0], 0)
    model = Model()
    operands = [
        model.input(input_shape, x),
        model.constant(codes(kernel, w.dtype, 7), w),
        model.constant(bias_of(x, w, outputs), bias_parameters(x, w)),
    ]
    extents = [(k - 1) * dilation + 1 for k in kernel[1:3]]
    sizes = [
        -(-n // stride) if padding == SAME else (n - e) // stride + 1
        for n, e in zip(input_shape[1:3], extents)
    ]
    result = model.tensor([input_shape[0], *sizes, outputs], y)
    fields = dict(
        padding=padding, strideH=stride, strideW=stride, fusedActivationFunction=function,
        dilationHFactor=dilation, dilationWFactor=dilation,
    )  # fmt: skip
    if depthwise:
        model.op(
            "DEPTHWISE_CONV_2D", operands, result, options="DepthwiseConv2DOptions", version=6,
            depthMultiplier=outputs // input_shape[3], **fields,
        )  # fmt: skip
    else:
        model.op("CONV_2D", operands, result, options="Conv2DOptions", version=8, **fields)
    return model.content(result), [codes(input_shape, x.dtype)]


CONVOLUTIONS = {
    "same": dict(),
    "valid-relu6": dict(padding=VALID, function=RELU6),
    "stride-relu": dict(stride=2, function=RELU),
    "dilated": dict(dilation=2, padding=VALID),
    "dilated-same": dict(dilation=2),
    "within-one": dict(function=RELU_N1_TO_1),
}


@proves("CONV_2D", storage="i8,ui8,i16")
@pytest.mark.parametrize("form", list(CONVOLUTIONS))
@pytest.mark.parametrize(
    "storage, granularity",
    [("i8", "tensor"), ("i8", "axis"), ("ui8", "tensor"), ("i16", "axis")],
)
def test_conv_2d(storage, granularity, form, tmp_path):
    options = CONVOLUTIONS[form]
    content, inputs = convolution(
        storage, granularity, input_shape=(2, 9, 8, 3), kernel=(5, 3, 3, 3), **options
    )
    check(content, inputs, tmp_path / "m.tflite")


@proves("CONV_2D in groups", granularity="axis", storage="i8")
def test_conv_2d_in_groups(tmp_path):
    content, inputs = convolution(
        "i8", "axis", input_shape=(1, 6, 6, 8), kernel=(6, 3, 3, 4), stride=2
    )
    check(content, inputs, tmp_path / "m.tflite")


@proves("DEPTHWISE_CONV_2D", storage="i8,ui8,i16")
@pytest.mark.parametrize("form", list(CONVOLUTIONS))
@pytest.mark.parametrize("multiplier", [1, 2])
@pytest.mark.parametrize(
    "storage, granularity",
    [("i8", "tensor"), ("i8", "axis"), ("ui8", "tensor"), ("i16", "axis")],
)
def test_depthwise_conv_2d(storage, granularity, multiplier, form, tmp_path):
    content, inputs = convolution(
        storage, granularity, input_shape=(2, 9, 8, 4), kernel=(1, 3, 3, 4 * multiplier), depthwise=True,
        **CONVOLUTIONS[form],
    )  # fmt: skip
    check(content, inputs, tmp_path / "m.tflite")


# --- products of matrices --------------------------------------------------------


@proves("FULLY_CONNECTED", storage="i8,ui8,i16")
@pytest.mark.parametrize("keeps", [False, True])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize(
    "storage, granularity",
    [("i8", "tensor"), ("i8", "axis"), ("ui8", "tensor"), ("i16", "tensor"), ("i16", "axis")],
)
def test_fully_connected(storage, granularity, bias, keeps, tmp_path):
    x, y = activation(storage, 1), activation(storage, 2, around=0.5)
    if storage == "ui8":
        w = Quantized("uint8", scales(1, 5)[0], 133)
    else:
        w = Quantized("int8", scales(7, 5) if granularity == "axis" else scales(1, 5)[0], 0)
    model = Model()
    operands = [model.input((30, 3, 16), x), model.constant(codes((7, 16), w.dtype, 1), w)]
    if bias:
        operands.append(model.constant(bias_of(x, w, 7), bias_parameters(x, w)))
    result = model.tensor((30, 3, 7) if keeps else (90, 7), y)
    model.op(
        "FULLY_CONNECTED", operands, result, options="FullyConnectedOptions", version=9,
        keepNumDims=keeps, fusedActivationFunction=RELU if keeps else NONE,
    )  # fmt: skip
    check(
        model.content(result),
        [codes((30, 3, 16), x.dtype)],
        tmp_path / "m.tflite",
    )


@proves(
    "CONV_2D, FULLY_CONNECTED of i4 weights", granularity="axis", storage="i8", against=REFERENCE
)
@pytest.mark.parametrize("name", ["CONV_2D", "FULLY_CONNECTED"])
def test_weights_of_four_bits(name, tmp_path):
    x, y = activation("i8", 1), activation("i8", 2, around=0.05)
    w = Quantized("int4", scales(5, 5), 0)
    is_convolution = name == "CONV_2D"
    shape, kernel = ((1, 5, 5, 3), (5, 3, 3, 3)) if is_convolution else ((40, 9), (5, 9))
    weights = np.random.default_rng(1).integers(-8, 8, kernel).astype(np.int8)
    model = Model()
    operands = [
        model.input(shape, x),
        model.constant(weights, w),
        model.constant(bias_of(x, w, 5), bias_parameters(x, w)),
    ]
    result = model.tensor((1, 5, 5, 5) if is_convolution else (40, 5), y)
    if is_convolution:
        model.op(
            name, operands, result, options="Conv2DOptions", version=7, padding=SAME, strideH=1, strideW=1,
            dilationHFactor=1, dilationWFactor=1,
        )  # fmt: skip
    else:
        model.op(name, operands, result, options="FullyConnectedOptions", version=10)
    check(model.content(result), [codes(shape, x.dtype)], tmp_path / "m.tflite", ("tflite",))


@proves("BATCH_MATMUL", granularity="tensor", storage="i8,i16")
@pytest.mark.parametrize("adjoint", [(False, False), (True, False), (False, True), (True, True)])
@pytest.mark.parametrize("storage", ["i8", "i16"])
def test_batch_matmul(storage, adjoint, tmp_path):
    x, w, y = activation(storage, 1), activation(storage, 2), activation(storage, 3, around=0.5)
    shapes = [
        (3, 1, 6, 5) if not adjoint[0] else (3, 1, 5, 6),
        (4, 5, 8) if not adjoint[1] else (4, 8, 5),
    ]
    model = Model()
    operands = [model.input(shapes[0], x), model.input(shapes[1], w)]
    result = model.tensor((3, 4, 6, 8), y)
    model.op(
        "BATCH_MATMUL", operands, result, options="BatchMatMulOptions", version=3,
        adjX=adjoint[0], adjY=adjoint[1],
    )  # fmt: skip
    inputs = [codes(shape, x.dtype, i) for i, shape in enumerate(shapes)]
    check(model.content(result), inputs, tmp_path / "m.tflite")


# --- elementwise -----------------------------------------------------------------


@pytest.mark.parametrize("function", [NONE, RELU6])
@pytest.mark.parametrize("storage", ["i8", "ui8", "i16"])
@pytest.mark.parametrize(
    "name, options",
    [
        pytest.param(
            name,
            f"{name.title()}Options",
            marks=proves(name, granularity="tensor", against=AGAINST_8_BITS),
        )
        for name in ("ADD", "SUB", "MUL")
    ],
)
def test_binary(name, options, storage, function, tmp_path):
    x, w, y = activation(storage, 1), activation(storage, 2), activation(storage, 3)
    every = np.arange(-128, 128) if storage != "ui8" else np.arange(256)
    left, right = np.meshgrid(every, every, indexing="ij")
    factor = 255 if storage == "i16" else 1
    inputs = [np.ascontiguousarray(part * factor).astype(x.dtype) for part in (left, right)]
    model = Model()
    operands = [model.input(left.shape, x), model.input(left.shape, w)]
    result = model.tensor(left.shape, y)
    fields = {} if name == "MUL" or storage != "i16" else {"potScaleInt16": False}
    model.op(
        name, operands, result, options=options, version=4 if name != "MUL" else 3,
        fusedActivationFunction=function, **fields,
    )  # fmt: skip
    # LiteRT's default kernel of 16 bits differs from its reference in one sum of 65536.
    profiles = ("tflite",) if storage == "i16" else tuple(RESOLVERS)
    check(model.content(result), inputs, tmp_path / "m.tflite", profiles)


@pytest.mark.parametrize("name, scale", [("tanh", 1 / 128), ("logistic", 1 / 256)])
def test_narrow_results(name, scale):
    """A type that leaves the lowest code out: nothing becomes it."""
    lowest = {"tanh": -127, "logistic": -100}[name]
    zero = 0 if name == "tanh" else -128
    text = f"""
    func.func @main(%x: tensor<256x!quant.uniform<i8:f32, 0.1:0>>) -> tensor<256x!quant.uniform<i8<{lowest}:127>:f32, {scale}:{zero}>> {{
      %y = "tfl.{name}"(%x) : (tensor<256x!quant.uniform<i8:f32, 0.1:0>>) -> tensor<256x!quant.uniform<i8<{lowest}:127>:f32, {scale}:{zero}>>
      return %y : tensor<256x!quant.uniform<i8<{lowest}:127>:f32, {scale}:{zero}>>
    }}"""
    codes_ = np.arange(-128, 128).astype(np.int8)
    x = codes_ * np.float64(np.float32(0.1))
    y = np.tanh(x) if name == "tanh" else 1 / (1 + np.exp(-x))
    expected = np.clip(np.floor(y / scale + 0.5) + zero, lowest, 127)
    got = runtime.compile(text).main(codes_)
    assert got.min() == lowest and np.max(np.abs(got - expected)) <= 1


@pytest.mark.parametrize(
    "name, options, version, scales",
    [
        # One of the ratios is below 2^-10: XNNPACK leaves the op.
        ("ADD", "AddOptions", 2, (0.3, 2e-4, 0.5)),
        ("SUB", "SubOptions", 2, (0.3, 2e-4, 0.5)),
        ("ADD", "AddOptions", 2, (3.1e-5, 0.03, 0.211)),
        ("ADD", "AddOptions", 2, (25.0, 0.3, 0.11)),  # 227 is near its other end
        ("MUL", "MulOptions", 2, (0.003, 0.002, 0.9)),  # below 2^-16
        ("MUL", "MulOptions", 2, (3.0, 3.0, 0.04)),
    ],
)
def test_ratios(name, options, version, scales, tmp_path):
    every = np.arange(-128, 128, dtype=np.int8)
    inputs = [np.ascontiguousarray(a) for a in np.meshgrid(every, every, indexing="ij")]
    kinds = [Quantized("int8", scale, 127) for scale in scales]
    model = Model()
    operands = [model.input((256, 256), kind) for kind in kinds[:2]]
    result = model.tensor((256, 256), kinds[2])
    model.op(name, operands, result, options=options, version=version)
    check(model.content(result), inputs, tmp_path / "m.tflite")


def test_broadcast(tmp_path):
    x, w, y = activation("i8", 1), activation("i8", 2), activation("i8", 3)
    model = Model()
    operands = [model.input((2, 5, 1, 4), x), model.constant(codes((3, 4)), w)]
    result = model.tensor((2, 5, 3, 4), y)
    model.op("ADD", operands, result, options="AddOptions", version=2)
    check(model.content(result), [codes((2, 5, 1, 4))], tmp_path / "m.tflite")


@pytest.mark.parametrize("storage", ["i8", "ui8"])
@pytest.mark.parametrize(
    "name, scale, zero_point, around",
    [
        pytest.param("LOGISTIC", 1 / 256, 0, 0.05, marks=proves("LOGISTIC", granularity="tensor")),
        pytest.param("TANH", 1 / 128, 128, 0.03, marks=proves("TANH", granularity="tensor")),
        pytest.param("RELU", 0.043, 117, 0.05, marks=proves("RELU", granularity="tensor")),
        pytest.param("RELU6", 0.043, 117, 0.05, marks=proves("RELU6", granularity="tensor")),
        pytest.param("RELU_0_TO_1", 0.01, 117, 0.01, marks=proves("RELU_0_TO_1", granularity="tensor")),
        pytest.param("RELU_N1_TO_1", 0.01, 117, 0.01, marks=proves("RELU_N1_TO_1", granularity="tensor")),
    ],
)  # fmt: skip
def test_unary(name, scale, zero_point, around, storage, tmp_path):
    every = np.arange(-128, 128) if storage == "i8" else np.arange(256)
    for seed in range(3):
        x = activation(storage, seed, around)
        y = Quantized(STORAGES[storage], scale, zero_point - (128 if storage == "i8" else 0))
        model = Model()
        result = model.tensor((256,), y)
        model.op(name, [model.input((256,), x)], result)
        check(model.content(result), [every.astype(x.dtype)], tmp_path / f"{seed}.tflite")


@proves("LEAKY_RELU", granularity="tensor")
@pytest.mark.parametrize("alpha", [0.2, 0.01, 1.5, -0.3])
@pytest.mark.parametrize("storage", ["i8", "ui8"])
def test_leaky_relu(storage, alpha, tmp_path):
    every = np.arange(-128, 128) if storage == "i8" else np.arange(256)
    for seed in range(3):
        x, y = activation(storage, seed), activation(storage, seed + 2, around=0.04)
        model = Model()
        result = model.tensor((256,), y)
        model.op(
            "LEAKY_RELU",
            [model.input((256,), x)],
            result,
            options="LeakyReluOptions",
            version=2,
            alpha=alpha,
        )
        check(model.content(result), [every.astype(x.dtype)], tmp_path / f"{seed}.tflite")


@proves("HARD_SWISH", granularity="tensor")
@pytest.mark.parametrize("around", [0.01, 0.05, 0.3])
@pytest.mark.parametrize("storage", ["i8", "ui8"])
def test_hard_swish(storage, around, tmp_path):
    every = np.arange(-128, 128) if storage == "i8" else np.arange(256)
    for seed in range(4):
        x, y = activation(storage, seed, around), activation(storage, seed + 2, 2 * around)
        model = Model()
        result = model.tensor((256,), y)
        model.op("HARD_SWISH", [model.input((256,), x)], result)
        check(model.content(result), [every.astype(x.dtype)], tmp_path / f"{seed}.tflite")


@proves("MAXIMUM, MINIMUM", granularity="tensor")
@pytest.mark.parametrize("storage", ["i8", "ui8"])
def test_extrema(storage, tmp_path):
    x = activation(storage, 1)
    model = Model()
    a, b = model.input((5, 64), x), model.constant(codes((64,), x.dtype, 3), x)
    results = [model.tensor((5, 64), x) for _ in range(2)]
    for name, result in zip(("MAXIMUM", "MINIMUM"), results):
        model.op(name, [a, b], result, options="MaximumMinimumOptions", version=2)
    check(model.content(*results), [codes((5, 64), x.dtype)], tmp_path / "m.tflite")


@proves("SOFTMAX", granularity="tensor")
@pytest.mark.parametrize("depth, beta", [(3, 1.0), (10, 1.0), (40, 0.5), (1000, 2.0)])
@pytest.mark.parametrize("storage", ["i8", "ui8"])
def test_softmax(storage, depth, beta, tmp_path):
    """Enough rows for results between two codes, which the kernels round differently."""
    x = activation(storage, depth % 7)
    y = Quantized(STORAGES[storage], 1 / 256, -128 if storage == "i8" else 0)
    bounds = np.iinfo(x.dtype)
    rows = 40000 // depth
    random = np.random.default_rng(depth)
    q = random.normal(bounds.min + 128, random.uniform(5, 70, (rows, 1)), (rows, depth))
    q = np.clip(q, bounds.min, bounds.max).astype(x.dtype)
    model = Model()
    result = model.tensor(q.shape, y)
    model.op(
        "SOFTMAX", [model.input(q.shape, x)], result, options="SoftmaxOptions", version=2, beta=beta
    )
    check(model.content(result), [q], tmp_path / "m.tflite")


def compiled(text: str, profile: str):
    with ir.Context() as context:
        context.allow_unregistered_dialects = True
        return runtime.compile(ir.Module.parse(text), profile=profile).f


@pytest.mark.parametrize("profile", list(RESOLVERS))
@pytest.mark.parametrize(
    "name, expected", [("add", 25), ("sub", 11), ("mul", 38), ("maximum", 18), ("minimum", 17)]
)
def test_shapes_at_their_ends(name, expected, profile):
    """Rank 0, open sizes, no elements. With scale 1/2 and zero point 10, 18 and 17 stand for 4 and 3.5."""
    q = "!quant.uniform<i8:f32, 0.5:10>"

    def function(x: str, z: str):
        types = f"(tensor<{x}{q}>, tensor<{z}{q}>) -> tensor<{x}{q}>"
        return compiled(
            f"func.func @f(%x: tensor<{x}{q}>, %z: tensor<{z}{q}>) -> tensor<{x}{q}> {{\n"
            f'  %y = "tfl.{name}"(%x, %z) {{fused_activation_function = "NONE"}} : {types}\n'
            f"  return %y : tensor<{x}{q}>\n}}",
            profile,
        )

    x, z = np.array(18, np.int8), np.array(17, np.int8)
    assert function("", "")(x, z) == expected
    many = function("?x?x", "4x")(np.full((3, 4), x), np.full(4, z))
    np.testing.assert_array_equal(many, np.full((3, 4), expected))
    assert function("0x4x", "1x")(np.zeros((0, 4), np.int8), z.reshape(1)).shape == (0, 4)


# --- pools -----------------------------------------------------------------------


@pytest.mark.parametrize("function", [NONE, RELU])
@pytest.mark.parametrize("padding, stride", [(SAME, 2), (VALID, 1), (SAME, 1)])
@pytest.mark.parametrize("storage", ["i8", "ui8", "i16"])
@pytest.mark.parametrize(
    "name",
    [
        pytest.param("AVERAGE_POOL_2D", marks=proves("AVERAGE_POOL_2D", granularity="tensor")),
        pytest.param("MAX_POOL_2D", marks=proves("MAX_POOL_2D", granularity="tensor")),
    ],
)
def test_pool(name, storage, padding, stride, function, tmp_path):
    x = activation(storage, 1)
    size = -(-9 // stride) if padding == SAME else (9 - 3) // stride + 1
    model = Model()
    result = model.tensor((3, size, size, 5), x)
    model.op(
        name, [model.input((3, 9, 9, 5), x)], result, options="Pool2DOptions", version=3,
        padding=padding, strideH=stride, strideW=stride, filterHeight=3, filterWidth=3,
        fusedActivationFunction=function,
    )  # fmt: skip
    check(
        model.content(result),
        [codes((3, 9, 9, 5), x.dtype)],
        tmp_path / "m.tflite",
    )


@proves("MEAN", granularity="tensor")
@pytest.mark.parametrize(
    "axes, keeps", [((1, 2), False), ((1, 2), True), ((-1,), False), ((0, 1, 2, 3), True)]
)
@pytest.mark.parametrize("storage", ["i8", "ui8", "i16"])
def test_mean(storage, axes, keeps, tmp_path):
    shape = (40, 7, 6, 5)
    x, y = activation(storage, 1), activation(storage, 4)
    dims = [axis % 4 for axis in axes]
    kept = [1 if i in dims else n for i, n in enumerate(shape) if keeps or i not in dims]
    model = Model()
    result = model.tensor(kept, y)
    operands = [model.input(shape, x), model.constant(np.array(axes, np.int32))]
    model.op("MEAN", operands, result, options="ReducerOptions", version=3, keepDims=keeps)
    check(model.content(result), [codes(shape, x.dtype)], tmp_path / "m.tflite")


# --- casts -----------------------------------------------------------------------


@proves("QUANTIZE from codes", granularity="tensor")
@pytest.mark.parametrize(
    "storage, result_storage",
    [
        pair
        for pair in itertools.product(STORAGES, repeat=2)
        if pair not in (("i16", "ui8"), ("ui8", "i16"))
    ],
)
def test_requantize(storage, result_storage, tmp_path):
    for seed in range(4):
        x, y = activation(storage, seed), activation(result_storage, 3 * seed + 1, around=0.2)
        inputs = [codes((1024,), x.dtype)]  # LiteRT rounds the last ones, by 16, otherwise
        model = Model()
        result = model.tensor((1024,), y)
        model.op("QUANTIZE", [model.input((1024,), x)], result, version=3)
        check(model.content(result), inputs, tmp_path / f"{seed}.tflite")


@proves("QUANTIZE, DEQUANTIZE", storage="i8,ui8,i16")
@pytest.mark.parametrize(
    "storage, granularity", [("i8", "tensor"), ("ui8", "tensor"), ("i16", "tensor"), ("i8", "axis")]
)
def test_casts(storage, granularity, tmp_path):
    q = activation(storage, 1)
    if granularity == "axis":
        q = Quantized("int8", scales(4, 2), (0,) * 4, 1)
    x = np.float32(np.random.default_rng(1).normal(0, 3, (500, 4)))
    x[0] = np.float32(q.scale) * np.float32([0.5, -0.5, 1.5, -2.5])  # halves
    model = Model()
    middle, result = model.tensor(x.shape, q), model.tensor(x.shape, "float32")
    model.op("QUANTIZE", [model.input(x.shape, "float32")], middle, version=3)
    model.op("DEQUANTIZE", [middle], result, version=3)
    check(model.content(middle, result), [x], tmp_path / "m.tflite")


# --- codes in other places -------------------------------------------------------

#: The schema's version of an operator that takes i8.
VERSIONS = {"TRANSPOSE": 2, "PAD": 2, "SLICE": 2, "STRIDED_SLICE": 2}
MOVEMENTS = {
    "RESHAPE": ((2, 12), "ReshapeOptions", [np.array([2, 12], np.int32)], {}),
    "SQUEEZE": ((4, 6), "SqueezeOptions", [], {"squeezeDims": [0]}),
    "EXPAND_DIMS": ((1, 4, 1, 6), "ExpandDimsOptions", [np.array([2], np.int32)], {}),
    "TRANSPOSE": ((6, 1, 4), "TransposeOptions", [np.array([2, 0, 1], np.int32)], {}),
    "PAD": ((2, 5, 9), "PadOptions", [np.array([[0, 1], [1, 0], [2, 1]], np.int32)], {}),
    "SLICE": ((1, 2, 6), "SliceOptions", [np.array([0, 1, 0], np.int32), np.array([1, 2, -1], np.int32)], {}),
    "STRIDED_SLICE": (
        (1, 2, 2), "StridedSliceOptions",
        [np.array([0, 3, -5], np.int32), np.array([1, 9, 0], np.int32), np.array([1, 1, 2], np.int32)],
        dict(beginMask=1, endMask=4),
    ),
}  # fmt: skip


@pytest.mark.parametrize("storage", ["i8", "ui8"])
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=proves(name, granularity="tensor")) for name in MOVEMENTS]
)
def test_movement(name, storage, tmp_path):
    shape, options, constants, fields = MOVEMENTS[name]
    x = activation(storage, 1)
    inputs = [codes((1, 4, 6), x.dtype)]
    model = Model()
    operands = [model.input((1, 4, 6), x), *(model.constant(c) for c in constants)]
    if name == "STRIDED_SLICE":
        shape = (1, 1, 3)  # from 3 to the end, and from -5 on in twos
    result = model.tensor(shape, x)
    model.op(name, operands, result, options=options, version=VERSIONS.get(name, 1), **fields)
    check(model.content(result), inputs, tmp_path / "m.tflite")


def test_mask_of_a_shrunk_axis(tmp_path):
    """LiteRT begins at 0 there, whatever `begin` says."""
    x = activation("i8", 1)
    lists = [np.array(values, np.int32) for values in ([2, 0], [0, 6], [1, 2])]
    model = Model()
    operands = [model.input((5, 6), x), *map(model.constant, lists)]
    result = model.tensor((3,), x)
    model.op(
        "STRIDED_SLICE", operands, result, options="StridedSliceOptions", version=4,
        beginMask=1, shrinkAxisMask=1,
    )  # fmt: skip
    check(model.content(result), [codes((5, 6))], tmp_path / "m.tflite")


@proves("CONCATENATION, SPLIT, SPLIT_V", granularity="tensor", storage="i8")
def test_parts(tmp_path):
    x = activation("i8", 1)
    model = Model()
    operand = model.input((3, 8), x)
    axis = model.constant(np.array(1, np.int32))
    halves = [model.tensor((3, 4), x) for _ in range(2)]
    model.op("SPLIT", [axis, operand], *halves, options="SplitOptions", version=2, numSplits=2)
    sizes = model.constant(np.array([3, -1], np.int32))
    uneven = [model.tensor((3, 3), x), model.tensor((3, 5), x)]
    model.op(
        "SPLIT_V", [operand, sizes, axis], *uneven, options="SplitVOptions", version=2, numSplits=2
    )
    result = model.tensor((3, 12), x)
    model.op(
        "CONCATENATION", [uneven[1], halves[0], uneven[0]], result, options="ConcatenationOptions",
        version=2, axis=-1,
    )  # fmt: skip
    check(model.content(result), [codes((3, 8))], tmp_path / "m.tflite")


# --- a network -------------------------------------------------------------------


def network(signature=None) -> bytes:
    """Convolution, depthwise convolution, addition, pool, fully connected."""
    x, a = activation("i8", 1), activation("i8", 2, around=0.3)
    b, c = activation("i8", 3, around=0.5), activation("i8", 4, around=0.5)
    model = Model()
    image = model.input((1, 12, 12, 3), x, signature)

    def weights(shape, axis, of):
        w = Quantized("int8", scales(shape[axis], shape[0]), 0, axis)
        bias = model.constant(bias_of(of, w, shape[axis]), bias_parameters(of, w))
        return model.constant(codes(shape, "int8", 1), w), bias

    def batched(*sizes):
        return None if signature is None else (-1, *sizes)

    first = model.tensor((1, 6, 6, 8), a, signature=batched(6, 6, 8))
    model.op(
        "CONV_2D", [image, *weights((8, 3, 3, 3), 0, x)], first, options="Conv2DOptions", version=3,
        padding=SAME, strideH=2, strideW=2, dilationHFactor=1, dilationWFactor=1,
        fusedActivationFunction=RELU6,
    )  # fmt: skip
    second = model.tensor((1, 6, 6, 8), b, signature=batched(6, 6, 8))
    model.op(
        "DEPTHWISE_CONV_2D", [first, *weights((1, 3, 3, 8), 3, a)], second, options="DepthwiseConv2DOptions",
        version=3, padding=SAME, strideH=1, strideW=1, dilationHFactor=1, dilationWFactor=1,
        depthMultiplier=1,
    )  # fmt: skip
    total = model.tensor((1, 6, 6, 8), c, signature=batched(6, 6, 8))
    model.op("ADD", [first, second], total, options="AddOptions", version=2)
    pooled = model.tensor((1, 3, 3, 8), c, signature=batched(3, 3, 8))
    model.op(
        "AVERAGE_POOL_2D", [total], pooled, options="Pool2DOptions", version=2, padding=VALID,
        strideH=2, strideW=2, filterHeight=2, filterWidth=2,
    )  # fmt: skip
    flat = model.tensor((1, 72), c, signature=batched(72))
    model.op(
        "RESHAPE",
        [pooled, model.constant(np.array([-1, 72], np.int32))],
        flat,
        options="ReshapeOptions",
    )
    y = activation("i8", 5, around=2.0)
    result = model.tensor((1, 10), y, signature=batched(10))
    w = Quantized("int8", scales(1, 9)[0], 0)
    bias = model.constant(bias_of(c, w, 10), bias_parameters(c, w))
    model.op(
        "FULLY_CONNECTED", [flat, model.constant(codes((10, 72)), w), bias], result,
        options="FullyConnectedOptions", version=4,
    )  # fmt: skip
    return model.content(result)


@proves(
    "a network of CONV_2D, DEPTHWISE_CONV_2D, ADD, AVERAGE_POOL_2D, FULLY_CONNECTED",
    granularity="axis",
    storage="i8",
)
def test_network(tmp_path):
    content = network()
    for seed in range(5):
        results = check(content, [codes((1, 12, 12, 3), "int8", seed)], tmp_path / "m.tflite")
        assert len(np.unique(results[0])) > 3


def test_network_of_open_batch(tmp_path):
    content = network(signature=(-1, 12, 12, 3))
    (result,) = check(content, [codes((7, 12, 12, 3))], tmp_path / "m.tflite")
    assert result.shape == (7, 10)


def test_kernels_differ():
    """What the profiles are for: LiteRT's own kernels do not agree on this network."""
    inputs = [codes((64, 12, 12, 3), "int8", 1)]
    content = network(signature=(-1, 12, 12, 3))
    reference, default = (litert(content, inputs, RESOLVERS[profile])[0] for profile in RESOLVERS)
    assert (reference != default).any()
