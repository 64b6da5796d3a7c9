# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""OpenPPL pmx DequantizeLinear, compiled, against a NumPy statement of its document."""

import numpy as np
import packing_formats
import pytest
from onnx_nodes import Node, Operand, check

FLOATS = {"f16": np.float16, "f32": np.float32}
#: Codes of i4 and ui4 lie in i16, those of i8 are the input.
SHAPES = {"i8": (6, 8), "i4": (12, 6), "ui4": (12, 6)}
#: The zero point of each storage; ui4 codes are those around one that is subtracted.
ZERO_POINTS = {
    "i8": [None, "i8", "f16", "f32", "bias f16", "bias f32"],
    "i4": [None, "bias f16", "bias f32"],
    "ui4": ["i8", "f16", "f32"],
}


def granularities(shape):
    """The shape of the parameters and the attributes, for each name."""
    rows, columns = shape
    return {
        "tensor": [((), {}), ((1,), {"quant_axis": 0})],
        "axis": [
            ((rows,), {}),
            ((rows, 1), {"group_size": 0}),
            ((1, columns), {"group_size": 0, "quant_axis": 0}),
        ],
        "block": [
            ((rows, columns // 2), {"group_size": 2}),
            ((rows // 3, columns), {"group_size": 3, "quant_axis": 0}),
        ],
    }


def dequantize(codes, scale, zero_point, kind):
    """scale * (quantized - zeropoint), or of a bias scale * quantized + zeropoint; every step in the type of the scale, but
    that a difference of integers is exact."""
    dtype = scale.dtype
    for axis in range(codes.ndim if scale.ndim == codes.ndim else 0):
        repeats = codes.shape[axis] // scale.shape[axis]
        scale = scale.repeat(repeats, axis)
        zero_point = None if zero_point is None else zero_point.repeat(repeats, axis)
    if scale.ndim == 1 and scale.size > 1:
        scale = scale[:, None]
        zero_point = None if zero_point is None else zero_point[:, None]
    integers = codes.astype(np.int32)
    if kind == "i8":
        integers = integers - zero_point.astype(np.int32)
    values = integers.astype(dtype)
    if kind in FLOATS:
        values = values - zero_point.astype(dtype)
    values = values * scale
    if kind and kind.startswith("bias"):
        values = values + zero_point.astype(dtype)
    return values


def node(random, storage, scale_type, kind, parameters, attributes, dynamic, is_constant):
    shape = SHAPES[storage]
    if storage == "i8":
        stored = random.integers(-128, 128, shape, np.int8)
        codes, element = stored, "i8"
    else:
        stored = random.integers(-(2**15), 2**15, (shape[0] // 4, shape[1]), np.int16)
        stored[0, 0] = 0x0F  # the least and the largest code
        codes, element = packing_formats.unpack_pmx(stored).astype(np.int32), "i16"
        # Signed codes are stored with 8 added.
        codes = codes - 8 if storage == "i4" else codes
    scale = np.asarray(random.uniform(0.001, 0.1, parameters)).astype(FLOATS[scale_type])
    operands = [Operand(stored, element), Operand(scale, scale_type, is_constant)]
    attributes = {"quant_data_type": "int8" if storage == "i8" else "int4", **attributes}
    zero_point = None
    if kind is not None:
        zero_type = kind.split()[-1]
        if zero_type == "i8":
            lowest, highest = (-128, 127) if storage == "i8" else (0, 15)
            zero_point = random.integers(lowest, highest, parameters, np.int8, endpoint=True)
            zero_point = np.asarray(zero_point, np.int8)
        else:
            zero_point = np.asarray(random.uniform(-9, 9, parameters)).astype(FLOATS[zero_type])
        operands.append(Operand(zero_point, zero_type, is_constant))
        attributes |= {"has_zeropoint": 1, "float_zeropoint": int(kind.startswith("bias"))}
    expected = dequantize(codes, scale, zero_point, kind)
    domain = random.choice(["pmx", "opmx"])
    return Node(
        domain, "DequantizeLinear", tuple(operands), expected, scale_type, attributes, dynamic
    )


@pytest.mark.proves("OpenPPL pmx", "DequantizeLinear", against="NumPy statement of its document")
@pytest.mark.parametrize("granularity", ["tensor", "axis", "block"])
@pytest.mark.parametrize("storage", list(SHAPES))
def test_dequantize(storage, granularity):
    """Static and dynamic shapes; parameters that are constants or arguments; f16 and f32."""
    random = np.random.default_rng(5)
    nodes = []
    for kind in ZERO_POINTS[storage]:
        for parameters, attributes in granularities(SHAPES[storage])[granularity]:
            # A vector of unknown length is one of channels, not one for all.
            is_open = parameters != (1,)
            arguments = (is_open, False), (is_open, True)
            forms = (False, False), arguments[len(nodes) // 2 % 2]
            for scale_type, (dynamic, is_constant) in zip(FLOATS, forms[:: random.choice([-1, 1])]):
                rest = (parameters, attributes, dynamic, is_constant)
                nodes.append(node(random, storage, scale_type, kind, *rest))
    check(nodes)


def test_groups_of_128_where_nothing_is_said():
    random = np.random.default_rng(6)
    codes = random.integers(-128, 128, (3, 384), np.int8)
    scale = random.uniform(0.001, 0.1, (3, 3)).astype(np.float32)
    expected = codes.astype(np.float32) * scale.repeat(128, axis=1)
    operands = (Operand(codes, "i8"), Operand(scale, "f32"))
    check(
        [Node("pmx", "DequantizeLinear", operands, expected, "f32", {}, d) for d in (False, True)]
    )


def test_rank_3():
    """int4x4 is along dimension 0, whatever the rank."""
    random = np.random.default_rng(8)
    stored = random.integers(-(2**15), 2**15, (2, 6, 5), np.int16)
    codes = packing_formats.unpack_pmx(stored).astype(np.float32) - 8
    scale = random.uniform(0.001, 0.1, (8, 2, 5)).astype(np.float32)
    expected = codes * scale.repeat(3, axis=1)
    operands = (Operand(stored, "i16"), Operand(scale, "f32"))
    check([Node("pmx", "DequantizeLinear", operands, expected, "f32", {"group_size": 3})])
