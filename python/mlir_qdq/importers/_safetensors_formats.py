# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The formats of a weight in a checkpoint: its tensors, and the reader that makes the weight of one module of them.

`m` is the module's name; FORMATS has a line for each format.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from . import _safetensors_words as words
from ._safetensors_quark import quark
from ._safetensors_readers import (
    inverse_blocks,
    modelopt_pairs,
    packed_integers,
    plain_codes,
    powers,
    stored,
    two_scales,
)
from ._safetensors_torchao import CODES as TORCHAO
from ._safetensors_torchao import torchao
from ._safetensors_weight import Weight
from ._weights import Value


@dataclass(frozen=True)
class Format:
    read: Callable[[Weight], Value]
    #: Tensors of the module that must be there, and those that may be.
    tensors: tuple[str, ...]
    parts: tuple[str, ...] = ()


FORMATS = {
    "gptq": Format(partial(words.gptq, preset="gptq-v1"), ("qweight", "qzeros", "scales"), ("g_idx",)),
    "gptq_v2": Format(partial(words.gptq, preset="gptq-v2"), ("qweight", "qzeros", "scales"), ("g_idx",)),
    "gptq marlin": Format(partial(words.marlin, codes="B", scales="s"), ("B", "s")),
    "awq gemm": Format(words.awq_gemm, ("qweight", "qzeros", "scales")),
    "awq gemv": Format(words.awq_gemv, ("qweight", "qzeros", "scales")),
    "awq gemv_fast": Format(words.awq_gemv_fast, ("qweight", "qzeros", "scales")),
    "awq marlin": Format(partial(words.marlin, codes="qweight", scales="scales"), ("qweight", "scales")),
    "dense": Format(stored, ("weight",), ("weight_scale", "weight_zero_point", "weight_global_scale")),
    "int-quantized": Format(
        lambda f: plain_codes(f, "i8"), ("weight", "weight_scale"), ("weight_zero_point",)
    ),
    "float-quantized": Format(
        lambda f: plain_codes(f, "f8E4M3FN", "f8E5M2"), ("weight", "weight_scale")
    ),
    "naive-quantized": Format(
        lambda f: plain_codes(f, "i8", "f8E4M3FN", "f8E5M2"), ("weight", "weight_scale"), ("weight_zero_point",)
    ),
    "pack-quantized": Format(
        packed_integers, ("weight_packed", "weight_scale", "weight_shape"), ("weight_zero_point", "weight_g_idx")
    ),
    "nvfp4-pack-quantized": Format(
        partial(two_scales, field="weight_packed", second="weight_global_scale", divides=True),
        ("weight_packed", "weight_scale", "weight_global_scale"),
    ),
    "mxfp4-pack-quantized": Format(
        partial(powers, field="weight_packed", element="f4E2M1FN", bits=4), ("weight_packed", "weight_scale")
    ),
    "mxfp6-pack-quantized": Format(
        partial(powers, field="weight_packed", element="f6E2M3FN", bits=6), ("weight_packed", "weight_scale")
    ),
    "mxfp8-quantized": Format(
        partial(powers, field="weight", element="f8E4M3FN", bits=8), ("weight", "weight_scale")
    ),
    "modelopt int4": Format(modelopt_pairs, ("weight", "weight_scale"), ("weight_scale_2",)),
    "modelopt nvfp4": Format(
        partial(two_scales, field="weight", second="weight_scale_2", divides=False),
        ("weight", "weight_scale", "weight_scale_2"),
    ),
    "modelopt mxfp4": Format(
        partial(powers, field="weight", element="f4E2M1FN", bits=4), ("weight", "weight_scale")
    ),
    "torchao": Format(
        torchao, TORCHAO[:1], (*TORCHAO[1:], "_weight_per_tensor_scale", "_weight_scale_and_zero")
    ),
    "quark": Format(quark, ("weight", "weight_scale"), ("weight_zero_point",)),
    "fp8 inverse": Format(inverse_blocks, ("weight", "weight_scale_inv")),
}  # fmt: skip
#: Parameters of activations, which no weight reads.
ACTIVATIONS = {
    "input_scale", "input_zero_point", "input_global_scale", "output_scale", "output_zero_point",
    "_weight_act_quant_scale", "_weight_act_quant_zero_point", "_weight_act_per_tensor_scale",
}  # fmt: skip
#: Tensors that hold, or scale, codes. All of a quantized module's must be its format's.
CODES = {name for line in FORMATS.values() for name in (*line.tensors, *line.parts)}
#: Those that tell that a module is quantized, whatever the configuration says.
MARKS = {name for name in CODES if "weight" in name and name != "weight"}
#: Of formats that are not read, where nothing else tells.
FOREIGN = {
    "absmax": "bitsandbytes", "nested_absmax": "bitsandbytes", "quant_map": "bitsandbytes", "SCB": "bitsandbytes",
    "scale_packed": "marlin-24", "B_24": "marlin-24", "bitmask": "sparse-24-bitmask or sparse-bitmask",
    "W_q": "HQQ", "qdata": "torchao", "_data": "optimum-quanto",
}  # fmt: skip
