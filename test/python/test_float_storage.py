# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled code with float storage against the NumPy reference: every format, rounding, overflow and source type."""

import itertools

import numpy as np
import pytest
from float_values import SMALL, edges, every, every_code
from kernels import EXPRESSED, ROUNDINGS, Kernel, check, dtype_of, same

from mlir_qdq import reference, runtime
from mlir_qdq.reference.types import FLOAT_STORAGE, SCALES

ALL_ROUNDINGS = (*ROUNDINGS, "stochastic")
OVERFLOWS = ("saturate", "ieee")


def hold(kernels: list[Kernel], arguments, **options) -> None:
    """Compiles all in one module; `arguments` gives those of a kernel."""
    compiled = runtime.compile("".join(k.text(f"f{i}") for i, k in enumerate(kernels)), **options)
    for index, kernel in enumerate(kernels):
        x, *parameters = arguments(kernel)
        expected, _ = kernel.expected(x, *parameters)
        got = compiled[f"f{index}"](x, *parameters)
        agree = same(got, expected)
        if not agree.all():
            at = tuple(np.argwhere(~agree)[0])
            raise AssertionError(
                f"{(~agree).sum()} of {agree.size} differ; first at {at}: x = {x[at]!r}, "
                f"got {got[at]!r}, expected {expected[at]!r}\n{kernel.text('f')}"
            )


def quantize_kernels(storage: str, source: str, x, roundings, overflows=OVERFLOWS):
    return [
        Kernel("quantize", storage, source, source, x.shape, semantics={"rounding": rounding, "float_overflow": overflow})
        for rounding, overflow in itertools.product(roundings, overflows)
    ]  # fmt: skip


@pytest.mark.parametrize("storage", FLOAT_STORAGE)
def test_every_rounding(storage):
    """Every value of f16 and bf16 in f32, and what lies around each value of the format."""
    x = np.concatenate(
        [
            every("f16").astype(np.float32),
            every("bf16").astype(np.float32),
            edges(storage, np.float32),
        ]
    )
    hold(quantize_kernels(storage, "f32", x, ALL_ROUNDINGS), lambda _: (x, np.float32(1)))


@pytest.mark.parametrize("storage", FLOAT_STORAGE)
def test_from_f64(storage):
    """One rounding: a step to nearest in f32 would show one f64 step beside the ties."""
    x = edges(storage, np.float64)
    kernels = quantize_kernels(storage, "f64", x, ALL_ROUNDINGS, ("ieee",))
    kernels += quantize_kernels(storage, "f64", x, ("nearest-even",), ("saturate",))
    hold(kernels, lambda _: (x, np.float64(1)))


@pytest.mark.parametrize("source", ["f16", "bf16"])
def test_from_sixteen_bits(source):
    x = every(source)
    kernels = []
    for storage in FLOAT_STORAGE:
        kernels += quantize_kernels(storage, source, x, ("nearest-even", "floor"), ("ieee",))
        kernels += quantize_kernels(
            storage, source, x, ("nearest-even", "stochastic"), ("saturate",)
        )
    hold(kernels, lambda _: (x, x.dtype.type(1)))


@pytest.mark.parametrize("result", EXPRESSED)
def test_dequantize_every_code(result):
    kernels, scales = [], {}
    for storage in SMALL:
        q = every_code(dtype_of(storage))
        for scale, value in (("f32", 1), ("f32", 0.3), ("f16", 6e-8), ("f64", 1e-300)):
            kernels.append(Kernel("dequantize", storage, result, scale, q.shape))
            scales[id(kernels[-1])] = dtype_of(scale).type(value)
        kernels.append(Kernel("dequantize", storage, result, "f32", q.shape, "f32"))
        scales[id(kernels[-1])] = np.float32(0.3)

    def arguments(kernel):
        parameters = [scales[id(kernel)], np.float32(1.1)]
        return every_code(dtype_of(kernel.storage)), *parameters[: 1 + bool(kernel.zero_point)]

    hold(kernels, arguments)


@pytest.mark.parametrize("factor", ["f16", "bf16"])
def test_bf16_to_f16(factor):
    """Products that f16 holds, of factors that it does not."""
    x = every("bf16")
    s = np.float32([2.0**-4, 2.0**-16]).astype(dtype_of(factor))
    text = f"""
      func.func @f(%x: tensor<2x65536xbf16>, %s: tensor<2x{factor}>) -> tensor<2x65536xf16> {{
        %y = qdq.dequantize %x scale %s axis 0
          : (tensor<2x65536xbf16>, tensor<2x{factor}>) -> tensor<2x65536xf16>
        return %y : tensor<2x65536xf16>
      }}"""
    x = np.stack([x, x])
    with np.errstate(over="ignore", invalid="ignore"):
        expected = (x.astype(np.float32) * s.astype(np.float32)[:, None]).astype(np.float16)
    for options in ({}, {"target": "linalg"}):
        assert same(runtime.compile(text, **options).f(x, s), expected).all()


@pytest.mark.parametrize("scale", [name for name in SCALES if name.startswith("f8")])
def test_scales_of_eight_bits(scale):
    """Every code of the scale; per axis and in blocks, from and to float and integer storage."""
    s = every_code(SCALES[scale].dtype)
    random = np.random.default_rng(3)
    x = random.standard_normal((256, 40)).astype(np.float32) * 4
    q = random.integers(0, 16, (256, 40)).astype(np.uint8).view(dtype_of("f4E2M1FN"))
    i = random.integers(-128, 128, (256, 40)).astype(np.int8)
    axis, block = dict(axis=0), dict(block_shape=(1, 0))
    cases = [
        (q, Kernel("dequantize", "f4E2M1FN", "f32", scale, q.shape, **axis)),
        (q, Kernel("dequantize", "f4E2M1FN", "bf16", scale, q.shape, **block)),
        (i, Kernel("dequantize", "i8", "f32", scale, i.shape, **axis)),
        (x, Kernel("quantize", "f4E2M1FN", "f32", scale, x.shape, **axis)),
        (x, Kernel("quantize", "f8E4M3FN", "f32", scale, x.shape, **block)),
        (x, Kernel("quantize", "i8", "f32", scale, x.shape, **axis)),
    ]
    values = {id(kernel): value for value, kernel in cases}
    hold(
        [kernel for _, kernel in cases],
        lambda kernel: (values[id(kernel)], s.reshape(kernel.parameter_shape)),
    )


@pytest.mark.parametrize("result", ["f16", "bf16", "f32"])
def test_constant_scales(result):
    """Scales of one code, as constants: folds see zeros, NaN and infinities of each format."""
    names = [name for name in SCALES if name.startswith("f8")]
    cases = [(name, code) for name in names for code in (0x00, 0x01, 0x7C, 0x7F, 0x80, 0xFE, 0xFF)]
    x = np.array([-2, -1, 0, 1, 3], np.int8)
    text = "".join(
        f"func.func @f{i}(%x: tensor<5xi8>) -> tensor<5x{result}> {{\n"
        f"  %s = arith.constant dense<0x{code:02X}> : tensor<1x{name}>\n"
        f"  %r = qdq.dequantize %x scale %s block_shape [5]"
        f" : (tensor<5xi8>, tensor<1x{name}>) -> tensor<5x{result}>\n"
        f"  return %r : tensor<5x{result}>\n}}\n"
        for i, (name, code) in enumerate(cases)
    )
    compiled = runtime.compile(text)
    for i, (name, code) in enumerate(cases):
        scale = np.array([code], np.uint8).view(SCALES[name].dtype)
        expected = reference.dequantize(x, scale, expressed=dtype_of(result), block_shape=(5,))
        got = compiled[f"f{i}"](x)
        assert same(got, expected).all(), (name, hex(code), got, expected)


FORMS = [{"target": "linalg"}, {"vector_bits": 128}, {"expand_math": True}, {"block_form": "map"}]


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_forms(form):
    """Short and dividing blocks and an axis, in loops and vectors."""
    kernels = []
    for storage, place in itertools.product(
        ("f8E4M3FN", "f6E2M3FN", "f4E2M1FN"),
        (dict(axis=1), dict(block_shape=(1, 16)), dict(block_shape=(1, 7))),
    ):
        for operation in ("quantize", "dequantize"):
            kernels.append(Kernel(operation, storage, "f32", "f32", (5, 48), storage, **place))
    check(kernels, **form)


def test_scalars():
    """As arguments and results, of every format."""
    text = "".join(
        f"func.func @q_{name}(%x: f32, %s: f32) -> {name} {{\n"
        f"  %r = qdq.quantize %x scale %s : (f32, f32) -> {name}\n  return %r : {name}\n}}\n"
        f"func.func @d_{name}(%x: {name}, %s: f8E8M0FNU) -> f32 {{\n"
        f"  %r = qdq.dequantize %x scale %s : ({name}, f8E8M0FNU) -> f32\n  return %r : f32\n}}\n"
        for name in FLOAT_STORAGE
    )
    compiled = runtime.compile(text)
    scale, quarter = np.float32(0.7), np.asarray(0.25, SCALES["f8E8M0FNU"].dtype)
    for name, x in itertools.product(FLOAT_STORAGE, np.float32([1.3, -2.7, 1e9, np.nan])):
        q = np.asarray(compiled[f"q_{name}"](x, scale))
        assert same(q, np.asarray(reference.quantize(x, scale, storage=name))).all(), (name, x)
        with np.errstate(invalid="ignore"):
            expected = q.astype(np.float32) * np.float32(0.25)
        np.testing.assert_array_equal(np.float32(compiled[f"d_{name}"](q, quarter)), expected)


def test_vectors():
    """quantize on vectors, in blocks, drawn by the position in the vector."""
    formats = [
        name
        for name in FLOAT_STORAGE
        if FLOAT_STORAGE[name].dtype.itemsize > 1 or name.startswith("f8")
    ]
    text = "".join(
        f"""func.func @{name}(%x: tensor<16xf32>, %s: tensor<4xf8E4M3FN>) -> tensor<16x{name}> {{
          %c0 = arith.constant 0 : index
          %z = arith.constant 0.0 : f32
          %z8 = arith.constant 0.0 : f8E4M3FN
          %v = vector.transfer_read %x[%c0], %z : tensor<16xf32>, vector<16xf32>
          %sv = vector.transfer_read %s[%c0], %z8 : tensor<4xf8E4M3FN>, vector<4xf8E4M3FN>
          %r = qdq.quantize %v scale %sv block_shape [4] semantics <rounding = stochastic>
            : (vector<16xf32>, vector<4xf8E4M3FN>) -> vector<16x{name}>
          %e = tensor.empty() : tensor<16x{name}>
          %w = vector.transfer_write %r, %e[%c0] : vector<16x{name}>, tensor<16x{name}>
          return %w : tensor<16x{name}>
        }}
        """
        for name in formats
    )
    compiled = runtime.compile(text, seed=3)
    x = np.linspace(-7, 7, 16).astype(np.float32)
    scale = np.array([0.5, 1, 2, 0.25]).astype(dtype_of("f8E4M3FN"))
    for name in formats:
        expected = reference.quantize(
            x, scale, storage=name, block_shape=(4,), semantics={"rounding": "stochastic"}, seed=3
        )
        assert same(compiled[name](x, scale), expected).all(), name
