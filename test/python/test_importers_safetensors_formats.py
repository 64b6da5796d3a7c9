# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each format that compressed-tensors, ModelOpt, AutoGPTQ and AutoAWQ write, and each that is refused by its name.

The values are NumPy statements of the packages' own packing: compressed-tensors 0.20, ModelOpt 0.47, AutoGPTQ 0.7.1,
AutoAWQ 0.2.9.
"""

import json

import ml_dtypes
import numpy as np
import pytest
from mlir_qdq import runtime
from mlir_qdq.importers.safetensors import SafetensorsImportError, import_file
from safetensors.numpy import save_file

N, K = 64, 256
RNG = np.random.default_rng(3)
FORMATS = {}
E4M3 = ml_dtypes.float8_e4m3fn


def written(function):
    """A function that returns tensors of the module `m`, the value of its weight, and the configuration."""
    FORMATS[function.__name__] = function
    return function


def floats(*shape):
    return np.asarray(RNG.uniform(0.01, 0.1, shape), np.float32)


def bits_of(codes: np.ndarray, bits: int, dtype) -> np.ndarray:
    """Codes of each row one after the other, lowest bits first."""
    bit = (codes[..., None] >> np.arange(bits)) & 1
    raw = np.packbits(bit.reshape(codes.shape[0], -1).astype(np.uint8), axis=1, bitorder="little")
    filled = np.zeros((raw.shape[0], -(-raw.shape[1] // dtype().itemsize) * dtype().itemsize))
    filled[:, : raw.shape[1]] = raw
    return filled.astype(np.uint8).view(dtype)


def words_of(codes: np.ndarray, bits: int) -> np.ndarray:
    """As many codes as fit whole into each word of i32."""
    each = 32 // bits
    filled = np.zeros((codes.shape[0], -(-codes.shape[1] // each) * each), np.uint32)
    filled[:, : codes.shape[1]] = codes
    parts = filled.reshape(codes.shape[0], -1, each) << (np.arange(each, dtype=np.uint32) * bits)
    return np.bitwise_or.reduce(parts, axis=2).view(np.int32)


def spread(scales: np.ndarray, columns=K) -> np.ndarray:
    return scales.astype(np.float32).repeat(columns // scales.shape[1], 1)


# --- compressed-tensors --------------------------------------------------------------


def compressed(layout, version="0.20.0", **weights):
    """As the package writes it, for a group of its presets."""
    stated = {"symmetric": True, "group_size": None, "dynamic": False, **weights}
    group = {"targets": ["Linear"], "weights": stated, "input_activations": None,
             "output_activations": None, "format": layout}  # fmt: skip
    return {
        "config_groups": {"group_0": group}, "quant_method": "compressed-tensors", "format": layout,
        "kv_cache_scheme": None, "quantization_status": "compressed", "global_compression_ratio": None,
        "ignore": ["lm_head"], "moe_sparsity_config": None, "sparsity_config": {}, "transform_config": {},
        "version": version,
    }  # fmt: skip


def mx(bits):
    return {"num_bits": bits, "type": "float", "group_size": 32, "strategy": "group",
            "scale_dtype": "torch.uint8"}  # fmt: skip


def powers():
    exponents = RNG.integers(100, 150, (N, K // 32)).astype(np.uint8)
    return exponents, spread(np.ldexp(1.0, exponents.astype(int) - 127))


def small(dtype, bits):
    """Codes, and the values that ml_dtypes gives them."""
    codes = RNG.integers(0, 1 << bits, (N, K)).astype(np.uint8)
    return codes, codes.view(dtype).astype(np.float32)


@written
def mxfp4_pack_quantized():
    codes, values = small(ml_dtypes.float4_e2m1fn, 4)
    exponents, scale = powers()
    packed = codes[:, ::2] | codes[:, 1::2] << 4
    tensors = {"weight_packed": packed, "weight_scale": exponents}
    return tensors, values * scale, compressed("mxfp4-pack-quantized", **mx(4))


@written
def mxfp6_pack_quantized():
    """Four codes of e2m3 in three bytes; the package has no e3m2."""
    codes, values = small(ml_dtypes.float6_e2m3fn, 6)
    exponents, scale = powers()
    c = codes.reshape(N, -1, 4).astype(np.uint32)
    word = c[..., 0] | c[..., 1] << 6 | c[..., 2] << 12 | c[..., 3] << 18
    packed = np.stack([word, word >> 8, word >> 16], -1).astype(np.uint8).reshape(N, -1)
    tensors = {"weight_packed": packed, "weight_scale": exponents}
    return tensors, values * scale, compressed("mxfp6-pack-quantized", **mx(6))


def mxfp8():
    values = RNG.uniform(-448, 448, (N, K)).astype(E4M3)
    exponents, scale = powers()
    return {"weight": values, "weight_scale": exponents}, values.astype(np.float32) * scale


@written
def mxfp8_quantized():
    return *mxfp8(), compressed("mxfp8-quantized", **mx(8))


def nvfp4(packed, second, divides):
    codes, values = small(ml_dtypes.float4_e2m1fn, 4)
    scales = RNG.uniform(0.1, 400, (N, K // 16)).astype(E4M3)
    factor = np.array([777.7], np.float32) if divides else np.array(0.00131, np.float32)
    wide = scales.astype(np.float32)
    tensors = {packed: codes[:, ::2] | codes[:, 1::2] << 4, "weight_scale": scales, second: factor}
    return tensors, values * spread(wide / factor if divides else wide * factor)


@written
def nvfp4_pack_quantized():
    configuration = compressed(
        "nvfp4-pack-quantized", num_bits=4, type="float", group_size=16, strategy="tensor_group",
        scale_dtype="torch.float8_e4m3fn",
    )  # fmt: skip
    return *nvfp4("weight_packed", "weight_global_scale", True), configuration


def integers(bits, groups, has_zeros=False):
    middle = 1 << (bits - 1)
    codes = RNG.integers(-middle, middle, (N, K))
    zeros = RNG.integers(-middle, middle, (N, groups)) if has_zeros else np.zeros((N, groups), int)
    scales = floats(N, groups)
    return codes, zeros, scales, (codes - spread(zeros)).astype(np.float32) * spread(scales)


def pack_quantized(bits, pack, version):
    codes, zeros, scales, value = integers(bits, K // 32, has_zeros=True)
    middle = 1 << (bits - 1)
    tensors = {
        "weight_packed": pack(codes + middle, bits), "weight_scale": scales, "weight_shape": np.array([N, K]),
        "weight_zero_point": pack((zeros + middle).T, bits).T,
    }  # fmt: skip
    stated = {"num_bits": bits, "type": "int", "symmetric": False, "group_size": 32, "strategy": "group"}  # fmt: skip
    return tensors, value, compressed("pack-quantized", version, **stated)


@written
def pack_quantized_per_tensor():
    """One zero point is not packed."""
    codes, _, _, _ = integers(4, 1)
    scale, zero = np.array([0.037], np.float32), np.array([-3], np.int8)
    tensors = {
        "weight_packed": bits_of(codes + 8, 4, np.int32), "weight_scale": scale, "weight_shape": np.array([N, K]),
        "weight_zero_point": zero,
    }  # fmt: skip
    configuration = compressed(
        "pack-quantized", num_bits=4, type="int", symmetric=False, strategy="tensor"
    )
    return tensors, (codes + 3).astype(np.float32) * scale, configuration


for count in range(1, 9):
    FORMATS[f"pack_quantized_{count}"] = lambda count=count: pack_quantized(
        count, lambda codes, bits: bits_of(codes, bits, np.int32), "0.20.0"
    )
    # Until 0.17.1 of the package words have gaps where 32 is no multiple of the bits.
    FORMATS[f"pack_quantized_{count}_with_gaps"] = lambda count=count: pack_quantized(
        count, words_of, "0.17.1"
    )


@written
def int_quantized():
    codes, _, scales, value = integers(8, 1)
    configuration = compressed("int-quantized", num_bits=8, type="int", strategy="channel")
    return {"weight": codes.astype(np.int8), "weight_scale": scales}, value, configuration


@written
def int_quantized_asymmetric():
    codes, zeros, scales, value = integers(8, 1, has_zeros=True)
    configuration = compressed("int-quantized", num_bits=8, type="int", strategy="channel", symmetric=False)  # fmt: skip
    tensors = {"weight": codes.astype(np.int8), "weight_scale": scales, "weight_zero_point": zeros.astype(np.int8)}  # fmt: skip
    return tensors, value, configuration


def float_blocks(layout, strategy, scales, **stated):
    codes = RNG.uniform(-448, 448, (N, K)).astype(E4M3)
    rows, columns = scales.shape if scales.ndim == 2 else (1, 1)
    wide = scales.reshape(rows, columns).repeat(N // rows, 0).repeat(K // columns, 1)
    configuration = compressed(layout, num_bits=8, type="float", strategy=strategy, **stated)
    tensors = {"weight": codes, "weight_scale": scales, "input_scale": floats(1)}
    return tensors, codes.astype(np.float32) * wide, configuration


@written
def float_quantized():
    return float_blocks("float-quantized", "tensor", floats(1))


@written
def float_quantized_block():
    return float_blocks("float-quantized", "block", floats(2, 8), block_structure=[32, 32])


@written
def naive_quantized():
    return float_blocks("naive-quantized", "channel", floats(N, 1))


@written
def dense():
    value = floats(N, K)
    configuration = compressed("dense", num_bits=8, type="int", strategy="channel")
    return {"weight": value, "weight_scale": floats(N, 1)}, value, configuration


@written
def mixed_precision():
    """The group is the one that the tensors fit."""
    tensors, value, configuration = mxfp6_pack_quantized()
    others = (mxfp4_pack_quantized, int_quantized, FORMATS["pack_quantized_4"])
    for number, other in enumerate(others, 1):
        (group,) = other()[2]["config_groups"].values()
        configuration["config_groups"][f"group_{number}"] = group
    return tensors, value, {**configuration, "format": "mixed-precision"}


# --- ModelOpt ------------------------------------------------------------------------


def modelopt(algorithm, **fields):
    return {"quant_algo": algorithm, "kv_cache_quant_algo": None, "exclude_modules": ["lm_head"], **fields}  # fmt: skip


def eight_bits(algorithm, dtype, scales):
    codes = RNG.integers(-120, 120, (N, K)).astype(dtype)
    rows, columns = scales.shape[::2] if scales.ndim == 4 else (scales.size, 1)
    wide = scales.reshape(rows, columns).repeat(N // rows, 0).repeat(K // columns, 1)
    return {"weight": codes, "weight_scale": scales}, codes.astype(np.float32) * wide, modelopt(algorithm)  # fmt: skip


for name, dtype, scale_shape in (
    ("FP8", E4M3, ()), ("FP8_PER_CHANNEL_PER_TOKEN", E4M3, (N,)), ("fp8_pb_wo", E4M3, (2, 1, 8, 1)),
    ("W8A16", np.int8, (N,)), ("W8A8_SQ_PER_CHANNEL", np.int8, (N,)),
):  # fmt: skip
    FORMATS[f"modelopt_{name}"] = lambda name=name, dtype=dtype, scale_shape=scale_shape: (
        eight_bits(name, dtype, floats(*scale_shape))
    )


def pairs(algorithm):
    """Two outputs in a byte, in two's complement."""
    codes, _, scales, value = integers(4, K // 128)
    packed = (codes[::2] & 15 | (codes[1::2] & 15) << 4).astype(np.uint8)
    tensors = {"weight": packed, "weight_scale": scales, "pre_quant_scale": floats(K)}
    if algorithm == "W4A8_AWQ":
        tensors["weight_scale_2"] = np.array(0.5, np.float32)
    fields = {"group_size": 128, "has_zero_point": False, "pre_quant_scale": True}
    return tensors, value, modelopt(algorithm, **fields)


def modelopt_mxfp4(algorithm):
    tensors, value, _ = mxfp4_pack_quantized()
    return {"weight": tensors["weight_packed"], "weight_scale": tensors["weight_scale"]}, value, modelopt(algorithm, group_size=32)  # fmt: skip


for name in ("W4A16_AWQ", "W4A8_AWQ"):
    FORMATS[f"modelopt_{name}"] = lambda name=name: pairs(name)
for name in ("NVFP4", "W4A16_NVFP4", "NVFP4_AWQ", "W4A8_NVFP4_FP8"):
    FORMATS[f"modelopt_{name}"] = lambda name=name: (
        *nvfp4("weight", "weight_scale_2", False), modelopt(name, group_size=16)
    )  # fmt: skip
for name in ("mxfp4", "W4A8_MXFP4_FP8"):
    FORMATS[f"modelopt_{name}"] = lambda name=name: modelopt_mxfp4(name)


@written
def modelopt_MXFP8():
    return *mxfp8(), modelopt("MXFP8", group_size=32)


@written
def modelopt_mixed_precision():
    tensors, value, layer = pairs("W4A16_AWQ")
    layer = {name: layer[name] for name in ("quant_algo", "group_size", "has_zero_point", "pre_quant_scale")}  # fmt: skip
    layers = {
        "m": layer,
        "n": {"quant_algo": "FP8"},
        "o": {"quant_algo": "NVFP4", "group_size": 16},
    }
    return tensors, value, modelopt("MIXED_PRECISION", quantized_layers=layers)


# --- torchao ---------------------------------------------------------------------------

TORCHAO = {"quant_method": "torchao", "quant_type": {"default": {"_type": "Int8WeightOnlyConfig"}}}


@written
def torchao_float8():
    codes, scales = RNG.uniform(-448, 448, (N, K)).astype(E4M3), floats(N, 1)
    tensors = {"_weight_qdata": codes, "_weight_scale": scales}
    return tensors, codes.astype(np.float32) * scales, TORCHAO


@written
def torchao_groups_of_four_bits():
    """A code of 4 bits in each byte, as of IntxUnpackedToInt8Tensor."""
    codes, zeros, scales, value = integers(4, K // 32, has_zeros=True)
    tensors = {"_weight_qdata": codes.astype(np.int8), "_weight_scale": scales, "_weight_zero_point": zeros.astype(np.int8)}  # fmt: skip
    return tensors, value, TORCHAO


# --- AutoGPTQ, AutoAWQ (gptq, gptq_v2, gemm and gemv: test_importers_safetensors.py) ---

MARLIN = np.array(
    [
        16 * row + i // 4 + 8 * block + 256 * j
        for i in range(32)
        for j in range(4)
        for block in (0, 1)
        for row in (2 * (i % 4), 2 * (i % 4) + 1, 2 * (i % 4 + 4), 2 * (i % 4 + 4) + 1)
    ]
).reshape(-1, 8)[:, [0, 2, 4, 6, 1, 3, 5, 7]].ravel()  # fmt: skip


def marlin(groups):
    """`_get_perms` and `pack` of both packages' marlin.py."""
    codes, scales = RNG.integers(0, 16, (K, N)), floats(groups, N).astype(np.float16)
    tiles = codes.reshape(K // 16, 16, N // 16, 16).transpose(0, 2, 1, 3).reshape(K // 16, N * 16)
    packed = words_of(tiles.reshape(-1, 1024)[:, MARLIN].reshape(tiles.shape), 4)
    order = [i + 8 * j for i in range(8) for j in range(8)]
    if groups == 1:
        order = [2 * i + j for i in range(4) for j in (0, 1, 8, 9, 16, 17, 24, 25)]
    stored = scales.reshape(-1, len(order))[:, order].reshape(groups, N)
    value = (codes - 8).astype(np.float32) * scales.astype(np.float32).repeat(K // groups, 0)
    return packed, stored, value.T, {"bits": 4, "group_size": -1 if groups == 1 else K // groups}


for count in (1, 2):
    for field in ("is_marlin_format", "checkpoint_format"):

        def autogptq_marlin(count=count, field=field):
            packed, stored, value, fields = marlin(count)
            layout = {field: True if field == "is_marlin_format" else "marlin"}
            fields |= {"quant_method": "gptq", "desc_act": False, "sym": True, "damp_percent": 0.01}
            return {"B": packed, "s": stored}, value, fields | layout

        FORMATS[f"autogptq_marlin_{count}_{field}"] = autogptq_marlin

    def autoawq_marlin(count=count):
        packed, stored, value, fields = marlin(count)
        fields |= {
            "quant_method": "awq",
            "zero_point": False,
            "version": "marlin",
            "modules_to_not_convert": None,
        }
        return {"qweight": packed, "scales": stored}, value, fields  # fmt: skip

    FORMATS[f"autoawq_marlin_{count}"] = autoawq_marlin


@written
def autoawq_gemv_fast():
    """`pack_intweight` of gemv_fast.py."""
    codes, groups = RNG.integers(0, 16, (N, K)).astype(np.uint16), K // 64
    c = codes.reshape(N, K // 32, 4, 4, 2).transpose(0, 1, 3, 2, 4).reshape(N, K // 32, 4, 4, 2)
    c = c.transpose(0, 1, 2, 4, 3).reshape(N // 4, 4, K // 64, 64).transpose(0, 2, 1, 3)
    c = c.reshape(N // 4, K // 64, 64, 4)
    packed = (c[..., 0] | c[..., 1] << 4 | c[..., 2] << 8 | c[..., 3] << 12).reshape(N // 4, K)
    scales, zeros = floats(8, N).astype(np.float16), (-floats(8, N)).astype(np.float16)
    spread_out = [array[:groups].T.astype(np.float32).repeat(64, 1) for array in (scales, zeros)]
    tensors = {"qweight": packed.view(np.int16), "scales": scales, "qzeros": zeros}
    fields = {"quant_method": "awq", "zero_point": True, "group_size": 64, "bits": 4, "version": "gemv_fast"}  # fmt: skip
    return tensors, codes.astype(np.float32) * spread_out[0] + spread_out[1], fields


def saved(tmp_path, tensors, configuration, file="config.json", key="quantization_config"):
    path = tmp_path / "model.safetensors"
    save_file({f"m.{name}": array.copy(order="C") for name, array in tensors.items()}, path)
    (tmp_path / file).write_text(json.dumps({key: configuration}))
    return path


@pytest.mark.parametrize("name", FORMATS)
def test_read(name, tmp_path):
    tensors, expected, configuration = FORMATS[name]()
    place = ("hf_quant_config.json", "quantization") if name.startswith("modelopt") else ()
    path = saved(tmp_path, tensors, configuration, *place)
    module = import_file(path, tensors=["m.weight"])
    found = runtime.compile(module)["m.weight"]()
    assert found.shape == (N, K)
    assert np.array_equal(found.view(np.uint32), expected.astype(np.float32).view(np.uint32))


@pytest.mark.parametrize("name", ["modelopt_W4A8_AWQ", "modelopt_NVFP4"])
def test_modelopt_in_config_json(name, tmp_path):
    """Newer ModelOpt writes there, with groups as of compressed-tensors that are not exact."""
    tensors, expected, fields = FORMATS[name]()
    weights = {"dynamic": False, "num_bits": 4, "type": "float", "group_size": 16}
    configuration = {
        "quant_method": "modelopt", "quant_algo": fields["quant_algo"], "ignore": fields["exclude_modules"],
        "config_groups": {"group_0": {"weights": weights, "targets": ["Linear"]}},
        "producer": {"name": "modelopt", "version": "0.47.0"},
    }  # fmt: skip
    module = import_file(saved(tmp_path, tensors, configuration), tensors=["m.weight"])
    assert np.array_equal(runtime.compile(module)["m.weight"](), expected.astype(np.float32))


@pytest.mark.parametrize("name", ["mxfp4_pack_quantized", "mxfp6_pack_quantized", "pack_quantized_3"])  # fmt: skip
def test_without_configuration(name, tmp_path):
    """The sizes of the tensors tell the format."""
    tensors, expected, _ = FORMATS[name]()
    path = saved(tmp_path, tensors, {}, "other.json")
    module = import_file(path, tensors=["m.weight"])
    assert np.array_equal(runtime.compile(module)["m.weight"](), expected.astype(np.float32))


def test_metadata_of_autogptq(tmp_path):
    """Without a file beside it: 3 bits, which nothing else tells."""
    codes, scales = RNG.integers(0, 8, (K, N)), floats(4, N).astype(np.float16)
    tensors = {
        "m.qweight": bits_of(codes.T, 3, np.int32).T.copy(), "m.scales": scales,
        "m.qzeros": bits_of(np.full((4, N), 3), 3, np.int32),
    }  # fmt: skip
    metadata = {"format": "pt", "auto_gptq_version": "0.7.1", "gptq_bits": "3", "gptq_group_size": "64",
                "gptq_desc_act": "False", "gptq_damp_percent": "0.01", "gptq_is_marlin_format": "False"}  # fmt: skip
    path = tmp_path / "model.safetensors"
    save_file(tensors, path, metadata)
    expected = (codes - 4).astype(np.float32) * scales.astype(np.float32).repeat(64, 0)
    module = import_file(path, tensors=["m.weight"])
    assert np.array_equal(runtime.compile(module)["m.weight"](), expected.T)


def test_bits_that_nothing_tells(tmp_path):
    """No configuration, no g_idx."""
    tensors = {
        "m.qweight": np.zeros((4, 8), np.int32), "m.scales": np.ones((1, 8), np.float16),
        "m.qzeros": np.zeros((1, 1), np.int32),
    }  # fmt: skip
    save_file(tensors, tmp_path / "model.safetensors")
    with pytest.raises(
        SafetensorsImportError, match="'m.qweight': nothing tells its bits: expected a config.json"
    ):
        import_file(tmp_path / "model.safetensors")


# --- refusals: file, field, value, and what is known ---------------------------------


def changed(name, **fields):
    tensors, _, configuration = FORMATS[name]()
    return tensors, {**configuration, **fields}


def weights_changed(name, **fields):
    tensors, _, configuration = FORMATS[name]()
    configuration["config_groups"]["group_0"]["weights"] |= fields
    return tensors, configuration


def tensors_changed(name, **arrays):
    tensors, _, configuration = FORMATS[name]()
    return tensors | arrays, configuration


PLAIN = {"weight": np.zeros((4, 4), np.float32)}
SQUARE = {"weight": np.zeros((256, 256), E4M3), "weight_scale_inv": floats(1, 2)}
CONFIG = r"model.safetensors: config.json: .quantization_config"
GROUP = rf"{CONFIG}.config_groups.group_0"


@pytest.mark.parametrize(
    "given,message",
    [
        ((PLAIN, {"quant_method": "bitsandbytes"}), f"{CONFIG}.quant_method is 'bitsandbytes', known are gptq, awq,"),
        ((PLAIN, {"quant_method": "hqq"}), f"{CONFIG}.quant_method is 'hqq'"),
        ((PLAIN, {"quant_method": 3}), f"{CONFIG}.quant_method is 3"),
        ((PLAIN, {}), f"{CONFIG}.quant_method is None"),
        (changed("int_quantized", format="marlin-24"), f'{CONFIG}.format is .marlin-24., known are "dense", "int-q'),
        (changed("int_quantized", new_field=1), f"{CONFIG}.new_field is 1: the field is unknown, known are"),
        (changed("int_quantized", sparsity_config={"format": "sparse-24-bitmask"}),
         f'{CONFIG}.sparsity_config.format is .sparse-24-bitmask., known are "dense"'),
        (changed("int_quantized", transform_config={"config_groups": {"R1": {}}}), f"{CONFIG}.transform_config is"),
        (changed("int_quantized", config_groups={"W8A8": ["Linear"]}), r"groups.W8A8 is \['Linear'\], expected an object"),
        (changed("mixed_precision", config_groups={"g": {"weights": {}}}), "groups.g.format is 'mixed-precision', known"),
        (weights_changed("pack_quantized_4", type="float"), f'{GROUP}.weights.type is .float., known are "int"'),
        (weights_changed("pack_quantized_4", num_bits=16), f"{GROUP}.weights.num_bits is 16, known are 1, 2,"),
        (weights_changed("pack_quantized_4", num_bits=8), "'m.weight_packed': has 32 words for 256 codes of 8 bits"),
        (weights_changed("pack_quantized_4", group_size=64), "'m.weight_scale': .* blocks of .1, 64."),
        (weights_changed("pack_quantized_4", strategy="token"), f"{GROUP}.weights.strategy is 'token', known are"),
        (weights_changed("pack_quantized_4", dynamic=True), f"{GROUP}.weights.dynamic is True, known are false"),
        (weights_changed("pack_quantized_4", actorder="group"), "'m.weight_g_idx': is missing"),
        (weights_changed("pack_quantized_4", other=1), f"{GROUP}.weights.other is 1: the field is unknown"),
        (weights_changed("mxfp6_pack_quantized", num_bits=4), f"{GROUP}.weights.num_bits is 4, known are 6"),
        (weights_changed("mxfp8_quantized", scale_dtype="torch.float32"), f"{GROUP}.weights.scale_dtype is"),
        (weights_changed("nvfp4_pack_quantized", group_size=32), f"{GROUP}.weights.group_size is 32, known are 16"),
        (weights_changed("float_quantized_block", block_structure=[0, 1]), "block_structure is .0, 1., expected two sizes"),
        (weights_changed("float_quantized_block", block_structure="16x32"), "'m.weight_scale': .* blocks of .16, 32."),
        ((mxfp6_pack_quantized()[0], mxfp4_pack_quantized()[2]), "'m.weight_scale': .* for .64, 384. of f4E2M1FN"),
        ((mxfp4_pack_quantized()[0], mxfp6_pack_quantized()[2]), "'m.weight_packed': has rows of 128 bytes"),
        ((int_quantized()[0], float_quantized()[2]), "'m.weight': has elements of i8, expected f8E4M3FN or"),
        ((PLAIN | {"weight_scale": floats(4, 1)}, int_quantized()[2]), "'m.weight': has elements of f32, expected i8"),
        ((nvfp4("weight_packed", "weight_global_scale", True)[0], mxfp4_pack_quantized()[2]),
         "'m.weight': has weight_global_scale, weight_packed, weight_scale; .* says: mxfp4-pack-quantized"),
        (({"qweight": np.zeros((8, 8), np.int32)}, int_quantized()[2]), "'m.weight': has qweight; .* says: int-quantized"),
        (changed("autogptq_marlin_1_checkpoint_format", checkpoint_format="bitblas"), "checkpoint_format is 'bitblas', known"),
        (changed("autogptq_marlin_1_checkpoint_format", bits=8.0), "bits is 8.0, known are 2, 3, 4, 8"),
        (changed("autogptq_marlin_1_checkpoint_format", bits=True), "bits is True, known are 2, 3, 4, 8"),
        (changed("autogptq_marlin_1_checkpoint_format", dynamic={"+:m": {"bits": 8}}), "dynamic is"),
        (changed("autogptq_marlin_1_checkpoint_format", format="gptq"), "which contradict each other"),
        (changed("autoawq_gemv_fast", version="exllama"), f"{CONFIG}.version is 'exllama', known are .gemm., .gemv."),
        (changed("autoawq_gemv_fast", zero_point=False), "zero_point is False, unknown beside the layout gemv_fast"),
        (changed("autoawq_gemv_fast", group_size=None), "'m.qweight': has groups of None"),
        ((PLAIN, {"quant_method": "fp8", "fmt": "e5m2"}), f"{CONFIG}.fmt is 'e5m2', known are"),
        ((PLAIN, {"quant_method": "fp8", "weight_block_size": [128]}), "weight_block_size is .128., expected two sizes"),
        ((PLAIN, {"group_size": 64, "mode": "affine", "bits": 4}), f"{CONFIG}.mode is 'affine': the field is unknown"),
        (tensors_changed("nvfp4_pack_quantized", weight_global_scale=floats(2)),
         "'m.weight_global_scale': has the shape .2., expected one number"),
        (tensors_changed("pack_quantized_4", weight_scale=floats(2, 2, 2)), "'m.weight_scale': has the shape .2, 2, 2., expected rank 2"),
        (tensors_changed("pack_quantized_4", weight_shape=np.array([1, K])), "'m.weight_packed': has the shape .64, 32. for .1, 256."),
        (tensors_changed("pack_quantized_4", weight_g_idx=np.full(K, 99, np.int32)), "'m.weight_g_idx': does not give one of"),
        (weights_changed("pack_quantized_4", strategy="group", group_size=None), "'m.weight_scale': has groups of None, expected a size"),
        (tensors_changed("int_quantized", weight_zero_point=np.zeros(3, np.int8)), "'m.weight_zero_point': has the shape .3. beside codes of i8"),
        ((SQUARE, {"quant_method": "fp8"}), "'m.weight_scale_inv': has the shape .1, 2., expected .2, 2. for blocks of .128, 128."),
        (tensors_changed("autogptq_marlin_1_checkpoint_format", s=floats(1, 32)), "'m.B': has the shape .* beside s .1, 32."),
        (tensors_changed("autoawq_gemv_fast", qzeros=floats(8, N)), "'m.qweight': has 256 inputs, expected a multiple of 64"),
    ],
)  # fmt: skip
def test_refused(given, message, tmp_path):
    with pytest.raises(SafetensorsImportError, match=message):
        import_file(saved(tmp_path, *given))


@pytest.mark.parametrize(
    "fields,message",
    [
        ({"quant_algo": "NVFP4_SVD"}, r'hf_quant_config.json: .quantization.quant_algo is .NVFP4_SVD., known are "FP8"'),
        ({"has_zero_point": True}, ".quantization.has_zero_point is True, known are false"),
        ({"quant_algo": "MIXED_PRECISION", "quantized_layers": {"m": {"quant_algo": "int2"}}},
         r".quantization.quantized_layers.m.quant_algo is .int2., known are"),
        ({"quant_algo": "FP8"}, "'m.weight': has elements of ui8, expected f8E4M3FN or f8E5M2"),
        ({"group_size": 64}, "'m.weight_scale': has the shape .* blocks of .1, 64."),
    ],
)  # fmt: skip
def test_refused_of_modelopt(fields, message, tmp_path):
    tensors, configuration = changed("modelopt_W4A16_AWQ", **fields)
    path = saved(tmp_path, tensors, configuration, "hf_quant_config.json", "quantization")
    with pytest.raises(SafetensorsImportError, match=message):
        import_file(path)


@pytest.mark.parametrize(
    "tensors,message",
    [
        ({"m.weight": np.zeros((8, 1), np.uint8), "m.weight.absmax": floats(1)}, "'m.weight': has elements of ui8, and no"),
        ({"m.weight.absmax": floats(1)}, "'m.weight.absmax': is of bitsandbytes, which is not read"),
        ({"m.weight._data": np.zeros((8, 8), np.int8)}, "'m.weight._data': is of optimum-quanto, which is not read"),
        ({"m.weight": np.zeros((8, 8), np.int8), "m.SCB": floats(8)}, "'m.weight': has elements of i8, and no scale"),
        ({"m.weight_packed": np.zeros((8, 8), np.int32), "m.scale_packed": floats(8)}, "'m.weight': has weight_packed; no"),
        ({"m.bitmask": np.zeros((8, 8), np.uint8)}, "'m.bitmask': is of sparse-24-bitmask or sparse-bitmask"),
        ({"m.weight": np.zeros((8, 8), np.uint32), "m.scales": floats(8)}, "'m.weight': has elements of ui32, and no"),
    ],
)  # fmt: skip
def test_raw_codes_are_no_weight(tensors, message, tmp_path):
    path = tmp_path / "model.safetensors"
    save_file(tensors, path)
    with pytest.raises(SafetensorsImportError, match=message):
        import_file(path, tensors=[message.split("'")[1]])


def test_packed_bytes_of_torchao(tmp_path):
    path = tmp_path / "model.safetensors"
    save_file(
        {"m._weight_qdata": np.zeros((8, 4), np.uint8), "m._weight_scale": floats(8, 1)}, path
    )
    with pytest.raises(SafetensorsImportError, match="'m._weight_qdata': has packed bytes, and"):
        import_file(path)


def test_gaps_that_only_the_version_tells(tmp_path):
    """20 codes of 3 bits: 2 words with gaps and without."""
    codes, scales = RNG.integers(-4, 4, (N, 20)), floats(N, 1)
    for version, pack in (("0.17.1", words_of), ("0.18.0", lambda c, b: bits_of(c, b, np.int32))):
        tensors = {
            "weight_packed": pack(codes + 4, 3),
            "weight_scale": scales,
            "weight_shape": np.array([N, 20]),
        }
        stated = compressed("pack-quantized", version, num_bits=3, type="int", strategy="channel")
        module = import_file(saved(tmp_path, tensors, stated))
        assert np.array_equal(
            runtime.compile(module)["m.weight"](), codes.astype(np.float32) * scales
        )
    del stated["version"]
    with pytest.raises(SafetensorsImportError, match="from 0.18 on, or before"):
        import_file(saved(tmp_path, tensors, stated))


def test_two_groups_that_fit_differently(tmp_path):
    """16 codes of 3 bits, or of 4, in two words."""
    tensors = {
        "weight_packed": np.ones((N, 2), np.int32), "weight_scale": floats(N, 1), "weight_shape": np.array([N, 16]),
    }  # fmt: skip
    configuration = compressed("pack-quantized", num_bits=3, type="int", strategy="channel")
    groups = configuration["config_groups"]
    groups["group_1"] = {"weights": {**groups["group_0"]["weights"], "num_bits": 4}}
    path = saved(tmp_path, tensors, configuration)
    with pytest.raises(
        SafetensorsImportError, match="'m.weight': is ambiguous: .* 3 bits .* or .* 4 bits"
    ):
        import_file(path)
    groups["group_1"]["weights"]["num_bits"] = 8
    assert "3 bits" in str(import_file(saved(tmp_path, tensors, configuration)))


def test_group_larger_than_a_row(tmp_path):
    """One group, however large the configuration says that it is."""
    tensors, expected, configuration = FORMATS["int_quantized"]()
    (group,) = configuration["config_groups"].values()
    group["weights"] |= {"strategy": "group", "group_size": 1 << 64}
    module = import_file(saved(tmp_path, tensors, configuration))
    assert np.array_equal(runtime.compile(module)["m.weight"](), expected)


def test_unknown_metadata(tmp_path):
    path = tmp_path / "model.safetensors"
    save_file({"m.weight": floats(2, 2)}, path, {"_quantization_metadata": '{"format": "nvfp4"}'})
    with pytest.raises(SafetensorsImportError, match="__metadata__._quantization_metadata is"):
        import_file(path)


def test_configuration_outside_the_folder(tmp_path):
    tensors, _, configuration = FORMATS["int_quantized"]()
    (tmp_path / "model").mkdir()
    path = saved(tmp_path / "model", tensors, configuration)
    (tmp_path / "model/config.json").rename(tmp_path / "secret.json")
    (tmp_path / "model/config.json").symlink_to(tmp_path / "secret.json")
    with pytest.raises(
        SafetensorsImportError, match="config.json beside it: lies outside the folder"
    ):
        import_file(path)


def test_links_of_a_download_cache(tmp_path):
    """`snapshots/x/config.json` and `model.safetensors` are links into one folder of blobs."""
    tensors, expected, configuration = FORMATS["int_quantized"]()
    (tmp_path / "blobs").mkdir()
    (tmp_path / "snapshots").mkdir()
    saved(tmp_path / "blobs", tensors, configuration)
    for name in ("model.safetensors", "config.json"):
        (tmp_path / "snapshots" / name).symlink_to(tmp_path / "blobs" / name)
    module = import_file(tmp_path / "snapshots/model.safetensors")
    assert np.array_equal(runtime.compile(module)["m.weight"](), expected)
