# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records files of weights that torchao, AMD Quark and GPTQModel write: test/python/data/checkpoints.

pip install torch==2.13.0 torchao==0.18.0 amd-quark==0.13 transformers==5.24.0 safetensors gptqmodel==7.7.0
python tools/record-vectors/checkpoints.py

Each file holds the tensors of one module `m`, and as `expected` the weight to which the package itself dequantizes them.
The JSON file of the same name is its `quantization_config`.
"""

import json
import tempfile
from pathlib import Path

import torch
from gptqmodel.nn_modules.qlinear.torch import TorchLinear
from gptqmodel.quantization.config import QuantizeConfig
from gptqmodel.utils.model import convert_gptq_v2_to_v1_format_module
from quark.torch import ModelQuantizer, export_safetensors, import_model_from_safetensors
from quark.torch.quantization.config import config as quark
from safetensors import safe_open
from safetensors.torch import save_file
from torchao.prototype.mx_formats.mx_tensor import MXTensor
from torchao.prototype.mx_formats.nvfp4_tensor import NVFP4Tensor, per_tensor_amax_to_scale
from torchao.prototype.safetensors.safetensors_support import flatten_tensor_state_dict
from torchao.quantization import (
    Float8Tensor,
    Int8WeightOnlyConfig,
    IntxWeightOnlyConfig,
    MappingType,
    PerBlock,
    PerGroup,
    PerRow,
    quantize_,
)
from transformers import LlamaConfig, LlamaForCausalLM

OUTPUT = Path(__file__).resolve().parents[2] / "test" / "python" / "data" / "checkpoints"
N, K = 16, 64


def weight(dtype: torch.dtype) -> torch.Tensor:
    """One difficulty a row: zeros, tiny and huge numbers, one sign, ties."""
    torch.manual_seed(0)
    x = torch.randn(N, K) * 0.05
    x[0] = 0
    x[1] *= 1e-37
    x[2] *= 1e4
    x[3], x[4] = x[3].abs(), -x[4].abs()
    x[5] = torch.arange(K) / 64
    x[6] = -torch.arange(K) / 16
    x[7, ::2] = 0.5
    return x.to(dtype)


def save(name: str, tensors: dict, expected: torch.Tensor, configuration: dict, metadata=None):
    path = OUTPUT / f"{name}.safetensors"
    path.parent.mkdir(parents=True, exist_ok=True)
    tensors = {key: value.contiguous() for key, value in tensors.items()}
    save_file(tensors | {"expected": expected.float().contiguous()}, path, metadata)
    path.with_suffix(".json").write_text(json.dumps(configuration, indent=1) + "\n")


# --- torchao -------------------------------------------------------------------------


def quantized(configuration, dtype) -> torch.Tensor:
    model = torch.nn.Sequential(torch.nn.Linear(K, N, bias=False)).to(dtype)
    with torch.no_grad():
        model[0].weight.copy_(weight(dtype))
    quantize_(model, configuration)
    return model.state_dict()["0.weight"]


def torchao_tensors():
    x = weight(torch.bfloat16)
    yield "int8", quantized(Int8WeightOnlyConfig(version=2), torch.float32)
    intx = IntxWeightOnlyConfig(
        weight_dtype=torch.int3, granularity=PerGroup(32), mapping_type=MappingType.ASYMMETRIC
    )
    yield "intx3", quantized(intx, torch.bfloat16)
    yield "float8_e5m2", Float8Tensor.from_hp(x, torch.float8_e5m2, PerRow())
    yield "float8_blocks", Float8Tensor.from_hp(x, torch.float8_e4m3fn, PerBlock([8, 16]))
    elements = (torch.float8_e4m3fn, torch.float8_e5m2, "fp6_e2m3", "fp6_e3m2", torch.float4_e2m1fn_x2)  # fmt: skip
    for number, element in enumerate(elements):
        name = str(element).removeprefix("torch.")
        yield f"mx_{name}", MXTensor.to_mx(x, element, 32, is_swizzled_scales=number % 2 == 0)
    scale = per_tensor_amax_to_scale(x.abs().max().float())
    yield "nvfp4", NVFP4Tensor.to_nvfp4(x)
    yield "nvfp4_two_scales", NVFP4Tensor.to_nvfp4(x, per_tensor_scale=scale, is_swizzled_scales=True)  # fmt: skip


def record_torchao():
    for name, tensor in torchao_tensors():
        tensors, metadata = flatten_tensor_state_dict({"m.weight": tensor})
        save(
            f"torchao/{name}",
            tensors,
            tensor.dequantize(),
            {"quant_method": "torchao"},
            {**metadata, "format": "pt"},
        )


# --- Quark ---------------------------------------------------------------------------


def quark_specifications():
    """The type and granularity, and the pack_method."""
    common = {"scale_type": "float", "round_method": "half_even", "is_dynamic": False}
    group, channel = {"ch_axis": -1, "group_size": 32}, {"ch_axis": 0}
    yield "int4_group", quark.Int4PerGroupSpec(symmetric=True, **common, **group), "reorder"
    yield "uint4_group", quark.Uint4PerGroupSpec(symmetric=False, **common, **group), "order"
    yield "int4_channel", quark.Int4PerChannelSpec(symmetric=True, **common, **channel), "order"
    yield "uint4_channel", quark.Uint4PerChannelSpec(symmetric=False, **common, **channel), "reorder"  # fmt: skip
    yield "int8_group", quark.Int8PerGroupSpec(symmetric=True, **common, **group), "reorder"
    yield "uint8_channel", quark.Uint8PerChannelSpec(symmetric=False, **common, **channel), "reorder"  # fmt: skip
    tensor = {"observer_method": "min_max", "is_dynamic": False}
    yield "uint8_tensor", quark.Uint8PerTensorSpec(symmetric=False, **common, observer_method="min_max"), "reorder"  # fmt: skip
    yield "fp8_e5m2_tensor", quark.FP8E5M2PerTensorSpec(**tensor), "reorder"
    yield "fp8_e4m3_channel", quark.FP8E4M3PerChannelSpec(is_dynamic=False, ch_axis=0), "reorder"
    for name in ("MXFP4", "MXFP6E2M3", "MXFP6E3M2"):
        yield name.lower(), getattr(quark, f"OCP_{name}Spec")(is_dynamic=False, ch_axis=-1), "order"


def quark_model() -> LlamaForCausalLM:
    configuration = LlamaConfig(
        hidden_size=K, intermediate_size=N, num_hidden_layers=1, num_attention_heads=4,
        num_key_value_heads=4, vocab_size=64,
    )  # fmt: skip
    model = LlamaForCausalLM(configuration).float().eval()
    with torch.no_grad():
        model.model.layers[0].mlp.up_proj.weight.copy_(weight(torch.float32))
    return model


def record_quark():
    module = "model.layers.0.mlp.up_proj"
    for name, specification, pack_method in quark_specifications():
        layer = quark.QLayerConfig(weight=specification.to_quantization_spec())
        quantizer = ModelQuantizer(
            quark.QConfig(global_quant_config=layer, exclude=["lm_head", "*down_proj"])
        )
        model = quantizer.quantize_model(quark_model(), [torch.zeros((1, 8), dtype=torch.int64)])
        model = quantizer.freeze(model)
        with tempfile.TemporaryDirectory() as folder, torch.no_grad():
            export_safetensors(
                model, folder, weight_format="real_quantized", pack_method=pack_method
            )
            with safe_open(f"{folder}/model.safetensors", "pt") as file:
                names = [key for key in file.keys() if key.startswith(module)]  # noqa: SIM118
                tensors = {key.replace(module, "m"): file.get_tensor(key) for key in names}
            configuration = json.loads(Path(folder, "config.json").read_text())
            linear = import_model_from_safetensors(quark_model(), folder)
            linear = linear.model.layers[0].mlp.up_proj
            expected = linear.weight_quantizer(linear.weight)
        save(f"quark/{name}", tensors, expected, configuration["quantization_config"])


# --- GPTQModel -----------------------------------------------------------------------


def record_gptq(bits: int, layout: str, group: int, is_ordered: bool):
    """Zero points of all codes, the lowest and the highest included."""
    torch.manual_seed(bits)
    rows, groups, most = 32, K // group, (1 << bits) - 1
    index = torch.arange(K, dtype=torch.int32) // group
    index = index if is_ordered else index[torch.randperm(K)]
    scales = torch.rand(rows, groups) + 0.01
    scales[0], scales[1], scales[2] = 6e-5, 1.0009765625 / 3, 1e-7
    zeros = torch.randint(0, most + 1, (rows, groups), dtype=torch.int32)
    zeros[3], zeros[4], zeros[5] = 0, most, 0
    codes = torch.randint(0, most + 1, (rows, K))
    linear = torch.nn.Linear(K, rows, bias=False)
    with torch.no_grad():
        linear.weight.copy_((codes - zeros[:, index.long()]) * scales[:, index.long()])
    packed = TorchLinear(
        bits=bits, group_size=group, sym=False, desc_act=not is_ordered, in_features=K, out_features=rows,
        bias=False, pack_dtype=torch.int32, register_buffers=True,
    )  # fmt: skip
    packed.pack(linear, scales, zeros, index)
    packed.post_init()
    expected = packed.dequantize_weight().T
    options = QuantizeConfig(bits=bits, group_size=group, desc_act=not is_ordered, sym=False, format=layout)  # fmt: skip
    if layout == "gptq":
        convert_gptq_v2_to_v1_format_module(packed, quantize_config=options)
    names = ("qweight", "qzeros", "scales", "g_idx")
    tensors = {f"m.{name}": getattr(packed, name).clone() for name in names}
    configuration = options.to_dict()
    del configuration["meta"]["offload_to_disk_path"]
    save(f"gptqmodel/{layout}_{bits}_of_{group}", tensors, expected, configuration)


record_torchao()
record_quark()
for arguments in ((2, "gptq", 32, True), (3, "gptq", 32, False), (4, "gptq", 16, True), (8, "gptq", 64, True),
                  (2, "gptq_v2", 64, False), (3, "gptq_v2", 64, True), (4, "gptq_v2", 32, False)):  # fmt: skip
    record_gptq(*arguments)
