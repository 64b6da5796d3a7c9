# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of other systems' domains, imported and run by the ONNX backend."""

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx_models import NODE, make_model, value
from packing_formats import unpack_pmx

import mlir_qdq.backend


@pytest.mark.parametrize(
    "domain, quantize, dequantize",
    [
        ("com.amd.quark", "ExtendedQuantizeLinear", "ExtendedDequantizeLinear"),
        ("com.vai.quantize", "VitisQuantizeLinear", "VitisDequantizeLinear"),
        ("com.microsoft", "QuantizeLinear", "DequantizeLinear"),
    ],
)
@pytest.mark.parametrize("is_constant", [False, True])
def test_quantize_and_back(domain, quantize, dequantize, is_constant):
    """Codes of 16 bits, a scale for each of four columns."""
    scale = np.array([0.5, 0.25, 2.0, 1.0], np.float32)
    zero_point = np.array([3, 0, 65535, 300], np.uint16)
    inputs = [value("x", "FLOAT", "n", 4)]
    parameters = [value("s", "FLOAT", 4), value("z", "UINT16", 4)]
    constants = [
        onnx.numpy_helper.from_array(scale, "s"),
        onnx.numpy_helper.from_array(zero_point, "z"),
    ]
    model = make_model(
        [
            NODE(quantize, ["x", "s", "z"], ["q"], domain=domain, axis=1),
            NODE(dequantize, ["q", "s", "z"], ["y"], domain=domain, axis=1),
        ],
        inputs if is_constant else inputs + parameters,
        ["q", "y"],
        constants if is_constant else [],
        domains=[domain],
    )
    x = np.array([[0.25, -7.0, -3.0, 1e9], [0.75, 0.125, 5.0, -299.5]], np.float32)
    q, y = mlir_qdq.backend.prepare(model).run([x] if is_constant else [x, scale, zero_point])
    expected = [[3, 0, 65533, 65535], [5, 0, 65535, 0]]  # -1.5 and 1.5 to even, 0.5 to 0
    assert q.dtype == np.uint16 and q.tolist() == expected
    assert y.tolist() == [[0.0, 0.0, -4.0, 65235.0], [1.0, 0.0, 0.0, -300.0]]


def test_bf16_storage():
    domain = "com.amd.quark"
    model = make_model(
        [NODE("ExtendedQuantizeLinear", ["x", "s", "z"], ["q"], domain=domain)],
        [value("x", "FLOAT", 2), value("s", "FLOAT"), value("z", "BFLOAT16")],
        ["q"],
        domains=[domain],
    )
    one = np.asarray(1.0, np.float32)
    x = np.array([1.00390625, 3.4e38], np.float32)
    (q,) = mlir_qdq.backend.run_model(model, [x, one, np.asarray(0.0, ml_dtypes.bfloat16)])
    largest = ml_dtypes.finfo(ml_dtypes.bfloat16).max
    assert q.dtype == ml_dtypes.bfloat16 and q.tolist() == [1.0, float(largest)]


@pytest.mark.parametrize("domain", ["pmx", "opmx"])
@pytest.mark.parametrize("has_zero_point", [False, True])
def test_pmx(domain, has_zero_point):
    random = np.random.default_rng(0)
    stored = random.integers(-(2**15), 2**15, (2, 6), np.int16)
    scale = random.uniform(0.01, 0.1, (8, 2)).astype(np.float16)
    zero_point = random.integers(0, 16, (8, 2), np.int8)
    constants = [
        onnx.numpy_helper.from_array(stored, "w"),
        onnx.numpy_helper.from_array(scale, "s"),
    ]
    if has_zero_point:
        constants.append(onnx.numpy_helper.from_array(zero_point, "z"))
    node = NODE(
        "DequantizeLinear",
        [tensor.name for tensor in constants],
        ["y"],
        domain=domain,
        quant_data_type="int4",
        quant_axis=1,
        group_size=3,
        has_zeropoint=int(has_zero_point),
    )
    model = make_model([node], [], ["y"], constants, domains=[domain])
    (y,) = mlir_qdq.backend.run_model(model, [])
    offset = zero_point.repeat(3, axis=1) if has_zero_point else 8
    codes = unpack_pmx(stored).astype(np.int32) - offset
    expected = codes.astype(np.float16) * scale.repeat(3, axis=1)
    assert y.dtype == np.float16
    np.testing.assert_array_equal(y, expected)


def test_what_is_not_converted_is_named():
    model = make_model(
        [
            NODE("ExtendedInstanceNormalization", ["x"], ["m"], domain="com.amd.quark"),
            NODE("ExtendedInstanceNormalization", ["m"], ["y"], domain="com.amd.quark"),
        ],
        [value("x", "FLOAT", 2)],
        ["y"],
        domains=["com.amd.quark"],
    )
    with pytest.raises(mlir_qdq.backend.UnsupportedModelError) as error:
        mlir_qdq.backend.prepare(model)
    assert "2 com.amd.quark.ExtendedInstanceNormalization" in str(error.value)
