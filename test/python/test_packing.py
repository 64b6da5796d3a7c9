# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""qdq.unpack and qdq.pack, compiled, against NumPy statements of each system's layout."""

import ml_dtypes
import numpy as np
import onnx
import packing_formats as formats
import pytest
from kernels import dtype_of
from onnx import numpy_helper

from mlir_qdq import runtime


def tensor(shape, element: str) -> str:
    return f"tensor<{''.join(f'{size}x' for size in shape)}{element}>"


def compile_both(packing: str, containers: str, elements: str):
    """unpack and pack."""
    return runtime.compile(f"""
func.func @unpack(%c: {containers}) -> {elements} {{
  %e = qdq.unpack %c packing <{packing}> : ({containers}) -> {elements}
  return %e : {elements}
}}
func.func @pack(%e: {elements}) -> {containers} {{
  %c = qdq.pack %e packing <{packing}> : ({elements}) -> {containers}
  return %c : {containers}
}}""")


def random_containers(shape, dtype) -> np.ndarray:
    dtype = np.dtype(dtype)
    size = int(np.prod(shape)) * dtype.itemsize
    return np.random.default_rng(0).integers(0, 256, size, np.uint8).view(dtype).reshape(shape)


def as_storage(codes: np.ndarray, storage: str, excess: bool = True) -> np.ndarray:
    """Unsigned codes as those of a storage type: signed ones are stored with 2^(bits - 1) added, or in two's complement."""
    if storage.startswith("ui"):
        return codes.astype(dtype_of(storage))
    bits = int(storage[1:])
    signed = (
        codes.astype(np.int32) - (1 << (bits - 1))
        if excess
        else codes.astype(np.int32) << (32 - bits) >> (32 - bits)
    )
    return signed.astype(dtype_of(storage))


def check_both(
    packing: str, containers: np.ndarray, container: str, expected: np.ndarray, storage: str
):
    """Unpacking gives `expected`, and packing that gives the containers again, each byte of which is used."""
    both = compile_both(
        packing, tensor(containers.shape, container), tensor(expected.shape, storage)
    )
    got = both.unpack(containers)
    assert got.dtype == expected.dtype
    np.testing.assert_array_equal(got.astype(np.float32), expected.astype(np.float32))
    np.testing.assert_array_equal(both.pack(expected), containers)


@pytest.mark.proves(
    "ONNX", "unpack", against="raw data written by onnx.numpy_helper", granularity="tensor"
)
@pytest.mark.parametrize("storage", ["i4", "ui4", "i2", "ui2", "f4E2M1FN"])
@pytest.mark.parametrize("shape", [(), (1,), (7,), (3, 5), (2, 3, 8)])
def test_onnx(storage, shape):
    bits = 2 if "2" in storage and "f4" not in storage else 4
    codes = np.random.default_rng(1).integers(0, 1 << bits, shape, np.uint8)
    elements = (
        codes.view(ml_dtypes.float4_e2m1fn)
        if storage.startswith("f")
        else as_storage(codes, storage, excess=False)
    )
    proto = numpy_helper.from_array(np.asarray(elements, dtype_of(storage)))
    containers = np.frombuffer(proto.raw_data, np.uint8)
    assert proto.data_type in (onnx.TensorProto.INT4, onnx.TensorProto.UINT4, onnx.TensorProto.INT2, onnx.TensorProto.UINT2, onnx.TensorProto.FLOAT4E2M1)  # fmt: skip
    check_both("onnx", containers, "ui8", np.asarray(elements), storage)


@pytest.mark.proves(
    "OpenPPL pmx", "unpack", against="NumPy statement of int4x4", granularity="tensor"
)
@pytest.mark.parametrize("storage", ["i4", "ui4"])
def test_pmx_int4x4(storage):
    containers = random_containers((5, 6), np.int16)
    check_both(
        "pmx-int4x4",
        containers,
        "i16",
        as_storage(formats.unpack_pmx(containers), storage),
        storage,
    )


@pytest.mark.proves("GPTQ", "unpack", against="NumPy statement of qweight", granularity="tensor")
@pytest.mark.parametrize("storage", ["ui2", "i2", "ui3", "ui4", "i4", "ui8", "i8"])
def test_gptq_codes(storage):
    bits = int(storage.lstrip("ui"))
    containers = random_containers((2 * bits, 5), np.int32)
    codes = formats.unpack_gptq(containers, bits)
    assert codes.shape == (64, 5)
    for version in (1, 2):
        check_both(f"gptq-v{version}", containers, "i32", as_storage(codes, storage), storage)


@pytest.mark.proves(
    "GPTQ", "unpack of zero points", against="NumPy statement of qzeros", granularity="tensor"
)
@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("storage", ["ui2", "ui3", "ui4", "i4", "ui8"])
def test_gptq_zero_points(storage, version):
    bits = int(storage.lstrip("ui"))
    containers = random_containers((3, 2 * bits), np.int32)
    containers[0] = -1
    expected = as_storage(formats.unpack_gptq_zeros(containers, bits, version), storage)
    if version == 1 and storage == "ui4":
        assert not expected[0].astype(int).any()
    check_both(f"gptq-v{version}, part = zero-point", containers, "i32", expected, storage)


@pytest.mark.proves(
    "AWQ", "unpack", against="NumPy statement of gemm and gemv", granularity="tensor"
)
@pytest.mark.parametrize("storage", ["ui4", "i4"])
@pytest.mark.parametrize("layout", ["gemm", "gemv"])
def test_awq(layout, storage):
    containers = random_containers((6, 3), np.int32)
    codes = getattr(formats, f"unpack_awq_{layout}")(containers)
    check_both(f"awq-{layout}", containers, "i32", as_storage(codes, storage), storage)


@pytest.mark.proves(
    "ONNX Runtime MatMulNBits",
    "unpack",
    against="NumPy statement of [N, blocks, bytes]",
    granularity="tensor",
)
@pytest.mark.parametrize("storage", ["ui2", "ui4", "i4", "ui8"])
def test_matmulnbits(storage):
    bits = int(storage.lstrip("ui"))
    containers = random_containers((3, 4, 16 * bits // 8), np.uint8)
    codes = formats.unpack_matmulnbits(containers, bits)
    check_both("matmulnbits", containers, "ui8", as_storage(codes, storage), storage)


def unpack_part(
    packing: str, containers: np.ndarray, expected: np.ndarray, storage: str
) -> np.ndarray:
    """What pack writes of one field of a record; checks what unpack reads."""
    both = compile_both(packing, tensor(containers.shape, "i8"), tensor(expected.shape, storage))
    got = both.unpack(containers.view(np.int8))
    bits = f"u{got.dtype.itemsize}"
    np.testing.assert_array_equal(got.view(bits), expected.view(bits))
    return both.pack(expected).view(np.uint8)


@pytest.mark.proves(
    "ggml", "unpack", against="NumPy statement of the block struct", granularity="block"
)
@pytest.mark.parametrize(
    "kind, storage",
    [("q4_0", "i4"), ("q4_0", "ui4"), ("q4_1", "ui4"), ("q8_0", "i8"), ("mxfp4", "f4E2M1FN")],
)
def test_ggml(kind, storage):
    blocks = 3
    containers = random_containers((4, blocks * formats.GGML_BLOCKS[kind].itemsize), np.uint8)
    block = formats.ggml_blocks(containers, kind)
    if kind == "mxfp4":
        # The table that ggml looks codes up in has no -0.
        codes = formats.unpack_ggml_nibbles(block["qs"]).reshape(4, -1)
        codes = np.where(codes == 8, 0, codes).view(ml_dtypes.float4_e2m1fn)
        scale, name = block["e"].view(ml_dtypes.float8_e8m0fnu), "f8E8M0FNU"
        block["qs"] = np.where(block["qs"] & 15 == 8, block["qs"] & 0xF0, block["qs"])
        block["qs"] = np.where(block["qs"] >> 4 == 8, block["qs"] & 0x0F, block["qs"])
    elif kind == "q8_0":
        codes, scale, name = block["qs"].reshape(4, -1), block["d"], "f16"
    else:
        codes = as_storage(formats.unpack_ggml_nibbles(block["qs"]).reshape(4, -1), storage)
        scale, name = block["d"], "f16"
    packed = unpack_part(f"ggml-{kind}", containers, codes, storage)
    packed |= unpack_part(
        f"ggml-{kind}, part = scale", containers, np.ascontiguousarray(scale), name
    )
    if kind == "q4_1":
        packed |= unpack_part(
            "ggml-q4_1, part = minimum", containers, np.ascontiguousarray(block["m"]), "f16"
        )
    np.testing.assert_array_equal(packed, containers)


@pytest.mark.parametrize(
    "packing, containers, container, elements, storage",
    [
        ("bits = 4, container = i8, axis = 1", (3, 3), np.int8, (3, 5), "ui4"),
        ("bits = 3, container = i8, axis = 0", (2, 3), np.int8, (5, 3), "ui3"),
        ("bits = 3, container = i32, axis = 0", (1, 2), np.int32, (7, 2), "ui3"),
        ("bits = 16, container = i8, axis = 0", (6,), np.int8, (3,), "ui16"),
        ("bits = 4, container = i64, axis = 0", (1,), np.int64, (9,), "ui4"),
        ("bits = 5, container = i16, axis = 0", (2,), np.int16, (6,), "i5"),
        # Elements cross bytes: whole words of them, then parts of one.
        ("bits = 3, container = i8, axis = 1", (3, 48), np.int8, (3, 128), "ui3"),
        ("bits = 3, container = i8, axis = 0", (9, 5), np.int8, (24, 5), "ui3"),
        ("bits = 6, container = i8, axis = 1", (3, 30), np.int8, (3, 40), "i6"),
        ("bits = 5, container = i8, axis = 0", (40,), np.int8, (64,), "i5"),
        ("bits = 7, container = i8, axis = 1", (4, 28), np.int8, (4, 32), "i7"),
        ("bits = 12, container = i8, axis = 1", (2, 96), np.int8, (2, 64), "ui12"),
        ("bits = 6, container = i8, axis = 1", (3, 27), np.int8, (3, 35), "i6"),
        ("bits = 3, container = i8, axis = 1", (2, 26), np.int8, (2, 67), "ui3"),
    ],
)
def test_short_last_container_is_zero_filled(packing, containers, container, elements, storage):
    """Codes as a stream of bits along the axis."""
    bits = int(storage.lstrip("ui"))
    axis = 1 if "axis = 1" in packing else 0
    random = np.random.default_rng(2)
    codes = random.integers(0, 1 << bits, elements, np.uint16)
    last = np.moveaxis(codes, axis, -1)
    stream = (last[..., None] >> np.arange(bits, dtype=np.uint16) & 1).reshape(*last.shape[:-1], -1)
    width = np.dtype(container).itemsize * 8
    padded = np.zeros(
        (
            *stream.shape[:-1],
            np.moveaxis(np.empty(containers, np.uint8), axis, -1).shape[-1] * width,
        ),
        np.uint8,
    )
    padded[..., : stream.shape[-1]] = stream
    packed = np.packbits(padded, axis=-1, bitorder="little").view(container)
    packed = np.ascontiguousarray(np.moveaxis(packed, -1, axis))
    signed = not storage.startswith("ui")
    expected = (codes.astype(np.int16) << (16 - bits) >> (16 - bits)) if signed else codes
    expected = expected.astype(np.int8 if signed else np.uint16 if bits > 8 else dtype_of(storage))
    check_both(packing, packed, f"i{width}", expected, storage)


def test_blocks_in_records_that_are_not_full():
    """Seven elements in blocks of four, reversed, in records of three bytes of which the second and third hold them."""
    packing = (
        "bits = 4, container = i8, axis = 0, block = 4, order = [3, 2, 1, 0], record = 3, at = 1"
    )
    codes = np.arange(1, 8, dtype=np.uint8).astype(ml_dtypes.uint4)
    containers = np.array([0, 3 << 4 | 4, 1 << 4 | 2, 0, 7 << 4, 5 << 4 | 6], np.uint8)
    check_both(packing, containers, "ui8", codes, "ui4")


def test_dynamic_sizes():
    module = runtime.compile("""
func.func @flat(%c: tensor<?xi8>, %rows: index, %columns: index) -> tensor<?x?xui8> {
  %e = qdq.unpack %c packing <onnx> sizes(%rows, %columns) : (tensor<?xi8>, index, index) -> tensor<?x?xui4>
  %s = arith.constant 1.0 : f32
  %x = qdq.dequantize %e scale %s : (tensor<?x?xui4>, f32) -> tensor<?x?xf32>
  %q = qdq.quantize %x scale %s : (tensor<?x?xf32>, f32) -> tensor<?x?xui8>
  return %q : tensor<?x?xui8>
}
func.func @short(%c: tensor<?x?xi32>, %size: index) -> tensor<?x?xi32> {
  %columns = arith.constant 1 : index
  %d = tensor.dim %c, %columns : tensor<?x?xi32>
  %e = qdq.unpack %c packing <gptq-v2> sizes(%size, %d) : (tensor<?x?xi32>, index, index) -> tensor<?x?xui4>
  %p = qdq.pack %e packing <gptq-v2> : (tensor<?x?xui4>) -> tensor<?x?xi32>
  return %p : tensor<?x?xi32>
}
func.func @full(%c: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %e = qdq.unpack %c packing <awq-gemm> : (tensor<?x?xi32>) -> tensor<?x?xui4>
  %p = qdq.pack %e packing <awq-gemm> : (tensor<?x?xui4>) -> tensor<?x?xi32>
  return %p : tensor<?x?xi32>
}""")
    containers = random_containers((8,), np.uint8)
    expected = formats.fields(containers, 4).reshape(-1)[:15].reshape(3, 5)
    np.testing.assert_array_equal(module.flat(containers.view(np.int8), 3, 5), expected)
    words = random_containers((3, 4), np.int32)
    np.testing.assert_array_equal(module.full(words), words)
    # 18 of 24 elements: the last container keeps two nibbles.
    kept = words.copy()
    kept[2] &= 0xFF
    np.testing.assert_array_equal(module.short(words, 18), kept)
