# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mlir_qdq.reference against what ONNX publishes: its node tests, its reference
evaluator, the tables of Cast, and ONNX Runtime.

Where these are known to leave their own rule, the test says so and stays on the common ground.
"""

from __future__ import annotations

import importlib
from functools import cache
from importlib import metadata

import ml_dtypes
import numpy as np
import onnx
import onnx.backend.test.case.node
import pytest
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

from mlir_qdq import reference

OPSET = onnx.defs.onnx_opset_version()
BF16 = ml_dtypes.bfloat16

# Storage spelling: the dtype, and the opset that brought it to QuantizeLinear.
INTEGERS = {
    "i8": (np.int8, 13), "ui8": (np.uint8, 13), "i16": (np.int16, 21), "ui16": (np.uint16, 21),
    "i4": (ml_dtypes.int4, 21), "ui4": (ml_dtypes.uint4, 21),
    "i2": (ml_dtypes.int2, 25), "ui2": (ml_dtypes.uint2, 25),
}  # fmt: skip
FLOAT8 = {
    "f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "f8E5M2": ml_dtypes.float8_e5m2, "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
}  # fmt: skip
SMALLER_FLOATS = {
    "f4E2M1FN": (ml_dtypes.float4_e2m1fn, 23),
    "f6E2M3FN": (ml_dtypes.float6_e2m3fn, 28),
    "f6E3M2FN": (ml_dtypes.float6_e3m2fn, 28),
}


def needs_opset(opset: int):
    return pytest.mark.skipif(OPSET < opset, reason=f"needs ONNX opset {opset}")


def older_than(module: str, *version: int) -> bool:
    return tuple(int(part) for part in metadata.version(module).split(".")[:2]) < version


needs_evaluator_23 = pytest.mark.skipif(
    older_than("onnx", 1, 23), reason="the evaluator knows neither precision nor output_dtype"
)


def by_opset(table):
    return [pytest.param(name, marks=needs_opset(opset)) for name, (_, opset) in table.items()]


def evaluate(op: str, *inputs: np.ndarray, opset: int = OPSET, **attributes) -> np.ndarray:
    """One node in ONNX's reference evaluator."""
    names = [f"input{k}" for k in range(len(inputs))]
    node = helper.make_node(op, names, ["output"], **attributes)
    infos = [
        helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape
        )
        for name, array in zip(names, inputs)
    ]
    graph = helper.make_graph([node], "one", infos, [helper.make_empty_tensor_value_info("output")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    with np.errstate(all="ignore"):
        return ReferenceEvaluator(model).run(None, dict(zip(names, inputs)))[0]


def same_codes(actual: np.ndarray, expected: np.ndarray) -> None:
    """Equal dtype, shape and bits; any NaN is a NaN."""
    assert actual.dtype == expected.dtype and actual.shape == expected.shape
    bits = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}[actual.dtype.itemsize]
    nan = np.isnan(actual.astype(np.float64))
    np.testing.assert_array_equal(nan, np.isnan(expected.astype(np.float64)))
    np.testing.assert_array_equal(actual[~nan].view(bits), expected[~nan].view(bits))


@cache
def every_half() -> np.ndarray:
    x = np.arange(65536, dtype=np.uint16).view(np.float16)
    return x[np.isfinite(x)]


def some_values(dtype, shape, seed=0) -> np.ndarray:
    """Ties of small scales, plain noise, and values far outside of any storage."""
    random = np.random.default_rng(seed)
    x = random.integers(-600, 600, shape) / 4 + random.normal(size=shape) * random.integers(
        0, 2, shape
    )
    # The evaluator and ORT take an infinite quotient through int32: stay below, in f16 too.
    return np.clip(x * random.choice([1, 1, 1, 100], shape), -4000, 4000).astype(dtype)


# Granularities of a (3, 7, 5) input: ONNX attributes, ours, and the shape of the scale.
SHAPE = (3, 7, 5)
GRANULARITIES = {
    "tensor": ({}, {}, ()),
    "axis": ({"axis": 1}, {"axis": 1}, (7,)),
    "negative axis": ({"axis": -1}, {"axis": -1}, (5,)),
    "blocks": ({"axis": 0, "block_size": 1}, {"block_shape": (1, 1, 1)}, (3, 7, 5)),
    "short last block": ({"axis": 1, "block_size": 3}, {"block_shape": (1, 3, 1)}, (3, 3, 5)),
}


def parameters(shape, scale_dtype, zero_dtype, seed=1):
    random = np.random.default_rng(seed)
    scale = np.asarray(random.choice([0.5, 0.3, 1.0, 2.0, 0.07], shape)).astype(scale_dtype)
    low, high = (int(v) for v in (ml_dtypes.iinfo(zero_dtype).min, ml_dtypes.iinfo(zero_dtype).max))
    return scale, np.asarray(random.integers(low, high, shape, endpoint=True)).astype(zero_dtype)


# ---------------------------------------------------------------- the reference evaluator


@pytest.mark.parametrize("granularity", GRANULARITIES)
@pytest.mark.parametrize("x_type", [np.float32, np.float16, BF16])
@pytest.mark.parametrize("storage", by_opset(INTEGERS))
def test_quantize_integers(storage, x_type, granularity):
    attributes, options, scale_shape = GRANULARITIES[granularity]
    x = some_values(x_type, SHAPE)
    scale, zero_point = parameters(scale_shape, x_type, INTEGERS[storage][0])
    for z in (zero_point, None):
        output = (
            {}
            if z is not None
            else {"output_dtype": helper.np_dtype_to_tensor_dtype(zero_point.dtype)}
        )
        inputs = (x, scale) if z is None else (x, scale, z)
        expected = evaluate("QuantizeLinear", *inputs, **attributes, **output)
        same_codes(
            reference.quantize(x, scale, z, storage=storage, profile="onnx", **options), expected
        )


@pytest.mark.parametrize("granularity", GRANULARITIES)
@pytest.mark.parametrize("scale_type", [np.float32, np.float16, BF16])
@pytest.mark.parametrize("storage", by_opset(INTEGERS))
def test_dequantize_integers(storage, scale_type, granularity):
    attributes, options, scale_shape = GRANULARITIES[granularity]
    dtype = INTEGERS[storage][0]
    scale, zero_point = parameters(scale_shape, scale_type, dtype)
    q = parameters(SHAPE, np.float32, dtype, seed=2)[1]
    for z in (zero_point, None):
        expected = evaluate(
            "DequantizeLinear", *((q, scale) if z is None else (q, scale, z)), **attributes
        )
        y = reference.dequantize(q, scale, z, expressed=scale_type, profile="onnx", **options)
        same_codes(y, expected)


@pytest.mark.parametrize("storage", ["i8", "ui8", "i4"])
def test_quantize_every_f16_value(storage):
    x = every_half()
    # Scales that put many values onto ties, and one that does not.
    for scale in (np.float16(2), np.float16(117), np.float16(1.3)):
        zero_point = np.asarray(3).astype(INTEGERS[storage][0])
        expected = evaluate("QuantizeLinear", x, scale[...], zero_point)
        same_codes(
            reference.quantize(x, scale, zero_point, storage=storage, profile="onnx"), expected
        )


@needs_evaluator_23
@pytest.mark.parametrize("precision, compute", [
    (TensorProto.FLOAT16, "f16"), (TensorProto.BFLOAT16, "bf16"), (TensorProto.FLOAT, "f32"),
])  # fmt: skip
@pytest.mark.parametrize(
    "x_type, scale_type", [(np.float32, np.float32), (np.float16, np.float32), (np.float32, BF16)]
)
def test_quantize_precision(precision, compute, x_type, scale_type):
    x = some_values(x_type, (500,))
    scale, zero_point = np.asarray(0.3, scale_type), np.asarray(-5, np.int16)
    expected = evaluate("QuantizeLinear", x, scale, zero_point, precision=precision)
    q = reference.quantize(
        x, scale, zero_point, storage="i16", profile="onnx", semantics={"compute": compute}
    )
    same_codes(q, expected)


@needs_evaluator_23
@pytest.mark.parametrize("scale_type", [np.float32, np.float16, BF16])
@pytest.mark.parametrize("result", [np.float32, np.float16, BF16])
def test_dequantize_output_dtype(scale_type, result):
    """The product in f32, then one rounding to the output type."""
    q = np.arange(-128, 128, dtype=np.int8)
    scale, zero_point = np.asarray(0.3, scale_type), np.asarray(-5, np.int8)
    expected = evaluate(
        "DequantizeLinear",
        q,
        scale,
        zero_point,
        output_dtype=helper.np_dtype_to_tensor_dtype(np.dtype(result)),
    )
    same_codes(
        reference.dequantize(q, scale, zero_point, expressed=result, profile="onnx"), expected
    )


@needs_opset(24)
def test_e8m0_scale_computes_in_x():
    x = some_values(np.float32, (64,))
    scale = np.asarray(0.25, ml_dtypes.float8_e8m0fnu)
    q = reference.quantize(x, scale, storage="i16", profile="onnx")
    np.testing.assert_array_equal(q, np.clip(np.rint(x * 4), -32768, 32767).astype(np.int16))


def test_quantize_int32_input():
    """Powers of two as scale: the evaluator divides in f64 there, the document in f32."""
    x = np.arange(-300, 300, dtype=np.int32)
    for scale in (np.float32(0.5), np.float32(4)):
        expected = evaluate("QuantizeLinear", x, scale[...], np.asarray(3, np.int8))
        same_codes(reference.quantize(x, scale, np.int8(3), storage="i8", profile="onnx"), expected)


def test_dequantize_int32():
    """Without a zero point the codes go to f32 first, and the product is one of f32."""
    q = np.array([0, 1, -7, 2**24 + 1, 2**31 - 1, -(2**31)], np.int32)
    expected = evaluate("DequantizeLinear", q, np.asarray(0.3, np.float32))
    same_codes(reference.dequantize(q, np.float32(0.3), profile="onnx"), expected)


# ---------------------------------------------------------------- float storage: the tables of Cast


@pytest.mark.parametrize("saturate", [1, 0])
@pytest.mark.parametrize("name", FLOAT8)
def test_float8_every_f16_value(name, saturate):
    x = np.arange(65536, dtype=np.uint16).view(np.float16)
    one = np.asarray(1, np.float16)
    expected = evaluate("QuantizeLinear", x, one, np.asarray(0, FLOAT8[name]), saturate=saturate)
    rule = {"float_overflow": "saturate" if saturate else "ieee"}
    same_codes(reference.quantize(x, one, storage=name, semantics=rule, profile="onnx"), expected)
    same_codes(
        reference.quantize(x, one, storage=name, semantics=rule, profile="onnx"),
        evaluate(
            "Cast", x, to=helper.np_dtype_to_tensor_dtype(np.dtype(FLOAT8[name])), saturate=saturate
        ),
    )


INF, NAN = np.inf, np.nan


@pytest.mark.parametrize("name, saturate, expected", [
    # -0, NaN, Inf, -Inf, a finite value past the end on either side.
    ("f8E4M3FN", True, [-0.0, NAN, 448, -448, 448, -448]),
    ("f8E4M3FNUZ", True, [0.0, NAN, 240, -240, 240, -240]),
    ("f8E5M2", True, [-0.0, NAN, 57344, -57344, 57344, -57344]),
    ("f8E5M2FNUZ", True, [0.0, NAN, 57344, -57344, 57344, -57344]),
    ("f8E4M3FN", False, [-0.0, NAN, NAN, NAN, NAN, NAN]),
    ("f8E4M3FNUZ", False, [0.0, NAN, NAN, NAN, NAN, NAN]),
    ("f8E5M2", False, [-0.0, NAN, INF, -INF, INF, -INF]),
    ("f8E5M2FNUZ", False, [0.0, NAN, NAN, NAN, NAN, NAN]),
    # The pages on 4- and 6-bit floats: no infinity, no NaN, saturation always; NaN is the maximum.
    ("f4E2M1FN", True, [-0.0, 6, 6, -6, 6, -6]),
    ("f4E2M1FN", False, [-0.0, 6, 6, -6, 6, -6]),
    ("f6E2M3FN", False, [-0.0, 7.5, 7.5, -7.5, 7.5, -7.5]),
    ("f6E3M2FN", False, [-0.0, 28, 28, -28, 28, -28]),
])  # fmt: skip
def test_tables_of_cast(name, saturate, expected):
    x = np.array([-0.0, NAN, INF, -INF, 1e9, -1e9], np.float32)
    rule = {"float_overflow": "saturate" if saturate else "ieee"}
    q = reference.quantize(x, np.float32(1), storage=name, semantics=rule).astype(np.float32)
    np.testing.assert_array_equal(q, expected)
    np.testing.assert_array_equal(np.signbit(q[0]), np.signbit(expected[0]))
    q = reference.quantize(-x, np.float32(1), storage=name, semantics=rule).astype(np.float32)
    np.testing.assert_array_equal(q[1], expected[1])  # either sign of a NaN


@pytest.mark.parametrize("granularity", GRANULARITIES)
@pytest.mark.parametrize("storage", by_opset(SMALLER_FLOATS))
def test_smaller_floats(storage, granularity):
    """The zero point is added before rounding. Not NaN: the evaluator makes it a zero."""
    attributes, options, scale_shape = GRANULARITIES[granularity]
    dtype = SMALLER_FLOATS[storage][0]
    x = some_values(np.float32, SHAPE) / 20
    scale = parameters(scale_shape, np.float32, np.int8)[0]
    zero_point = np.random.default_rng(3).choice([-1, 0, 0.5, 2], scale_shape)
    zero_point = np.asarray(zero_point, np.float32).astype(dtype)
    expected = evaluate("QuantizeLinear", x, scale, zero_point, **attributes)
    same_codes(
        reference.quantize(x, scale, zero_point, storage=storage, profile="onnx", **options),
        expected,
    )
    expected = evaluate(
        "QuantizeLinear",
        x,
        scale,
        output_dtype=helper.np_dtype_to_tensor_dtype(np.dtype(dtype)),
        **attributes,
    )
    same_codes(reference.quantize(x, scale, storage=storage, profile="onnx", **options), expected)


@pytest.mark.parametrize("scale_type", [np.float32, np.float16, BF16])
@pytest.mark.parametrize(
    "name", [*FLOAT8, "f4E2M1FN", pytest.param("f6E3M2FN", marks=needs_opset(28))]
)
def test_dequantize_every_float_code(name, scale_type):
    dtype = FLOAT8.get(name) or SMALLER_FLOATS[name][0]
    codes = np.arange(2 ** ml_dtypes.finfo(dtype).bits, dtype=np.uint8).view(dtype)
    scale = np.asarray(0.3, scale_type)
    expected = evaluate("DequantizeLinear", codes, scale)
    same_codes(reference.dequantize(codes, scale, expressed=scale_type, profile="onnx"), expected)


# ---------------------------------------------------------------- DynamicQuantizeLinear, node tests


@pytest.mark.parametrize("x", [
    [0, 2, -3, -2.5, 1.34, 0.5], [-1.0, -2.1, -1.3, -2.5, -3.34, -4.0],
    [1, 2.1, 1.3, 2.5, 3.34, 4.0, 1.5, 2.6],
    [3, 3, 3], [-7.0],
])  # fmt: skip
def test_dynamic_quantize(x):
    """Not all zeros, where the evaluator's scale is 1/255, and not NaN, which it keeps."""
    x = np.array(x, np.float32)
    names = ["y", "scale", "zero_point"]
    node = helper.make_node("DynamicQuantizeLinear", ["x"], names)
    info = [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)]
    graph = helper.make_graph(
        [node], "one", info, [helper.make_empty_tensor_value_info(n) for n in names]
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)])
    y, scale, zero_point = ReferenceEvaluator(model).run(None, {"x": x})
    our_scale, our_zero_point = reference.choose_params(x, storage="ui8")
    assert our_scale == scale and our_zero_point == zero_point
    same_codes(reference.quantize(x, our_scale, our_zero_point, storage="ui8", profile="onnx"), y)


def node_tests() -> list:
    """ONNX's own tests of the two operators; importing a module of them registers them."""
    for name in ("quantizelinear", "dequantizelinear"):
        importlib.import_module(f"onnx.backend.test.case.node.{name}")
    cases = {case.name: case for case in onnx.backend.test.case.node._NodeTestCases}
    return [case for name, case in cases.items() if "quantizelinear" in name]


def to_array(value) -> np.ndarray:
    return (
        onnx.numpy_helper.to_array(value) if isinstance(value, TensorProto) else np.asarray(value)
    )


def test_there_are_node_tests():
    assert len(node_tests()) >= 20


@pytest.mark.parametrize("case", node_tests(), ids=lambda case: case.name)
def test_node(case):
    (node,) = case.model.graph.node
    attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    for inputs, outputs in case.data_sets:
        x, scale, *zero_point = map(to_array, inputs)
        expected = to_array(outputs[0])
        options = {}
        if attributes.get("block_size"):
            axis = attributes.get("axis", 1) % x.ndim
            options["block_shape"] = [
                attributes["block_size"] if k == axis else 1 for k in range(x.ndim)
            ]
        elif scale.size > 1:
            options["axis"] = attributes.get("axis", 1)
        if node.op_type == "QuantizeLinear":
            actual = reference.quantize(
                x, scale, *zero_point, storage=expected.dtype, profile="onnx", **options
            )
        else:
            actual = reference.dequantize(
                x, scale, *zero_point, expressed=expected.dtype, profile="onnx", **options
            )
        same_codes(actual, expected)


# ---------------------------------------------------------------- ONNX Runtime


def run_in_ort(
    op: str, x: np.ndarray, scale: np.ndarray, zero_point=None, opset=21, **attributes
) -> np.ndarray:
    """One node in ONNX Runtime. What it cannot pass to NumPy enters as an initializer and leaves
    through a Cast."""
    ort = pytest.importorskip("onnxruntime")
    tensor = helper.np_dtype_to_tensor_dtype
    constants = {"scale": scale} | ({} if zero_point is None else {"zero_point": zero_point})
    feeds, nodes = {"x": x}, []
    if x.dtype.kind not in "iuf" or op == "DequantizeLinear":
        constants, feeds = {"x": x} | constants, {}
    stored = (zero_point if zero_point is not None else np.zeros((), np.uint8)).dtype
    result = tensor(stored) if op == "QuantizeLinear" else tensor(scale.dtype)
    nodes.append(
        helper.make_node(op, ["x", *(n for n in constants if n != "x")], ["y"], **attributes)
    )
    output, output_type = "y", result
    if op == "QuantizeLinear" and stored.kind not in "iu":
        output_type = (
            TensorProto.INT8 if stored in (ml_dtypes.int4, ml_dtypes.uint4) else TensorProto.FLOAT
        )
        nodes.append(helper.make_node("Cast", ["y"], ["z"], to=output_type))
        output = "z"
    graph = helper.make_graph(
        nodes,
        "one",
        [helper.make_tensor_value_info(n, tensor(v.dtype), v.shape) for n, v in feeds.items()],
        [helper.make_tensor_value_info(output, output_type, x.shape)],
        [onnx.numpy_helper.from_array(np.asarray(v), n) for n, v in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = ort.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return session.run(None, feeds)[0].astype(stored if op == "QuantizeLinear" else scale.dtype)


ORT_STORAGES = ["i8", "ui8", "i16", "ui16", "i4", "ui4"]


@pytest.mark.parametrize("granularity", GRANULARITIES)
@pytest.mark.parametrize("storage", ORT_STORAGES)
@pytest.mark.parametrize("x_type", [np.float32, np.float16])
def test_ort_quantize(storage, x_type, granularity):
    pytest.importorskip("onnxruntime")
    if (x_type is np.float16 or storage.endswith("4")) and older_than("onnxruntime", 1, 31):
        pytest.skip("1.22 differs on f16, and cannot cast 4 bits to 8")
    attributes, options, scale_shape = GRANULARITIES[granularity]
    x = some_values(x_type, SHAPE)
    scale, zero_point = parameters(scale_shape, x_type, INTEGERS[storage][0])
    expected = run_in_ort("QuantizeLinear", x, scale, zero_point, **attributes)
    same_codes(
        reference.quantize(x, scale, zero_point, storage=storage, profile="ort", **options),
        expected,
    )


@pytest.mark.parametrize("storage", ["i8", "ui8", "i16", "ui16"])
@pytest.mark.parametrize("zero_point", [0, 100, -100])
def test_ort_saturates_beyond_int32(storage, zero_point):
    """From f32 per tensor; from f16 and in 2 and 4 bits ORT goes through an int32 and does not."""
    dtype = INTEGERS[storage][0]
    zero_point = np.asarray(zero_point if storage.startswith("i") else abs(zero_point), dtype)
    x = np.array(
        [NAN, INF, -INF, 3e9, -3e9, 1e30, -1e30, 2147483648.0, 32767.5, -32768.5], np.float32
    )
    one = np.asarray(1, np.float32)
    expected = run_in_ort("QuantizeLinear", x, one, zero_point)
    same_codes(reference.quantize(x, one, zero_point, storage=storage, profile="ort"), expected)


def test_ort_quantize_many_values():
    x = (
        np.random.default_rng(6)
        .integers(0, 2**32, 200_000, np.uint32, endpoint=False)
        .view(np.float32)
    )
    x = np.concatenate([x[np.abs(x) < 1e9], some_values(np.float32, 100_000)])
    for scale in (np.float32(0.3), np.float32(0.5), np.float32(1e-3)):
        expected = run_in_ort("QuantizeLinear", x, scale[...], np.asarray(-3, np.int8))
        same_codes(reference.quantize(x, scale, np.int8(-3), storage="i8", profile="ort"), expected)


@pytest.mark.parametrize("granularity", GRANULARITIES)
@pytest.mark.parametrize("storage", ORT_STORAGES)
@pytest.mark.parametrize("scale_type", [np.float32, np.float16])
def test_ort_dequantize(storage, scale_type, granularity):
    attributes, options, scale_shape = GRANULARITIES[granularity]
    dtype = INTEGERS[storage][0]
    scale, zero_point = parameters(scale_shape, scale_type, dtype)
    q = parameters(SHAPE, np.float32, dtype, seed=2)[1]
    expected = run_in_ort("DequantizeLinear", q, scale, zero_point, **attributes)
    same_codes(
        reference.dequantize(q, scale, zero_point, expressed=scale_type, profile="ort", **options),
        expected,
    )


def test_ort_dequantize_int32_wraps():
    """ORT allows an i32 zero point of zero only; without one, q goes to f32 once."""
    q = np.array([2**31 - 1, -(2**31), 2**24 + 1, -7], np.int32)
    expected = run_in_ort(
        "DequantizeLinear", q, np.asarray(0.3, np.float32), np.asarray(0, np.int32)
    )
    same_codes(reference.dequantize(q, np.float32(0.3), np.int32(0), profile="ort"), expected)


@pytest.mark.parametrize("name", FLOAT8)
def test_ort_float8(name):
    """With `saturate = 1`; without it ORT is not monotonic."""
    x = every_half().astype(np.float32)
    one = np.asarray(1, np.float32)
    expected = run_in_ort("QuantizeLinear", x, one, np.asarray(0, FLOAT8[name]), saturate=1)
    same_codes(reference.quantize(x, one, storage=name, profile="ort"), expected)


@pytest.mark.parametrize(
    "x", [[0.0, 0.0], [0, 2, -3, -2.5, 1.34, 0.5], [-1.0, NAN, 7.0], [1e-30, 3e38]]
)
def test_ort_dynamic_quantize(x):
    """All zeros give scale 1 and a NaN is skipped, as here."""
    ort = pytest.importorskip("onnxruntime")
    x = np.array(x, np.float32)
    names = {"y": TensorProto.UINT8, "scale": TensorProto.FLOAT, "zero_point": TensorProto.UINT8}
    node = helper.make_node("DynamicQuantizeLinear", ["x"], list(names))
    graph = helper.make_graph(
        [node],
        "one",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)],
        [
            helper.make_tensor_value_info(n, t, x.shape if n == "y" else ())
            for n, t in names.items()
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 11)], ir_version=8)
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    y, scale, zero_point = session.run(None, {"x": x})
    our_scale, our_zero_point = reference.choose_params(x, storage="ui8")
    assert our_scale == scale and our_zero_point == zero_point
    same_codes(reference.quantize(x, our_scale, our_zero_point, storage="ui8", profile="ort"), y)
