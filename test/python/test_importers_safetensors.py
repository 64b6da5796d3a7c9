# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""safetensors files, written by the package `safetensors`, beside NumPy statements of what each quantizer's document says."""

import json

import ml_dtypes
import numpy as np
import pytest
from mlir_qdq import runtime
from mlir_qdq.importers.safetensors import SafetensorsImportError, import_file
from safetensors.numpy import save_file

K, N, GROUP = 64, 16, 16
RNG = np.random.default_rng(0)
E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6], np.float32)
E2M1 = np.concatenate([E2M1, -E2M1])


def stream(codes: np.ndarray, bits: int) -> np.ndarray:
    """Codes of each row one after the other, lowest bits first, in words of i32."""
    bit = (codes[..., None] >> np.arange(bits)) & 1
    raw = np.packbits(bit.reshape(codes.shape[0], -1).astype(np.uint8), axis=1, bitorder="little")
    return np.ascontiguousarray(raw).view(np.int32)


def checkpoint(tmp_path, tensors, configuration=None, file="config.json"):
    path = tmp_path / "model.safetensors"
    save_file({name: array.copy(order="C") for name, array in tensors.items()}, path)
    if configuration is not None:
        content = {"quantization_config": configuration} if file == "config.json" else configuration
        (tmp_path / file).write_text(json.dumps(content))
    return path


def weight(path, dtype="f32"):
    module = import_file(path, dtype=dtype)
    assert "weights.convention" in str(module)
    return runtime.compile(module)["m.weight"]()


def same(found, expected):
    return np.array_equal(found, expected) and np.array_equal(
        np.signbit(found), np.signbit(expected)
    )


# --- GPTQ, AWQ -----------------------------------------------------------------------


def gptq_parts(bits, order):
    codes = RNG.integers(0, 1 << bits, (K, N))
    zeros = RNG.integers(1, 1 << bits, (K // GROUP, N))
    scales = RNG.uniform(0.01, 0.1, (K // GROUP, N)).astype(np.float16)
    index = np.arange(K) // GROUP if order == "groups" else RNG.permutation(K) // GROUP
    expected = (codes - zeros[index]).astype(np.float32) * scales[index].astype(np.float32)
    return codes, zeros, scales, index.astype(np.int32), expected.T


@pytest.mark.every_pair
@pytest.mark.parametrize("bits", [2, 3, 4, 8])
@pytest.mark.parametrize("version", ["gptq", "gptq_v2"])
@pytest.mark.parametrize("order", ["groups", "act-order"])
def test_gptq(bits, version, order, tmp_path):
    n = 32 if bits == 3 else N  # whole words of zero points
    codes = RNG.integers(0, 1 << bits, (K, n))
    zeros = RNG.integers(1, 1 << bits, (K // GROUP, n))
    scales = RNG.uniform(0.01, 0.1, (K // GROUP, n)).astype(np.float16)
    index = np.arange(K) // GROUP if order == "groups" else RNG.permutation(K) // GROUP
    tensors = {
        "m.qweight": stream(codes.T, bits).T,
        "m.qzeros": stream(zeros - (version == "gptq"), bits),
        "m.scales": scales,
        "m.g_idx": index.astype(np.int32),
    }
    path = checkpoint(
        tmp_path, tensors, {"quant_method": "gptq", "bits": bits, "checkpoint_format": version}
    )
    expected = (codes - zeros[index]).astype(np.float32) * scales[index].astype(np.float32)
    assert same(weight(path), expected.T)
    half = (codes - zeros[index]).astype(np.float16) * scales[index]  # as the kernels compute
    assert same(weight(path, "f16"), half.T)


def test_gptq_without_configuration(tmp_path):
    """Bits from the shapes; zero points as z - 1, as files without a version have them."""
    codes, zeros, scales, index, expected = gptq_parts(4, "groups")
    tensors = {"m.qweight": stream(codes.T, 4).T, "m.qzeros": stream(zeros - 1, 4),
               "m.scales": scales, "m.g_idx": index}  # fmt: skip
    path = checkpoint(tmp_path, tensors)
    assert same(weight(path), expected)
    assert "from qweight and g_idx" in str(import_file(path))


#: As GPTQModel 7.7 spells both methods.
GPTQMODEL = {"group_size": GROUP, "desc_act": False, "lm_head": False, "pack_dtype": "int32", "meta": {}}  # fmt: skip


def test_gptqmodel_gptq(tmp_path):
    codes, zeros, scales, index, expected = gptq_parts(4, "groups")
    tensors = {"m.qweight": stream(codes.T, 4).T, "m.qzeros": stream(zeros - 1, 4),
               "m.scales": scales, "m.g_idx": index}  # fmt: skip
    configuration = {**GPTQMODEL, "bits": 4, "method": "gptq", "quant_method": "gptq", "format": "gptq",
                     "checkpoint_format": "gptq", "sym": False}  # fmt: skip
    assert same(weight(checkpoint(tmp_path, tensors, configuration)), expected)


ORDER = [0, 2, 4, 6, 1, 3, 5, 7]


@pytest.mark.parametrize("file", ["config.json", "quant_config.json", "GPTQModel"])
def test_awq_gemm(file, tmp_path):
    """GPTQModel says that there are no zero points of symmetric codes, and writes them as 8."""
    codes, zeros, scales, index, expected = gptq_parts(4, "groups")

    def pack(array):
        return stream(array.reshape(array.shape[0], -1, 8)[..., ORDER].reshape(array.shape), 4)

    tensors = {"m.qweight": pack(codes), "m.qzeros": pack(zeros), "m.scales": scales}
    configuration = {"quant_method": "awq", "bits": 4, "group_size": GROUP, "version": "gemm"}
    if file == "quant_config.json":
        configuration = {"w_bit": 4, "q_group_size": GROUP, "version": "GEMM"}
    if file == "GPTQModel":
        file = "config.json"
        configuration |= {**GPTQMODEL, "method": "awq", "format": "gemm", "checkpoint_format": "gemm",
                          "zero_point": False}  # fmt: skip
    assert same(weight(checkpoint(tmp_path, tensors, configuration, file)), expected)


def test_awq_gemv(tmp_path):
    """[outputs, inputs]; parameters are filled up to whole words."""
    codes = RNG.integers(0, 16, (N, K))
    zeros, scales = RNG.integers(0, 16, (N, 8)), RNG.uniform(0.01, 0.1, (N, 8)).astype(np.float16)
    tensors = {"m.qweight": stream(codes, 4), "m.qzeros": stream(zeros, 4), "m.scales": scales}
    path = checkpoint(
        tmp_path,
        tensors,
        {"quant_method": "awq", "bits": 4, "group_size": GROUP, "version": "gemv"},
    )
    index = np.arange(K) // GROUP
    expected = (codes - zeros[:, index]).astype(np.float32) * scales[:, index].astype(np.float32)
    assert same(weight(path), expected)


# --- compressed-tensors, ModelOpt, DeepSeek ------------------------------------------


def group(layout, **weights):
    return {"quant_method": "compressed-tensors", "format": layout,
            "config_groups": {"group_0": {"targets": ["Linear"], "weights": weights}}}  # fmt: skip


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("kind", ["symmetric", "asymmetric", "channel", "g_idx"])
def test_pack_quantized(bits, kind, tmp_path):
    each, inputs = 32 // bits, K - 4  # the last word of a row is not full
    middle = 1 << (bits - 1)
    groups = 1 if kind == "channel" else -(-inputs // GROUP)
    index = np.arange(inputs) // (inputs if kind == "channel" else GROUP)
    codes = RNG.integers(-middle, middle, (N, inputs))
    scales = RNG.uniform(0.01, 0.1, (N, groups)).astype(np.float32)
    zeros = np.zeros((N, groups), np.int64)
    padded = np.zeros((N, -(-inputs // each) * each), np.int64)
    padded[:, :inputs] = codes + middle
    if kind == "g_idx":
        index = RNG.permutation(index)
    tensors = {
        "m.weight_packed": stream(padded, bits),
        "m.weight_scale": scales,
        "m.weight_shape": np.array([N, inputs]),
    }
    if kind == "asymmetric":
        zeros = RNG.integers(-middle, middle, (N, groups))
        tensors["m.weight_zero_point"] = stream((zeros + middle).T, bits).T
    if kind == "g_idx":
        tensors["m.weight_g_idx"] = index.astype(np.int32)
    size = None if kind == "channel" else GROUP
    path = checkpoint(
        tmp_path, tensors, group("pack-quantized", num_bits=bits, type="int", group_size=size)
    )
    assert same(weight(path), (codes - zeros[:, index]).astype(np.float32) * scales[:, index])


@pytest.mark.parametrize("parts", [(1,), (N, 1), (N, K // GROUP), (2, 4)])
@pytest.mark.parametrize("dtype", [np.int8, ml_dtypes.float8_e4m3fn])
def test_plain_codes(parts, dtype, tmp_path):
    codes = RNG.integers(-100, 100, (N, K)).astype(dtype)
    scales = RNG.uniform(0.01, 0.1, parts).astype(np.float32)
    blocks = parts if len(parts) == 2 else (1, 1)
    spread = scales.reshape(blocks).repeat(N // blocks[0], 0).repeat(K // blocks[1], 1)
    layout, kind = ("int-quantized", "int") if dtype is np.int8 else ("float-quantized", "float")
    tensors = {"m.weight": codes, "m.weight_scale": scales}
    path = checkpoint(tmp_path, tensors, group(layout, num_bits=8, type=kind))
    assert same(weight(path), codes.astype(np.float32) * spread)


def nvfp4():
    codes = RNG.integers(0, 16, (N, K))
    packed = (codes[:, ::2] | codes[:, 1::2] << 4).astype(np.uint8)
    scales = RNG.uniform(0.1, 400, (N, K // 16)).astype(ml_dtypes.float8_e4m3fn)
    return E2M1[codes], packed, scales


def test_nvfp4_divides(tmp_path):
    values, packed, scales = nvfp4()
    second = np.array([777.7], np.float32)
    tensors = {"m.weight_packed": packed, "m.weight_scale": scales, "m.weight_global_scale": second}
    path = checkpoint(tmp_path, tensors, group("nvfp4-pack-quantized", num_bits=4, type="float"))
    scale = scales.astype(np.float32) / second
    assert same(weight(path), values * scale.repeat(16, 1))
    assert "divides" in str(import_file(path))


def test_nvfp4_multiplies(tmp_path):
    values, packed, scales = nvfp4()
    second = np.array(0.00131, np.float32)
    tensors = {"m.weight": packed, "m.weight_scale": scales, "m.weight_scale_2": second}
    path = checkpoint(tmp_path, tensors, {"quant_algo": "NVFP4"}, "hf_quant_config.json")
    scale = scales.astype(np.float32) * second
    assert same(weight(path), values * scale.repeat(16, 1))
    assert "multiplies" in str(import_file(path))


def test_mxfp4(tmp_path):
    values, packed, _ = nvfp4()
    exponents = RNG.integers(100, 150, (N, K // 32)).astype(np.uint8)
    path = checkpoint(tmp_path, {"m.weight_packed": packed, "m.weight_scale": exponents})
    scale = np.ldexp(np.float32(1), exponents.astype(np.int32) - 127).astype(np.float32)
    assert same(weight(path), values * scale.repeat(32, 1))


def test_blocks_inverse(tmp_path):
    codes = RNG.uniform(-400, 400, (200, 300)).astype(ml_dtypes.float8_e4m3fn)
    scales = RNG.uniform(1e-4, 1e-3, (2, 3)).astype(np.float32)
    path = checkpoint(
        tmp_path, {"m.weight": codes, "m.weight_scale_inv": scales},
        {"quant_method": "fp8", "weight_block_size": [128, 128]},
    )  # fmt: skip
    spread = scales.repeat(128, 0).repeat(128, 1)[:200, :300]
    assert same(weight(path), codes.astype(np.float32) * spread)


def test_plain_tensors(tmp_path):
    arrays = {
        "f32": RNG.normal(size=(3, 5)).astype(np.float32),
        "f16": RNG.normal(size=7).astype(np.float16),
        "bf16": RNG.normal(size=(2, 2, 2)).astype(ml_dtypes.bfloat16),
        "i64": RNG.integers(-9, 9, 4),
        "u8": RNG.integers(0, 255, (2, 3)).astype(np.uint8),
        "number": np.array(2.5, np.float32),
    }
    compiled = runtime.compile(import_file(checkpoint(tmp_path, arrays)))
    for name, array in arrays.items():
        expected = array if array.dtype.kind in "iu" else array.astype(np.float32)
        assert np.array_equal(np.asarray(compiled[name]()), expected)


# --- damaged files -----------------------------------------------------------------


def damaged(header, data=b""):
    text = json.dumps(header).encode() if isinstance(header, dict) else header
    return len(text).to_bytes(8, "little") + text + data


def entry(dtype="F32", shape=(2,), place=(0, 8)):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(place)}


@pytest.mark.parametrize(
    "content,message",
    [
        (b"abc", "has 3 bytes, expected at least 8"),
        ((1 << 62).to_bytes(8, "little") + b"{}", "header: has 4611686018427387904 bytes"),
        (damaged(b"nonsense"), "is no JSON"),
        (damaged(b"[1]"), "is no JSON object"),
        (damaged({"w": 1}), "tensor 'w': has no description"),
        (damaged({"w": entry("F3")}, bytes(8)), "tensor 'w': has the type 'F3'"),
        (damaged({"w": entry(shape=[-2])}, bytes(8)), r"tensor 'w': has the shape \[-2\]"),
        (damaged({"w": entry(shape=[1 << 62])}, bytes(8)), "tensor 'w': of F32"),
        (damaged({"w": entry()}, bytes(7)), "tensor 'w': of F32 .* in data of 7"),
        (damaged({"v": entry(), "w": entry(place=(4, 12))}, bytes(12)), "tensor 'w': begins at byte 4, in 'v'"),
        (damaged({"w": entry(shape=[0], place=(0, 0))}), "tensor 'w': has no elements"),
    ],
)  # fmt: skip
def test_damaged(content, message, tmp_path):
    path = tmp_path / "f.safetensors"
    path.write_bytes(content)
    with pytest.raises(SafetensorsImportError, match=message):
        import_file(path)


@pytest.mark.parametrize(
    "change,message",
    [
        ({"m.qzeros": None}, "'m.weight': has g_idx, qweight, scales; .* gptq .qweight, qzeros"),
        ({"m.qzeros": np.zeros((2, 2), np.int32)}, "tensor 'm.qzeros': has the shape"),
        (
            {"m.g_idx": np.full(K, 4, np.int32)},
            "tensor 'm.g_idx': holds 4 to 4, there are 4 groups",
        ),
        ({"m.g_idx": np.zeros(3, np.int32)}, "tensor 'm.g_idx': has 3 elements of int32 for 64"),
        ({"m.qweight": np.zeros((8, 16), np.int64)}, "tensor 'm.qweight': has elements of i64"),
        ({"m.scales": np.zeros(4, np.float16)}, "tensor 'm.scales': has the shape"),
        (
            {"checkpoint_format": "marlin"},
            "'m.weight': has g_idx, qweight.* says: gptq marlin .B, s",
        ),
        ({"group_size": 32}, "'m.scales': has 4 groups for 64 inputs, expected of 32"),
    ],
)
def test_contradictions(change, message, tmp_path):
    codes, zeros, scales, index, _ = gptq_parts(4, "groups")
    tensors = {"m.qweight": stream(codes.T, 4).T, "m.qzeros": stream(zeros - 1, 4),
               "m.scales": scales, "m.g_idx": index}  # fmt: skip
    configuration = {"quant_method": "gptq", "bits": 4}
    for name, value in change.items():
        if not name.startswith("m."):
            configuration[name] = value
        elif value is None:
            del tensors[name]
        else:
            tensors[name] = value
    with pytest.raises(SafetensorsImportError, match=message):
        import_file(checkpoint(tmp_path, tensors, configuration))
