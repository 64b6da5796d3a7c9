# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GGUF files, written by the package `gguf`, beside what that package dequantizes."""

import struct
from pathlib import Path

import gguf
import ml_dtypes
import numpy as np
import pytest
from gguf.quants import _type_traits, dequantize, quantize
from mlir_qdq import runtime
from mlir_qdq.importers.gguf import GgufImportError, import_file

BLOCK_TYPES = [kind for kind in _type_traits if kind.name != "BF16"]


def write(path, tensors, types):
    writer = gguf.GGUFWriter(path, "test")
    writer.add_array("vocabulary", ["a", "bc", ""])
    writer.add_array("scores", [0.5, 1.0])
    for name, array in tensors.items():
        writer.add_tensor(name, array, raw_dtype=types.get(name))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def random_blocks(kind, rows, columns):
    """All bit patterns: NaN and infinite scales too."""
    elements, size = gguf.GGML_QUANT_SIZES[kind]
    shape = (*rows, columns // elements * size)
    return np.random.default_rng(0).integers(0, 256, shape).astype(np.uint8)


def same_bits(found, expected):
    assert found.dtype == expected.dtype and found.shape == expected.shape
    unsigned = f"u{found.itemsize}"
    equal = found.view(unsigned) == expected.view(unsigned)
    return (equal | (np.isnan(found) & np.isnan(expected))).all()


@pytest.mark.parametrize("kind", BLOCK_TYPES, ids=lambda kind: kind.name)
def test_all_bits(kind, tmp_path):
    raw = random_blocks(kind, (2, 3), 512)
    path = write(tmp_path / "f.gguf", {"blk.0.w": raw}, {"blk.0.w": kind})
    found = runtime.compile(import_file(path))["blk.0.w"]()
    with np.errstate(all="ignore"):
        assert same_bits(found, dequantize(raw, kind))


def one_tensor(number: int, shape, raw: np.ndarray) -> bytes:
    """A file with a tensor of a type that the package does not know."""
    name = b"w"
    head = b"GGUF" + struct.pack("<IQQ", 3, 1, 0)
    head += struct.pack("<Q", len(name)) + name + struct.pack("<I", len(shape))
    head += struct.pack(f"<{len(shape)}Q", *reversed(shape)) + struct.pack("<IQ", number, 0)
    return head + bytes(-len(head) % 32) + raw.tobytes()


@pytest.mark.parametrize("number", [41, 42])
def test_bits_of_ggml(number, tmp_path):
    """Q1_0 and Q2_0, recorded: tools/record-vectors/ggml_bits.py."""
    recorded = np.load(Path(__file__).parent / "data" / "ggml_bits.npz")
    raw, expected = recorded[f"{number} raw"], recorded[f"{number} out"].view(np.float32)
    path = tmp_path / "f.gguf"
    path.write_bytes(one_tensor(number, expected.shape, raw))
    assert same_bits(runtime.compile(import_file(path))["w"](), expected)


@pytest.mark.parametrize(
    "kind", ["Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "TQ1_0", "TQ2_0", "MXFP4"]
)
def test_quantized_weight(kind, tmp_path):
    kind = gguf.GGMLQuantizationType[kind]
    weight = np.random.default_rng(1).normal(0, 0.02, (192, 768)).astype(np.float32)
    raw = quantize(weight, kind)
    path = write(tmp_path / "f.gguf", {"w": raw}, {"w": kind})
    found = runtime.compile(import_file(path))["w"]()
    assert same_bits(found, dequantize(raw, kind))
    assert np.abs(found - weight).max() < 0.06


PLAIN = {
    "f32": np.float32, "f16": np.float16, "f64": np.float64,
    "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
}  # fmt: skip


def test_plain_types(tmp_path):
    arrays = {name: np.arange(-6, 6).reshape(3, 4).astype(type_) for name, type_ in PLAIN.items()}
    arrays["vector"] = np.arange(5, dtype=np.float32)
    path = write(tmp_path / "f.gguf", arrays, {})
    compiled = runtime.compile(import_file(path))
    for name, array in arrays.items():
        expected = array.astype(np.float32) if array.dtype.kind == "f" else array
        assert same_bits(compiled[name](), expected) if array.dtype.kind == "f" else (
            np.array_equal(compiled[name](), array) and compiled[name]().dtype == array.dtype
        )  # fmt: skip


def test_bf16(tmp_path):
    kind = gguf.GGMLQuantizationType.BF16
    raw = random_blocks(kind, (3,), 64)
    path = write(tmp_path / "f.gguf", {"w": raw}, {"w": kind})
    assert same_bits(runtime.compile(import_file(path))["w"](), dequantize(raw, kind))


@pytest.mark.parametrize(
    "dtype,numpy_type", [("f16", np.float16), ("bf16", ml_dtypes.bfloat16), ("f64", np.float64)]
)
def test_dtype(dtype, numpy_type, tmp_path):
    weight = np.random.default_rng(1).normal(0, 1, (4, 64)).astype(np.float32)
    raw = quantize(weight, gguf.GGMLQuantizationType.Q4_1)
    path = write(tmp_path / "f.gguf", {"w": raw, "h": weight.astype(np.float16)},
                 {"w": gguf.GGMLQuantizationType.Q4_1})  # fmt: skip
    compiled = runtime.compile(import_file(path, dtype=dtype))
    expected = dequantize(raw, gguf.GGMLQuantizationType.Q4_1).astype(numpy_type)
    assert np.array_equal(compiled["w"](), expected) and compiled["w"]().dtype == numpy_type
    half = weight.astype(np.float16).astype(np.float32).astype(numpy_type)
    assert np.array_equal(compiled["h"](), half)


def test_selection(tmp_path):
    arrays = {name: np.ones((2, 2), np.float32) for name in ("a", "b", 'odd "name"\\')}
    path = write(tmp_path / "f.gguf", arrays, {})
    module = import_file(path, tensors=["b"])
    assert "@b" in str(module) and "@a" not in str(module)
    assert np.array_equal(runtime.compile(import_file(path))['odd "name"\\'](), arrays["a"])
    with pytest.raises(KeyError, match="no tensor 'c'"):
        import_file(path, tensors=["c"])
    with pytest.raises(ValueError, match="dtype 'f8'"):
        import_file(path, dtype="f8")


# --- damaged files -----------------------------------------------------------------


@pytest.fixture
def whole(tmp_path):
    raw = random_blocks(gguf.GGMLQuantizationType.Q4_0, (2,), 64)
    tensors = {"first": raw, "second": np.ones((4, 8), np.float32)}
    path = write(tmp_path / "f.gguf", tensors, {"first": gguf.GGMLQuantizationType.Q4_0})
    return path.read_bytes()


def test_truncated(whole, tmp_path):
    path = tmp_path / "cut.gguf"
    padding = 32  # the writer fills up the last tensor
    for length in [*range(0, 200, 3), *range(200, len(whole) - padding, 17)]:
        path.write_bytes(whole[:length])
        with pytest.raises(GgufImportError, match=str(path)):
            import_file(path)


def test_noise(whole, tmp_path):
    """Whatever a byte becomes: an import, or an error that names the file; no memory for sizes that lie."""
    path = tmp_path / "noise.gguf"
    rng = np.random.default_rng(2)
    for _ in range(300):
        damaged = bytearray(whole)
        for at in rng.integers(0, 260, rng.integers(1, 4)):
            damaged[at] = rng.integers(256)
        path.write_bytes(damaged)
        try:
            import_file(path)
        except GgufImportError as error:
            assert str(path) in str(error)


def _replaced(whole, name: bytes, at: int, code: str, value):
    """A field of the tensor `name`, whose place is counted from the end of the name."""
    start = whole.index(struct.pack("<Q", len(name)) + name) + 8 + len(name) + at
    return whole[:start] + struct.pack("<" + code, value) + whole[start + struct.calcsize(code) :]


@pytest.mark.parametrize(
    "at,code,value,message",
    [
        (0, "I", 9, "tensor 'second': has 9 dimensions"),
        (4, "Q", 2**62, "tensor 'second'.*(elements|ends at)"),
        (20, "I", 77, "tensor 'second': has the unknown type 77"),
        (20, "I", 4, "tensor 'second': has the unknown type 4"),
        (20, "I", 12, "tensor 'second': rows of 8 elements are no whole blocks of Q4_K, of 256"),
        (24, "Q", 0, "tensor 'second': begins at byte 0 of the data, in 'first', which ends at 72"),
        (24, "Q", 1 << 40, "tensor 'second': ends at byte"),
    ],
)
def test_refused(whole, tmp_path, at, code, value, message):
    path = tmp_path / "f.gguf"
    path.write_bytes(_replaced(whole, b"second", at, code, value))
    with pytest.raises(GgufImportError, match=message):
        import_file(path)


def test_other_files(tmp_path):
    path = tmp_path / "f.gguf"
    for content, message in [
        (b"", "the file is empty"),
        (b"GGML" + bytes(64), "is no GGUF file"),
        (b"GGUF" + struct.pack("<I", 1) + bytes(64), "version 1, expected 2 or 3"),
        (b"GGUF" + struct.pack(">I", 3) + bytes(64), "big-endian"),
    ]:
        path.write_bytes(content)
        with pytest.raises(GgufImportError, match=message):
            import_file(path)
    with pytest.raises(OSError):
        import_file(tmp_path / "missing.gguf")
