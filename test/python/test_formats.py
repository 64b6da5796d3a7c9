# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole formats, compiled: packed codes with their scales to reals, and back, against NumPy statements and ONNX Runtime."""

import ml_dtypes
import numpy as np
import onnxruntime
import packing_formats as formats
import pytest
from onnx import TensorProto, helper, numpy_helper
from test_packing import random_containers, tensor

from mlir_qdq import runtime

TARGETS = ("linalg", "vector")


def scales(shape, dtype) -> np.ndarray:
    return np.random.default_rng(3).uniform(0.01, 2.0, shape).astype(dtype)


def run(text: str, *arguments, target="vector") -> np.ndarray:
    return runtime.compile(text, target=target, profile="ort").main(*arguments)


def same_bits(got: np.ndarray, expected: np.ndarray):
    assert got.dtype == expected.dtype and got.shape == expected.shape
    bits = f"u{got.dtype.itemsize}"
    np.testing.assert_array_equal(
        np.ascontiguousarray(got).view(bits), np.ascontiguousarray(expected).view(bits)
    )


@pytest.mark.proves(
    "GPTQ", "dequantize", against="NumPy statement: (q - z) * s in f32", granularity="block"
)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize(
    "storage, group", [("ui4", 32), ("ui4", 4), ("ui8", 8), ("ui2", 16), ("ui3", 32)]
)
def test_gptq(storage, group, version, target):
    bits, rows, columns = int(storage[2:]), 64, 32
    weights = random_containers((rows * bits // 32, columns), np.int32)
    zeros = random_containers((rows // group, columns * bits // 32), np.int32)
    zeros[0] = -1
    s = scales((rows // group, columns), np.float16)
    text = f"""
func.func @main(%w: {tensor(weights.shape, "i32")}, %z: {tensor(zeros.shape, "i32")}, %s: {tensor(s.shape, "f16")}) -> tensor<{rows}x{columns}xf16> {{
  %q = qdq.unpack %w packing <gptq-v{version}> : ({tensor(weights.shape, "i32")}) -> tensor<{rows}x{columns}x{storage}>
  %zeros = qdq.unpack %z packing <gptq-v{version}, part = zero-point> : ({tensor(zeros.shape, "i32")}) -> {tensor(s.shape, storage)}
  %x = qdq.dequantize %q scale %s zero_point %zeros block_shape [{group}, 1]
     : (tensor<{rows}x{columns}x{storage}>, {tensor(s.shape, "f16")}, {tensor(s.shape, storage)}) -> tensor<{rows}x{columns}xf16>
  return %x : tensor<{rows}x{columns}xf16>
}}"""  # fmt: skip
    q = formats.unpack_gptq(weights, bits).astype(np.float32)
    z = formats.unpack_gptq_zeros(zeros, bits, version).astype(np.float32)
    expected = ((q - z.repeat(group, 0)) * s.astype(np.float32).repeat(group, 0)).astype(np.float16)
    same_bits(run(text, weights, zeros, s, target=target), expected)


@pytest.mark.proves(
    "AWQ",
    "dequantize",
    against="NumPy statement: (q - z) * s in f32",
    granularity="block",
    storage="ui4",
)
@pytest.mark.parametrize("target", TARGETS)
def test_awq_gemm(target):
    rows, columns, group = 64, 48, 32
    weights = random_containers((rows, columns // 8), np.int32)
    zeros = random_containers((rows // group, columns // 8), np.int32)
    s = scales((rows // group, columns), np.float16)
    text = f"""
func.func @main(%w: tensor<64x6xi32>, %z: tensor<2x6xi32>, %s: tensor<2x48xf16>) -> tensor<64x48xf16> {{
  %q = qdq.unpack %w packing <awq-gemm> : (tensor<64x6xi32>) -> tensor<64x48xui4>
  %zeros = qdq.unpack %z packing <awq-gemm, part = zero-point> : (tensor<2x6xi32>) -> tensor<2x48xui4>
  %x = qdq.dequantize %q scale %s zero_point %zeros block_shape [{group}, 1]
     : (tensor<64x48xui4>, tensor<2x48xf16>, tensor<2x48xui4>) -> tensor<64x48xf16>
  return %x : tensor<64x48xf16>
}}"""
    q, z = (formats.unpack_awq_gemm(a).astype(np.float32) for a in (weights, zeros))
    expected = ((q - z.repeat(group, 0)) * s.astype(np.float32).repeat(group, 0)).astype(np.float16)
    same_bits(run(text, weights, zeros, s, target=target), expected)


def matmul_n_bits(weights, scale, zeros, bits: int, block: int, columns: int) -> np.ndarray:
    """The weights that ONNX Runtime multiplies with, [N, K]: the product with the identity."""
    rows = weights.shape[0]
    initializers = [numpy_helper.from_array(weights, "b"), numpy_helper.from_array(scale, "s")]
    inputs = ["a", "b", "s"]
    if zeros is not None:
        initializers.append(numpy_helper.from_array(zeros, "z"))
        inputs.append("z")
    node = helper.make_node(
        "MatMulNBits",
        inputs,
        ["y"],
        domain="com.microsoft",
        K=columns,
        N=rows,
        bits=bits,
        block_size=block,
    )
    graph = helper.make_graph(
        [node],
        "g",
        [helper.make_tensor_value_info("a", TensorProto.FLOAT, [columns, columns])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [columns, rows])],
        initializers,
    )
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    return session.run(None, {"a": np.eye(columns, dtype=np.float32)})[0].T


@pytest.mark.proves(
    "ONNX Runtime MatMulNBits",
    "dequantize",
    against="ONNX Runtime, multiplied with the identity",
    granularity="block",
)
@pytest.mark.parametrize("storage, has_zeros", [("ui4", True), ("i4", False), ("ui8", True)])
def test_matmulnbits(storage, has_zeros):
    """Without zero points they are 2^(bits - 1), which signed codes are free of."""
    bits, rows, block, columns = int(storage.lstrip("ui")), 6, 32, 96
    blocks = columns // block
    weights = random_containers((rows, blocks, block * bits // 8), np.uint8)
    packed_blocks = -(-blocks * bits // 8)
    zeros = random_containers((rows, packed_blocks), np.uint8) if has_zeros else None
    # Powers of two: the order in which a product with zeros is summed does not matter then.
    s = np.exp2(np.random.default_rng(4).integers(-3, 3, (rows, blocks))).astype(np.float32)
    codes = tensor((rows, blocks, block), storage)
    declared = f", %z: {tensor(zeros.shape, 'ui8')}" if has_zeros else ""
    unpacked = (
        f"%flat = qdq.unpack %z packing <matmulnbits, part = zero-point> : ({tensor(zeros.shape, 'ui8')}) -> {tensor((rows, blocks), storage)}\n"
        f"%zeros = tensor.expand_shape %flat [[0], [1, 2]] output_shape [{rows}, {blocks}, 1] : {tensor((rows, blocks), storage)} into {tensor((rows, blocks, 1), storage)}"
        if has_zeros
        else ""
    )
    text = f"""
func.func @main(%b: {tensor(weights.shape, "ui8")}, %s: {tensor(s.shape, "f32")}{declared}) -> {tensor((rows, blocks, block), "f32")} {{
  %q = qdq.unpack %b packing <matmulnbits> : ({tensor(weights.shape, "ui8")}) -> {codes}
  %scales = tensor.expand_shape %s [[0], [1, 2]] output_shape [{rows}, {blocks}, 1] : {tensor(s.shape, "f32")} into {tensor((rows, blocks, 1), "f32")}
  {unpacked}
  %x = qdq.dequantize %q scale %scales {"zero_point %zeros" if has_zeros else ""} block_shape [1, 1, 0]
     : ({codes}, {tensor((rows, blocks, 1), "f32")}{", " + tensor((rows, blocks, 1), storage) if has_zeros else ""}) -> {tensor((rows, blocks, block), "f32")}
  return %x : {tensor((rows, blocks, block), "f32")}
}}"""  # fmt: skip
    arguments = (weights, s) + ((zeros,) if has_zeros else ())
    got = run(text, *arguments).reshape(rows, columns)
    np.testing.assert_array_equal(got, matmul_n_bits(weights, s, zeros, bits, block, columns))


@pytest.mark.proves(
    "ggml",
    "dequantize",
    against="NumPy statement: d * q, or d * q + m, in f32",
    granularity="block",
)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kind, storage", [("q4_0", "i4"), ("q4_1", "ui4"), ("q8_0", "i8")])
def test_ggml(kind, storage, target):
    rows, blocks = 4, 3
    size = formats.GGML_BLOCKS[kind].itemsize
    raw = random_containers((rows, blocks * size), np.uint8)
    block = formats.ggml_blocks(raw, kind)
    block["d"] = scales(block["d"].shape, np.float16)
    if kind == "q4_1":
        block["m"] = -scales(block["m"].shape, np.float16)
    minimum = (
        f"zero_point %m in <expressed> block_shape [1, 32] : (tensor<4x96x{storage}>, tensor<4x3xf16>, tensor<4x3xf16>)"
        if kind == "q4_1"
        else f"block_shape [1, 32] : (tensor<4x96x{storage}>, tensor<4x3xf16>)"
    )
    unpack_minimum = (
        "%m = qdq.unpack %b packing <ggml-q4_1, part = minimum> : (tensor<4x60xui8>) -> tensor<4x3xf16>"
        if kind == "q4_1"
        else ""
    )
    text = f"""
func.func @main(%b: {tensor(raw.shape, "ui8")}) -> tensor<4x96xf32> {{
  %q = qdq.unpack %b packing <ggml-{kind}> : ({tensor(raw.shape, "ui8")}) -> tensor<4x96x{storage}>
  %s = qdq.unpack %b packing <ggml-{kind}, part = scale> : ({tensor(raw.shape, "ui8")}) -> tensor<4x3xf16>
  {unpack_minimum}
  %x = qdq.dequantize %q scale %s {minimum} -> tensor<4x96xf32>
  return %x : tensor<4x96xf32>
}}"""
    d = block["d"].astype(np.float32)[..., None]
    if kind == "q8_0":
        expected = block["qs"].astype(np.float32) * d
    else:
        q = np.concatenate([block["qs"] & 15, block["qs"] >> 4], axis=-1).astype(np.float32)
        expected = (
            (q - 8) * d if kind == "q4_0" else q * d + block["m"].astype(np.float32)[..., None]
        )
    same_bits(run(text, raw, target=target), expected.reshape(rows, -1))


@pytest.mark.proves(
    "ggml",
    "dequantize",
    against="NumPy statement: 2^(e - 127) * q in f32, without -0",
    granularity="block",
    storage="f4E2M1FN",
)
@pytest.mark.parametrize("target", TARGETS)
def test_ggml_mxfp4(target):
    raw = random_containers((4, 3 * 17), np.uint8)
    block = formats.ggml_blocks(raw, "mxfp4")
    block["e"] = np.random.default_rng(5).integers(0, 254, block["e"].shape)
    text = """
func.func @main(%b: tensor<4x51xui8>) -> tensor<4x96xf32> {
  %q = qdq.unpack %b packing <ggml-mxfp4> : (tensor<4x51xui8>) -> tensor<4x96xf4E2M1FN>
  %s = qdq.unpack %b packing <ggml-mxfp4, part = scale> : (tensor<4x51xui8>) -> tensor<4x3xf8E8M0FNU>
  %x = qdq.dequantize %q scale %s block_shape [1, 32] : (tensor<4x96xf4E2M1FN>, tensor<4x3xf8E8M0FNU>) -> tensor<4x96xf32>
  return %x : tensor<4x96xf32>
}"""
    values = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6], np.float32)
    values = np.concatenate([values, [0], -values[1:]]).astype(np.float32)
    codes = np.concatenate([block["qs"] & 15, block["qs"] >> 4], axis=-1)
    expected = np.ldexp(values[codes], block["e"].astype(np.int32)[..., None] - 127)
    same_bits(run(text, raw, target=target), expected.reshape(4, -1))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("packing, shape", [("onnx", "64"), ("bits = 4, container = i32, axis = 1", "4x4"), ("bits = 4, container = i16, axis = 0", "1x32")])  # fmt: skip
def test_quantize_into_containers(packing, shape, target):
    """What one fused loop writes is what packing the codes gives."""
    width = 32 if "i32" in packing else 16 if "i16" in packing else 8
    container = f"tensor<{shape}xi{width}>"
    text = f"""
func.func @main(%x: tensor<4x32xf32>, %s: tensor<4x2xf32>) -> {container} {{
  %q = qdq.quantize %x scale %s block_shape [1, 16] : (tensor<4x32xf32>, tensor<4x2xf32>) -> tensor<4x32xi4>
  %c = qdq.pack %q packing <{packing}> : (tensor<4x32xi4>) -> {container}
  return %c : {container}
}}"""
    x = np.random.default_rng(5).uniform(-4, 4, (4, 32)).astype(np.float32)
    s = scales((4, 2), np.float32)
    codes = np.clip(np.rint(x / s.repeat(16, 1)), -8, 7).astype(np.int64) & 15
    slots = width // 4
    grouped = (
        codes.reshape(1, 4, 32).transpose(0, 2, 1)
        if "axis = 0" in packing
        else codes.reshape(4, -1, slots)
    )
    words = (
        (grouped << 4 * np.arange(slots)).sum(-1).astype(f"u{width // 8}").view(f"i{width // 8}")
    )
    got = run(text, x, s, target=target)
    np.testing.assert_array_equal(got.reshape(-1), words.reshape(-1))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("group", [1, 4])
def test_scales_of_scales(group, target):
    """8-bit block scales with an f16 scale for each row, or for `group` blocks; both loops in one."""
    q = np.random.default_rng(6).integers(-128, 128, (4, 128), np.int8)
    codes = np.random.default_rng(7).integers(1, 256, (4, 8), np.uint8)
    d = scales((4, 8 // group), np.float16)
    text = f"""
func.func @main(%q: tensor<4x128xi8>, %c: tensor<4x8xui8>, %d: {tensor(d.shape, "f16")}) -> tensor<4x128xf32> {{
  %s = qdq.dequantize %c scale %d block_shape [1, {group}] : (tensor<4x8xui8>, {tensor(d.shape, "f16")}) -> tensor<4x8xf32>
  %x = qdq.dequantize %q scale %s block_shape [1, 16] : (tensor<4x128xi8>, tensor<4x8xf32>) -> tensor<4x128xf32>
  return %x : tensor<4x128xf32>
}}"""
    s = codes.astype(np.float32) * d.astype(np.float32).repeat(group, 1)
    same_bits(run(text, q, codes, d, target=target), q.astype(np.float32) * s.repeat(16, 1))


@pytest.mark.proves(
    "NVFP4",
    "dequantize",
    against="NumPy statement with ml_dtypes",
    granularity="block",
    storage="f4E2M1FN",
)
@pytest.mark.parametrize("target", TARGETS)
def test_nvfp4(target):
    """f4E2M1 in blocks of 16, f8E4M3FN block scales, one f32."""
    packed = random_containers((8 * 32,), np.uint8)
    s8 = random_containers((8, 4), np.uint8).view(ml_dtypes.float8_e4m3fn)
    s32 = np.float32(0.0123)
    text = """
func.func @main(%b: tensor<256xui8>, %s8: tensor<8x4xf8E4M3FN>, %s32: f32) -> tensor<8x64xf32> {
  %q = qdq.unpack %b packing <onnx> : (tensor<256xui8>) -> tensor<8x64xf4E2M1FN>
  %s = qdq.dequantize %s8 scale %s32 : (tensor<8x4xf8E4M3FN>, f32) -> tensor<8x4xf32>
  %x = qdq.dequantize %q scale %s block_shape [1, 16] : (tensor<8x64xf4E2M1FN>, tensor<8x4xf32>) -> tensor<8x64xf32>
  return %x : tensor<8x64xf32>
}"""
    q = formats.fields(packed, 4).reshape(8, 64).view(ml_dtypes.float4_e2m1fn).astype(np.float32)
    s = s8.astype(np.float32) * s32
    expected = q * s.repeat(16, 1)
    got = run(text, packed, s8, s32, target=target)
    np.testing.assert_array_equal(np.isnan(got), np.isnan(expected))
    finite = ~np.isnan(expected)
    same_bits(got[finite], expected[finite])


MX = {
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f6E2M3FN": ml_dtypes.float6_e2m3fn,
    "f6E3M2FN": ml_dtypes.float6_e3m2fn,
    "f4E2M1FN": ml_dtypes.float4_e2m1fn,
    "i8": np.int8,
}


@pytest.mark.proves(
    "OCP MX", "dequantize", against="NumPy statement with ml_dtypes", granularity="block"
)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("storage", list(MX))
def test_mx(storage, target):
    """Blocks of 32 with f8E8M0FNU scales; the elements of INT8 count in 2^-6."""
    random = np.random.default_rng(8)
    bits = int(storage[1])
    q = random.integers(0, 1 << bits, (8, 64), np.uint8).view(MX[storage])
    e = random.integers(0, 256, (8, 2), np.uint8)
    e[:2] = [[0, 1], [254, 255]]
    e = e.view(ml_dtypes.float8_e8m0fnu)
    scale, before = (
        ("f8E8M0FNU", "")
        if bits != 8 or storage.startswith("f")
        else (
            "f32",
            """
  %c = arith.constant 0.015625 : f32
  %scale = qdq.dequantize %e scale %c : (tensor<8x2xf8E8M0FNU>, f32) -> tensor<8x2xf32>""",
        )
    )
    text = f"""
func.func @main(%q: tensor<8x64x{storage}>, %e: tensor<8x2xf8E8M0FNU>) -> tensor<8x64xf32> {{{before}
  %x = qdq.dequantize %q scale {"%scale" if before else "%e"} block_shape [1, 32] : (tensor<8x64x{storage}>, tensor<8x2x{scale}>) -> tensor<8x64xf32>
  return %x : tensor<8x64xf32>
}}"""
    with np.errstate(all="ignore"):
        s = e.astype(np.float32) * np.float32(2.0**-6 if before else 1)
        expected = q.astype(np.float32) * s.repeat(32, 1)
    got = run(text, q, e, target=target)
    np.testing.assert_array_equal(np.isnan(got), np.isnan(expected))
    numbers = ~np.isnan(expected)
    same_bits(got[numbers], expected[numbers])


@pytest.mark.proves(
    "OCP MX",
    "quantize",
    against="NumPy statement: round-to-nearest-even of x / 2^e, saturated",
    granularity="block",
)
@pytest.mark.parametrize("chosen", [False, True])
@pytest.mark.parametrize("storage", ["f8E4M3FN", "f4E2M1FN", "i8"])
def test_mx_quantize_and_pack(storage, chosen):
    """Scales are the largest power of two of a block over that of the format, given or `chosen` in the function; the codes go
    to bytes."""
    bits, largest_exponent, maximum = {
        "f8E4M3FN": (8, 8, 448),
        "f4E2M1FN": (4, 2, 6),
        "i8": (8, 0, 127 / 64),
    }[storage]
    x = np.random.default_rng(9).standard_normal((8, 64)).astype(np.float32)
    blocks = x.reshape(8, 2, 32)
    exponent = np.floor(np.log2(np.abs(blocks).max(-1))).astype(np.int32) - largest_exponent
    e = (exponent + 127).astype(np.uint8).view(ml_dtypes.float8_e8m0fnu)
    scale, before = (
        ("f8E8M0FNU", "")
        if storage != "i8"
        else (
            "f32",
            """
  %c = arith.constant 0.015625 : f32
  %scale = qdq.dequantize %e scale %c : (tensor<8x2xf8E8M0FNU>, f32) -> tensor<8x2xf32>""",
        )
    )
    if chosen:
        # The scale of codes, for i8 with the 2^-6 in it.
        scale = "f8E8M0FNU"
        before = f"""
  %scale = qdq.choose_params %x mode <symmetric> storage {storage} power_of_two <floor> block_shape [1, 32] : (tensor<8x64xf32>) -> tensor<8x2xf8E8M0FNU>"""
    size = 512 * bits // 8
    text = f"""
func.func @main(%x: tensor<8x64xf32>, %e: tensor<8x2xf8E8M0FNU>) -> tensor<{size}xui8> {{{before}
  %q = qdq.quantize %x scale {"%scale" if before else "%e"} block_shape [1, 32] : (tensor<8x64xf32>, tensor<8x2x{scale}>) -> tensor<8x64x{storage}>
  %b = qdq.pack %q packing <onnx> : (tensor<8x64x{storage}>) -> tensor<{size}xui8>
  return %b : tensor<{size}xui8>
}}"""
    scaled = np.clip(x / np.exp2(exponent.astype(np.float32)).repeat(32, 1), -maximum, maximum)
    codes = np.rint(scaled * 64).astype(np.int8) if storage == "i8" else scaled.astype(MX[storage])
    stored = codes.view(np.uint8).reshape(-1, 8 // bits)
    expected = (stored.astype(np.uint16) << bits * np.arange(8 // bits)).sum(-1).astype(np.uint8)
    np.testing.assert_array_equal(run(text, x, e), expected)
