# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The storage of weights by a checkpoint's configuration. No part of the configuration is passed over.

One table for each `quant_method`: a field and what it may be. A field or a value that the table does not have is
refused, since no one can tell what it means for a weight.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from reprlib import repr as short

#: A field that says nothing of how a weight is stored: how it was made, which modules have one.
ANY = object()
#: More ways than one checkpoint has; each is tried on each module.
_MAX_SCHEMES = 64


@dataclass(frozen=True)
class Scheme:
    """A format, a key of `_safetensors_formats.FORMATS`, and what it leaves open."""

    format: str
    arguments: dict
    #: Where the configuration says so; empty where the tensors' names do.
    source: str = ""


class UnknownField(ValueError):
    """Names the field, its value, and what is known."""


def checked(where: str, given, fields: dict) -> dict:
    """The fields of `given` that are not null; strings in the spelling of `fields`."""
    if not isinstance(given, dict):
        raise UnknownField(f"{where} is {short(given)}, expected an object")
    return {
        name: _value(f"{where}.{name}", name, value, fields)
        for name, value in given.items()
        if value is not None
    }


def _value(where: str, name: str, value, fields: dict):
    if name not in fields:
        raise UnknownField(
            f"{where} is {short(value)}: the field is unknown, known are {', '.join(fields)}"
        )
    known = fields[name]
    if known is ANY or isinstance(known, type) and type(value) is known:
        return value
    if isinstance(known, type):
        raise UnknownField(f"{where} is {short(value)}, expected {known.__name__}")
    plain = value.lower() if isinstance(value, str) else value
    for candidate in known:
        folded = candidate.lower() if isinstance(candidate, str) else candidate
        if type(plain) is type(folded) and plain == folded:
            return candidate
    names = ", ".join(json.dumps(candidate) for candidate in known)
    raise UnknownField(f"{where} is {short(value)}, known are {names}")


def _any(*names: str) -> dict:
    return dict.fromkeys(names, ANY)


def _block(where: str, given: dict, name: str) -> tuple[int, int] | None:
    """The rows and columns that share a scale; older files write "128x128"."""
    value = given.get(name)
    sizes = value.split("x") if isinstance(value, str) else value
    if sizes is None:
        return None
    if isinstance(sizes, list) and len(sizes) == 2:
        rows, columns = (
            int(size) if isinstance(size, str) and size.isascii() and size.isdigit() else size
            for size in sizes
        )
        if all(type(size) is int and 0 < size < 1 << 31 for size in (rows, columns)):
            return rows, columns
    raise UnknownField(f"{where}.{name} is {short(value)}, expected two sizes, as [128, 128]")


# --- GPTQ, AWQ -----------------------------------------------------------------------

#: How AutoGPTQ, GPTQModel, AutoAWQ and Transformers spell it.
_PACKED_WORDS = {
    "group_size": int,
    **_any(
        "backend", "batch_size", "block_name_to_quantize", "cache_block_outputs", "dataset", "disable_exllama",
        "exllama_config", "max_input_length", "modules_in_block_to_quantize", "model_seqlen",
        "module_name_preceding_first_block", "pad_token_id", "tokenizer", "use_cuda_fp16", "use_exllama",
    ),
}  # fmt: skip
_GPTQ_LAYOUTS = ("gptq", "gptq_v2", "marlin")
_GPTQ = {
    "quant_method": ("gptq",), "method": ("gptq",), "bits": (2, 3, 4, 8), "desc_act": bool, "sym": bool, "pack_dtype": ("int32",),
    "checkpoint_format": _GPTQ_LAYOUTS, "format": _GPTQ_LAYOUTS, "is_marlin_format": bool, "dynamic": ({}, False),
    "awq_gemm_checkpoint": (False,),
    **_PACKED_WORDS,
    **_any(
        "act_group_aware", "damp_auto_increment", "damp_percent", "lm_head", "meta", "model_file_base_name",
        "model_name_or_path", "static_groups", "true_sequential",
    ),
}  # fmt: skip
_AWQ_LAYOUTS = ("gemm", "gemv", "gemv_fast", "marlin")
_AWQ = {
    "quant_method": ("awq",), "method": ("awq",), "bits": (4,), "w_bit": (4,), "q_group_size": int, "zero_point": bool,
    "version": _AWQ_LAYOUTS, "format": _AWQ_LAYOUTS, "checkpoint_format": _AWQ_LAYOUTS,
    **_PACKED_WORDS,
    "desc_act": (False,), "pack_dtype": ("int32",),
    **_any("do_fuse", "fuse_max_seq_len", "lm_head", "meta", "modules_to_fuse", "modules_to_not_convert"),
}  # fmt: skip


def _one_of(where: str, given: dict, names, default):
    """The value of fields that mean the same."""
    values = {name: given[name] for name in names if name in given}
    if len({json.dumps(value) for value in values.values()}) > 1:
        raise UnknownField(f"{where} has {values}, which contradict each other")
    return next(iter(values.values()), default)


def _gptq(where: str, configuration: dict) -> Iterator[Scheme]:
    given = checked(where, configuration, _GPTQ)
    is_marlin = given.get("is_marlin_format", False)
    layout = _one_of(
        where, given, ("checkpoint_format", "format"), "marlin" if is_marlin else "gptq"
    )
    if is_marlin and layout != "marlin":
        raise UnknownField(f"{where}.is_marlin_format is true, beside the layout {layout}")
    yield Scheme("gptq marlin" if layout == "marlin" else layout, given, where)


def _awq(where: str, configuration: dict) -> Iterator[Scheme]:
    given = checked(where, configuration, _AWQ)
    given["group_size"] = _one_of(where, given, ("group_size", "q_group_size"), None)
    _one_of(where, given, ("bits", "w_bit"), None)
    layout = _one_of(where, given, ("version", "format", "checkpoint_format"), "gemm")
    has_zeros = given.get("zero_point", layout != "marlin")
    # GPTQModel writes symmetric codes of `gemm` with zero points.
    if has_zeros == (layout == "marlin") and layout != "gemm":
        raise UnknownField(f"{where}.zero_point is {has_zeros}, unknown beside the layout {layout}")
    yield Scheme(f"awq {layout}", given, where)


# --- compressed-tensors --------------------------------------------------------------

_COMPRESSED_FORMATS = (
    "dense", "int-quantized", "float-quantized", "naive-quantized", "pack-quantized", "nvfp4-pack-quantized",
    "mxfp4-pack-quantized", "mxfp6-pack-quantized", "mxfp8-quantized",
)  # fmt: skip
_COMPRESSED = {
    "quant_method": ("compressed-tensors",), "format": (*_COMPRESSED_FORMATS, "mixed-precision"),
    "config_groups": dict, "version": str, "sparsity_config": dict, "transform_config": ({}, {"config_groups": {}}),
    "quantization_status": ("initialized", "calibration", "frozen", "compressed", "decompressed"),
    **_any(
        "dequantize", "global_compression_ratio", "ignore", "kv_cache_scheme", "moe_sparsity_config",
        "run_compressed", "use_optimized_inference",
    ),
}  # fmt: skip
_SPARSITY = {
    "format": ("dense",), **_any("global_sparsity", "ignore", "registry_requires_subclass", "sparsity_structure", "targets")
}  # fmt: skip
_GROUP = {
    "format": _COMPRESSED_FORMATS, "weights": dict,
    **_any("input_activations", "output_activations", "targets"),
}  # fmt: skip
_WEIGHTS = {
    "num_bits": int, "type": ("int", "float"), "symmetric": bool, "group_size": int, "block_structure": ANY,
    "strategy": ("tensor", "channel", "group", "block", "tensor_group"), "dynamic": (False,),
    "actorder": ("weight", "static", "group", "dynamic", True, False),
    **_any("observer", "observer_kwargs", "scale_dtype", "zp_dtype"),
}  # fmt: skip
_E4M3, _U8 = ("torch.float8_e4m3fn", "float8_e4m3fn"), ("torch.uint8", "uint8")
#: Further requirements of a format on its `weights`.
_OF_FORMAT = {
    "int-quantized": {"type": ("int",), "num_bits": range(1, 9)},
    "float-quantized": {"type": ("float",), "num_bits": (8,), "symmetric": (True,)},
    "naive-quantized": {"num_bits": range(1, 9)},
    "pack-quantized": {"type": ("int",), "num_bits": range(1, 9)},
    "nvfp4-pack-quantized": {"type": ("float",), "num_bits": (4,), "symmetric": (True,), "group_size": (16,),
                             "strategy": ("tensor_group", "group"), "scale_dtype": _E4M3},
    "mxfp4-pack-quantized": {"type": ("float",), "num_bits": (4,), "symmetric": (True,), "group_size": (32,),
                             "strategy": ("group",), "scale_dtype": _U8},
    "mxfp6-pack-quantized": {"type": ("float",), "num_bits": (6,), "symmetric": (True,), "group_size": (32,),
                             "strategy": ("group",), "scale_dtype": _U8},
    "mxfp8-quantized": {"type": ("float",), "num_bits": (8,), "symmetric": (True,), "group_size": (32,),
                        "strategy": ("group",), "scale_dtype": _U8},
}  # fmt: skip


def _compressed_tensors(where: str, configuration: dict) -> Iterator[Scheme]:
    given = checked(where, configuration, _COMPRESSED)
    checked(f"{where}.sparsity_config", given.get("sparsity_config", {}), _SPARSITY)
    for name, group in given.get("config_groups", {}).items():
        at = f"{where}.config_groups.{name}"
        group = checked(at, group, _GROUP)
        layout = group.get("format", given.get("format"))
        if "weights" not in group:
            continue
        if layout not in _COMPRESSED_FORMATS:
            raise UnknownField(f"{at}.format is {layout!r}, known are {_COMPRESSED_FORMATS}")
        weights = checked(f"{at}.weights", group["weights"], _WEIGHTS)
        # A default of the package, which a file may leave out, is a value too.
        stated = {"num_bits": 8, "type": "int", "symmetric": True, **weights}
        checked(f"{at}.weights", stated, {**_WEIGHTS, **_OF_FORMAT.get(layout, {})})
        block = _block(f"{at}.weights", stated, "block_structure")
        known = ("num_bits", "group_size", "strategy", "actorder")
        arguments = {name: stated[name] for name in known if name in stated}
        version = given.get("version")
        yield Scheme(layout, {**arguments, "block_structure": block, "version": version}, at)


# --- ModelOpt, FP8 -------------------------------------------------------------------

#: `quant_algo`, and the format of its weights.
_ALGORITHMS = {
    "FP8": "float-quantized", "FP8_PER_CHANNEL_PER_TOKEN": "float-quantized", "FP8_PB_WO": "float-quantized",
    "FP8_PB_REAL": "float-quantized", "W8A16": "int-quantized", "W8A8_SQ_PER_CHANNEL": "int-quantized",
    "W4A16_AWQ": "modelopt int4", "W4A8_AWQ": "modelopt int4", "NVFP4": "modelopt nvfp4",
    "W4A16_NVFP4": "modelopt nvfp4", "NVFP4_AWQ": "modelopt nvfp4", "W4A8_NVFP4_FP8": "modelopt nvfp4",
    "MXFP4": "modelopt mxfp4", "W4A8_MXFP4_FP8": "modelopt mxfp4", "MXFP8": "mxfp8-quantized",
}  # fmt: skip
_LAYER = {
    "quant_algo": tuple(_ALGORITHMS), "group_size": int, "has_zero_point": (False,), "pre_quant_scale": bool,
}  # fmt: skip
_MODELOPT = {
    **_LAYER,
    "quant_method": ("modelopt", "modelopt_fp4", "modelopt_mxfp8", "modelopt_mixed"),
    "quant_algo": (*_ALGORITHMS, "MIXED_PRECISION"), "quantized_layers": dict,
    **_any("config_groups", "exclude_modules", "ignore", "kv_cache_quant_algo", "kv_cache_scheme", "producer"),
}  # fmt: skip


def _modelopt(where: str, configuration: dict) -> Iterator[Scheme]:
    given = checked(where, configuration, _MODELOPT)
    layers = {where: given}
    if given.get("quant_algo") == "MIXED_PRECISION":
        layers = {
            (at := f"{where}.quantized_layers.{name}"): checked(at, layer, _LAYER)
            for name, layer in given.get("quantized_layers", {}).items()
        }
    for at, layer in layers.items():
        if "quant_algo" in layer:
            arguments = {"group_size": layer.get("group_size") or None}
            yield Scheme(_ALGORITHMS[layer["quant_algo"]], arguments, at)
    if "quant_algo" not in given and "config_groups" in given:
        raise UnknownField(f"{where}.quant_algo is missing, known are {', '.join(_ALGORITHMS)}")


_FP8 = {
    "quant_method": ("fp8",), "fmt": ("e4m3", "float8_e4m3fn"), "weight_block_size": ANY, "scale_fmt": ("float", "ue8m0"),
    "expert_dtype": ("fp8",),
    **_any("activation_scheme", "dequantize", "ignored_layers", "modules_to_convert", "modules_to_not_convert"),
}  # fmt: skip


def _fp8(where: str, configuration: dict) -> Iterator[Scheme]:
    """DeepSeek's blocks, whose scale is called the inverse; and one scale a tensor, of either name."""
    given = checked(where, configuration, _FP8)
    arguments = {"block_structure": _block(where, given, "weight_block_size")}
    yield Scheme("fp8 inverse", arguments, where)
    yield Scheme("float-quantized", arguments, where)


#: The header tells how each tensor is quantized.
_TORCHAO = {
    "quant_method": ("torchao",),
    **_any("include_input_output_embeddings", "modules_to_not_convert", "quant_type", "quant_type_kwargs", "untie_embedding_weights"),
}  # fmt: skip


def _torchao(where: str, configuration: dict) -> Iterator[Scheme]:
    checked(where, configuration, _TORCHAO)
    yield Scheme("torchao", {}, where)


# --- Quark ---------------------------------------------------------------------------

_QUARK_LAYERS = ("layer_quant_config", "layer_type_quant_config")
_QUARK = {
    "quant_method": ("quark",), "export": dict, "global_quant_config": dict,
    **dict.fromkeys(_QUARK_LAYERS, dict),
    **_any(
        "algo_config", "exclude", "kv_cache_group", "kv_cache_post_rope", "kv_cache_quant_config", "min_kv_scale",
        "quant_mode", "softmax_quant_spec", "version",
    ),
}  # fmt: skip
_QUARK_EXPORT = {
    "weight_format": ("real_quantized",), "pack_method": ("reorder", "order"),
    **_any("kv_cache_group", "min_kv_scale", "weight_merge_groups"),
}  # fmt: skip
_QUARK_LAYER = {"weight": dict, **_any("bias", "input_tensors", "output_tensors", "target_device")}
_QUARK_SCHEMES = {
    "per_tensor": "tensor",
    "per_channel": "channel",
    "per_group": "group",
    "per_block": "block",
}
#: The granularities of a type that are read, and how its scale is stored.
_QUARK_TYPES = {
    **dict.fromkeys(
        ("int4", "uint4", "int8", "uint8"),
        (("per_tensor", "per_channel", "per_group"), ("float32",)),
    ),
    **dict.fromkeys(
        ("fp8_e4m3", "fp8_e5m2"), (("per_tensor", "per_channel", "per_block"), ("float32",))
    ),
    **dict.fromkeys(("fp4", "fp6_e2m3", "fp6_e3m2"), (("per_group",), ("e8m0",))),
}
_QUARK_WEIGHT = {
    "dtype": tuple(_QUARK_TYPES), "qscheme": tuple(_QUARK_SCHEMES), "ch_axis": int, "group_size": int,
    "block_size": ANY, "is_dynamic": (False,), "is_scale_quant": (False,), "scale_format": ANY,
    "zero_point_type": ("int32",),
    **_any(
        "enable_buffer_reuse", "max_input_numel", "mx_element_dtype", "observer_cls", "round_method",
        "scale_calculation_mode", "scale_type", "symmetric",
    ),
}  # fmt: skip


def _quark(where: str, configuration: dict) -> Iterator[Scheme]:
    given = checked(where, configuration, _QUARK)
    export = checked(f"{where}.export", given.get("export", {}), _QUARK_EXPORT)
    layers = {f"{where}.global_quant_config": given.get("global_quant_config", {})}
    for field in _QUARK_LAYERS:
        layers |= {f"{where}.{field}.{name}": layer for name, layer in given.get(field, {}).items()}
    for at, layer in layers.items():
        layer = checked(at, layer, _QUARK_LAYER)
        if "weight" not in layer:
            continue
        weight = checked(f"{at}.weight", layer["weight"], _QUARK_WEIGHT)
        granularities, formats = _QUARK_TYPES[weight["dtype"]]
        weight = checked(
            f"{at}.weight",
            {"scale_format": "float32", **weight},
            {**_QUARK_WEIGHT, "qscheme": granularities, "scale_format": formats},
        )
        axes = {"per_channel": (0,), "per_group": (1, -1)}.get(weight["qscheme"])
        if axes and weight.get("ch_axis") not in axes:
            raise UnknownField(f"{at}.weight.ch_axis is {weight.get('ch_axis')}, known are {axes}")
        yield Scheme(
            "quark",
            {
                "dtype": weight["dtype"],
                "strategy": _QUARK_SCHEMES[weight["qscheme"]],
                "group_size": weight.get("group_size"),
                "block_structure": _block(f"{at}.weight", weight, "block_size"),
                "pack_method": export.get("pack_method", "reorder"),
            },
            at,
        )


#: torchao's type of a tensor in the header, and its attributes.
_TORCHAO_TENSORS = {
    "Float8Tensor": {"block_size": ANY, **_any("act_quant_kwargs", "dtype", "kernel_preference", "mm_config")},
    "Int8Tensor": {"block_size": ANY, **_any("act_quant_kwargs", "dtype", "reduce_range")},
    "IntxUnpackedToInt8Tensor": {"block_size": ANY, **_any("activation_quantization", "dtype", "target_dtype")},
    "MXTensor": {
        "block_size": (32,), "elem_dtype": ANY, "is_swizzled_scales": bool,
        **_any("act_quant_kwargs", "kernel_preference", "orig_dtype"),
    },
    "NVFP4Tensor": {
        "block_size": (16,), "is_swizzled_scales": bool,
        **_any("act_quant_kwargs", "orig_dtype", "use_triton_kernel"),
    },
}  # fmt: skip


def torchao_tensor(where: str, text: str) -> tuple[str, dict]:
    """The type of one tensor, by its description in the header, and the attributes that matter."""
    try:
        described = json.loads(text)
    except (ValueError, RecursionError):
        described = None
    if not isinstance(described, dict):
        raise UnknownField(f"{where} is {short(text)}, expected an object")
    kind = described.get("_type")
    if kind not in (*_TORCHAO_TENSORS,):
        raise UnknownField(
            f"{where}._type is {short(kind)}, known are {', '.join(_TORCHAO_TENSORS)}"
        )
    given = checked(f"{where}._data", described.get("_data"), _TORCHAO_TENSORS[kind])
    if _TORCHAO_TENSORS[kind]["block_size"] is ANY:
        given["block_structure"] = _block(f"{where}._data", given, "block_size")
    element = given.get("elem_dtype")
    given["elem_dtype"] = element.get("_data") if isinstance(element, dict) else element
    return kind, given


# --- the configuration ---------------------------------------------------------------

_METHODS: dict[str, Callable[[str, dict], Iterator[Scheme]]] = {
    "gptq": _gptq, "awq": _awq, "compressed-tensors": _compressed_tensors, "fp8": _fp8,
    "torchao": _torchao, "quark": _quark,
    **dict.fromkeys(_MODELOPT["quant_method"], _modelopt),
}  # fmt: skip
#: The method of a configuration that does not name it, by a field that it must have.
_TOLD_BY = {
    "quant_algo": "modelopt",
    "config_groups": "compressed-tensors",
    "w_bit": "awq",
    "bits": "gptq",
}
#: Without a configuration: formats whose tensors tell all that is needed.
UNSTATED = tuple(
    Scheme(layout, {})
    for layout in (
        "gptq", "pack-quantized", "nvfp4-pack-quantized", "mxfp4-pack-quantized", "mxfp6-pack-quantized",
        "mxfp8-quantized", "naive-quantized", "modelopt nvfp4", "torchao", "fp8 inverse",
    )
)  # fmt: skip


def schemes(where: str, configuration: dict) -> tuple[Scheme, ...]:
    """The ways in which a configuration stores weights; `where` it stands."""
    method = configuration.get("quant_method")
    if method is None:
        method = next((_TOLD_BY[field] for field in _TOLD_BY if field in configuration), None)
    reader = _METHODS.get(method.lower()) if isinstance(method, str) else None
    if reader is None:
        raise UnknownField(
            f"{where}.quant_method is {short(method)}, known are {', '.join(_METHODS)}"
        )
    found = {}
    for scheme in reader(where, configuration):
        found.setdefault((scheme.format, json.dumps(scheme.arguments, sort_keys=True)), scheme)
        if len(found) > _MAX_SCHEMES:
            raise UnknownField(f"{where} has more than {_MAX_SCHEMES} ways to store a weight")
    return tuple(found.values())
