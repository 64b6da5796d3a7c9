# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""AMD Quark's operators, compiled, against a NumPy statement of their documents.

The statement agrees with Quark's kernel (0.13) on f32 operands but for f16 storage and for what the kernel converts
through int64: docs/Sources.md.
"""

import ml_dtypes
import numpy as np
import pytest
from onnx_nodes import Node, Operand, check

from mlir_qdq import runtime

DTYPES = {
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "ui8": np.uint8,
    "ui16": np.uint16,
    "ui32": np.uint32,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
}
INTEGERS = [name for name in DTYPES if "i" in name]
STORAGES = [*INTEGERS, "f16", "bf16"]
LARGEST = {"f16": 65504.0, "bf16": float(ml_dtypes.finfo(ml_dtypes.bfloat16).max)}
SHAPE = (3, 4, 5)
#: Shape of the parameters, and that in which they stand beside the input.
PARAMETERS = {"tensor": ((), ()), "one": ((1,), ()), "axis": ((4,), (4, 1))}
NAMES = {
    "com.amd.quark": ("ExtendedQuantizeLinear", "ExtendedDequantizeLinear"),
    "com.vai.quantize": ("VitisQuantizeLinear", "VitisDequantizeLinear"),
}


def quantize(x, scale, zero_point, storage):
    """saturate(x / y_scale + y_zero_point): divided in f32, integers rounded to even before an exact sum."""
    dtype = DTYPES[storage]
    with np.errstate(all="ignore"):
        ratio = x.astype(np.float32) / scale.astype(np.float32)
        if storage in LARGEST:
            # Without a zero point nothing is added, which -0 shows.
            moved = ratio if zero_point is None else ratio + zero_point.astype(np.float32)
            return np.clip(moved, -LARGEST[storage], LARGEST[storage]).astype(dtype)
        info = np.iinfo(dtype)
        rounded = np.rint(ratio).astype(np.float64).clip(-(2.0**62), 2.0**62)
        total = np.where(np.isnan(rounded), 0, rounded).astype(np.int64)
        if zero_point is not None:
            total = total + zero_point.astype(np.int64)
        total = total.clip(info.min, info.max)
        return np.where(np.isnan(rounded), info.min, total).astype(dtype)


def dequantize(x, scale, zero_point, storage):
    """(x - x_zero_point) * x_scale: the difference exact for integers, in f32 for floats; the product in f32, as the scale's type."""
    if zero_point is None:
        zero_point = np.zeros((), DTYPES[storage])
    with np.errstate(all="ignore"):
        if storage in LARGEST:
            difference = x.astype(np.float32) - zero_point.astype(np.float32)
        else:
            difference = (x.astype(np.int64) - zero_point.astype(np.int64)).astype(np.float32)
        return (difference * scale.astype(np.float32)).astype(scale.dtype)


def parameters(random, storage, shape, scale_type="f32"):
    scale = np.asarray(random.uniform(0.01, 2.0, shape)).astype(DTYPES[scale_type])
    if storage in LARGEST:
        return scale, np.asarray(random.uniform(-9, 9, shape)).astype(DTYPES[storage])
    info = np.iinfo(DTYPES[storage])
    zero_point = random.integers(info.min, info.max, shape, np.int64, endpoint=True)
    return scale, np.asarray(zero_point).astype(DTYPES[storage])


def reals(random, storage, scale, element="f32"):
    """Ties, values over the whole range and beyond, NaN and infinities."""
    size = int(np.prod(SHAPE))
    largest = LARGEST.get(storage) or float(np.iinfo(DTYPES[storage]).max)
    with np.errstate(all="ignore"):
        x = np.choose(
            random.integers(0, 3, size),
            [
                random.integers(-40, 40, size) / 2,
                random.uniform(-1.2, 1.2, size) * largest,
                random.uniform(-200, 200, size),
            ],
        ).astype(np.float32)
        x *= np.float32(scale.reshape(-1)[0])
        x[:8] = [np.nan, np.inf, -np.inf, 0.0, -0.0, 3e38, -3e38, 1e-45]
        return random.permutation(x).reshape(SHAPE).astype(DTYPES[element])


def codes(random, storage):
    if storage in LARGEST:
        return random.integers(0, 1 << 16, SHAPE, np.uint16).view(DTYPES[storage])
    info = np.iinfo(DTYPES[storage])
    q = random.integers(info.min, info.max, SHAPE, np.int64, endpoint=True)
    q[0, 0, :3] = info.min, info.max, 0
    return q.astype(DTYPES[storage])


def node(domain, operation, storage, granularity, x, element, scale, zero_point, **kwargs):
    """`operation`: 0 to quantize, 1 to dequantize. A zero point of None is left out."""
    is_constant = kwargs.pop("is_constant", False)
    beside = PARAMETERS[granularity][1]
    zero = None if zero_point is None else zero_point.reshape(beside)
    scale_type = next(name for name, dtype in DTYPES.items() if dtype == scale.dtype)
    expected = (quantize, dequantize)[operation](x, scale.reshape(beside), zero, storage)
    operands = [Operand(x, element), Operand(scale, scale_type, is_constant)]
    if zero_point is not None:
        operands.append(Operand(zero_point, storage, is_constant))
    axis = kwargs.pop("axis", 1)
    attributes = {"axis": axis} if granularity == "axis" else {}
    return Node(
        domain,
        NAMES[domain][operation],
        tuple(operands),
        expected,
        scale_type if operation else storage,
        attributes,
        **kwargs,
    )


def variants(operation, storage, granularity):
    """Static and dynamic shapes, parameters that are constants or arguments, both domains, with and without a zero point."""
    random = np.random.default_rng([operation, STORAGES.index(storage), len(granularity)])
    shapes = ["tensor", "one"] if granularity == "tensor" else ["axis"]
    nodes = []
    for which in shapes:
        for index, (dynamic, is_constant) in enumerate(
            [(False, False), (True, False), (False, True), (True, True)]
        ):
            scale, zero_point = parameters(random, storage, PARAMETERS[which][0])
            x = reals(random, storage, scale) if operation == 0 else codes(random, storage)
            element = storage if operation else "f32"
            rest = dict(dynamic=dynamic, is_constant=is_constant)
            # A dynamic vector of parameters would be one for each index of the axis.
            if which == "one" and dynamic and not is_constant:
                continue
            domain = list(NAMES)[index % 2]
            nodes.append(
                node(domain, operation, storage, which, x, element, scale, zero_point, **rest)
            )
            if index == 0:
                nodes.append(
                    node(domain, operation, storage, which, x, element, scale, None, **rest)
                )
                nodes.append(
                    node(
                        domain, operation, storage, which, x, element, scale, zero_point,
                        axis=-2, **rest,
                    )
                )  # fmt: skip
    return nodes


@pytest.mark.proves(
    "AMD Quark", "ExtendedQuantizeLinear", against="NumPy statement of its document"
)
@pytest.mark.every_value
@pytest.mark.parametrize("granularity", ["tensor", "axis"])
@pytest.mark.parametrize("storage", STORAGES)
def test_quantize(storage, granularity):
    check(variants(0, storage, granularity))


@pytest.mark.proves(
    "AMD Quark", "ExtendedDequantizeLinear", against="NumPy statement of its document"
)
@pytest.mark.every_value
@pytest.mark.parametrize("granularity", ["tensor", "axis"])
@pytest.mark.parametrize("storage", STORAGES)
def test_dequantize(storage, granularity):
    check(variants(1, storage, granularity))


def test_f16_and_bf16_operands():
    """Inputs and scales of 16 bits are widened; the result of a dequantize is rounded to the type of the scale."""
    random = np.random.default_rng(7)
    nodes = []
    for element in ("f16", "bf16"):
        for storage in ("i8", "ui16", "bf16"):
            scale, zero_point = parameters(random, storage, (4,))
            x = reals(random, storage, scale, element)
            args = ("com.amd.quark", 0, storage, "axis", x, element)
            nodes.append(node(*args, scale, zero_point))
            scale, zero_point = parameters(random, storage, (4,), element)
            nodes.append(node(*args, scale, zero_point))
            q = codes(random, storage)
            nodes.append(node("com.amd.quark", 1, storage, "axis", q, storage, scale, zero_point))
    check(nodes)


def test_integers_are_exact():
    """i32 and ui32 sums and differences that f32, or 32 bits, would spoil."""
    x = np.array([2.0**31, -(2.0**31), 2.0**24, 1.5, 2.5, -0.5], np.float32).reshape(1, 6)
    one = np.float32(1)
    compiled = runtime.compile("""
func.func @q(%x: tensor<1x6xf32>, %s: tensor<f32>, %z: tensor<i32>) -> tensor<1x6xi32> {
  %q = "onnx.Custom"(%x, %s, %z) {domain_name = "com.amd.quark", function_name = "ExtendedQuantizeLinear"} : (tensor<1x6xf32>, tensor<f32>, tensor<i32>) -> tensor<1x6xi32>
  return %q : tensor<1x6xi32>
}
func.func @d(%x: tensor<3xi32>, %s: tensor<f32>, %z: tensor<i32>) -> tensor<3xf32> {
  %q = "onnx.Custom"(%x, %s, %z) {domain_name = "com.amd.quark", function_name = "ExtendedDequantizeLinear"} : (tensor<3xi32>, tensor<f32>, tensor<i32>) -> tensor<3xf32>
  return %q : tensor<3xf32>
}""")
    got = compiled.q(x, np.asarray(one), np.asarray(np.int32(-(2**31))))
    assert got.tolist() == [[0, -(2**31), 2**24 - 2**31, 2 - 2**31, 2 - 2**31, -(2**31)]]
    q = np.array([2**31 - 1, 0, -(2**31)], np.int32)
    got = compiled.d(q, np.asarray(one), np.asarray(np.int32(-(2**31))))
    assert got.tolist() == [2.0**32, 2.0**31, 0.0]
