# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Divisions by a scale with math.fma: the codes of the NumPy reference, which divides. tools/verify has all significands."""

import itertools

import numpy as np
import pytest
from kernels import ROUNDINGS, Kernel, same, specials

from mlir_qdq import runtime
from mlir_qdq.reference.semantics import FIELD_VALUES

#: Usual ones; both ends of the range that has reciprocals, and beyond; what no scale should be.
SCALES = np.concatenate(
    [
        np.array([0.02, 0.1, 3, 1, 2.0**-7, 1 - 2.0**-24, 2 - 2.0**-23, 1 + 2.0**-23, 1e-10, 1e10]),
        np.ldexp([1, 1 + 2.0**-23, 1 - 2.0**-24], [[-60], [60], [-126], [126]]).ravel(),
        np.array([1e-40, 2.0**-149, 1e38, np.inf, np.nan, 0.0, -0.0, -0.1, -np.inf, -1e-40]),
    ]
).astype(np.float32)


def numerators(scales: np.ndarray, highest: int) -> np.ndarray:
    """A row for each scale: ties times the scale and their neighbors, bounds, specials, tiny values."""
    ties = np.arange(-2 * highest - 6, 2 * highest + 7, max(1, highest // 64)) / 2
    with np.errstate(over="ignore", invalid="ignore"):
        at = (ties[None] * scales[:, None].astype(np.float64)).astype(np.float32)
        beside = [at, *(np.nextafter(at, np.float32(end)) for end in (-np.inf, np.inf))]
    tiny = np.ldexp(1.5, np.arange(-149, -20, 8)).astype(np.float32)
    others = np.concatenate([specials(np.float32), tiny, -tiny])
    all = np.concatenate([*beside, np.broadcast_to(others, (scales.size, others.size))], axis=1)
    # Of whole vectors, whatever their size: tails are in test_sizes.
    return np.take(all, np.arange(-(-all.shape[1] // 256) * 256), axis=1, mode="wrap")


def options(**more):
    return {"runtime_checks": False, **more}


def check(kernel: Kernel, *given, **more) -> None:
    check_all([(kernel, *given)], **more)


def check_all(cases: list[tuple], **more) -> None:
    """Kernels with their arguments, in one module."""
    text = "".join(kernel.text(f"f{i}") for i, (kernel, *_) in enumerate(cases))
    compiled = runtime.compile(text, **options(**more))
    for i, (kernel, *given) in enumerate(cases):
        given = [array for array in given if array is not None]
        with np.errstate(all="ignore"):
            expected, defined = kernel.expected(*given)
        assert same(compiled[f"f{i}"](*given), expected, defined).all(), kernel


def highest_of(storage: str) -> int:
    return {"i4": 7, "i8": 127, "ui8": 255, "i16": 32767, "f8E4M3FN": 448, "f8E5M2": 57344}[storage]


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("storage", ["i8", "ui8", "i16", "f8E4M3FN", "f8E5M2"])
def test_granularities(storage, dynamic):
    """One scale, one for each row, one for each column: each scale in turn, and all beside each other."""
    x = numerators(SCALES, highest_of(storage))
    semantics = dict(compute="f32")
    kernel = Kernel("quantize", storage, "f32", "f32", x.shape, axis=0, semantics=semantics, dynamic=dynamic)  # fmt: skip
    check(kernel, x, SCALES)
    columns, scales = np.tile(x.T, (1, 2)), np.tile(SCALES, 2)
    kernel = Kernel("quantize", storage, "f32", "f32", columns.shape, axis=1, semantics=semantics, dynamic=dynamic)  # fmt: skip
    check(kernel, columns, scales)
    kernel = Kernel("quantize", storage, "f32", "f32", x[0].shape, semantics=semantics, dynamic=dynamic)  # fmt: skip
    main = runtime.compile(kernel.text("main"), **options()).main
    for row, scale in zip(x, SCALES):
        with np.errstate(all="ignore"):
            expected, defined = kernel.expected(row, scale)
        assert same(main(row, scale), expected, defined).all(), scale


@pytest.mark.parametrize("rounding", ROUNDINGS)
def test_roundings(rounding):
    """Every rounding, order, and rule for NaN and overflow, with a zero point: some keep their divisions."""
    x = np.ascontiguousarray(numerators(SCALES, 127).T)
    choices = itertools.product(
        FIELD_VALUES["order"], FIELD_VALUES["nan"], FIELD_VALUES["overflow"]
    )
    zero_points = np.resize(np.array([0, -128, 127, 5], np.int8), SCALES.shape)
    kernels = [
        Kernel("quantize", "i8", "f32", "f32", x.shape, zero_point="i8", axis=1,
               semantics=dict(rounding=rounding, order=order, nan=nan, overflow=overflow))
        for order, nan, overflow in choices
    ]  # fmt: skip
    text = "".join(kernel.text(f"f{i}") for i, kernel in enumerate(kernels))
    compiled = runtime.compile(text, **options())
    for i, kernel in enumerate(kernels):
        with np.errstate(all="ignore"):
            expected, defined = kernel.expected(x, SCALES, zero_points)
        assert same(compiled[f"f{i}"](x, SCALES, zero_points), expected, defined).all(), kernel


@pytest.mark.every_value
@pytest.mark.parametrize("bits", [128, 256, 512])
@pytest.mark.parametrize("value", ["f16", "bf16", "f32", "f64"])
def test_types(value, bits):
    """Inputs that are widened to f32, and f64, which is divided; a constant scale; float zero points."""
    x = numerators(np.array([0.0999], np.float32), 127)
    with np.errstate(over="ignore"):
        x = x.astype(
            Kernel("quantize", "i8", value, value, x.shape)
            .arguments(np.random.default_rng())[0]
            .dtype
        )
    cases = []
    for compute, scale, z in itertools.product(["auto", "f32"], ["f32", value], [None, "f32"]):
        kernel = Kernel(
            "quantize", "i8", value, scale, x.shape, zero_point=z, semantics=dict(compute=compute)
        )
        given = kernel.arguments(np.random.default_rng(1))[1:]
        cases.append((kernel, x, *given))
    check_all(cases, vector_bits=bits)


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("storage", ["i4", "i8", "f8E4M3FN"])
def test_blocks(storage, dynamic):
    rows = numerators(SCALES, highest_of(storage))
    x = np.ascontiguousarray(rows[:, : rows.shape[1] // 32 * 32])
    scales = np.repeat(SCALES[:, None], x.shape[1] // 32, axis=1)
    kernel = Kernel(
        "quantize", storage, "f32", "f32", x.shape, block_shape=(1, 32), dynamic=dynamic
    )
    check(kernel, x, scales)


@pytest.mark.parametrize("shape", [(0, 40), (3, 0), (1, 1), (5, 15), (1, 300), (7, 33)])
def test_sizes(shape):
    """No elements, less than a vector, tails."""
    random, cases = np.random.default_rng(2), []
    x = random.uniform(-300, 300, shape).astype(np.float32)
    for axis, dynamic in itertools.product([None, 0, 1], [False, True]):
        kernel = Kernel("quantize", "i8", "f32", "f32", shape, axis=axis, dynamic=dynamic)
        scale = np.asarray(random.uniform(0.5, 4, kernel.parameter_shape), np.float32)
        cases.append((kernel, x, scale))
    check_all(cases)


@pytest.mark.parametrize("axis", [None, 0, 1, 2])
def test_threads_and_rank(axis):
    random = np.random.default_rng(3)
    x = random.uniform(-300, 300, (6, 64, 96)).astype(np.float32)
    kernel = Kernel("quantize", "i8", "f32", "f32", x.shape, axis=axis)
    scale = np.asarray(random.uniform(0.5, 4, kernel.parameter_shape), np.float32)
    for more in (dict(threads=2), dict(stream_bytes=1), dict(vector_bits=256)):
        check(kernel, x, scale, **more)


def test_constant_scales():
    """Their reciprocals are constants, or computed before the loop."""
    random = np.random.default_rng(4)
    x = random.uniform(-300, 300, (8, 64)).astype(np.float32)
    scales = random.uniform(0.5, 4, 64).astype(np.float32)
    for shape, axis in (((), ""), ((64,), "axis 1")):
        scale = scales.reshape(-1)[: int(np.prod(shape))].reshape(shape)
        parameter = f"tensor<{''.join(f'{n}x' for n in shape)}f32>"
        for spelled in (f'dense<"0x{scale.tobytes().hex()}">', "dense_resource<s>"):
            if not shape and "resource" in spelled:
                continue
            text = f"""func.func @main(%x: tensor<8x64xf32>) -> tensor<8x64xi8> {{
              %s = arith.constant {spelled} : {parameter}
              %q = qdq.quantize %x scale %s {axis} : (tensor<8x64xf32>, {parameter}) -> tensor<8x64xi8>
              return %q : tensor<8x64xi8>
            }}
            {{-# dialect_resources: {{builtin: {{s: "0x04000000{scale.tobytes().hex()}"}}}} #-}}"""
            expected = np.clip(np.rint(x / scale), -128, 127).astype(np.int8)
            np.testing.assert_array_equal(runtime.compile(text, **options()).main(x), expected)
