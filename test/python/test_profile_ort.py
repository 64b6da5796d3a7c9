# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nodes under `profile=ort` where ONNX Runtime leaves the text of the operators, beside ONNX Runtime itself."""

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from mlir_qdq import backend

ort = pytest.importorskip("onnxruntime")

F8 = {
    "FLOAT8E4M3FN": ml_dtypes.float8_e4m3fn,
    "FLOAT8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "FLOAT8E5M2": ml_dtypes.float8_e5m2,
    "FLOAT8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
}


def model(node, inputs, outputs, initializers=(), opset=21) -> onnx.ModelProto:
    infos = [
        [helper.make_tensor_value_info(name, kind, shape) for name, kind, shape in side]
        for side in (inputs, outputs)
    ]
    graph = helper.make_graph([node], "g", *infos, list(initializers))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)


def session(of: onnx.ModelProto) -> ort.InferenceSession:
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    return ort.InferenceSession(of.SerializeToString(), options, providers=["CPUExecutionProvider"])


def run_to_bytes(of: onnx.ModelProto, x: np.ndarray, kind: int) -> np.ndarray:
    """The one output, of a type that NumPy does not know, as its bytes."""
    running = session(of)
    binding = running.io_binding()
    binding.bind_cpu_input("x", x)
    out = np.zeros(x.shape, np.uint8)
    binding.bind_output("y", "cpu", 0, kind, x.shape, out.ctypes.data)
    running.run_with_iobinding(binding)
    return out


@pytest.mark.parametrize("storage", F8)
@pytest.mark.parametrize("zero_point", [0.0, 1.0])
@pytest.mark.parametrize("saturate", [0, 1])
@pytest.mark.parametrize("real", ["FLOAT", "FLOAT16"])
def test_float8_has_no_zero_point(storage, zero_point, saturate, real):
    """-0 stays -0, and the value of the zero point does not matter."""
    kind, dtype = getattr(TensorProto, storage), F8[storage]
    x_kind = getattr(TensorProto, real)
    x_dtype = helper.tensor_dtype_to_np_dtype(x_kind)
    code = np.array(zero_point, dtype).tobytes()
    of = model(
        helper.make_node("QuantizeLinear", ["x", "s", "z"], ["y"], saturate=saturate),
        [("x", x_kind, ["n"])],
        [("y", kind, ["n"])],
        [
            helper.make_tensor("s", x_kind, [], [0.5]),
            helper.make_tensor("z", kind, [], code, raw=True),
        ],
    )
    values = np.random.default_rng(0).normal(0, 60, 500)
    x = np.concatenate([[-0.0, 0.0, -1e-7, 1e-7, -0.001, np.nan], values]).astype(x_dtype)
    if saturate:
        x = np.append(x, np.array([np.inf, -np.inf, 6e4, -6e4], x_dtype))
    (got,) = backend.prepare(of, profile="ort").run([x])
    theirs = run_to_bytes(of, x, kind).view(dtype)
    is_nan = np.isnan(theirs.astype(np.float32))
    np.testing.assert_array_equal(np.isnan(got.astype(np.float32)), is_nan)
    np.testing.assert_array_equal(got.view(np.uint8)[~is_nan], theirs.view(np.uint8)[~is_nan])


#: Quotients by 0.3 that f32, f16 and bf16 round to different codes, and what ONNX Runtime 1.31.1 gave for each value of
#: `precision`. Later versions follow it.
PRECISE = [-10.3502, 6.7516, 10.9548, -16.959, -7.3503, -18.1579, 16.0507, -10.3552]
IGNORED = [-35, 23, 37, -57, -25, -61, 54, -35]
KINDS = {
    "f32": TensorProto.FLOAT,
    "f16": TensorProto.FLOAT16,
    "bf16": TensorProto.BFLOAT16,
    "f64": TensorProto.DOUBLE,
}


@pytest.mark.parametrize("precision", [None, *KINDS])
def test_precision_is_ignored(precision):
    """And followed under the profile of the text: the quotient of the type, rounded."""
    attributes = {} if precision is None else {"precision": KINDS[precision]}
    node = helper.make_node("QuantizeLinear", ["x", "s", "z"], ["y"], **attributes)
    scale = helper.make_tensor("s", TensorProto.FLOAT, [], [0.3])
    zero = helper.make_tensor("z", TensorProto.INT8, [], [0])
    inputs, outputs = [("x", TensorProto.FLOAT, ["n"])], [("y", TensorProto.INT8, ["n"])]
    of = model(node, inputs, outputs, [scale, zero], opset=23)
    x = np.float32(PRECISE)
    np.testing.assert_array_equal(backend.prepare(of, profile="ort").run([x])[0], IGNORED)
    if precision != "bf16" and precision != "f64" or version() < (1, 32):  # 1.32 refuses them
        followed = version() >= (1, 32) and precision == "f16"
        theirs = session(of).run(None, {"x": x})[0]
        assert np.array_equal(theirs, IGNORED) != followed
    dtype = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f64": np.float64}.get(
        precision, np.float32
    )
    quotient = x.astype(dtype) / np.float32(0.3).astype(dtype)
    expected = np.rint(quotient.astype(np.float64)).astype(np.int8)
    np.testing.assert_array_equal(backend.prepare(of, profile="onnx").run([x])[0], expected)
    assert (expected != IGNORED).all() == (precision in ("f16", "bf16"))


def version() -> tuple[int, ...]:
    return tuple(int(number) for number in ort.__version__.split(".")[:2])


#: Of operator set 25, but FLOAT4E2M1, which has no kernel; elements in each byte.
STORAGES = {"INT8": 1, "UINT8": 1, "INT16": 0.5, "UINT16": 0.5, "INT4": 2, "UINT4": 2, "INT2": 4, "UINT2": 4} | dict.fromkeys(F8, 1)  # fmt: skip


def codes_of(data: np.ndarray, per_byte: float, dtype: np.dtype) -> np.ndarray:
    """Elements of a tensor of ONNX Runtime, the lowest bits first."""
    if per_byte <= 1:
        return data.view(dtype)
    bits = int(8 / per_byte)
    fields = [data >> bits * k for k in range(8 // bits)]
    # Into the highest bits and back, so that the sign is extended.
    wide = (np.stack(fields, 1).ravel() << 8 - bits).astype(np.uint8)
    return wide.view(np.int8) >> 8 - bits if dtype.name[0] == "i" else wide >> 8 - bits


@pytest.mark.every_pair
@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("real", ["f16", "f32"])  # bf16 has no kernel
@pytest.mark.parametrize("opset", [23, 25])
def test_every_storage(storage, real, opset):
    """Beside `precision`, which is ignored, or followed from 1.32 on: then `compute=` says the same."""
    if storage.endswith("INT2") and (opset < 25 or version() < (1, 32)):
        pytest.skip("no such type")
    kind, per_byte = getattr(TensorProto, storage), STORAGES[storage]
    dtype = np.dtype(F8[storage] if storage in F8 else helper.tensor_dtype_to_np_dtype(kind))
    real_type = np.dtype({"f16": np.float16, "f32": np.float32}[real])
    x = np.random.default_rng(1).normal(0, 30, 2000).astype(real_type)
    for precision in (None, "f16", "f32"):
        attributes = {"precision": KINDS[precision]} if precision else {}
        node = helper.make_node("QuantizeLinear", ["x", "s"], ["y"], output_dtype=kind, **attributes)  # fmt: skip
        scale = helper.make_tensor("s", KINDS[real], [], [real_type.type(0.3)])
        sides = [("x", KINDS[real], ["n"])], [("y", kind, ["n"])]
        of = model(node, *sides, [scale], opset=opset)
        room = np.zeros(int(x.size / per_byte), np.uint8)
        binding = (running := session(of)).io_binding()
        binding.bind_cpu_input("x", x)
        binding.bind_output("y", "cpu", 0, kind, x.shape, room.ctypes.data)
        running.run_with_iobinding(binding)
        followed = version() >= (1, 32) and (precision or real) == "f16"
        options = {"compute": "f16"} if followed else {}
        (got,) = backend.prepare(of, profile="ort", **options).run([x])
        theirs = codes_of(room, per_byte, dtype)
        if storage in F8:
            got, theirs = got.view(np.uint8), theirs.view(np.uint8)
        np.testing.assert_array_equal(got.astype(np.int32), theirs.astype(np.int32), f"{precision}")


@pytest.mark.parametrize("scale_type, output_type", [("FLOAT16", "FLOAT"), ("FLOAT", "FLOAT16")])
def test_output_dtype_of_dequantize(scale_type, output_type):
    """The type of the result, under every profile; the product is f32's, rounded once."""
    kinds = [getattr(TensorProto, name) for name in (scale_type, output_type)]
    node = helper.make_node("DequantizeLinear", ["q", "s"], ["y"], output_dtype=kinds[1])
    scale = helper.make_tensor("s", kinds[0], [], [0.1])
    inputs, outputs = [("q", TensorProto.INT16, ["n"])], [("y", kinds[1], ["n"])]
    of = model(node, inputs, outputs, [scale], opset=23)
    q = np.arange(-300, 300, 7).astype(np.int16)
    theirs = session(of).run(None, {"q": q})[0]
    for profile in ("ort", "onnx"):
        np.testing.assert_array_equal(backend.prepare(of, profile=profile).run([q])[0], theirs)


@pytest.mark.parametrize("block_size", [4, 5, 6])
def test_block_size(block_size):
    """Two scales for seven elements: the attribute says which are whose."""
    node = helper.make_node("QuantizeLinear", ["x", "s", "z"], ["y"], axis=0, block_size=block_size)
    scale = helper.make_tensor("s", TensorProto.FLOAT, [2], [0.5, 0.25])
    zero = helper.make_tensor("z", TensorProto.INT8, [2], [0, 1])
    of = model(node, [("x", TensorProto.FLOAT, [7])], [("y", TensorProto.INT8, [7])], [scale, zero])
    x = np.arange(7, dtype=np.float32)
    theirs = session(of).run(None, {"x": x})[0]
    for profile in ("ort", "onnx"):
        np.testing.assert_array_equal(backend.prepare(of, profile=profile).run([x])[0], theirs)


def dynamic_model() -> onnx.ModelProto:
    return model(
        helper.make_node("DynamicQuantizeLinear", ["x"], ["y", "s", "z"]),
        [("x", TensorProto.FLOAT, ["n"])],
        [
            ("y", TensorProto.UINT8, ["n"]),
            ("s", TensorProto.FLOAT, []),
            ("z", TensorProto.UINT8, []),
        ],
    )


INF, NAN = np.inf, np.nan
RANGES = [
    [-INF, 1, 2], [INF, -1], [-INF, INF], [-INF], [INF], [-INF] * 9, [3e38, -3e38], [1e-45, 0], [-1e-45, 0],
    [1e-40] * 9, [-1e-43, 1e-44], [0.0, -0.0], [1e-43, -1e-45, 0], [2.5, -3], [NAN, 1, -1], [NAN] * 7, [NAN, -INF],
]  # fmt: skip


@pytest.mark.parametrize("x", RANGES, ids=str)
def test_dynamic_quantize_of_special_ranges(x):
    """A scale that underflows stays 0; a zero point that is NaN is 255; below 8 elements NaN is skipped."""
    of = dynamic_model()
    x = np.float32(x)
    theirs = session(of).run(None, {"x": x})
    for got, wanted in zip(backend.prepare(of, profile="ort").run([x]), theirs, strict=True):
        np.testing.assert_array_equal(got, wanted)


def test_dynamic_quantize_of_finite_values():
    of = dynamic_model()
    ours, theirs = backend.prepare(of, profile="ort"), session(of)
    random = np.random.default_rng(1)
    for spread in (1e-44, 1e-38, 1, 1e37):
        for size in (1, 7, 8, 100, 4097):
            x = (random.normal(random.normal(), 1, size) * spread).astype(np.float32)
            for got, wanted in zip(ours.run([x]), theirs.run(None, {"x": x}), strict=True):
                np.testing.assert_array_equal(got, wanted)


def test_dynamic_quantize_skips_nan():
    """Every NaN. ONNX Runtime from 8 elements up forgets, or keeps, by the NaN's lane: docs/Semantics.md."""
    ours = backend.prepare(dynamic_model(), profile="ort")
    x = np.linspace(-1, 2, 9).astype(np.float32)
    for position in range(9):
        rest = np.delete(x, position)
        codes, scale, zero = ours.run([np.insert(rest, position, np.float32(NAN))])
        wanted = (rest.max() - rest.min()) / np.float32(255)
        assert (scale, zero) == (wanted, round(-rest.min() / wanted))
        assert codes[position] == 0
